"""What ctx keeps between runs: caches, which can be rebuilt, and what sessions received.

``open_store`` is the only way in: another store would be another class with the methods of
``Store``. This module is on the path of every hook: SQLite, JSON, numpy are imported when needed.
"""

from __future__ import annotations

import os
from zlib import crc32

from ctx.errors import install
from ctx.store import folder, given, response_cache
from ctx.store.folder import look, mark
from ctx.store.places import Places, cache_home, places_of, prepare, state_home
from ctx.store.response_cache import Record

TYPE_CHECKING = False  # as above: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from ctx.model import Embedder, Memory
    from ctx.store.no_cache import NoCache
    from ctx.store.parse_cache import Index
    from ctx.store.vectors import Vectors
    from ctx.store.words import Lexicon

LAST_PACKETS = "delivered"  # the last packet of each session: a hook does not repeat it too soon
UNPROVEN = "unproven"  # answers of which it is not known yet whether they arrived
TRUSTED = "trusted"  # the file of the state that notes the user's trust in a project
_PACKETS = folder.Records(LAST_PACKETS, b"ctx-packet-1", 256)  # of the latest sessions
_MARKS = 3  # in that file

__all__ = ["Record", "Store", "cache_home", "look", "mark", "open_store", "state_home"]


def open_store(root: str, environ: Mapping[str, str], home: str, *, make: bool = False) -> Store:
    """Return the store of the context directory ``root``; its folders are made if ``make``."""
    places = (prepare if make else places_of)(root, environ, home)
    store = Store(places.cache, places.state, places.real, places.shared)
    store.id, store.top = places.id, places.top
    return store


