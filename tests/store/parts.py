"""Parts to fill a store with, and programs that use one: many at once, or dying on the way.

    python -m tests.store.parts once FOLDER
    python -m tests.store.parts at-once FOLDER SEED same|own
    python -m tests.store.parts counting FOLDER NOTES
    python -m tests.store.parts dying lexicon|vectors|counts FOLDER calls|bytes|full
    python -m tests.store.parts threads

Each prints one JSON value. Programs of their own, so that they can fork.
"""

import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import partial
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ctx.model import Kind
from ctx.rank import fields, text
from ctx.store import counts, vectors
from ctx.store import words as lexicon
from ctx.store.vectors import Vectors
from ctx.store.words import Lexicon
from tests.dying import BYTES, dies_at_byte, fails_at_byte
from tests.read.samples import Hand, Text, entry
from tests.sampling import EVERY

RELEASE = "1.2.3"
DAY = date(2026, 11, 21)
TOMORROW = date(2026, 11, 22)
REPOSITORY = Path(__file__).resolve().parents[2]
Row = tuple[str, str]
"""Title and body of an entry."""
_BLANK = entry()


class Part(Hand):
    """A file's entries under a name of any kind."""

    def __init__(self, name: str, rows: Sequence[Row], source: str = "") -> None:
        self._name, self._source = name, source or name
        self._digest = blake2b(repr(list(rows)).encode("utf-8", "surrogatepass")).digest()
        kind: Kind = "turn" if self._source.endswith(".jsonl") else "decision"
        super().__init__(
            [
                _BLANK._replace(title=title, content=Text(body, ()), source=self._source, kind=kind)
                for title, body in rows
            ]
        )

    @property
    def name(self) -> str:
        return self._name

    @property
    def source(self) -> str:
        return self._source

    @property
    def digest(self) -> bytes:
        return self._digest


Answers = dict[str, tuple[list[tuple[int, int]], int]]


def answers(words: Lexicon, asked: Iterable[str]) -> Answers:
    """Return all that ``words`` says of those that are ``asked``, by position."""
    return {word: (sorted(words.holding(word)), words.frequency(word)) for word in asked}


def right(parts: Sequence[Part], asked: Iterable[str]) -> Answers:
    """Return what a lexicon in memory says, which knows nothing from before."""
    with Lexicon("", "") as fresh:
        fresh.refresh(parts, fields)
        return answers(fresh, asked)


def said(folder: Path | str, parts: Sequence[Part], asked: Iterable[str]) -> Answers:
    """Return what the lexicon in ``folder`` says once it is refreshed."""
    with Lexicon(str(folder), RELEASE) as kept:
        kept.refresh(parts, fields)
        return answers(kept, asked)


def words_of(*directories: Sequence[Part]) -> list[str]:
    """Return all words of all entries, and some that none of them holds."""
    found = {"absent", "and"}
    for parts in directories:
        for part in parts:
            for place in range(len(part)):
                for field in fields(part.entry(place))[:2]:
                    found.update(field.split())
    return sorted(found)


# --- directories to choose from -----------------------------------------------------------

_TALK = (
    "retry", "the", "queue", "lock", "cache", "index", "token", "budget", "packet", "session",
    "draft", "cafe", "größe", "日本語", "straße", "user", "password", "rotation", "database",
    "migration", "timeout", "backoff", "jitter", "naïve", "12", "v2", "a",
)  # fmt: skip


def directory(seed: int, files: int = 5) -> list[Part]:
    """Return some parts: most of them as those of another seed, some edited or gone."""
    chosen = random.Random(seed)  # noqa: S311 - an example
    parts = []
    for number in chosen.sample(range(files + 2), files):
        edition = chosen.randrange(4)
        told = random.Random(number * 100 + edition)  # noqa: S311 - likewise
        rows = [
            (" ".join(told.choices(_TALK, k=3)), " ".join(told.choices(_TALK, k=30)))
            for _ in range(number + edition if edition else 0)
        ]
        source = f"decisions/{number}.md" if number % 3 else "sessions/long.jsonl"
        parts.append(Part(f"{source}/{number}", rows, source))
    return parts


class Embedder:
    """Makes vectors of the hashes of texts, and notes which texts those were."""

    nested = False

    def __init__(self, name: str = "fake", dim: int = 8) -> None:
        self.name = name
        self.dim = dim
        self.texts: list[str] = []
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        import numpy as np

        self.calls += 1
        self.texts += texts
        rows = np.array([self.row(one) for one in texts], np.float32)
        return rows.reshape(len(texts), self.dim)

    def row(self, one: str) -> list[float]:
        if not one.strip():
            return [0.0] * self.dim
        told = random.Random(f"{self.name} {one}".encode("utf-8", "replace"))  # noqa: S311 - no secret
        row = [told.gauss(0, 1) for _ in range(self.dim)]
        length = sum(value * value for value in row) ** 0.5
        return [value / length for value in row]


def always(_done: int, _total: int) -> bool:
    return True


def cosines(kept: Vectors, parts: Sequence[Part], query: str = "a query") -> list[float]:
    """Return what ``kept`` says once it is refreshed."""
    assert kept.refresh(parts, text, always).whole
    return kept.similarities(query)


def fresh_cosines(parts: Sequence[Part], name: str = "fake", dim: int = 8) -> list[float]:
    """Return what vectors say that were made without a file."""
    with vectors.Vectors("", Embedder(name, dim)) as kept:
        return cosines(kept, parts)


