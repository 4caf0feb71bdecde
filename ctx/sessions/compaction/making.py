"""A cluster, and its record: a summary, or why there is none."""

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import count
from typing import NamedTuple

from ctx.model import Cluster, Lines, Summariser, Summary, Turn, Utterance, VectorSpace
from ctx.read.lineage import Declined, Lineage, Spans, joined, stands_for
from ctx.read.transcripts import own
from ctx.read.transcripts.stored import Stored
from ctx.sessions.compaction.abstractive import melt
from ctx.sessions.compaction.clean import clean
from ctx.sessions.compaction.look import name_of
from ctx.sessions.survey import digest
from ctx.text.secrets import mask
from ctx.text.tokens import estimate

MOST_TURNS = 1000
MOST_CHARS = 8 * 1024 * 1024
"""Limits of one cluster: a larger bundle is declined, and not kept in memory."""
TOO_LONG = "it is too long to be summarised"
MOST_FAILURES = 3
"""Consecutive failures after which a summariser is not asked again in this compaction."""
_SPOKEN = re.compile(r"([^:\n]{1,40}): (.+)")


class Means(NamedTuple):
    """What summaries are made with."""

    space: VectorSpace
    summariser: Summariser | None
    """Asked first; None if summaries are made of sentences from the turns."""
    allow_secrets: bool = False
    """Whether it is shown secrets, and summaries may contain them."""


class Silenced(NamedTuple):
    """A summariser is not asked again in this compaction."""

    why: str


class Made(NamedTuple):
    """A cluster's part of its record."""

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
        """Begin without turns."""
        self.turns = 0
        self.last = 0
        """Line of the last one."""
        self.said: list[Turn] = []
        """The turns; none if they are too many, or too long."""
        self._sources: list[str] = []
        self._spans = Spans()
        self._size = 0
        self._bytes = blake2b(digest_size=16)

    @property
    def is_too_long(self) -> bool:
        """Whether this is more than one summary can cover."""
        return self.turns > MOST_TURNS or self._size > MOST_CHARS

    def add(self, line: Stored) -> None:
        """Add the next turn; beyond the limits, only lines and bytes."""
        self.turns += 1
        self.last = line.line
        self._spans.add(line.line, line.line)
        self._bytes.update(line.data)
        self._bytes.update(b"\n")
        self._size += len(line.turn.text)
        self.said.append(line.turn)
        self._sources.append(name_of(line))
        if self.is_too_long:
            self.said.clear()
            self._sources.clear()

    def meets(self, spans: Spans) -> bool:
        """Return whether any of the turns is in ``spans``."""
        return any(spans.meets(first, last) for first, last in self._spans.runs())

    def made(self) -> Made:
        """Return the cluster's part of its record."""
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


def first(times: Iterable[str], *, last: bool = False) -> str:
    """Return the first of some times, or the last, as written; empty if none can be read."""
    known = [(moment, ts) for ts in times if (moment := own.moment(ts) if ts else None)]
    if not known:
        return ""
    return max(known)[1] if last else min(known)[1]


def above(level: int, children: Sequence[Summary]) -> Made:
    """Return that part for a cluster of summaries whose own summary has ``level``."""
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


class Dry:
    """Makes no summaries: every cluster is declined."""

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
    """Makes summaries, each given the text of the one before it."""

    def __init__(self, session: str, lineage: Lineage, means: Means) -> None:
        """Make summaries of ``session``, whose names ``lineage`` knows."""
        self.space = means.space.name
        self._session, self._lineage, self._means = session, lineage, means
        self._summariser = means.summariser
        self._failures = 0
        self._remarks: list[Silenced] = []

    def of_turns(self, held: Held, when: str) -> Summary | Declined:
        """Return the record of a cluster of turns. Raises EmbeddingError."""
        made = held.made()
        if held.is_too_long:
            return declined(made, TOO_LONG)
        seen: set[str] = set()
        said = []
        for turn in held.said:
            text, speaker = turn.text, turn.speaker or turn.role
            if not self._means.allow_secrets:
                text, speaker = mask(text), mask(speaker)
            said.append(Utterance(speaker, clean(text, seen if turn.role == "tool" else None)))
        return self._of(made, said, when)

    def of_summaries(self, children: Sequence[Summary], when: str) -> Summary | Declined:
        """Return the record of a cluster of summaries. Raises EmbeddingError."""
        made = above(children[0].level + 1, children)
        said = []
        for line in (line for child in children for line in child.text.splitlines()):
            spoken = _SPOKEN.fullmatch(line)
            said.append(Utterance(spoken[1], spoken[2]) if spoken else Utterance("", line))
        return self._of(made, said, when)

    def remarks(self) -> Iterator[Silenced]:
        """Yield once that a summariser is given up."""
        while self._remarks:
            yield self._remarks.pop()

    def _of(self, made: Made, said: Sequence[Utterance], when: str) -> Summary | Declined:
        before = self._lineage.last.get(made.level, "")
        found = melt(Cluster(said, before), self._means.space, self._summariser, made.covered)
        self._failures = self._failures + 1 if found.failed else 0
        if self._failures >= MOST_FAILURES:
            self._summariser, self._failures = None, 0
            self._remarks.append(Silenced(found.note))
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

    def _name(self, level: int, sources: Sequence[str]) -> str:
        """Return the name of a summary; numbered only if a file has the same ids twice."""
        for again in count():
            salt = [str(again)] if again else []
            made = digest(self._session, *sources, *salt).hex()[:12]
            name = f"s{level}-{made}"
            if name not in self._lineage.ids:
                return name
        raise AssertionError  # a count has no end


Makes = Dry | Maker