class Store(Places):
    """What is kept for one context directory; a store without folders keeps nothing."""

    __slots__ = ()

    def recall(self, key: str) -> Record | None:
        """Return the output of the call ``key``, if all files it was made from are unchanged."""
        return response_cache.recall(self.cache, key) if self.cache else None

    def remember(
        self, key: str, record: Record, seen: Mapping[str, tuple[int, ...]], now_ns: int
    ) -> None:
        """Store ``record`` for the next call ``key``; ``seen`` are signatures by path."""
        if self.cache:
            response_cache.remember(self.cache, key, record, seen, now_ns)

    def seconds_since(self, session: str, packet: bytes, now: float) -> float | None:
        """Return how long ago ``session`` received ``packet``; None if its last one differs."""
        fields = self._last(session)
        if not fields or fields[1] != _sum(packet):
            return None
        ago = now - float(fields[2])
        return ago if ago >= 0 else None  # the clock was set back: nobody knows how long ago

    def note_packet(self, session: str, packet: bytes, now: float) -> None:
        """Record that ``session`` received ``packet`` at ``now``, in seconds since the epoch."""
        body = b"\0".join((folder.encoded(session), _sum(packet), b"%r" % now))
        _PACKETS.put(self.state, session, body)

    def forget_packet(self, session: str) -> None:
        """Forget the last packet of ``session``, which is not in its window any more."""
        if self._last(session):
            folder.remove(folder.path_of(self.state, LAST_PACKETS, session))

    def _last(self, session: str) -> list[bytes]:
        """Return session, checksum and time of its last packet; empty if absent or damaged."""
        fields = (_PACKETS.get(self.state, session) or b"").rsplit(b"\0", 2)
        return fields if fields[0] == folder.encoded(session) and len(fields) > 1 else []

    def received(self, session: str) -> Memory:
        """Return what ``session`` has received; an empty memory where that is not certain."""
        from ctx.store import delivery_log

        return delivery_log.recall(self.state, session)

    def note_received(self, memory: Memory) -> bool:
        """Store ``memory`` for the next call; return whether that was possible."""
        from ctx.store import delivery_log

        return delivery_log.note(self.state, memory)

    def forget_received(self, session: str) -> None:
        """Forget all that ``session`` has received."""
        from ctx.store import delivery_log

        delivery_log.forget(self.state, session)

    def empty(self, session: str, packets: str) -> None:
        """Forget what ``session`` received; ``packets`` names the notes of packet and rules."""
        if self.state and session:
            self.forget_received(session)
        if self.state:
            self.forget_packet(packets)
            given.forget(self.state, packets)
            folder.remove(self.unproven(session))

    def unproven(self, session: str) -> str:
        """Return the path of what ``session`` was answered, until its transcript shows that."""
        return folder.path_of(self.state, UNPROVEN, session) if self.state and session else ""

    def inherit(self, parent: str, session: str, packets: str) -> None:
        """Note that ``session`` has received what ``parent`` has until now."""
        if self.state and session and not self.received(session).items:
            self.note_received(self.received(parent)._replace(session=session))
            given.inherit(self.state, parent, packets)
            given.claim(self.state, packets, [given.COPIED])

    def take_back(self, session: str, packets: str, until: float, since: float) -> None:
        """Forget what ``session`` received between two times, in seconds since the epoch."""
        memory = self.received(session)
        left = {key: item for key, item in memory.items.items() if not until < item.sent < since}
        if self.state and session:
            self.note_received(memory._replace(items=left))
            self.forget_packet(packets)
            given.take_back(self.state, packets, until, since)
            folder.remove(self.unproven(session))

    def log_of(self, session: str) -> str:
        """Return the path of what ``session`` has received; empty where nothing is kept."""
        if not (self.state and session):
            return ""
        from ctx.store import delivery_log

        return delivery_log.path(self.state, session)

    def is_trusted(self) -> bool:
        """Return whether the user trusts the project: hooks may send what its files hold.

        The repository's id has to be that of then, and its path or its folder; without an id both.
        """
        noted = _noted(self.shared)
        if len(noted) != _MARKS:
            return False
        own = map(folder.encoded, self.marks())
        same = [one == other != b"" for one, other in zip(noted, own, strict=True)]
        return same[0] and any(same[1:]) if noted[0] else all(same[1:])

    def was_trusted(self) -> bool:
        """Return whether trust was given to another folder or repository that was at this path."""
        home = os.path.dirname(self.shared)
        try:
            noted = [_noted(os.path.join(home, name)) for name in os.listdir(home)] if home else []
        except OSError:
            return False
        top = folder.encoded(self.top)
        return any(len(marks) == _MARKS and marks[1] == top for marks in noted)

    def trust_seen(self) -> dict[str, tuple[int, ...]]:
        """Return the signature of what notes the user's trust, by path."""
        path = os.path.join(self.shared, TRUSTED)
        return {path: look(path)} if self.shared else {}

    def trust(self, *, given: bool = True) -> bool:
        """Note that the user trusts the project, or not any more; return whether it was noted."""
        path = os.path.join(self.shared, TRUSTED)
        if not given:
            folder.remove(path)
        if not self.shared:
            return False
        marks = "\0".join(self.marks())
        return self.is_trusted() == given or folder.replace(path, folder.encoded(marks))

    def count(self, entries: Iterable[str], day: date) -> None:
        """Count each of ``entries`` (ids) once more on ``day``."""
        from ctx.store import counts

        if self.state:
            counts.note(self.state, entries, day)

    def counts(self, before: date) -> dict[str, int]:
        """Return how often each entry was included before a day, by id."""
        from ctx.store import counts

        return counts.before(self.state, before) if self.state else {}

    def parse_cache(self, mark: str, now_ns: int) -> Index | NoCache:
        """Open the parse cache; files of another ``mark`` are parsed again."""
        if not self.cache:
            from ctx.store.no_cache import NoCache

            return NoCache()
        from ctx.store.parse_cache import Index

        return Index(self.cache, mark, now_ns)

    def words(self, mark: str, *, kept: bool = True) -> Lexicon:
        """Open the words of all entries; without ``kept`` in memory, as in a store of none."""
        from ctx.store.words import Lexicon

        return Lexicon(self.cache if kept else "", mark)

    def vectors(
        self, embedder: Embedder, *, cascade: bool = False, read_only: bool = False
    ) -> Vectors:
        """Open the vectors of ``embedder``. Raises EmbeddingError where numpy is missing."""
        try:
            from ctx.store.vectors import Vectors
        except ImportError as error:
            from ctx.model import EmbeddingError

            raise EmbeddingError(
                f"vectors need numpy, which is not installed ({install('embed')})"
            ) from error
        return Vectors(self.cache, embedder, cascade=cascade, read_only=read_only)

    def index_files(self) -> list[str]:
        """Return the paths of parse cache, words and vectors; none without a cache."""
        from ctx.store import database, parse_cache, words

        names = (parse_cache.NAME, words.NAME, database.VECTORS)
        return [os.path.join(self.cache, name) for name in names] if self.cache else []

    def forget_index(self) -> None:
        """Remove parse cache and words; vectors are forgotten by model."""
        from ctx.store.database import discard

        for path in self.index_files()[:2]:
            discard(path)

    def is_ready(self) -> bool:
        """Whether the state has a folder that is this user's alone."""
        return bool(self.state) and folder.is_private(self.state)

    def folder(self, name: str) -> str:
        """Return the folder ``name`` of the state, made if need be; empty if that fails."""
        return folder.below(self.state, name)

    def sweep(self, now: float) -> None:
        """Remove old caches, and folders of vanished directories, at most once a day."""
        from ctx.store.sweep import MOST_CACHE, sweep

        sweep(os.path.dirname(self.cache), now, MOST_CACHE, self.cache)
        sweep(os.path.dirname(self.state), now, used=self.state)


def _noted(shared: str) -> list[bytes]:
    """Return the marks (``Places.marks``) of the folder that is trusted; one of older releases."""
    data = (shared and folder.contents(os.path.join(shared, TRUSTED))) or b""
    return data.split(b"\0")


def _sum(data: bytes) -> bytes:
    return b"%d %08x" % (len(data), crc32(data))