# --- programs -----------------------------------------------------------------------------


def once(folder: str) -> object:
    """Refresh everything in ``folder``; return what was said wrong."""
    wrong = []
    for seed in (1, 33, 33):
        parts = directory(seed)
        asked = words_of(parts)
        if said(folder, parts, asked) != right(parts, asked):
            wrong.append(f"words {seed}")
        with vectors.Vectors(folder, Embedder()) as kept:
            if cosines(kept, parts) != fresh_cosines(parts):
                wrong.append(f"vectors {seed}")
        counts.note(folder, ["a"], DAY)
        if set(counts.before(folder, TOMORROW)) - {"a"}:
            wrong.append("counts")
    return wrong


def at_once(folder: str, seed: str, kind: str) -> object:
    """Refresh again and again; return the rounds in which something was said wrong."""
    wrong = []
    for turn in range(4):
        parts = directory(turn + (0 if kind == "same" else 1_000 * int(seed)))
        asked = words_of(parts)
        if said(folder, parts, asked) != right(parts, asked):
            wrong.append(turn)
    return wrong


def counting(folder: str, notes: str) -> object:
    """Count two ids ``notes`` times; return how often that was possible."""
    return sum(counts.note(folder, ["one", "other"], DAY) for _ in range(int(notes)))


def threads() -> object:
    """Return a digest of similarities that are worth several threads."""
    parts = [Part(f"{n}.md", [(f"title {n} {m}", "body") for m in range(300)]) for n in range(3)]
    said_ = sha256()
    for dim in (3, 1_040, 1_041, 2_000):
        with vectors.Vectors("", _Patterned(f"m{dim}", dim)) as kept:
            said_.update(repr(cosines(kept, parts)).encode())
            groups = [range(at, at + at % 5) for at in range(0, 890, 3)]
            said_.update(repr(kept.joined("a query", groups)).encode())
    return said_.hexdigest()


class _Patterned(Embedder):
    def row(self, one: str) -> list[float]:
        raw = blake2b(one.encode(), digest_size=61).digest()
        return [(byte - 127.5) / 127.5 for byte in (raw * (self.dim // len(raw) + 1))[: self.dim]]


def _dies_at_call(number: int) -> Callable[[], None]:
    """Kill the process before the statement ``number`` that SQLite runs."""
    left = [number]

    def count(statement: str) -> None:
        left[0] -= not statement.startswith("--")  # those that FTS5 runs within another
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    connect = sqlite3.connect

    def traced(*arguments: Any, **named: Any) -> sqlite3.Connection:  # noqa: ANN401
        database: sqlite3.Connection = connect(*arguments, **named)
        database.set_trace_callback(count)
        return database

    def arm() -> None:
        sqlite3.connect = traced  # type: ignore[assignment]

    return arm


WAYS = {"calls": _dies_at_call, "bytes": dies_at_byte, "full": fails_at_byte}
STEP = 24 * BYTES
LARGEST = 18 * STEP


def _in_fork(work: Callable[[], bool], arm: Callable[[], None]) -> int:
    """Do ``work`` in a fork after ``arm``; return its status, 0 where it found all right."""
    child = os.fork()
    if child == 0:
        status = 2
        try:
            arm()
            status = 0 if work() else 1
        except BaseException:  # noqa: BLE001 - a fork must not go on as its parent
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _words_are_right(folder: str, seed: int) -> bool:
    parts = directory(seed, 2)
    asked = words_of(parts)[::7]
    return said(folder, parts, asked) == right(parts, asked)


def _vectors_are_right(folder: str, seed: int) -> bool:
    parts = directory(seed)
    with vectors.Vectors(folder, Embedder()) as kept:
        return cosines(kept, parts) == fresh_cosines(parts)


def _counts_are_right(folder: str, _seed: int) -> bool:
    """Count once more; return whether of that, and of all before, all or none was counted."""
    ids = list(map(str, range(20)))
    held = counts.before(folder, TOMORROW)
    noted = counts.note(folder, ids, DAY)
    now = counts.before(folder, TOMORROW)
    alike = all(len({found.get(one, 0) for one in ids}) == 1 for found in (held, now))
    return alike and now.get("0", 0) == held.get("0", 0) + noted


WORKS = {"lexicon": _words_are_right, "vectors": _vectors_are_right, "counts": _counts_are_right}


def dying(kind: str, folder: str, way: str) -> object:
    """Die at every moment in turn, of a first run and of one that finds a store."""
    lexicon.BATCH = vectors.BATCH = 4  # several transactions
    work = WORKS[kind]
    died, wrong, tried = 0, [], 0
    for warm in (False, True):
        for number in range(1_000):
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
            if warm and not work(folder, 13):
                wrong.append((number, "before"))
            at = number * (EVERY if way == "calls" else STEP)
            status = _in_fork(partial(work, folder, 3), WAYS[way](at))
            tried += 1
            died += status < 0
            if status > 0:
                wrong.append((number, "itself"))
            wrong += [(number, f"next {seed}") for seed in (3, 12) if not work(folder, seed)]
            if status == 0 and (way == "calls" or at > LARGEST):
                break
    return {"died": died, "tried": tried, "wrong": wrong}


_PROGRAMS: dict[str, Callable[..., object]] = {
    "once": once,
    "at-once": at_once,
    "counting": counting,
    "dying": dying,
    "threads": threads,
}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_PROGRAMS[sys.argv[1]](*sys.argv[2:])))
