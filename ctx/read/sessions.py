"""Sessions as entries, a turn each, in pieces of which only the last changes as a file grows."""

import json
import os
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate

from ctx.model import FOREIGN, NO_FRONTMATTER, SHARED, CachedFile, Entry, ParseCache
from ctx.read import files
from ctx.read.columns import Columns, Excerpt, remembered
from ctx.text.names import shown
from ctx.typed import TYPE_CHECKING, BinaryIO, NamedTuple

if TYPE_CHECKING:
    from ctx.read.compactions import Edge

FOLDER = "sessions"
SUMMARIES = "sessions/summaries"  # beside ``FOLDER``; each file is named as its session's
PIECE = 256 * 1024  # bytes after which a piece ends with its line
LONGEST = 128 * 1024 * 1024  # of a line; four times the limit of imports: stored it may be longer


class Session(NamedTuple):
    """One session's file, as read."""

    path: str  # relative to the context directory
    size: int  # bytes
    parts: tuple[Columns, ...]  # its turns, oldest first

    @property
    def warnings(self) -> tuple[str, ...]:
        """What could not be read and what was redacted: a line each, however much that is."""
        warned = [json.loads(*part.warnings) for part in self.parts if part.warnings]
        lines: list[str] = []
        if unread := [unread for unread, _ in warned if unread]:
            line, why, _ = unread[0]
            more = sum(count for _, _, count in unread) - 1
            others = f", and {more:,} {'line' if more == 1 else 'lines'} more" if more else ""
            lines.append(f"{self.path}:{line}: {why}; left out{others}")
        if redacted := [redacted for _, redacted in warned if redacted]:
            from ctx.read.redaction import Redacted, warning  # only where there are secrets

            lines += warning(self.path, map(Redacted._make, redacted))
        return tuple(lines)


class Turns:
    """The turns of one session, oldest first: a ``Thread``."""

    def __init__(self, parts: Sequence[Columns | Excerpt], length: int | None = None) -> None:
        """Take the parts of a session, and how many of its turns count; all without a number."""
        self._parts = parts
        self._starts = list(accumulate(map(len, parts), initial=0))
        self._length = self._starts[-1] if length is None else length

    def __len__(self) -> int:
        return self._length

    def turn(self, index: int) -> Entry:
        """Return the turn at ``index``, counted from 0."""
        number = bisect_right(self._starts, index) - 1
        return self._parts[number].entry(index - self._starts[number])

    def bundles(self) -> Iterator[tuple[int, str]]:
        """Yield the index and the bundle of every turn that has one, oldest first."""
        for start, part in zip(self._starts, self._parts, strict=False):
            for place, bundle in sorted(part.bundles().items()):
                if start + place < self._length:
                    yield start + place, bundle


def read_session(root: str, path: str, cache: ParseCache, limits: files.Limits) -> Session:
    """Read a session or its summaries, of any size; below ``FOREIGN`` it is not the user's."""
    status = files.inspect(root, path, limits._replace(max_bytes=sys.maxsize))
    signature = files.signature(status)
    known = _contents(path, cache)
    unchanged = known is not None and cache.signature(path) == signature
    size = status.st_size
    parts: list[Columns] = []
    for number, digest in enumerate(known.digests if known and unchanged else ()):
        if (part := _remembered(path, number, digest, cache)) is None:
            parts = []
            break
        parts.append(part)
    if not parts:
        read = list(_reading(root, path, cache, redact_secrets=not limits.allow_secrets))
        parts = [part for part, _ in read]
        size = sum(size for _, size in read)
    _make_names_unique(path, parts, known, signature, cache)
    back = {name for part in parts for name in json.loads(part.chunks).get("back", ())}
    for part in parts if back else ():
        part.take_back(back)
    return Session(shown(path), size, tuple(parts))


def in_force(parts: Sequence[Columns]) -> list[Columns | Excerpt]:
    """Return the turns that nobody took back."""
    return [
        Excerpt(part, sorted({*range(len(part))} - part.superseded), part.kind, cut=True)
        if part.superseded
        else part
        for part in parts
    ]


def until(parts: Sequence[Columns], end: str, *, in_force: bool = False) -> tuple[Excerpt, ...]:
    """Return the turns before ``end``, an ``Entry.timestamp``; none without it.

    ``in_force``: without those that were taken back.
    """
    return tuple(
        Excerpt(part, places, part.kind, cut=True)
        for part in parts
        if (
            places := [
                at
                for at, when in enumerate(part.timestamps)
                if when < end and not (in_force and at in part.superseded)
            ]
        )
    )


def single(path: str, data: bytes, name: str, *, redact_secrets: bool) -> Turns:
    """Return the turns in the lines ``data``, which no file at ``path`` has to hold."""
    cached, text = _parsed(path, data, 0, redact_secrets=redact_secrets)
    return Turns([Columns(shown(path), f"{path}#{name}", cached, lambda: text)])


def covered(session: Session, summaries: Session) -> bool:
    """Give the entries of both their ``ancestors``; return whether the summaries still fit.

    They do where the last turn that one covers is still on its line. An edit in place moves
    nothing: only reading the whole file finds it (``lineage.stale``). The others become superseded.
    """
    from ctx.read.compactions import Coverage  # only where there are summaries

    edges: list[list[Edge]] = [json.loads(part.chunks)["edges"] for part in summaries.parts]
    coverage = Coverage(summaries.path, edges)
    line, name = coverage.last
    if line:
        # A turn is in the last piece that begins at or above its line.
        above = (part for part in reversed(session.parts) if _start(part) < line)
        part = next(above, None)
        if part is None or part.anchor_at(line) != name:
            return False
    for part, odd in zip(summaries.parts, coverage.odd, strict=True):
        part.superseded.update(odd)
    for part in (*session.parts, *summaries.parts):
        part.coverage = coverage
    return True


