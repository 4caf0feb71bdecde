"""``ctx session import``: turns of transcripts into the user's ``sessions/``."""

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from hashlib import sha256
from itertools import chain
from typing import Annotated, BinaryIO, NamedTuple, cast

import typer

from ctx.app.capture import session_of
from ctx.app.find import find, repository
from ctx.app.options import PacketOptions
from ctx.app.sessions import state_of
from ctx.app.settings import load, store_mark
from ctx.cli.options import taking
from ctx.cli.terminal import progress
from ctx.errors import OK, CtxError, FileError, UsageError
from ctx.hooks.places import from_home
from ctx.model import Json, session_file
from ctx.model.transcripts import About, Found, Note, Skip, Torn
from ctx.read.files import RefusedError
from ctx.read.sessions import FOLDER, remember
from ctx.repository import git_dir
from ctx.sessions.finding import age, kept
from ctx.sessions.importing import Importer
from ctx.sessions.transcripts import FORMATS, check_format, read
from ctx.streams import complain, counted, write_json, write_lines
from ctx.text.names import masked_all, shown, shown_line
from ctx.world import World

MOST_KINDS = 50  # kinds of remarks that are counted apart
MOST_LINES = 5  # lines that a remark names
STEP = 256  # finds between two looks at how far a source is read


class Options(NamedTuple):
    """What was asked for, the same for every source."""

    root: str
    session: str | None  # of turns that name none; None: the name of their file
    format: str  # empty: seen by its shape
    as_json: bool
    redact_secrets: bool = True


_MANY = (("is ", "are "), ("has ", "have "))  # how a remark on one line begins, and one on more


class SourceError(FileError):
    """A source that cannot be read: the others can be imported all the same."""


class Source(NamedTuple):
    """A file to import."""

    path: str  # ``-`` for standard input
    name: str  # as messages name it
    stem: str  # what its session and what is kept aside of it are called
    size: int  # bytes; 0 where it is no regular file, and so has no name to call a session by
    is_file: bool


class Kinds:
    """How often things of each kind were found, and where first."""

    def __init__(self) -> None:
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

    def lines(self) -> Iterator[str]:
        """Yield each kind with the lines where it was found first: ``lines 3, 7: why``."""
        for kind, count in self.counts.items():
            lines = self._lines[kind]
            more = count - len(lines)
            where = f"line{'s' if count > 1 else ''} {', '.join(map(str, lines))}"
            why = _of_many(kind) if count > 1 else kind
            yield f"{where}{f' and {more:,} more' if more else ''}: {why}"


def _of_many(kind: str) -> str:
    for one, many in _MANY:
        if kind.startswith(one):
            plural = kind.replace("not a JSON object", "not JSON objects")
            return many + plural.removeprefix(one)
    return kind


class Result:
    """What became of one source."""

    def __init__(self, source: Source, form: str, importer: Importer, state: str) -> None:
        self.source = source
        self.format = form
        self.importer = importer
        self._state = state
        self._sessions: dict[str, str] = {}  # where turns of a session are stored
        self._titles: dict[str, str] = {}
        self.skipped, self.notes, self.torn = Kinds(), Kinds(), Kinds()
        self.problem: CtxError | None = None  # why it was not read to its end
        self._held: list[tuple[str, int]] = []  # notes on a line of which no turn was added yet

    def take(self, found: Found) -> None:
        """Store or count what was found; a note only where a turn of its line is new."""
        if self._held and self._held[0][1] != found.line:
            self._held.clear()
        match found.what:
            case Skip(why):
                self.skipped.add(why, found.line)
            case Note(what):
                self._held.append((what, found.line))
            case Torn(data, why):
                self.torn.add(why, found.line)
                self.importer.aside.add(data)
            case About(session, title):
                self._titles[session] = title
            case turn:
                name = self._sessions.get(turn.session)
                if name is None:
                    is_named = FORMATS[self.format].names_sessions
                    name = turn.session if is_named else session_of(self._state, turn)
                    self._sessions[turn.session] = name
                if self.importer.add(turn._replace(session=name)):
                    for what, line in self._held:
                        self.notes.add(what, line)
                    self._held.clear()

    def finish(self) -> None:
        """Write everything that is left, and bring it to the disk; raises FileError."""
        for session, title in self._titles.items():
            self.importer.entitle(self._sessions.get(session, session), title)
        self.importer.finish()


