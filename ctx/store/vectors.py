"""Vectors of entries, stored by model, by part and by content."""

from __future__ import annotations

import os
import zlib
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ctx.digest import blake2b
from ctx.model import EmbeddingError
from ctx.store import cascade
from ctx.store.cascade import EXACT, cosines, lengths, quantised
from ctx.store.database import VECTORS, Disposable, connect, mark_of, name_of, open_to_read, seal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt

    from ctx.model import Embedder, Part, Text

    Bytes = npt.NDArray[np.int8]

NAME = VECTORS
FORMAT = 4  # raised when the form of the rows changes: then every text is embedded again
HASH = 8  # bytes of the digest of a text; as many zeros for one that was not embedded yet
MISSING = b"\0" * HASH
BATCH = 128  # texts that are embedded at a time, and lost at most when a run is interrupted
NEAREST = 1_000  # entries that the cascade compares by all components, whatever tier it ends at
_DIGITS = 6  # decimals of sums of fractions; smaller differences come from rounding
_PAIRS = 2_000  # pairs of entries whose similarity is measured
_FEWEST = 12  # fewest entries whose pairs are a measure of others
_STEP = 7_919  # a prime, by which the other one of each pair is further on: neighbours are alike
_NO_TIME = "there was no time for all of them"
_TABLES = ("vectors", "tiers")
_ALL = b""  # the name under which is stored what is derived from all parts


class _Stored(NamedTuple):
    digest: bytes  # of the file when all of it was embedded, else empty
    hashes: tuple[bytes, ...]  # of the texts
    rows: Bytes  # one a text; without columns while nothing was embedded

    @property
    def done(self) -> int:
        return sum(text != MISSING for text in self.hashes)


_NOTHING = _Stored(b"", (), np.zeros((0, 0), np.int8))


class State(NamedTuple):
    """How far the entries of a directory have been embedded."""

    done: int
    total: int
    why: str = ""  # why not all were: one line, empty where all were

    @property
    def whole(self) -> bool:
        """Whether every entry has its vector."""
        return not self.why and self.done == self.total


