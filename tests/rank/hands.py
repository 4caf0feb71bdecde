"""What the tests of rankers and of ``ctx search`` share: small corpora, and calls of the program.

Everything is made anew for each call, so that it can be asked for inside a property.
"""

import io
import os
import sys
import time
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from math import fsum, sqrt
from typing import NamedTuple
from unittest import mock

from hypothesis import strategies as st

from ctx.cli.main import main
from ctx.model import KINDS, Entry, Frontmatter, Indexes, Kind, Nearness, Part, Question, Scored
from ctx.rank import fields, ranker, text
from ctx.store.no_cache import WordsInMemory
from tests.read import samples
from tests.read.samples import entry

TODAY = date(2026, 1, 31)


class Done(NamedTuple):
    """What a call of the program left."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()


def call(
    *arguments: str,
    stdin: bytes = b"",
    environ: Mapping[str, str] | None = None,
    home: str = "/-",
    later: int = 0,
) -> Done:
    """Run ``ctx`` with ``arguments`` in this process, as if nothing else were set up.

    ``later`` is by how many seconds the clock is ahead: files that were written a moment ago
    are not trusted unread, nor is a packet remembered that was made from them.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CTX_")}
    out, err = _stream(), _stream()
    now = time.time_ns()
    with (
        mock.patch.dict(os.environ, {**kept, "HOME": home, **(environ or {})}, clear=True),
        mock.patch.object(sys, "stdin", _stream(stdin)),
        mock.patch.object(sys, "stdout", out),
        mock.patch.object(sys, "stderr", err),
        mock.patch.object(time, "time_ns", return_value=now + later * 10**9),
    ):
        code = main(list(arguments))
    return Done(code, out.buffer.getvalue(), err.buffer.getvalue().decode())


class _Stream(io.TextIOWrapper):
    """A standard stream whose bytes can be looked at."""

    buffer: io.BytesIO


def _stream(data: bytes = b"") -> _Stream:
    return _Stream(io.BytesIO(data), encoding="utf-8", write_through=True)


def turn(
    body: str, *, speaker: str = "user", timestamp: str = "", session: str = "s1", number: int = 0
) -> Entry:
    source = f"sessions/{session}.jsonl"
    made = entry(" ".join(body.split())[:40], body, kind="turn", timestamp=timestamp, source=source)
    return made._replace(id=f"{source}#t{number}", speaker=speaker)


class Hand(samples.Hand):
    """A file's entries made by hand, of which only turns have speakers."""

    @property
    def speakers(self) -> Sequence[str]:
        return super().speakers if self.kind == "turn" else ()


class Piece(Hand):
    """A part that is kept by a name of its own, as pieces of a session and empty files are."""

    def __init__(self, entries: Sequence[Entry], name: str) -> None:
        super().__init__(entries)
        self._name = name

    @property
    def name(self) -> str:
        return self._name


class Work(Hand):
    """Turns of which some are steps of an agent."""

    def __init__(self, entries: Sequence[Entry], steps: AbstractSet[int]) -> None:
        super().__init__(entries)
        self._steps = steps

    @property
    def steps(self) -> AbstractSet[int]:
        return self._steps


class Gone(Hand):
    """A file's entries where what is out of date is told by place, as readers do."""

    def __init__(self, entries: Sequence[Entry], gone: set[int]) -> None:
        super().__init__(entries)
        self._gone = gone

    @property
    def superseded(self) -> set[int]:
        return self._gone


def means(parts: Sequence[Part], query: str) -> Indexes:
    return WordsInMemory().indexes(parts, fields, text, query)


def find(
    parts: Sequence[Part],
    query: str,
    *,
    by: str = "discovery",
    near: Nearness | None = None,
    acc: Mapping[str, int] | None = None,
    as_of: date = TODAY,
    **more: object,
) -> list[Scored]:
    """Return what a ranker finds in ``parts``, best first."""
    asked = means(parts, query)._replace(near=near, acc=acc or {})
    question = Question(query, (), as_of, indexes=asked)._replace(**more)  # type: ignore[arg-type]
    return ranker(by)(parts, question)


def titles(found: Sequence[Scored]) -> list[str]:
    return [one.entry.title for one in found]


class Told:
    """A ``Nearness`` that was told how near everything is."""

    def __init__(self, similarities: Sequence[float]) -> None:
        self._similarities = list(similarities)

    def similarities(self, query: str) -> list[float]:  # noqa: ARG002 - it was told
        return self._similarities

    def joined(self, query: str, groups: Sequence[Sequence[int]]) -> list[float]:  # noqa: ARG002
        return [
            max(-1.0, min(1.0, fsum(self._similarities[at] for at in group) / sqrt(len(group))))
            for group in groups
        ]

    def beyond(self, query: str, positions: Sequence[int]) -> list[float]:  # noqa: ARG002
        most = max(self._similarities, default=0.0)
        return [5.0 if self._similarities[at] == most > 0 else 0.0 for at in positions]