@taking("dir", "json")
def import_(  # noqa: PLR0913 - one parameter an option is typer's way
    options: PacketOptions,
    sources: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE...", help="Transcripts; - reads standard input."),
    ] = None,
    *,
    session: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Session of turns without one (default: file name)."),
    ] = None,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="NAME", help="Form of the files (default: seen by its shape)."
        ),
    ] = None,
    latest: Annotated[
        bool, typer.Option("--latest", help="The newest transcript of this project.")
    ] = False,
    all_: Annotated[
        bool, typer.Option("--all", help="All transcripts of this project that hosts keep.")
    ] = False,
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
    if latest or all_:
        if sources or session or format_ or (latest and all_):
            raise UsageError("--latest and --all: take no FILE, and of options --dir and --json")
        sources = _transcripts(root, world, latest=latest)
        if not sources:
            if json:
                write_json({"sources": []}, ascii_only=True)
            return OK
    return run(sources or (), Options(root, session, format_ or "", as_json=json), world)


def run(paths: Sequence[str], options: Options, world: World) -> int:
    """Import all of ``paths``; return the exit code.

    A source that cannot be imported is named, the others are imported, and the highest code
    is returned. What makes it impossible to store anything stops the work; what was imported
    before it stays.
    """
    if options.format:
        check_format(options.format)
    if options.session is not None and not options.session.strip():
        raise UsageError("--session: is empty", "name a session, or leave the option out")
    if not paths:
        raise UsageError(
            "no transcript is named",
            "name files, or - for standard input; --all finds those of this project",
        )
    state = state_of(options.root, world, make=True)
    with suppress(CtxError):  # who asks for a packet gets the message
        settings = load(options.root, world, PacketOptions()).settings
        options = options._replace(redact_secrets=not settings.allow_secrets)
    code, results = OK, []
    for path in paths:
        problem: CtxError | None
        try:
            source = _source(path, world)
            folder = os.path.dirname(os.path.realpath(source.path))
            if source.is_file and folder == os.path.realpath(os.path.join(state, FOLDER)):
                complain(f"{source.name}: is a stored session itself: nothing to import")
                continue
            result = _imported(source, options, state, world)
        except (UsageError, SourceError) as error:
            problem = error
        else:
            problem = result.problem
            results.append(result)
            _write(result, options)
            world.store(options.root).trust()
        if problem:
            complain(str(problem))
            code = max(code, problem.exit_code)
    if options.as_json:
        write_json(masked_all({"sources": [*map(_object, results)]}), ascii_only=True)
    return code


def _source(path: str, world: World) -> Source:
    """Look at a source before anything is changed; SourceError where it cannot be one."""
    if path == "-":
        return Source(path, "standard input", "stdin", 0, is_file=False)
    full, name = os.path.join(world.cwd, path), shown(path)
    try:
        status = os.stat(full)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise SourceError(f"{name}: cannot be read: {why}") from error
    if stat.S_ISDIR(status.st_mode):
        raise SourceError(f"{name}: is a directory", f"name its files: {name.rstrip('/')}/*.jsonl")
    if _is_endless(full, status.st_mode):
        raise SourceError(f"{name}: is a device, not a file", "- reads standard input")
    stem = os.path.splitext(os.path.basename(path))[0]
    is_file = stat.S_ISREG(status.st_mode)
    return Source(full, name, stem, status.st_size if is_file else 0, is_file=is_file)


def _is_endless(path: str, mode: int) -> bool:
    """Whether this is a device, but a terminal and the empty one; a pipe is read."""
    if not stat.S_ISCHR(mode):
        return stat.S_ISBLK(mode)
    real = os.path.realpath(path)
    return real != os.devnull and not real.startswith(("/dev/tty", "/dev/pts/"))


@contextmanager
def _opened(source: Source) -> Iterator[BinaryIO]:
    if source.path == "-" and sys.stdin is None:
        raise SourceError("standard input: cannot be read: it is closed")
    try:
        with (
            nullcontext(sys.stdin.buffer) if source.path == "-" else open(source.path, "rb") as file
        ):
            yield cast("BinaryIO", file)
    except OSError as error:
        raise _unreadable(source, error) from error


def _unreadable(source: Source, error: OSError) -> SourceError:
    return SourceError(f"{source.name}: cannot be read: {error.strerror or error}")


def _transcripts(root: str, world: World, *, latest: bool) -> list[str]:
    """Return the transcripts of the project that hosts keep; name them, or what was looked for."""
    project = repository(os.path.dirname(os.path.realpath(root)))
    folders = {project, os.path.dirname(root), world.cwd}
    digests = {sha256(os.fsencode(folder)).hexdigest() for folder in folders}
    state = state_of(root, world)

    def is_here(folder: str) -> bool:
        if not os.path.isabs(folder):
            return folder in digests
        real = os.path.realpath(folder)
        top = repository(real)
        if real != project and not real.startswith(os.path.join(project, "")):
            return bool(git_dir(top)) and world.store(os.path.join(top, ".context")).shared == state
        return top == project or git_dir(top) is None

    places = list(kept(project, world.home, world.environ, is_here))
    every = sorted((path for place in places for path in place.paths), key=age)
    chosen = every[-1:] if latest else every
    for form, pattern, paths in places:
        if count := len(set(paths) & set(chosen)):
            where = from_home(paths[-1] if latest else pattern, world)
            complain(shown_line(f"{form}: {counted(count, 'transcript')} of this project: {where}"))
    if not every:
        looked = ", ".join(from_home(place.pattern, world) for place in places)
        complain(shown_line(f"no transcripts of this project are kept; looked for {looked}"))
    return chosen