class Vectors(Disposable):
    """The vectors of a directory's entries by one model; a context manager."""

    def __init__(
        self, folder: str, embedder: Embedder, *, cascade: bool = False, read_only: bool = False
    ) -> None:
        """Open the vectors in ``folder``, or none; ``cascade`` compares nested ones in tiers."""
        path = os.path.join(folder, NAME) if folder else ""
        mark = mark_of("", FORMAT)
        database = None
        if path:
            database = open_to_read(path, mark) if read_only else connect(path, mark, "vectors")
        super().__init__(path, database)
        self._model = embedder.name.encode("utf-8", "surrogatepass")
        self._embedder = embedder
        self._cascade = cascade and embedder.nested
        self._stored: list[_Stored] = []
        self._names: list[bytes] = []
        self._whole: Bytes | None = None
        self._background: tuple[npt.NDArray[np.float64], float, float] | None = None
        self._asked: dict[str, Bytes] = {}  # the vectors of what is asked for

    def replace(self, embedder: Embedder) -> None:
        """Continue with another ``embedder`` of the same model, such as one with less time."""
        self._embedder = embedder

    def refresh(
        self, parts: Sequence[Part], text: Text, go_on: Callable[[int, int], bool]
    ) -> State:
        """Embed what is new in ``parts``, batch by batch, while ``go_on(done, total)``."""
        total = sum(map(len, parts))
        self._stored, self._whole, self._background = [], None, None
        self._names = list(map(name_of, parts))
        done, why = 0, ""
        for part in parts:
            stored = self._fitting(self._load(part))
            if stored.digest != part.digest and not why:
                try:
                    more = partial(_further, go_on, done, total)
                    stored = self._fill(part, stored, text, more)
                    why = "" if stored.digest else _NO_TIME
                except EmbeddingError as error:
                    why = str(error)
            if stored.digest != part.digest:
                # Vectors of texts that are gone do not count, and places have changed.
                stored = _Making(_texts(part, text), self._fitting(self._load(part))).stored(b"")
            self._stored.append(stored)
            done += stored.done
        return State(done, total, why)

    def _fitting(self, stored: _Stored) -> _Stored:
        """Return ``stored``, or nothing where the model has changed since under its name."""
        if not stored.hashes or stored.rows.shape[1] == (self._width or stored.rows.shape[1]):
            return stored
        return _NOTHING

    @property
    def _width(self) -> int:
        """The components of what was asked for; 0 before."""
        return len(next(iter(self._asked.values()), ()))

    def _fill(
        self, part: Part, stored: _Stored, text: Text, go_on: Callable[[int], bool]
    ) -> _Stored:
        """Embed the texts of ``part`` that ``stored`` lacks, while ``go_on`` is true."""
        texts = _texts(part, text)
        making = _Making(texts, stored)
        while making.missing:
            if not go_on(len(texts) - len(making.missing)):
                return making.stored(b"")
            batch = making.missing[:BATCH]
            making.put(batch, self._embed([texts[place] for place in batch]))
            if making.missing:
                self._save(part, making.stored(b""))
        whole = making.stored(part.digest)
        self._save(part, whole)
        return whole

    def _embed(self, texts: Sequence[str]) -> Bytes:
        """Embed ``texts``; EmbeddingError also where the backend violates its protocol."""
        who = self._embedder.name
        try:
            rows = np.asarray(self._embedder.embed(texts), np.float32)
        except EmbeddingError:
            raise
        except Exception as error:  # whatever it is: a packet does not depend on a backend
            raise EmbeddingError(f"{who}: failed with {type(error).__name__}") from error
        if rows.ndim != 2 or len(rows) != len(texts) or not rows.shape[1]:  # noqa: PLR2004
            raise EmbeddingError(f"{who}: did not return a vector for each text")
        if not np.isfinite(rows).all():
            raise EmbeddingError(f"{who}: returned vectors that hold no numbers")
        if self._width and rows.shape[1] != self._width:
            raise EmbeddingError(
                f"{who}: answers now with {self._width} components, now with {rows.shape[1]}"
            )
        return quantised(rows)

    def current(self, parts: Sequence[Part]) -> int:
        """Return how many entries of ``parts`` have stored vectors; changes nothing."""
        pairs = ((part, self._load(part)) for part in parts)
        return sum(stored.done for part, stored in pairs if stored.digest == part.digest)

    def forget(self) -> None:
        """Remove all vectors of this model."""
        for table in _TABLES:
            self._run(f"DELETE FROM {table} WHERE model = ?", [(self._model,)])  # noqa: S608

    def forget_others(self, parts: Sequence[Part]) -> None:
        """Remove the vectors of parts that are gone, by every model."""
        here = set(map(name_of, parts))
        rows = self.rows("SELECT DISTINCT part FROM vectors")
        if gone := [(name,) for (name,) in rows if name not in here]:
            gone.append((_ALL,))
        for table in _TABLES:
            self._run(f"DELETE FROM {table} WHERE part = ?", gone)  # noqa: S608

    def _load(self, part: Part) -> _Stored:
        """Return the vectors of ``part``: none where they are damaged."""
        found = self.sealed(
            "SELECT model, part, digest, dim, hashes, rows, seal FROM vectors "
            "WHERE model = ? AND part = ?",
            (self._model, name_of(part)),
        )
        if not found:
            return _NOTHING
        _, _, digest, dim, hashes, data = found
        names = tuple(hashes[at : at + HASH] for at in range(0, len(hashes), HASH))
        return _Stored(digest, names, np.frombuffer(data, np.int8).reshape(len(names), dim))

    def _save(self, part: Part, stored: _Stored) -> None:
        hashes, dim = b"".join(stored.hashes), stored.rows.shape[1]
        self._put("vectors", name_of(part), stored.digest, dim, hashes, stored.rows.tobytes())

    def _put(self, table: str, *values: object) -> None:
        row = (self._model, *values)
        marks = ", ?" * len(row)
        self._run(f"INSERT OR REPLACE INTO {table} VALUES (?{marks})", [(*row, seal(*row))])  # noqa: S608

    def _run(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        self.change(lambda database: database.executemany(statement, rows))

    def ask(self, *queries: str) -> None:
        """Embed queries of ``similarities``, while there is time; EmbeddingError."""
        self._asked |= zip(queries, self._embed(queries), strict=True)

    def similarities(self, query: str) -> list[float]:
        """Return the cosine of each entry, in [-1, 1], as ``Nearness`` has it."""
        asked = self._vector_of(query)
        if self._cascade:
            return self._graded(asked)
        kind: type[np.floating[Any]] = np.float32 if len(asked) <= EXACT else np.float64
        vector = asked.astype(kind)
        found: list[float] = []
        for stored in self._stored:
            if len(stored.rows):
                rows = stored.rows.astype(kind)
                found += cosines(rows @ vector, lengths(rows), vector)
        return found

    def _graded(self, asked: Bytes) -> list[float]:
        """Return cosines by the cascade: exact for the nearest, coarse for the others."""
        full = cascade.derive(self._matrix().astype(np.float32), len(asked))
        tiers = {dim: self._tier(dim) for dim, _ in cascade.TIERS if dim < len(asked)}
        found = cascade.graded(asked.astype(np.float32), full, tiers, NEAREST)
        graded: list[float] = np.round(found.astype(np.float64), _DIGITS).tolist()
        return graded

    def _tier(self, dim: int) -> npt.NDArray[np.float32]:
        """Return the tier of ``dim`` components, derived anew where it is missing or outdated."""
        pieces = []
        for name, stored in zip(self._names, self._stored, strict=True):
            if not len(stored.rows):
                continue
            source = zlib.crc32(stored.rows.tobytes())
            if (data := self._load_derived(name, dim, source)) is None:
                data = quantised(cascade.derive(stored.rows.astype(np.float32), dim)).tobytes()
                self._put("tiers", name, dim, source, data)
            pieces.append(np.frombuffer(data, np.int8).reshape(-1, dim))
        return cascade.derive(np.concatenate(pieces).astype(np.float32), dim)

    def _load_derived(self, name: bytes, dim: int, source: int) -> bytes | None:
        """Return what was derived from ``source``; None where it is missing or damaged."""
        found = self.sealed(
            "SELECT model, part, dim, source, rows, seal FROM tiers "
            "WHERE model = ? AND part = ? AND dim = ?",
            (self._model, name, dim),
        )
        return found[4] if found and found[3] == source else None

    def joined(self, query: str, groups: Sequence[Sequence[int]]) -> list[float]:
        """Return the cosine of sums of unit vectors: long texts count no more than short ones."""
        vector = self._vector_of(query).astype(np.float64)
        if not groups:
            return []
        positions = sorted(set[int]().union(*groups))
        place = {at: number for number, at in enumerate(positions)}
        rows = self._matrix()[positions].astype(np.float64)
        long = lengths(rows)
        long[long == 0] = np.inf
        # One row more, of zeros, stands for what a shorter group lacks.
        unit = np.vstack(((1 / long)[:, None] * rows, np.zeros(len(vector))))
        sums = np.zeros((len(groups), len(vector)))
        for step in range(max(map(len, groups))):
            sums += unit[[place[group[step]] if step < len(group) else -1 for group in groups]]
        # Without BLAS, which adds in another order on more threads.
        products = np.einsum("ij,j->i", sums, vector, optimize=False)
        return cosines(np.round(products, _DIGITS), np.round(lengths(sums), _DIGITS), vector)

    def beyond(self, query: str, positions: Sequence[int]) -> list[float]:
        """Return ``Nearness.beyond``: of what is left of vectors without what all entries share."""
        if not positions:
            return []
        vector = self._vector_of(query).astype(np.float64)
        if self._background is None:
            self._background = self._usual()
        shared, mean, deviation = self._background
        if deviation <= 0:
            return [0.0] * len(positions)
        rows = self._matrix()[positions].astype(np.float64)
        near = _apart(rows, np.broadcast_to(vector, rows.shape), shared)
        found: list[float] = np.round((near - mean) / deviation, _DIGITS).tolist()
        return found

    def _usual(self) -> tuple[npt.NDArray[np.float64], float, float]:
        """Return the direction that entries share, and mean and deviation of pairs, 0 if few."""
        digests = [stored.digest for stored in self._stored]
        source = zlib.crc32(b"\0".join((*self._names, *digests))) if all(digests) else 0
        data = self._load_derived(_ALL, self._width, source) if source else None
        if data is None:
            shared, *pairs = self._measured()
            data = np.array([*shared, *pairs], "<f8").tobytes()
            if source:
                self._put("tiers", _ALL, self._width, source, data)
        *_, mean, deviation = values = np.frombuffer(data, "<f8")
        return values[:-2], float(mean), float(deviation)

    def _measured(self) -> tuple[npt.NDArray[np.float64], float, float]:
        """Return what ``_usual`` returns, of the same pairs for the same entries."""
        whole = self._matrix()
        count = len(whole)
        first, second = _pairs(count)
        if not len(first):
            return np.zeros(self._width), 0.0, 0.0
        rows = whole[first].astype(np.float64)
        long = lengths(rows)
        long[long == 0] = np.inf
        shared = np.round((rows / long[:, None]).sum(axis=0), _DIGITS)
        length = float(lengths(shared[None, :])[0])
        shared = shared / length if length else shared
        near = _apart(rows, whole[second].astype(np.float64), shared)
        return shared, round(float(near.mean()), _DIGITS), round(float(near.std()), _DIGITS)

    def _vector_of(self, query: str) -> Bytes:
        if query not in self._asked:
            self.ask(query)
        asked = self._asked[query]
        if any(stored.rows.shape[1] != len(asked) for stored in self._stored if len(stored.rows)):
            raise EmbeddingError(
                f"{self._embedder.name}: the model has changed since it was last asked: "
                "its vectors have other components (`ctx index` embeds everything again)"
            )
        return asked

    def _matrix(self) -> Bytes:
        if self._whole is None:
            self._whole = np.concatenate(
                [stored.rows for stored in self._stored if len(stored.rows)]
            )
        return self._whole


class Elsewhere(Vectors):
    """Vectors of entries that are elsewhere: compared there, or fetched by position."""

    def __init__(
        self,
        known: Vectors,
        count: int,
        near: Callable[[tuple[int, ...]], list[float]],
        fetch: Callable[[Sequence[int]], Mapping[int, bytes]],
    ) -> None:
        """Ask ``near`` for cosines of all ``count`` entries, and ``fetch`` for rows.

        ``known`` has the vectors of what is asked for, for several at once.
        """
        super().__init__("", known._embedder)  # noqa: SLF001 - of the same class
        self._asked = known._asked  # noqa: SLF001
        self._near = near
        self._fetch = fetch
        self._rows = np.zeros((0, self._width), np.int8)
        self._places = np.full(count, -1)  # where in ``_rows`` each entry is
        self.pairs: list[int] = np.concatenate(_pairs(count)).tolist()
        """The entries whose similarity is measured, whatever is asked."""

    def take(self, positions: Sequence[int], found: Mapping[int, bytes]) -> None:
        """Take the vectors of ``positions``, sorted, as pgvector sends them where they have any."""
        rows = np.zeros((len(positions), self._width), np.int8)
        if found:
            data = np.frombuffer(b"".join(found.values()), np.uint8).reshape(len(found), -1)
            # Two numbers of two bytes, then halves of floats.
            rows[np.searchsorted(positions, list(found))] = data[:, 4:].copy().view(">f2")
        self._places[positions] = len(self._rows) + np.arange(len(positions))
        self._rows = np.concatenate((self._rows, rows))

    def similarities(self, query: str) -> list[float]:
        """Return the cosine of each entry, in [-1, 1], as ``Nearness`` has it."""
        return self._near(tuple(self._vector_of(query).tolist()))

    def _matrix(self) -> Any:  # noqa: ANN401 - what it is asked of a matrix
        return self

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, positions: Sequence[int] | npt.NDArray[np.intp]) -> Bytes:
        """Return the rows of entries, fetched where they are missing."""
        wanted = np.asarray(positions)
        missing = np.unique(wanted[self._places[wanted] < 0]).tolist()
        if missing:
            self.take(missing, self._fetch(missing))
        rows: Bytes = self._rows[self._places[wanted]]
        return rows


