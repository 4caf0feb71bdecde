"""Storing what is new of a session's transcript when its agent stops, compacts or ends.

Where a transcript was read to is kept in the state, with the bytes before that place: one that has
shrunk, was replaced or edited is read from its beginning, and what is stored is found by the ids of
its turns. A place is kept only after the turns before it are on the disk; who dies in between has
them found among the turns that were stored since. A place holds digests, no text and no path.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from glob import escape, iglob
from io import BytesIO
from json import dumps, loads
from typing import BinaryIO, NamedTuple

from ctx.config import Settings
from ctx.digest import blake2b
from ctx.errors import CtxError, FileError, UsageError
from ctx.model import Turn, session_file
from ctx.model.transcripts import About, Found
from ctx.read import stored
from ctx.read.files import names
from ctx.repository import common_dir, top_of
from ctx.sessions.branches import Branches
from ctx.sessions.files import NAME
from ctx.sessions.importing import Importer
from ctx.sessions.transcripts import read
from ctx.store.folder import contents, encoded, path_of, remove, replace, save
from ctx.text.json_lines import LIMIT
from ctx.text.secrets import mask
from ctx.world import World

FOLDER = "captured"  # the folder of the state that holds how far each transcript was read
MOST = 1024  # transcripts that are kept there; turns of others are known by their ids
PIECE = 1024 * 1024  # bytes that are stored before their place is kept
AGAIN = 64 * 1024  # bytes at the end of a session in which messages that come again are found
_BEFORE = 256  # bytes before a place by which a transcript is known again
_DOCUMENT = b"{\n"  # the first line of a transcript that is one document
_KEPT = 4  # turns that hosts keep over a compaction, before what comes after it
_TITLE = 200  # characters of a request that ``capture = "titles"`` stores


class Place(NamedTuple):
    """How far a transcript was read."""

    key: str  # digest of its path, or of the first turn of a session
    offset: int = 0
    before: str = ""  # digest of the bytes before ``offset``
    session: str = ""  # the session that its turns are stored in
    size: int = 0  # bytes of that session's file which hold nothing that is after ``offset``, too
    known: str = "all"
    """``all`` where all that is stored of the transcript is before ``offset``, ``at its end``
    where that holds once it is read to its end, as it was imported before, ``never`` for one
    that is being rewritten; ``size`` is 0 then, and what is stored is read.
    """
    lines: int = 0  # lines before ``offset``


def capture(  # noqa: PLR0913, PLR0917 - where from, where to, and how
    root: str, transcript: str, session: str, world: World, settings: Settings,
    left: Callable[[], float], *, compacts: bool = False,
) -> str:  # fmt: skip
    """Store the turns that a transcript has since the last time; return what was done.

    ``session`` is for turns that name none; where it ``compacts`` now, a copy of the transcript
    begins with one of the last turns from then on. Goes on as long as there are more than half
    of the seconds that are ``left`` now; the next call does the rest. Raises CtxError, OSError.
    """
    if settings.capture == "off":
        return "capture is off"
    store = world.store(root)
    state = (store if os.path.isdir(store.shared) else world.store(root, make=True)).shared
    if not state:
        raise FileError("the state directory cannot be made, or is not yours alone")
    end, added, is_here = left() / 2, 0, of_repository(os.path.dirname(root))
    stem = os.path.splitext(os.path.basename(transcript))[0]
    with (
        _opened(os.path.expanduser(transcript)) as file,
        Importer(state, stem, timeout=end, redact_secrets=not settings.allow_secrets) as importer,
    ):
        path, place = _place(state, file)
        begin = place.offset
        for data in _pieces(file, place.offset):
            place, count = _stored(
                data, place, session or stem, importer, is_here, path, state, settings
            )
            if not place.session and len(data) < PIECE:
                break  # what comes before the first turn is read with it: it may name the session
            added += count
            offset = place.offset + len(data)
            size = _size(state, place.session) if place.known == "all" else 0
            lines = place.lines + data.count(b"\n")
            place = place._replace(
                offset=offset, before=_before(file, offset), size=size, lines=lines
            )
            _keep(state, path, place)
            if left() < end:
                break
        else:
            _take_back(file, begin, place.session, importer)
            if place.known == "at its end":
                size = _size(state, place.session)
                _keep(state, path, place._replace(known="all", size=size))
    if compacts and place.session:
        for turn in stored.last(state, session_file(place.session))[-_KEPT:]:
            _keep(state, _first(turn), Place(_key(_first(turn)), session=place.session))
    return f"stored {added:,} turns"


def _stored(  # noqa: PLR0913, PLR0917 - a piece, what is known, and where it goes
    data: bytes, place: Place, session: str, importer: Importer, is_here: Callable[[Turn], bool],
    path: str, state: str, settings: Settings,
) -> tuple[Place, int]:  # fmt: skip
    """Store the turns and the last title of whole lines; return how many turns were new."""
    every = [found.what for found in _read(data, session, place.lines)]
    abouts = [what for what in every if isinstance(what, About)]
    back: list[Turn] = []
    for about in abouts:
        note_fork(state, about.fork, about.session)
        back += left_behind(path, about)
    turns = [what for what in every if isinstance(what, Turn) and is_here(what)]
    count = 0
    for turn in _requests(turns, settings) if settings.capture == "titles" else turns:
        if not place.session:
            name = session_of(state, turn)
            known = "at its end" if _size(state, name) else "all"
            place = place._replace(session=name, known=known)
        importer.since[place.session] = max(0, place.size - AGAIN)
        count += importer.add(turn._replace(session=place.session))
    titles = [one.title for one in abouts if one.title and one.session == place.session]
    for title in titles[-1:]:
        importer.since[place.session] = max(0, place.size - AGAIN)
        importer.entitle(place.session, title)
    if back and place.session:
        importer.take_back(place.session, [importer.named(turn) for turn in back])
    importer.finish()
    return place, count


def of_repository(project: str) -> Callable[[Turn], bool]:
    """Return whether a turn was not said in another repository than ``project``: sessions move on.

    It takes the turns of a session in their order: one without a folder is where the last one was.
    """
    inside = os.path.join(os.path.realpath(project), "")
    folders: dict[str, str] = {}

    @cache
    def shared(folder: str) -> str:
        git = top_of(folder)[1] if os.path.isdir(folder) else ""
        return os.path.realpath(common_dir(git)) if git else ""

    @cache
    def is_own(folder: str) -> bool:
        is_inside = os.path.join(os.path.realpath(folder), "").startswith(inside)
        return is_inside or shared(folder) in ("", shared(project))

    def is_here(turn: Turn) -> bool:
        folders[turn.session] = str(turn.extra.get("cwd") or folders.get(turn.session, ""))
        return not folders[turn.session] or is_own(folders[turn.session])

    return is_here


def _opened(path: str) -> BinaryIO:
    if not os.path.isabs(path) or not stat.S_ISREG(os.stat(path).st_mode):
        raise FileError("the transcript is no regular file")  # opening a device may do something
    return open(path, "rb")


def _pieces(file: BinaryIO, offset: int) -> Iterator[bytes]:
    """Yield whole lines from ``offset`` on, or all of a document once it is written to its end."""
    file.seek(0)
    if file.readline(len(_DOCUMENT)) == _DOCUMENT:
        data = file.read(LIMIT)
        if not offset and data.rstrip().endswith(b"\n}"):
            yield _DOCUMENT + data
        return
    while True:
        file.seek(offset)
        data = file.read(PIECE)
        while not data.endswith(b"\n") and len(data) <= LIMIT:
            more = file.readline(PIECE)
            if not more:
                break
            data += more
        data = data[: data.rfind(b"\n") + 1] or (data if len(data) > LIMIT else b"")
        if not data:
            return
        yield data
        offset += len(data)


def _read(data: bytes, session: str, before: int) -> list[Found]:
    try:
        transcript = read(BytesIO(data), "the transcript", session=session, before=before)
    except UsageError:
        return []  # of no known form
    return list(transcript.found)


def _take_back(file: BinaryIO, begin: int, session: str, importer: Importer) -> None:
    """Note the turns that were taken back, where what is new does not just follow on."""
    branches = Branches()
    for start in (max(0, begin - AGAIN), 0):
        file.seek(start)
        branches = Branches()
        for found in _read(file.read(), session, 0) if session else ():
            branches.take(found)
        if branches.is_straight:
            return
    for turns in branches.taken_back().values():
        importer.take_back(session, turns)


def _requests(turns: Iterable[Turn], settings: Settings) -> Iterator[Turn]:
    """Yield what was asked, shortened to its first line, and names of files that were changed."""
    from ctx.sessions.notes import changed  # not for hooks that store all

    seen: set[str] = set()
    for turn in turns:
        if turn.role == "user":
            seen.clear()
            line = turn.text.strip().partition("\n")[0]
            line = line if settings.allow_secrets else mask(line)  # before it is cut
            yield turn._replace(text=line[:_TITLE])
        elif paths := [path for path in changed(turn) if path not in seen]:
            seen.update(paths)
            branch = {name: turn.extra[name] for name in ("branch",) if name in turn.extra}
            yield turn._replace(text=f"[changed] {', '.join(paths)}", bundle="", extra=branch)


def _place(state: str, file: BinaryIO) -> tuple[str, Place]:
    """Return the real path of a transcript, and how far it was read: 0 where it is another now."""
    path = os.path.realpath(file.name)
    known = _kept(state, path)
    if known is None:
        return path, Place(_key(path))
    if _before(file, known.offset) == known.before:
        settled = "at its end" if known.known == "never" else known.known
        return path, known._replace(known=settled)
    return path, Place(known.key, session=known.session, known="never")


def _before(file: BinaryIO, offset: int) -> str:
    file.seek(max(0, offset - _BEFORE))
    return _digest(file.read(min(_BEFORE, offset)))


def session_of(state: str, first: Turn) -> str:
    """Return the session of the transcript that begins with the turn ``first``.

    Hosts copy a session that is resumed or forked to a new transcript, under another id: it is
    that of the first transcript that began the same. Raises FileError.
    """
    key = _first(first)
    known = _kept(state, key) if first.ts else None
    if known is None:
        origin = _kept(state, f"#fork {first.session}")
        known = Place(_key(key), session=origin.session if origin else first.session)
        if first.ts:
            _keep(state, key, known)
    return known.session


def left_behind(path: str, about: About) -> list[Turn]:
    """Return the turns of a session, in older transcripts, behind where a person went back to.

    The one at ``path`` goes on from there, and lies below the same folder.
    """
    if not about.until:
        return []
    top = os.path.join(os.path.dirname(os.path.abspath(path)), *[os.pardir] * 3)
    pattern = os.path.join(
        escape(os.path.normpath(top)), "*", "*", "*", f"*{escape(about.session)}*"
    )
    older = [each for each in iglob(pattern) if os.path.basename(each) < os.path.basename(path)]
    turns: list[Turn] = []
    for each in older:
        with suppress(OSError), open(each, "rb") as file:
            file.seek(about.until - 1)
            if file.read(1) == b"\n":  # else it is another one
                every = _read(file.read(), about.session, 0)
                turns += [found.what for found in every if isinstance(found.what, Turn)]
    return turns


def note_fork(state: str, fork: str, origin: str) -> None:
    """Note of which session ``fork`` is one, empty for none: a fork of it is part of that, too."""
    if not fork:
        return
    root = _kept(state, f"#fork {origin}")
    key = f"#fork {fork}"
    _keep(state, key, Place(_key(key), session=root.session if root else origin))


def stored_as(state: str, transcript: str, session: str) -> str:
    """Return the session as which the turns of a transcript are stored, or would be."""
    try:
        with _opened(os.path.expanduser(transcript)) as file:
            place = _place(state, file)[1]
            if place.session:
                return place.session
            every = [found.what for found in _read(next(_pieces(file, 0), b""), session, 0)]
            turns = [what for what in every if isinstance(what, Turn)]
    except (CtxError, OSError, ValueError):
        return session
    known = _kept(state, _first(turns[0])) if turns else None
    return known.session if known else session


def forget(state: str, session: str) -> None:
    """Forget which transcripts are of ``session``, but not how far they were read.

    Nothing that was forgotten is stored again, and what comes later is as of a new session.
    Raises FileError.
    """
    for name in names(os.path.join(state, FOLDER), ""):
        path = os.path.join(state, FOLDER, name)
        place = _parsed(path)
        if place is None or place.session != session:
            continue
        if not place.offset:
            remove(path)
        elif not replace(path, dumps(place._replace(session="", size=0, known="all")).encode()):
            raise FileError(f"{path}: cannot be written")


def _first(turn: Turn) -> str:
    return f"#first {turn.id} {turn.ts} {turn.role} {turn.text}"


def _kept(state: str, key: str) -> Place | None:
    place = _parsed(path_of(state, FOLDER, key))
    return place if place and place.key == _key(key) else None


def _parsed(path: str) -> Place | None:
    try:
        return Place(*loads(contents(path) or b"null"))
    except (TypeError, ValueError):
        return None  # nothing is known of it, or the file is damaged: it is read from its beginning


def _keep(state: str, key: str, place: Place) -> None:
    if not save(state, FOLDER, key, dumps(place).encode(), MOST):
        raise FileError(f"{state}/{FOLDER}: cannot be written")


def _key(text: str) -> str:
    return _digest(encoded(text))


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _size(state: str, session: str) -> int:
    try:
        return os.path.getsize(os.path.join(state, NAME, session_file(session)))
    except FileNotFoundError:
        return 0
