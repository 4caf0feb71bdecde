"""``ctx session import``: turns of transcripts into ``sessions/``."""

from __future__ import annotations

import json
import os
import stat
import sys
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

from ctx import __version__
from ctx.cli.world import complain, write_out
from ctx.errors import OK, FileError, UsageError
from ctx.model import session_file
from ctx.read.files import RefusedError, shown
from ctx.read.sessions import FOLDER, remember
from ctx.read.transcripts import FORMATS, Note, Skip, Torn, read
from ctx.store.folder import prepare
from ctx.write.turns import Importer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ctx.cli.world import World
    from ctx.read.transcripts import Found

MOST_KINDS = 50
"""Kinds of remarks that are told apart."""
MOST_LINES = 5
"""Lines that a remark names."""
STEP = 256
"""Finds between two looks at how far a source is read."""


class Options(NamedTuple):
    """What was asked for, the same for every source."""

    root: str
    session: str
    """Of turns that name none; empty: the name of their file."""
    format: str
    """Empty: seen by its shape."""
    as_json: bool


class Source(NamedTuple):
    """A file to import."""

    path: str
    """``-`` for standard input."""
    name: str
    """As messages name it."""
    stem: str
    """What its session and what is kept aside of it are called."""
    size: int
    """Bytes; 0 where it is no regular file, and so has no name to call a session by."""
    is_file: bool


class Kinds:
    """How often things of each kind were found, and where first."""

    def __init__(self) -> None:
        """Begin with none."""
        self.counts: dict[str, int] = {}
        self._lines: dict[str, list[int]] = {}

    def add(self, kind: str, line: int) -> None:
        """Count one more of ``kind``, found in ``line``."""
        if kind not in self.counts and len(self.counts) >= MOST_KINDS:
            kind = "other"
        self.counts[kind] = self.counts.get(kind, 0) + 1
        lines = self._lines.setdefault(kind, [])
        if len(lines) < MOST_LINES and line not in lines:
            lines.append(line)

    def told(self) -> Iterator[str]:
        """Yield each kind with the lines where it was found first: ``lines 3, 7: why``."""
        for kind, count in self.counts.items():
            lines = self._lines[kind]
            more = count - len(lines)
            where = f"line{'s' if count > 1 else ''} {', '.join(map(str, lines))}"
            yield f"{where}{f' and {more:,} more' if more else ''}: {kind}"


class Result(NamedTuple):
    """What became of one source."""

    source: Source
    format: str
    importer: Importer
    skipped: Kinds
    notes: Kinds
    torn: Kinds


def run(paths: Sequence[str], options: Options, world: World) -> int:
    """Import all of ``paths``; return the exit code.

    A source of unknown form is left out and the others are imported, the code then tells of
    it; whatever else goes wrong stops the work, and what was imported before it stays.
    """
    if options.format and options.format not in FORMATS:
        raise UsageError(f"--format: {options.format!r} is none of {', '.join(FORMATS)}")
    sources = [_source(path, world) for path in paths]
    code, results = OK, []
    for source in sources:
        if _is_stored(source, options.root):
            complain(f"{source.name}: is a stored session itself: nothing to import")
            continue
        try:
            result = _imported(source, options, world)
        except UsageError as error:
            complain(str(error))
            code = error.exit_code
            continue
        results.append(result)
        _remark(result)
        if not options.as_json:
            write_out("".join(f"{line}\n" for line in _summary(result)).encode("utf-8", "replace"))
    if options.as_json:
        found = {"sources": [_object(result) for result in results]}
        write_out(f"{json.dumps(found, indent=1)}\n".encode())
    return code


# --- sources ------------------------------------------------------------------------------


def _source(path: str, world: World) -> Source:
    """Look at a source before anything is changed; FileError where it cannot be one."""
    if path == "-":
        return Source(path, "standard input", "stdin", 0, is_file=False)
    full, name = os.path.join(world.cwd, path), shown(path)
    try:
        status = os.stat(full)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise FileError(f"{name}: cannot be read: {why}") from error
    if stat.S_ISDIR(status.st_mode):
        raise FileError(f"{name}: is a directory", f"name its files: {name.rstrip('/')}/*.jsonl")
    stem = os.path.splitext(os.path.basename(path))[0]
    is_file = stat.S_ISREG(status.st_mode)
    return Source(full, name, stem, status.st_size if is_file else 0, is_file=is_file)


def _is_stored(source: Source, root: str) -> bool:
    folder = os.path.dirname(os.path.realpath(source.path))
    return source.is_file and folder == os.path.realpath(os.path.join(root, "sessions"))


