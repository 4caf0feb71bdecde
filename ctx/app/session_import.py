"""``ctx session import``: transcripts that a person names, or that hosts keep, as sessions."""

import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from hashlib import sha256
from typing import BinaryIO, NamedTuple

from ctx.app.capture import left_behind, note_fork, of_repository, session_of
from ctx.app.find import repository
from ctx.app.options import PacketOptions
from ctx.app.sessions import state_of
from ctx.app.settings import load, store_mark
from ctx.config import Settings
from ctx.errors import OK, CtxError, FileError, UsageError
from ctx.model import Turn, session_file
from ctx.model.transcripts import About, Found, Node, Note, Rewound, Skip, Torn
from ctx.read.files import RefusedError
from ctx.read.sessions import FOLDER, remember
from ctx.repository import git_dir
from ctx.sessions import compressed
from ctx.sessions.branches import Branches
from ctx.sessions.finding import Kept, kept
from ctx.sessions.importing import Importer
from ctx.sessions.transcripts import FORMATS, Transcript, check_format, read
from ctx.text.names import shown
from ctx.world import World

MOST_KINDS = 50  # kinds of remarks that are counted apart
MOST_LINES = 5  # lines that a remark names
_UNKNOWN = re.compile(
    r"(?:(?:block|part|item|step|message) of )?(?:type|role) |block without|message without"
)
STEP = 256  # finds between two looks at how far a source is read

Drawing = Callable[[str, int], AbstractContextManager[Callable[[int], None] | None]]
"""Shows the progress of work with that name on so many bytes, 0 where nobody knows: yields what
takes how many are done, or None."""


class Wanted(NamedTuple):
    """What was asked for, the same for every source."""

    root: str
    session: str | None = None  # of turns that name none; None: the name of their file
    format: str = ""  # empty: seen by its shape
    stdin: BinaryIO | None = None  # where ``-`` is read from; None where that is closed
    found: bool = False  # whether hosts keep the sources: what was said elsewhere is left out
    drawing: Drawing = lambda _name, _size: nullcontext()


class SourceError(FileError):
    """A source that cannot be read: the others can be imported all the same."""


class StoredError(CtxError):
    """A source that is a stored session itself, which is no failure."""

    exit_code = OK


