"""Storing what is new of a session's transcript when its agent stops, compacts or ends.

Where a transcript was read to is kept in the state, with the bytes before that place: one that has
shrunk, was replaced or edited is read from its beginning, and what is stored is found by the ids of
its turns. A place is kept only after the turns before it are on the disk; who dies in between has
them found among the turns that were stored since.
"""

from __future__ import annotations

import os
import stat
from io import BytesIO
from json import dumps, loads
from typing import TYPE_CHECKING, NamedTuple

from ctx.app.options import PacketOptions
from ctx.app.settings import load
from ctx.digest import blake2b
from ctx.errors import FileError, UsageError
from ctx.model import Turn, session_file
from ctx.read.transcripts import read
from ctx.read.transcripts.lines import LIMIT
from ctx.sessions.files import NAME
from ctx.sessions.importing import Importer
from ctx.store.folder import contents, encoded, path_of, save
from ctx.text.secrets import mask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    from ctx.world import World

FOLDER = "captured"
"""The folder of the state that holds how far each transcript was read."""
MOST = 1024
"""Transcripts that are kept there; what of others was stored is found by the ids of turns."""
PIECE = 1024 * 1024
"""Bytes that are stored before their place is kept."""
_BEFORE = 256
"""Bytes before a place by which a transcript is known again."""
_TITLE = 200
"""Characters of a request that ``capture = "titles"`` stores."""


class Place(NamedTuple):
    """How far a transcript was read."""

    path: str
    offset: int = 0
    before: str = ""
    """Digest of the bytes before ``offset``."""
    session: str = ""
    """The session that its turns are stored in."""
    size: int = 0
    """Bytes of that session's file which hold nothing that is after ``offset``, too."""
    known: str = "all"
    """``all`` where all that is stored of the transcript is before ``offset``, ``at its end``
    where that holds once it is read to its end, as it was imported before, ``never`` for one
    that was rewritten; ``size`` is 0 then, and what is stored is read each time.
    """


def capture(
    root: str, transcript: str, session: str, world: World, left: Callable[[], float]
) -> str:
    """Store the turns that a transcript has since the last time; return what was done.

    ``session`` is for turns that name none. Goes on as long as there are more than half of the
    seconds that are ``left`` now; the next call does the rest. Raises CtxError and OSError.
    """
    settings = load(root, world, PacketOptions()).settings
    if settings.capture == "off":
        return "capture is off"
    store = world.store(root)
    state = (store if os.path.isdir(store.shared) else world.store(root, make=True)).shared
    if not state:
        raise FileError("the state directory cannot be made, or is not yours alone")
    end, added = left() / 2, 0
    stem = os.path.splitext(os.path.basename(transcript))[0]
    with (
        _opened(os.path.expanduser(transcript)) as file,
        Importer(state, stem, timeout=end) as importer,
    ):
        place = _place(state, file)
        for data in _pieces(file, place.offset):
            turns = _turns(data, session or stem)
            if settings.capture == "titles":
                turns = _titles(turns)
            for turn in turns:
                place = place if place.session else _begun(place, turn, state)
                importer.since[place.session] = place.size
                text = turn.text if settings.allow_secrets else mask(turn.text)
                added += importer.add(turn._replace(session=place.session, text=text))
            importer.finish()
            offset = place.offset + len(data)
            size = _size(state, place.session) if place.known == "all" else 0
            place = place._replace(offset=offset, before=_before(file, offset), size=size)
            _keep(state, place.path, place)
            if left() < end:
                break
        else:
            if place.known == "at its end":
                size = _size(state, place.session)
                _keep(state, place.path, place._replace(known="all", size=size))
    return f"stored {added:,} turns"


def _opened(path: str) -> BinaryIO:
    """Open a transcript; raises FileError where it is no regular file, and OSError."""
    if not os.path.isabs(path) or not stat.S_ISREG(os.stat(path).st_mode):
        raise FileError("the transcript is no regular file")  # opening a device may do something
    return open(path, "rb")


def _pieces(file: BinaryIO, offset: int) -> Iterator[bytes]:
    """Yield whole lines from ``offset`` on; the last one may still be written."""
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


def _turns(data: bytes, session: str) -> Iterator[Turn]:
    """Yield the turns of whole lines; lines without any, or of no known form, are passed over."""
    try:
        for found in read(BytesIO(data), "the transcript", session=session).found:
            if isinstance(found.what, Turn):
                yield found.what
    except UsageError:
        return


def _titles(turns: Iterator[Turn]) -> Iterator[Turn]:
    """Yield what was asked, shortened to its first line, and nothing else."""
    for turn in turns:
        if turn.role == "user":
            yield turn._replace(text=turn.text.strip().partition("\n")[0][:_TITLE])


# --- how far a transcript was read ----------------------------------------------------------


def _place(state: str, file: BinaryIO) -> Place:
    """Return how far a transcript was read; its beginning where it is not what it was."""
    path = os.path.realpath(file.name)
    known = _kept(state, path)
    if known is None or known.path != path:
        return Place(path)
    if _before(file, known.offset) == known.before:
        return known
    return Place(path, session=known.session, known="never")


def _before(file: BinaryIO, offset: int) -> str:
    """Return the digest of the bytes before ``offset``."""
    file.seek(max(0, offset - _BEFORE))
    return _digest(file.read(min(_BEFORE, offset)))


def _begun(place: Place, first: Turn, state: str) -> Place:
    """Return the place with its session: that of another transcript which begins the same.

    Hosts copy a session that is resumed or forked to a new transcript, under another id.
    """
    key = f"#first {_digest(encoded(repr((first.ts, first.role, first.text))))}"
    known = _kept(state, key) if first.ts else None
    if known is None:
        known = Place(key, session=first.session)
        if first.ts:
            _keep(state, key, known)
    is_new = not _size(state, known.session)
    return place._replace(session=known.session, known="all" if is_new else "at its end")


def _kept(state: str, key: str) -> Place | None:
    try:
        return Place(*loads(contents(path_of(state, FOLDER, key)) or b"null"))
    except (TypeError, ValueError):
        return None  # nothing is known of it, or the file is damaged: it is read from its beginning


def _keep(state: str, key: str, place: Place) -> None:
    if not save(state, FOLDER, key, dumps(place).encode(), MOST):
        raise FileError(f"{state}/{FOLDER}: cannot be written")


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _size(state: str, session: str) -> int:
    """Return how many bytes are stored of a session."""
    try:
        return os.path.getsize(os.path.join(state, NAME, session_file(session)))
    except FileNotFoundError:
        return 0
