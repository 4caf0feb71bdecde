"""A cluster, and the record that it becomes: a summary, or why there is none."""

from __future__ import annotations

import re
from hashlib import blake2b
from itertools import count
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ctx.model import Cluster, Summary, Utterance
from ctx.read.lineage import Declined, Spans, joined, stands_for
from ctx.read.transcripts import own
from ctx.sessions.compaction.abstractive import melt
from ctx.sessions.compaction.clean import clean
from ctx.sessions.compaction.look import name_of
from ctx.sessions.survey import digest
from ctx.text.secrets import mask
from ctx.text.tokens import estimate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ctx.model import Lines, Space, Summariser, Turn
    from ctx.read.lineage import Lineage
    from ctx.read.transcripts.stored import Stored
    from ctx.sessions.compaction.abstractive import Melted

MOST_TURNS = 1000
MOST_CHARS = 8 * 1024 * 1024
"""What one cluster may hold: a bundle beyond that is declined, and not held in memory."""
TOO_LONG = "it is too long to be summarised"
MOST_FAILURES = 3
"""After so many in a row, a summariser is not asked again in this compaction."""


class Means(NamedTuple):
    """What summaries are made with."""

    space: Space
    summariser: Summariser | None
    """Asked first; None where summaries are made of sentences that were said."""
    allow_secrets: bool = False
    """Whether it is shown secrets, and summaries may say them."""


class Silenced(NamedTuple):
    """A summariser is not asked again in this compaction."""

    why: str


class Made(NamedTuple):
    """What a cluster is, whatever it becomes."""

    level: int
    lines: Lines
    sources: tuple[str, ...]
    turns: int
    covered: int
    """Tokens of the texts of the turns."""
    earliest: str
    latest: str
    digest: str


class Held:
    """The turns of a cluster, by rising line."""

    def __init__(self) -> None:
        """Begin with none."""
        self.turns = 0
        self.last = 0
        """Line of the last one."""
        self.said: list[Turn] = []
        """The turns; none where they are too many, or too long."""
        self._sources: list[str] = []
        self._spans = Spans()
        self._size = 0
        self._bytes = blake2b(digest_size=16)

    @property
    def is_too_long(self) -> bool:
        """Whether this is more than one summary is made of."""
        return self.turns > MOST_TURNS or self._size > MOST_CHARS

    def add(self, one: Stored) -> None:
        """Add the next turn; of what is too much, only lines and bytes."""
        self.turns += 1
        self.last = one.line
        self._spans.add(one.line, one.line)
        self._bytes.update(one.data)
        self._bytes.update(b"\n")
        self._size += len(one.turn.text)
        self.said.append(one.turn)
        self._sources.append(name_of(one))
        if self.is_too_long:
            self.said.clear()
            self._sources.clear()

    def meets(self, spans: Spans) -> bool:
        """Return whether any of the turns is in ``spans``."""
        return any(spans.meets(first, last) for first, last in self._spans.runs())

    def made(self) -> Made:
        """Return what this is."""
        times = [turn.ts for turn in self.said]
        return Made(
            1,
            self._spans.runs(),
            tuple(self._sources),
            self.turns,
            sum(estimate(turn.text) for turn in self.said),
            first(times),
            first(times, last=True),
            self._bytes.hexdigest(),
        )


def _cleaned(turns: Iterable[Turn], *, held_back: bool) -> Iterator[Utterance]:
    """Yield turns as a summariser is shown them."""
    seen: set[str] = set()
    for turn in turns:
        told = [turn.text, turn.speaker or turn.role]
        text, speaker = map(mask, told) if held_back else told
        yield Utterance(speaker, clean(text, seen if turn.role == "tool" else None))


_SPOKEN = re.compile(r"([^:\n]{1,40}): (.+)")


def _spoken(summary: str) -> Iterator[Utterance]:
    """Yield the lines of a summary as what was said, and by whom where they tell."""
    for line in summary.splitlines():
        told = _SPOKEN.fullmatch(line)
        yield Utterance(told[1], told[2]) if told else Utterance("", line)


def first(times: Iterable[str], *, last: bool = False) -> str:
    """Return the first of some times, or the last, as written; empty where none is one."""
    known = [(moment, ts) for ts in times if (moment := own.moment(ts) if ts else None)]
    if not known:
        return ""
    return max(known)[1] if last else min(known)[1]