# --- corpora that hypothesis makes up -----------------------------------------------------

WORDS = (
    "cache", "retry", "payment", "zebra", "the", "what", "8", "may", "2023", "Mira", "決済", "支付",
    "결제", "東", "การ", "платёж", "مرحبا", "Größe", "foo_bar", "🎉", "…", "yesterday", "after",
    "[[cache]]", "[x](#zebra)", "[y](b.md#retry)", '"', "*", "NEAR(", "\x00",
)  # fmt: skip
QUERIES = (
    "cache", "what the of", "", "   ", "!!! … ---", "🎉", "決済", "東", "zebra retry payment",
    "how many days after the payment and before the retry", "what did Mira say on 8 May 2023",
    'cache AND "retry" OR NOT * NEAR(x y) {title}: ^', "never-written", "a" * 5_000, "\x00\x1b[2J",
)  # fmt: skip
_DAYS = ("", "2026-01-31", "2026-01-31", "2025-06-30-101112", "2027-12-31", "0001-01-01", "no")
_STATES = ("", "", "", "superseded", "done")
_TRUST = (None, None, 0.0, 0.5, 1.0)

_texts = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
_days, _states, _trust = map(st.sampled_from, (_DAYS, _STATES, _TRUST))
_entries = st.lists(
    st.tuples(_texts, _texts, _days, _states, _trust, st.sampled_from(WORDS)), max_size=5
)
_kinds: st.SearchStrategy[Kind] = st.sampled_from(
    ("decision", "learning", "lore", "turn", "task", "convention")
)
_queries = st.one_of(st.sampled_from(QUERIES), _texts, st.text(max_size=30))


class Asked(NamedTuple):
    """A corpus, and everything that may be asked of it."""

    parts: tuple[Piece, ...]
    query: str
    near: Told | None
    acc: dict[str, int]
    kinds: frozenset[Kind]
    since: str
    session: str
    per_token: bool
    most: int | None

    def found(self, by: str) -> list[Scored]:
        return find(
            self.parts, self.query, by=by, near=self.near, acc=self.acc, kinds=self.kinds,
            since=self.since, session=self.session, per_token=self.per_token, most=self.most,
        )  # fmt: skip

    @property
    def askable(self) -> set[str]:
        return {
            one.id
            for part in self.parts
            for one in map(part.entry, range(len(part)))
            if one.kind in self.kinds
            and one.status != "superseded"
            and (not self.since or one.timestamp[:10] >= self.since)
        }


@st.composite
def corpora(draw: st.DrawFn) -> Asked:
    """Draw a small corpus, what is asked of it, and how."""
    parts = []
    for number, kind in enumerate(draw(st.lists(_kinds, max_size=4))):
        source = f"sessions/s{number}.jsonl" if kind == "turn" else f"{'abcd'[number]}.md"
        made = [
            entry(title, body, kind=kind, timestamp=day, status=state, source=source)._replace(
                id=f"{source}#{title or place}",
                speaker=name if kind == "turn" else "",
                supersedes=name if state == "done" else "",
                front=Frontmatter(
                    trust=trust, related=(name,), scope="global" if trust else "project"
                ),
            )
            for place, (title, body, day, state, trust, name) in enumerate(draw(_entries))
        ]
        own = {one.id: one for one in made}
        parts.append(Piece(list(own.values()), source))
    count = sum(map(len, parts))
    near = st.lists(st.floats(-1, 1, width=32), min_size=count, max_size=count).map(Told)
    ids = [part.entry(place).id for part in parts for place in range(len(part))]
    counts = st.dictionaries(st.sampled_from(ids or ["gone"]), st.integers(0, 10**9))
    return Asked(
        tuple(parts),
        draw(_queries),
        draw(st.none() | near),
        draw(counts),
        draw(st.just(KINDS) | st.frozensets(_kinds)),
        draw(st.sampled_from(("", "", "", "2026-01-31", "0001-01-01", "9999-01-01"))),
        draw(st.sampled_from(("", "s0", "other"))),
        draw(st.booleans()),
        draw(st.sampled_from((None, None, 1, 3))),
    )


def is_unit(value: float) -> bool:
    return 0.0 <= value <= 1.0


def check(asked: Asked, by: str) -> list[Scored]:
    """Hold what every finder promises against what one finds; return that."""
    found = asked.found(by)
    ids = [one.entry.id for one in found]
    assert len(ids) == len(set(ids))
    assert set(ids) <= asked.askable
    for one in found:
        assert is_unit(one.score), one
        assert all(name and is_unit(value) for name, value in one.parts), one.parts
    assert asked.found(by) == found
    return found