class Kinds:
    """How often things of each kind were found, and where first."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.lines: dict[str, list[int]] = {}  # the first lines of each

    def add(self, kind: str, line: int) -> None:
        """Count one more of ``kind``, found in ``line``."""
        if kind not in self.counts and len(self.counts) >= MOST_KINDS:
            kind = "other"
        self.counts[kind] += 1
        lines = self.lines.setdefault(kind, [])
        if len(lines) < MOST_LINES and line not in lines:
            lines.append(line)


class Result:
    """What became of one source."""

    def __init__(self, name: str, transcript: Transcript, importer: Importer, state: str) -> None:
        self.name, self.format = name, transcript.format
        self.path = ""  # of the source
        self.is_here: Callable[[Turn], bool] | None = None  # which turns are taken; None: all
        self.importer = importer
        self.problem: CtxError | None = None  # why it was not read to its end
        self.skipped, self.notes, self.torn = Kinds(), Kinds(), Kinds()
        self._found, self._state = transcript.found, state
        self._sessions: dict[str, str] = {}  # where turns of a session are stored
        self._titles: dict[str, str] = {}
        self._branches = Branches()
        self._left: list[Turn] = []  # what a person went back from
        self._unsaid: list[Turn] = []  # what no person typed, and earlier versions stored
        self._held: list[tuple[str, int]] = []  # notes on a line of which no turn was added yet

    def take(self, found: Found) -> None:
        """Store or count what was found; a note only where a turn of its line is new."""
        if self._held and self._held[0][1] != found.line:
            self._held.clear()
        self._branches.take(found)
        match found.what:
            case Node() | Rewound():
                pass
            case Skip(why, turn):
                self.skipped.add(why, found.line)
                self._unsaid += [turn] if turn and turn.id else []
            case Note(what):
                self._held.append((what, found.line))
            case Torn(data, why):
                self.torn.add(why, found.line)
                self.importer.aside.add(data)
            case About(session, title) as about:
                note_fork(self._state, about.fork, session)
                self._left += left_behind(self.path, about)
                self._titles |= {session: title} if title else {}
            case turn if self.is_here and not self.is_here(turn):
                self.skipped.add("turn of another repository", found.line)
            case turn:
                self._add(turn)

    def _add(self, turn: Turn) -> None:
        name = self._sessions.get(turn.session)
        if name is None:
            is_named = FORMATS[self.format].names_sessions
            name = turn.session if is_named else session_of(self._state, turn)
            self._sessions[turn.session] = name
        if self.importer.add(turn._replace(session=name)):
            for what, line in self._held:
                self.notes.add(what, line)
            self._held.clear()

    def _check_held(self) -> None:
        """Raise what is wrong with a source that holds nothing to store, or nothing known."""
        kinds = self.skipped.counts
        if self.importer.tallies or self._titles:
            return
        if not kinds and self.problem:
            raise self.problem
        if not kinds and self.torn.counts:
            ((kind, lines), *_) = self.torn.lines.items()
            raise UsageError(
                f"{self.name}: not a transcript of the form {self.format}: "
                "not one line of it can be read",
                f"line {lines[0]}: {kind}; known forms are {', '.join(FORMATS)}",
            )
        if kinds and self.is_here is None and all(map(_UNKNOWN.match, kinds)):
            what = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
            raise UsageError(
                f"{self.name}: taken for {self.format}, and holds no turn: {what}",
                "--format names another form",
            )

    def store(self, done: Callable[[], object]) -> None:
        """Store all that is found, on the disk; calls ``done`` now and then. Raises CtxError."""
        with self.importer as importer:
            try:
                for number, found in enumerate(self._found):
                    if number % STEP == 0:
                        done()
                    self.take(found)
            except UsageError as error:
                self.problem = error
            except OSError as error:
                self.problem = _unreadable(self.name, error)
            self._check_held()
            for session, title in self._titles.items():
                if self._sessions.get(session, session) == session:  # a fork has the first's
                    importer.entitle(session, title)
            gone = self._branches.taken_back()
            for turn in (*self._left, *self._unsaid):
                gone.setdefault(turn.session, []).append(turn.id or importer.named(turn))
            for given, turns in gone.items():
                session = self._sessions.get(given, given)
                held = [each for each in turns if importer.holds(session, each)]
                importer.take_back(session, held)
            importer.finish()


def import_all(paths: Sequence[str], wanted: Wanted, world: World) -> Iterator[Result | CtxError]:
    """Import all of ``paths``; yield what became of each. Raises what lets nothing be stored."""
    if wanted.format:
        check_format(wanted.format)
    if wanted.session is not None and not wanted.session.strip():
        raise UsageError("--session: is empty", "name a session, or leave the option out")
    if not paths:
        raise UsageError(
            "no transcript is named",
            "name files, or - for standard input; --all finds those of this project",
        )
    state = state_of(wanted.root, world, make=True)
    settings = None
    with suppress(CtxError):  # who asks for a packet gets the message
        settings = load(wanted.root, world, PacketOptions()).settings
    for path in paths:
        try:
            size = _checked(path, state, world)
            result = _imported(path, size, wanted, state, settings, world)
            if settings and any(tally.added for tally in result.importer.tallies.values()):
                _parse(result.importer.tallies, wanted, state, settings, world)
            world.store(wanted.root).trust()
        except (UsageError, SourceError, StoredError) as error:
            yield error
        else:
            yield result


def _checked(path: str, state: str, world: World) -> int | None:
    """Return the bytes of a source, None for a pipe; SourceError where it cannot be one."""
    if path == "-":
        return None
    full, name = os.path.join(world.cwd, path), shown(path)
    try:
        status = os.stat(full)
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from error
    if stat.S_ISDIR(status.st_mode):
        raise SourceError(f"{name}: is a directory", f"name its files: {name.rstrip('/')}/*.jsonl")
    is_device = stat.S_ISBLK(status.st_mode) or stat.S_ISCHR(status.st_mode)
    if is_device and not os.path.realpath(full).startswith((os.devnull, "/dev/tty", "/dev/pts/")):
        raise SourceError(f"{name}: is a device, not a file", "- reads standard input")
    if not stat.S_ISREG(status.st_mode):
        return None
    if os.path.dirname(os.path.realpath(full)) == os.path.realpath(os.path.join(state, FOLDER)):
        raise StoredError(f"{name}: is a stored session itself: nothing to import")
    return status.st_size


def _unreadable(name: str, error: OSError | ValueError) -> SourceError:
    return SourceError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}")


def _imported(  # noqa: PLR0913, PLR0917 - what, and where to
    path: str, size: int | None, wanted: Wanted, state: str, settings: Settings | None, world: World
) -> Result:
    name, stem = shown(path), compressed.stem(path)
    given = None
    if path == "-":
        name, stem, given = "standard input", "stdin", wanted.stdin
        if given is None:
            raise SourceError(f"{name}: cannot be read: it is closed")
    importer = Importer(state, stem, redact_secrets=not (settings and settings.allow_secrets))
    session = wanted.session or ("" if size is None else stem)
    source = nullcontext(given) if given else compressed.opened(os.path.join(world.cwd, path))
    try:
        with (
            source as stream,
            wanted.drawing(name, size or 0) as show,
        ):
            transcript = read(stream, name, session=session, form=wanted.format)
            is_all = wanted.found or (transcript.format and FORMATS[transcript.format].holds_all)
            result = Result(name, transcript, importer, state)
            result.path = os.path.join(world.cwd, path)
            result.is_here = of_repository(os.path.dirname(wanted.root)) if is_all else None
            is_plain = size is not None and stream.seekable()
            result.store(lambda: show and show(stream.tell() if is_plain else 0))
    except OSError as error:
        raise _unreadable(name, error) from error
    return result


def _parse(
    sessions: Iterable[str], wanted: Wanted, state: str, settings: Settings, world: World
) -> None:
    """Parse these sessions now, so that no hook has to wait for it."""
    store, mark = world.store(wanted.root, make=True), store_mark(settings)
    if not store.cache:
        return
    paths = [f"{FOLDER}/{session_file(session)}" for session in sessions]
    size = sum(os.path.getsize(os.path.join(state, path)) for path in paths)
    with wanted.drawing("reading", size) as show, store.parse_cache(mark, 0) as index:
        done = 0
        for path in paths:
            with suppress(RefusedError):  # who asks for a packet gets the message
                for part in remember(state, path, index, redact_secrets=not settings.allow_secrets):
                    index.flush()
                    done += part
                    if show:
                        show(done)


def transcripts(root: str, world: World) -> list[Kept]:
    """Return where hosts keep the transcripts of this project, and which lie there now."""
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

    return list(kept(project, world.home, world.environ, is_here))