@contextmanager
def _opened(source: Source) -> Iterator[BinaryIO]:
    if source.path == "-" and sys.stdin is None:
        raise FileError("standard input: cannot be read: it is closed")
    try:
        with (
            nullcontext(sys.stdin.buffer) if source.path == "-" else open(source.path, "rb") as file
        ):
            yield cast("BinaryIO", file)
    except OSError as error:
        raise FileError(f"{source.name}: cannot be read: {error.strerror or error}") from error


# --- one import ---------------------------------------------------------------------------


def _imported(source: Source, options: Options, world: World) -> Result:
    session = options.session or (source.stem if source.is_file else "")
    with _opened(source) as stream:
        transcript = read(stream, source.name, session=session, form=options.format)
        importer = Importer(options.root, source.stem)
        result = Result(source, transcript.format, importer, Kinds(), Kinds(), Kinds())
        if not transcript.format:  # an empty source needs no folder
            return result
        with importer, _progress(source.name, source.size, world) as show:
            for number, found in enumerate(transcript.found):
                if show and number % STEP == 0:
                    show(stream.tell() if source.is_file else 0)
                _take(found, result)
            importer.finish()
    if any(tally.added for tally in importer.tallies.values()):
        _remember(result, options.root, world)
    return result


def _remember(result: Result, root: str, world: World) -> None:
    """Parse what was stored now, so that no hook has to wait for it."""
    store = "" if world.environ.get("CTX_NO_CACHE") else prepare(root)
    if not store:
        return
    from ctx.store.index import Index  # loads SQLite

    paths = [f"{FOLDER}/{session_file(session)}" for session in result.importer.tallies]
    sizes = (os.path.getsize(os.path.join(root, path)) for path in paths)
    with _progress("reading", sum(sizes), world) as show, Index(store, __version__, 0) as index:
        read = 0
        for path in paths:
            with suppress(RefusedError):  # who asks for a packet is told why
                for size in remember(root, path, index):
                    index.flush()
                    read += size
                    if show:
                        show(read)


def _take(found: Found, result: Result) -> None:
    match found.what:
        case Skip(why):
            result.skipped.add(why, found.line)
        case Note(what):
            result.notes.add(what, found.line)
        case Torn(data, why):
            result.torn.add(why, found.line)
            result.importer.aside.add(data)
        case turn:
            result.importer.add(turn)


@contextmanager
def _progress(name: str, size: int, world: World) -> Iterator[Callable[[int], None] | None]:
    """Show how far work on ``size`` bytes is, where standard error can be drawn on."""
    err = sys.stderr
    if err is None or not err.isatty() or world.environ.get("TERM") == "dumb":
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
    with bar:
        task = bar.add_task(_plain(name), total=size or None)
        yield lambda at: bar.update(task, completed=at)


def _plain(name: str) -> str:
    from rich.markup import escape

    return escape(name)


# --- what is said -------------------------------------------------------------------------


def _remarks(result: Result) -> Iterator[str]:
    """Yield what a person should know, a line each."""
    name, importer = result.source.name, result.importer
    yield from (f"{name}: {told}" for told in result.notes.told())
    yield from (f"{name}: {told}" for told in result.torn.told())
    if result.torn.counts:
        count, out = sum(result.torn.counts.values()), importer.aside.left_out
        kept = f"kept in {importer.aside.path}" if count > out else "not kept"
        more = f", but for {out:,} too many or too long" if out and count > out else ""
        yield f"{name}: {_counted(count, 'line')} left out, {kept}{more}"
    yield from (f"{name}: {remark}" for remark in importer.remarks)


def _remark(result: Result) -> None:
    for line in _remarks(result):
        complain(shown(line))


def _summary(result: Result) -> Iterator[str]:
    for session, tally in result.importer.tallies.items():
        known = f", {tally.known:,} already known" if tally.known else ""
        yield f"{shown(session)}: {_counted(tally.added, 'turn')} added{known}"
    skipped = ", ".join(f"{count:,} {kind}" for kind, count in result.skipped.counts.items())
    if skipped:
        yield shown(f"{result.source.name}: skipped {skipped}")
    elif not result.importer.tallies:
        yield f"{result.source.name}: no turns"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _object(result: Result) -> dict[str, object]:
    return {
        "source": result.source.name,
        "format": result.format,
        "sessions": [
            {"id": session, "file": f"sessions/{session_file(session)}", **tally._asdict()}
            for session, tally in result.importer.tallies.items()
        ],
        "skipped": result.skipped.counts,
        "left_out": sum(result.torn.counts.values()),
        "remarks": list(_remarks(result)),
    }