def _start(part: Columns) -> int:
    """Return the line, counted from 0, at which a piece begins; -1 where it has no lines."""
    starts: list[int] = json.loads(part.chunks)["starts"]
    return starts[0] if starts else -1


class _Contents(NamedTuple):
    digests: list[str]  # of its pieces
    renamed: list[tuple[int, int, str]] | None = None  # piece, place, new name; None: unknown yet

    def cached(self) -> CachedFile:
        return CachedFile(b"", json.dumps([self.digests, self.renamed]), "", b"", b"")


def _make_names_unique(
    path: str,
    parts: Sequence[Columns],
    known: _Contents | None,
    signature: tuple[int, ...],
    cache: ParseCache,
) -> None:
    """Rename turns that share a name: as remembered, where the pieces are the same."""
    digests = [part.digest.hex() for part in parts]
    if known and known.renamed is not None and known.digests == digests:
        for number, place, name in known.renamed:
            parts[number].rename({place: name})
        return
    taken: set[str] = set()
    renamed = [
        (number, place, name)
        for number, part in enumerate(parts)
        for place, name in part.distinguish(taken).items()
    ]
    # A file that has grown since its signature was taken has another one by now.
    cache.put(path, signature, _Contents(digests, renamed).cached(), b"")


def _contents(path: str, cache: ParseCache) -> _Contents | None:
    cached = cache.get(path)
    return cached and _Contents(*json.loads(cached.chunks))


def _remembered(path: str, number: int, digest: str, cache: ParseCache) -> Columns | None:
    """Return a piece of a session from the cache; None where that holds none of this digest."""
    columns = remembered(path, f"{path}/{number}", cache)  # a name that no file can have
    return columns if columns and columns.digest.hex() == digest else None


def remember(
    root: str, path: str, cache: ParseCache, *, redact_secrets: bool = True
) -> Iterator[int]:
    """Store a session in ``cache``, yielding each piece's bytes; raises RefusedError."""
    return (size for _, size in _reading(root, path, cache, redact_secrets=redact_secrets))


def _reading(
    root: str, path: str, cache: ParseCache, *, redact_secrets: bool
) -> Iterator[tuple[Columns, int]]:
    """Read a session piece by piece, yielding each with its bytes; remember all digests."""
    digests: list[str] = []
    try:
        with files.opened(files.place(root, path)) as file:
            signature = files.signature(os.fstat(file.fileno()))
            line = 0
            for number, data in enumerate(_pieces(file, path)):
                digests.append(files.digest_of(data, redact_secrets=redact_secrets).hex())
                part = _remembered(path, number, digests[-1], cache)
                if part is None or _start(part) != line:  # the same lines, elsewhere
                    cached, text = _parsed(path, data, line, redact_secrets=redact_secrets)
                    name = f"{path}/{number}"
                    cache.put(name, signature, cached, text)
                    part = Columns(shown(path), name, cached, partial(bytes, text))
                yield part, len(data)
                line += data.count(b"\n")
    except OSError as error:
        raise files.RefusedError(path, f"cannot be read: {error.strerror}") from error
    known = _contents(path, cache)
    if digests and known and digests == known.digests:
        cache.touch(path, signature)
    else:
        cache.put(path, signature, _Contents(digests).cached(), b"")


def _pieces(file: BinaryIO, path: str) -> Iterator[bytes]:
    """Yield a session in pieces that end with a line; RefusedError for a line too long."""
    lines: list[bytes] = []
    size = number = 0
    while line := file.readline(LONGEST + 1):
        number += 1
        if len(line) > LONGEST:
            raise files.RefusedError(
                path, f"line {number:,} has no end within {LONGEST:,} bytes; left out"
            )
        lines.append(line)
        size += len(line)
        if size >= PIECE:
            yield b"".join(lines)
            lines, size = [], 0
    if lines:
        yield b"".join(lines)


def _parsed(path: str, data: bytes, line: int, *, redact_secrets: bool) -> tuple[CachedFile, bytes]:
    """Parse a piece that begins at ``line``, counted from 0."""
    from ctx.read import record, turns  # and with them the parsers: only for new pieces

    digest = files.digest_of(data, redact_secrets=redact_secrets)
    if path.startswith(f"{SUMMARIES}/"):
        piece, edges, unread, redacted = turns.summaries(data, line, redact_secrets=redact_secrets)
        warned = (json.dumps([unread, redacted]),) if unread or redacted else ()
        made = record.Record([piece], [line], NO_FRONTMATTER, warned)
        cached, text = made.cached(digest, "summary")
        return cached._replace(chunks=json.dumps({"starts": [line], "edges": edges})), text
    is_foreign = path.startswith(f"{FOREIGN}/")
    is_shared = path.startswith(f"{SHARED}/")
    of = turns.IN_REPOSITORY if is_foreign else turns.OF_TEAM if is_shared else None
    piece, unread, redacted = turns.piece(data, line, redact_secrets=redact_secrets, of=of)
    warned = (json.dumps([unread, redacted]),) if unread or redacted else ()
    front = NO_FRONTMATTER._replace(trust=0.0) if is_foreign else NO_FRONTMATTER
    cached, text = record.Record([piece], [line], front, warned).cached(digest, "turn")
    if back := turns.taken_back(data):
        cached = cached._replace(chunks=json.dumps({**json.loads(cached.chunks), "back": back}))
    return cached, text
