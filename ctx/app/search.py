"""Search entries and turns."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple, get_args

from ctx.app.packet import request_of, with_store
from ctx.app.settings import load
from ctx.app.walk import search
from ctx.config import quoted
from ctx.config.numbers import whole as whole_number
from ctx.errors import UsageError
from ctx.model import KINDS, Inquiry, Kind
from ctx.text.tokens import counter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctx.app.settings import Loaded
    from ctx.model import Found, Library, Shelf
    from ctx.store.places import Places
    from ctx.world import World


DEFAULT_LIMIT = 10


_DAYS = re.compile(r"(\d{1,6})d")


class Options(NamedTuple):
    """What the command was given, as typed."""

    query: str
    """``-`` reads standard input."""
    budget: str | None = None
    limit: str | None = None
    kinds: Sequence[str] = ()
    since: str | None = None
    as_json: bool = False
    archive: bool = False


def found(options: Options, flags: Mapping[str, object], root: str, world: World) -> Found:
    """Return what the directory ``root`` says about ``options.query``, taken as it is.

    ``flags`` are settings and ``as_of``, as typed. Raises CtxError.
    """
    given = {**flags, "query": options.query, "format": "json" if options.as_json else "md"}
    if options.budget is not None:
        given["budget"] = options.budget
    if not options.query.strip():
        raise UsageError("QUERY: is empty", "such as: ctx search 'retry policy'")
    loaded = load(root, world, given)
    inquiry = _inquiry(options, given, loaded, root, world)
    return _found(inquiry, loaded, world.prepare(root), world)


def _found(inquiry: Inquiry, loaded: Loaded, places: Places, world: World) -> Found:
    counting = counter(loaded.settings.tokenizer)

    def walk(shelf: Shelf, library: Library) -> Found:
        return search(inquiry, counting, shelf, library)

    return with_store(walk, loaded.settings, inquiry.request, places, world)


def _inquiry(
    options: Options, given: Mapping[str, object], loaded: Loaded, root: str, world: World
) -> Inquiry:
    whole = options.budget is not None
    limit = whole_number("--limit", options.limit, least=1) if options.limit is not None else None
    request = request_of(given, loaded.settings, root, world)
    if given.get("ranker") == "brackets":
        raise UsageError(
            "--ranker: brackets orders a whole directory by age and finds nothing",
            "lexical, hybrid or discovery",
        )
    if request.ranker == "brackets":  # by the settings, which speak of packets
        request = request._replace(ranker="discovery")
    return Inquiry(
        request,
        limit if whole or limit is not None else DEFAULT_LIMIT,
        whole,
        _kinds(options.kinds),
        _since(options.since, request.as_of),
        options.archive,
    )


def _kinds(names: Sequence[str]) -> frozenset[Kind]:
    found: set[Kind] = set()
    for name in (each.strip().lower() for given in names for each in given.split(",")):
        kind = next((one for one in KINDS if name in (one, f"{one}s")), None)
        if kind is None:
            raise UsageError(
                f"--kind: {quoted(name)} is no kind", f"one of {', '.join(get_args(Kind))}"
            )
        found.add(kind)
    return frozenset(found) or KINDS


def _since(text: str | None, today: date) -> str:
    """Return the day that ``2026-11-01`` or ``30d`` names; empty for none."""
    if text is None:
        return ""
    days = _DAYS.fullmatch(text)
    try:
        if days:
            return (today - timedelta(int(days[1]))).isoformat()
        return date.fromisoformat(text).isoformat()
    except (ValueError, OverflowError):
        message = f"--since: {quoted(text)} is neither a date nor a number of days"
        raise UsageError(message, "such as 2026-11-01 or 30d") from None