def above(level: int, children: Sequence[Summary]) -> Made:
    """Return what a cluster of summaries is that will have one of ``level``."""
    return Made(
        level,
        joined(child.lines for child in children),
        tuple(child.id for child in children),
        sum(child.turns for child in children),
        sum(child.covered for child in children),
        first(child.earliest for child in children),
        first((child.latest for child in children), last=True),
        stands_for(child.digest for child in children),
    )


class Makes(Protocol):
    """Makes records of clusters."""

    @property
    def space(self) -> str:
        """The name of the space that summaries are measured in."""
        ...

    def of_turns(self, held: Held, when: str) -> Summary | Declined:
        """Return what becomes of a cluster of turns in the compaction that began at ``when``."""
        ...

    def of_summaries(self, children: Sequence[Summary], when: str) -> Summary | Declined:
        """Return what becomes of a cluster of summaries of one level."""
        ...

    def remarks(self) -> Iterator[Silenced]:
        """Yield what a person should know since this was asked last."""
        ...


class Dry:
    """Makes nothing: every cluster is declined."""

    space = ""

    def of_turns(self, held: Held, when: str) -> Declined:
        """Decline the cluster."""
        del when
        return declined(held.made(), "")

    def of_summaries(self, children: Sequence[Summary], when: str) -> Declined:
        """Decline the cluster."""
        del when
        return declined(above(children[0].level + 1, children), "")

    def remarks(self) -> Iterator[Silenced]:
        """Yield nothing."""
        return iter(())


def declined(made: Made, why: str) -> Declined:
    """Return the record of a cluster that has no summary."""
    return Declined(made.level, made.lines, made.sources, made.turns, why)


class Maker:
    """Makes summaries, each knowing what the one before it said."""

    def __init__(self, session: str, lineage: Lineage, means: Means) -> None:
        """Make summaries of ``session``, whose names ``lineage`` knows."""
        self.space = means.space.name
        self._session, self._lineage, self._means = session, lineage, means
        self._summariser = means.summariser
        self._failures = 0
        self._remarks: list[Silenced] = []

    def of_turns(self, held: Held, when: str) -> Summary | Declined:
        """Return what becomes of a cluster of turns. Raises EmbeddingError."""
        made = held.made()
        if held.is_too_long:
            return declined(made, TOO_LONG)
        said = _cleaned(held.said, held_back=not self._means.allow_secrets)
        return self._of(made, list(said), when)

    def of_summaries(self, children: Sequence[Summary], when: str) -> Summary | Declined:
        """Return what becomes of a cluster of summaries. Raises EmbeddingError."""
        made = above(children[0].level + 1, children)
        said = [one for child in children for one in _spoken(child.text)]
        return self._of(made, said, when)

    def remarks(self) -> Iterator[Silenced]:
        """Yield that a summariser is given up, once."""
        while self._remarks:
            yield self._remarks.pop()

    def _of(self, made: Made, said: Sequence[Utterance], when: str) -> Summary | Declined:
        before = self._lineage.last.get(made.level, "")
        found = self._melted(Cluster(said, before), made.covered)
        if not found.text:
            return declined(made, found.why)
        return Summary(
            id=self._name(made.level, made.sources),
            session=self._session,
            level=made.level,
            text=found.text,
            sources=made.sources,
            lines=made.lines,
            turns=made.turns,
            covered=made.covered,
            tokens=found.tokens,
            earliest=made.earliest,
            latest=made.latest,
            compacted=when,
            method=found.method,
            model=found.model,
            space=self.space,
            confidence=found.confidence,
            digest=made.digest,
            note=found.note,
        )

    def _melted(self, cluster: Cluster, covered: int) -> Melted:
        found = melt(cluster, self._means.space, self._summariser, covered)
        self._failures = self._failures + 1 if found.failed else 0
        if self._failures >= MOST_FAILURES:
            self._summariser, self._failures = None, 0
            self._remarks.append(Silenced(found.note))
        return found

    def _name(self, level: int, sources: Sequence[str]) -> str:
        """Return the name of a summary; another one only where a file has the same ids twice."""
        for again in count():
            salt = [str(again)] if again else []
            made = digest(self._session, *sources, *salt).hex()[:12]
            name = f"s{level}-{made}"
            if name not in self._lineage.ids:
                return name
        raise AssertionError  # a count has no end