def _imported(source: Source, options: Options, state: str, world: World) -> Result:
    session = options.session or (source.stem if source.is_file else "")
    with _opened(source) as stream, progress(source.name, source.size, world) as show:
        transcript = read(stream, source.name, session=session, form=options.format)
        importer = Importer(state, source.stem, redact_secrets=options.redact_secrets)
        result = Result(source, transcript.format, importer, state)
        first = _first(transcript.found, result)
        if first is None:  # an empty source needs no folder
            return result
        with importer:
            try:
                for number, found in enumerate(chain(first, transcript.found)):
                    if show and number % STEP == 0:
                        show(stream.tell() if source.is_file else 0)
                    result.take(found)
            except UsageError as error:
                result.problem = error
            except OSError as error:
                result.problem = _unreadable(source, error)
            result.finish()
    if any(tally.added for tally in importer.tallies.values()):
        parse([session_file(session) for session in importer.tallies], options.root, state, world)
    return result


def _first(every: Iterator[Found], result: Result) -> list[Found] | None:
    """Return the first turn or skip with its notes, None for an empty source; or UsageError."""
    notes: list[Found] = []
    for found in every:
        if isinstance(found.what, Note):
            notes.append(found)
            continue
        if not isinstance(found.what, Torn):
            return [*notes, found]
        result.take(found)
    if not result.torn.counts:
        return None
    raise UsageError(
        f"{result.source.name}: not a transcript of the form {result.format}: "
        "not one line of it can be read",
        f"{next(result.torn.lines())}; known forms are {', '.join(FORMATS)}",
    )


def parse(names: Sequence[str], root: str, state: str, world: World) -> None:
    """Parse the sessions of these files now, so that no hook has to wait for it."""
    store = world.store(root, make=True)
    if not store.cache:
        return
    try:
        settings = load(root, world, PacketOptions()).settings
    except CtxError:
        return  # who asks for a packet gets the message
    mark, redact_secrets = store_mark(settings), not settings.allow_secrets
    paths = [f"{FOLDER}/{name}" for name in names]
    sizes = (os.path.getsize(os.path.join(state, path)) for path in paths)
    with progress("reading", sum(sizes), world) as show, store.parse_cache(mark, 0) as index:
        read = 0
        for path in paths:
            with suppress(RefusedError):  # who asks for a packet gets the message
                for size in remember(state, path, index, redact_secrets=redact_secrets):
                    index.flush()
                    read += size
                    if show:
                        show(read)


def _remarks(result: Result) -> Iterator[str]:
    name, importer = result.source.name, result.importer
    yield from (f"{name}: {line}" for line in result.notes.lines())
    if result.torn.counts:
        count, out = sum(result.torn.counts.values()), importer.aside.left_out
        known = not importer.aside.added and not out
        if not known:
            yield from (f"{name}: {line}" for line in result.torn.lines())
        kept = f"{'already ' if known else ''}kept in {importer.aside.path}"
        more = f", but for {out:,} too many or too long" if out and count > out else ""
        where = f"{kept}{more}" if count > out else "not kept"
        yield f"{name}: {counted(count, 'line')} left out, {where}"
    yield from (f"{name}: {remark}" for remark in importer.remarks)
    if not (importer.tallies or result.skipped.counts or result.torn.counts or result.problem):
        yield f"{name}: holds nothing to import"


def _write(result: Result, options: Options) -> None:
    for line in _remarks(result):
        complain(shown_line(line))
    if not options.as_json:
        write_lines(_summary(result))


def _summary(result: Result) -> Iterator[str]:
    for session, tally in result.importer.tallies.items():
        known = f", {tally.known:,} already known" if tally.known else ""
        yield f"{shown(session)}: {counted(tally.added, 'turn')} added{known}"
    skipped = ", ".join(f"{count:,} {kind}" for kind, count in result.skipped.counts.items())
    if skipped:
        yield f"{shown(result.source.name)}: skipped {shown_line(skipped)}"


def _object(result: Result) -> dict[str, Json]:
    return {
        "source": result.source.name,
        "format": result.format,
        "sessions": [
            {"id": session, "file": f"sessions/{session_file(session)}", **tally._asdict()}
            for session, tally in result.importer.tallies.items()
        ],
        "skipped": {**result.skipped.counts},
        "left_out": sum(result.torn.counts.values()),
        "remarks": list(_remarks(result)),
    }
