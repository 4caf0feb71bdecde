"""``ctx session compact``: summaries of the turns before the tail; every turn stays."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial

from ctx.app.compacting import Compacted, compacted, means_of, planned
from ctx.app.options import PacketOptions
from ctx.app.sessions import named, tails
from ctx.app.settings import load
from ctx.cli.options import taking
from ctx.cli.session import complain_of_none, each, locate, readable
from ctx.cli.terminal import progress
from ctx.config import whole_number
from ctx.llm.summarisers import check
from ctx.model import Json
from ctx.read.sessions import FOLDER
from ctx.sessions import compaction
from ctx.streams import complain, counted, write_json, write_lines
from ctx.text.names import shown

_MOST_KINDS = 3  # reasons of one kind that a line names


@taking("summariser", "embedder", "budget", "dir", "json")
def compact(
    options: PacketOptions,
    *,
    session: str | None = None,
    dry_run: bool = False,
    size: str | None = None,
    json: bool = False,
) -> int:
    """Summarise the turns before the tail; all turns stay, and `ctx session expand` shows them.

    All sessions, unless one is named. An interrupted run continues where it stopped. Exit
    codes: 0 done, also where nothing was to do, 2 usage or no such session, 4 no context
    directory, 6 a file that cannot be read or written, 7 the embedder or the summariser
    cannot be used.
    """
    world, root, state = locate(options)
    settings = load(root, world, options).settings
    when = datetime.fromtimestamp(world.now_ns // 10**9, UTC).isoformat().replace("+00:00", "Z")
    every = tails(state, settings)
    turns = _size(size)
    asked = {name: compaction.Settings(turns, tail, when) for name, tail in every.items()}
    check(settings.summariser)
    with readable(state):
        names = [named(state, session)] if session else [*asked]
    if not names:
        complain_of_none(root)
    means = means_of(settings, world) if names and not dry_run else None
    results: list[Compacted] = []
    drawing = partial(progress, world=world, counts="turns")

    def do(name: str) -> None:
        if means is None:
            result = planned(state, name, asked[name])
        else:
            result = compacted(state, name, asked[name], means, complain=complain, drawing=drawing)
        results.append(result)
        if not json:
            write_lines([_line(result, dry=dry_run)])

    try:
        code = each(names, do)
    except KeyboardInterrupt:
        if means:
            complain("what is summarised is kept: running it again goes on from there")
        raise
    if json:
        sessions = [_object(result) for result in results]
        write_json({"dry_run": dry_run, "sessions": sessions}, ascii_only=True)
    return code


def _size(text: str | None) -> int:
    """Return the size that was asked for; 0, which means the usual one, for one below."""
    if text is None:
        return 0
    below = text.strip().startswith("-")
    size = whole_number("--size", text.strip().removeprefix("-"), "a whole number")
    return 0 if below else size


def _line(result: Compacted, *, dry: bool) -> str:
    name = shown(result.id)
    if not (result.levels.total() or result.elevated or result.declined):
        return f"{name}: nothing to do, {counted(result.tail, 'turn')} in the tail"
    if dry:
        rules = f", {result.elevated:,} elevated" if result.elevated else ""
        clusters = counted(result.levels[1], "cluster")
        return (
            f"{name}: {counted(result.summarised, 'turn')} in {clusters} would be summarised{rules}"
        )
    return f"{name}: {', '.join(_parts(result))}"


def _parts(result: Compacted) -> Iterator[str]:
    yield f"{counted(result.summarised, 'turn')} in {counted(result.levels[1], 'summary')}"
    if more := result.levels.total() - result.levels[1]:
        yield f"{counted(more, 'summary')} of summaries"
    if result.elevated:
        yield f"{result.elevated:,} elevated"
    if result.declined:
        yield f"{counted(result.declined.total(), 'cluster')} declined{_why(result.declined)}"
    if result.ratio is not None:
        yield f"{result.ratio:g} tokens in one"
        yield f"mean confidence {result.confidence:g}"
    if result.refused:
        yield f"{result.refused.total():,} not as asked for{_why(result.refused)}"


def _why(kinds: Counter[str]) -> str:
    reasons = [f"{count:,} {shown(why)}" for why, count in kinds.most_common(_MOST_KINDS)]
    return f" ({'; '.join(reasons)}{'; …' if len(kinds) > _MOST_KINDS else ''})"


def _object(result: Compacted) -> dict[str, Json]:
    return {
        "id": result.id,
        "file": f"{FOLDER}/{result.name}",
        "tail": result.tail,
        "turns": result.summarised,
        "summaries": result.by_level,
        "elevated": result.elevated,
        "declined": dict(result.declined),
        "not_as_asked": dict(result.refused),
        "covered": result.turn_tokens,
        "tokens": result.summary_tokens,
        "ratio": result.ratio,
        "confidence": result.confidence,
    }
