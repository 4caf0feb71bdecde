"""Search entries and turns."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING, get_args

from ctx.app.walk import search
from ctx.config import quoted, whole_number
from ctx.errors import UsageError
from ctx.model import KINDS, Kind, SearchRequest
from ctx.rank import BY_QUERY, FINDERS, asks
from ctx.text.tokens import counter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.app.options import SearchOptions
    from ctx.app.workspace import Workspace
    from ctx.model import Library, ParseCache, SearchResults

DEFAULT_LIMIT = 10
_DAYS = re.compile(r"(\d{1,6})d")


def found(options: SearchOptions, workspace: Workspace) -> SearchResults:
    """Return what the directory holds about ``options.query``, taken as it is.

    ``workspace`` was made with the same options. Raises CtxError.
    """
    if not (options.query or "").strip():
        raise UsageError("QUERY: is empty", "such as: ctx search 'retry policy'")
    asked = _request(options, workspace)
    counting = counter(workspace.settings.tokenizer)

    def work(cache: ParseCache, library: Library) -> SearchResults:
        return search(asked, counting, cache, library)

    return workspace.walk(work, asked.request)


def _request(options: SearchOptions, workspace: Workspace) -> SearchRequest:
    whole = options.budget is not None
    limit = None if whole else DEFAULT_LIMIT
    if options.limit is not None:
        limit = whole_number("--limit", options.limit, least=1)
    request = workspace.request()
    if not asks(request.ranker).words:
        if workspace.options.ranker == request.ranker:
            raise UsageError(
                f"--ranker: {request.ranker} orders a whole directory and finds nothing",
                f"one of {', '.join(FINDERS)}",
            )
        # By the settings, which are about packets.
        request = request._replace(ranker=BY_QUERY)
    kinds, since = _kinds(options.kind or ()), _since(options.since, request.as_of)
    return SearchRequest(request, limit, whole, kinds, since, bool(options.archive))


def _kinds(names: Sequence[str]) -> frozenset[Kind]:
    kinds: set[Kind] = set()
    for name in (each.strip().lower() for given in names for each in given.split(",")):
        kind = next((kind for kind in KINDS if name in (kind, f"{kind}s")), None)
        if kind is None:
            raise UsageError(
                f"--kind: {quoted(name)} is no kind", f"one of {', '.join(get_args(Kind))}"
            )
        kinds.add(kind)
    return frozenset(kinds) or KINDS


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