class _Making:
    def __init__(self, texts: Sequence[str], stored: _Stored) -> None:
        """Begin with the vectors of those ``texts`` that ``stored`` has, at any place."""
        self._hashes = [
            blake2b(text.encode("utf-8", "replace"), digest_size=HASH, person=b"ctx text").digest()
            for text in texts
        ]
        self._rows = np.zeros((len(texts), stored.rows.shape[1]), np.int8)
        self._changed = False
        known = dict(zip(stored.hashes, stored.rows, strict=True))
        known.pop(MISSING, None)
        for place, name in enumerate(self._hashes):
            if name in known:
                self._rows[place] = known[name]
        self.missing = [place for place, name in enumerate(self._hashes) if name not in known]
        """Places of the texts that have no vector yet."""

    def put(self, places: Sequence[int], rows: Bytes) -> None:
        """Take vectors; of another width all texts are missing again, once, then EmbeddingError."""
        width = rows.shape[1]
        if width != self._rows.shape[1]:
            if self._changed:
                raise EmbeddingError("the model answers now with more, now with fewer components")
            self._changed = True
            self._rows = np.zeros((len(self._hashes), width), np.int8)
            self.missing = list(range(len(self._hashes)))
        self._rows[places] = rows
        done = set(places)
        self.missing = [place for place in self.missing if place not in done]

    def stored(self, digest: bytes) -> _Stored:
        """Return the vectors so far; ``digest`` is empty unless these are all."""
        missing = set(self.missing)
        hashes = (MISSING if place in missing else name for place, name in enumerate(self._hashes))
        return _Stored(digest, tuple(hashes), self._rows)


def _pairs(count: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the positions of pairs of ``count`` entries, the same ones each time; none of few."""
    number = np.arange(min(_PAIRS, count * (count - 1) // 2) if count >= _FEWEST else 0)
    first = number * count // max(1, len(number))
    return first, (first + 1 + number * _STEP % max(1, count - 1)) % max(1, count)


def _apart(
    ones: npt.NDArray[np.float64], others: npt.NDArray[np.float64], shared: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the cosines of rows without their parts along ``shared``, by products alone."""
    product = partial(np.einsum, "ij,ij->i", optimize=False)
    one, other = (np.einsum("ij,j->i", rows, shared, optimize=False) for rows in (ones, others))
    rest = (product(ones, ones) - one**2) * (product(others, others) - other**2)
    rest[rest < 1] = np.inf  # of whole numbers: nothing is left but rounding
    near: npt.NDArray[np.float64] = (product(ones, others) - one * other) / np.sqrt(rest)
    return near


def _texts(part: Part, text: Text) -> list[str]:
    return [text(part.entry(place)) for place in range(len(part))]


def _further(go_on: Callable[[int, int], bool], done: int, total: int, more: int) -> bool:
    return go_on(done + more, total)
