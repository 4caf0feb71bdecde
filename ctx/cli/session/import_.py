"""``ctx session import``: turns of transcripts into the user's ``sessions/``."""

import sys
from collections.abc import Iterator
from functools import partial

from ctx.app.find import find
from ctx.app.options import PacketOptions
from ctx.app.session_import import Kinds, Result, Wanted, import_all, transcripts
from ctx.cli.options import taking
from ctx.cli.terminal import progress
from ctx.errors import OK, CtxError, UsageError
from ctx.hooks.places import from_home
from ctx.model import Json, session_file
from ctx.sessions.compressed import HINT
from ctx.sessions.finding import age
from ctx.streams import complain, counted, write_json, write_lines
from ctx.text.names import masked_all, shown, shown_line
from ctx.world import World

_MANY = (  # how a remark on one line begins, and one on more
    ("is not a JSON object", "are not JSON objects"), ("is ", "are "), ("has ", "have "),
)  # fmt: skip


@taking("dir", "json")
def import_(  # noqa: PLR0913 - one parameter an option is typer's way
    options: PacketOptions,
    sources: list[str] | None = None,
    *,
    session: str | None = None,
    format_: str | None = None,
    latest: bool = False,
    all_: bool = False,
    json: bool = False,
) -> int:
    """Store the turns of transcripts in your state directory, each once.

    Importing a file again adds only what is new in it. Lines that are no turns are kept in
    sessions/aside/ there and named on standard error. A file that cannot be imported does
    not stop the others: each is named, and the highest code is the result.

    --latest and --all find the transcripts of this project where the hosts of agents keep
    them, or where a host's environment variable moves them; the guide lists both. Of those
    of other projects only the first lines are read.

    Exit codes: 0 imported,
    2 usage, a file of unknown form or a turn of no session (the lines before it are
    stored), 4 no context directory, 6 a file that is not there, is a folder, or cannot be
    read, written or moved.
    """
    world = World()
    root = find(options.dir or "", world)
    code, rows, given = OK, list[Json](), sources or ()
    stdin = sys.stdin.buffer if sys.stdin else None
    is_found = latest or all_
    wanted = Wanted(root, session, format_ or "", stdin, is_found, partial(progress, world=world))
    if latest or all_:
        if sources or session or format_ or (latest and all_):
            raise UsageError("--latest and --all: take no FILE, and of options --dir and --json")
        given = _kept(root, world, latest=latest)
    is_done = (latest or all_) and not given
    for result in () if is_done else import_all(given, wanted, world):
        problem = result if isinstance(result, CtxError) else result.problem
        if not isinstance(result, CtxError):
            rows.append(_object(result))
            for line in _remarks(result):
                complain(shown_line(line))
            if not json:
                write_lines(_summary(result))
        if problem:
            complain(str(problem))
            code = max(code, problem.exit_code)
    if json:
        write_json(masked_all({"sources": rows}), ascii_only=True)
    return code


def _kept(root: str, world: World, *, latest: bool) -> list[str]:
    """Return the transcripts of the project that hosts keep; name them, or what was looked for."""
    places = transcripts(root, world)
    every = sorted((path for place in places for path in place.paths), key=age)
    chosen = every[-1:] if latest else every
    for form, pattern, paths, unread in places:
        if unread:
            complain(f"{form}: {counted(unread, 'compressed transcript')} left out: {HINT}")
        if count := len(set(paths) & set(chosen)):
            where = from_home(paths[-1] if latest else pattern, world)
            complain(shown_line(f"{form}: {counted(count, 'transcript')} of this project: {where}"))
    if not every:
        looked = ", ".join(from_home(place.pattern, world) for place in places)
        complain(shown_line(f"no transcripts of this project are kept; looked for {looked}"))
    return chosen


def _remarks(result: Result) -> Iterator[str]:
    yield from (f"{result.name}: {remark}" for remark in _about(result))


def _about(result: Result) -> Iterator[str]:
    importer, torn = result.importer, result.torn
    yield from _kinds(result.notes)
    if torn.counts:
        count, out = torn.counts.total(), importer.aside.left_out
        known = not importer.aside.added and not out
        if not known:
            yield from _kinds(torn)
        kept = f"{'already ' if known else ''}kept in {importer.aside.path}"
        more = f", but for {out:,} too many or too long" if out and count > out else ""
        yield f"{counted(count, 'line')} left out, {f'{kept}{more}' if count > out else 'not kept'}"
    yield from importer.remarks
    if not (importer.tallies or result.skipped.counts or torn.counts or result.problem):
        yield "holds nothing to import"


def _kinds(kinds: Kinds) -> Iterator[str]:
    """Yield each kind with the lines where it was found first: ``lines 3, 7: why``."""
    for kind, count in kinds.counts.items():
        lines = kinds.lines[kind]
        more = f" and {count - len(lines):,} more" if count > len(lines) else ""
        why = kind
        for one, many in _MANY if count > 1 else ():
            why = many + why.removeprefix(one) if why.startswith(one) else why
        yield f"line{'s' if count > 1 else ''} {', '.join(map(str, lines))}{more}: {why}"


def _summary(result: Result) -> Iterator[str]:
    for session, tally in result.importer.tallies.items():
        known = f", {tally.known:,} already known" if tally.known else ""
        yield f"{shown(session)}: {counted(tally.added, 'turn')} added{known}"
    if skipped := ", ".join(f"{count:,} {kind}" for kind, count in result.skipped.counts.items()):
        yield f"{shown(result.name)}: skipped {shown_line(skipped)}"


def _object(result: Result) -> dict[str, Json]:
    return {
        "source": result.name,
        "format": result.format,
        "sessions": [
            {"id": session, "file": f"sessions/{session_file(session)}", **tally._asdict()}
            for session, tally in result.importer.tallies.items()
        ],
        "skipped": {**result.skipped.counts},
        "left_out": result.torn.counts.total(),
        "remarks": list(_remarks(result)),
    }
