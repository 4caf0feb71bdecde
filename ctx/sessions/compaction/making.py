"""A cluster, and its record: a summary, or why there is none."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import count
from typing import NamedTuple

from ctx.digest import digest
from ctx.model import (
    Cluster,
    Lines,
    Summariser,
    Summary,
    SummaryError,
    Turn,
    Utterance,
    VectorSpace,
)
from ctx.read.lineage import Declined, Lineage, Spans, joined, stands_for
from ctx.read.stored import Stored
from ctx.sessions.compaction.abstractive import prompt
from ctx.sessions.compaction.clean import clean
from ctx.sessions.compaction.extractive import Extractive, attributed
from ctx.sessions.compaction.refusal import Offer, align, confidence, cover, refusal
from ctx.sessions.notes import is_work, notes
from ctx.text.regex import regex
from ctx.text.secrets import mask
from ctx.text.sentences import pieces, plain
from ctx.text.times import moment
from ctx.text.tokens import estimate

MOST_TURNS = 1000
MOST_CHARS = 8 * 1024 * 1024  # of one cluster: a larger bundle is declined, and not kept in memory
TOO_LONG = "it is too long to be summarised"
MOST_FAILURES = 3  # consecutive failures after which a summariser is not asked again in this run
SHARE = 5  # tokens of a cluster for each token of its summary, roughly
WORK_SHARE = 2  # where tools were called: what is stated about the work is short, and counts
FLOOR = 24  # least limit of a summary, in tokens; small clusters shrink less than others
CEILING = 800  # tokens that no summary exceeds: it must still fit into a packet
DIGITS = 6  # digits of a confidence: more would be noise
_SHORTER = (1, 2, 4)  # divisors of the limit, if the last summary was no shorter than its cluster
_SPOKEN = regex(r"([^:\n]{1,40}): (.+)")


class Means(NamedTuple):
    """What summaries are made with."""

    space: VectorSpace
    summariser: Summariser | None  # asked first; None if summaries are sentences from the turns
    allow_secrets: bool = False  # whether it is shown secrets, and summaries may contain them


class Silenced(NamedTuple):
    """A summariser is not asked again in this compaction."""

    why: str


class Made(NamedTuple):
    """A cluster's part of its record."""

    level: int
    lines: Lines
    sources: tuple[str, ...]
    turns: int
    covered: int  # tokens of the texts of the turns
    earliest: str
    latest: str
    digest: str


class TurnCluster:
    """The turns of a cluster, by rising line."""

    def __init__(self) -> None:
        self.turns = 0
        self.last = 0  # line of the last one
        self.content: list[Turn] = []  # the turns; none if they are too many, or too long
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
        self.content.append(line.turn)
        self._sources.append(name_of(line))
        if self.is_too_long:
            self.content.clear()
            self._sources.clear()

    def meets(self, spans: Spans) -> bool:
        """Return whether any of the turns is in ``spans``."""
        return any(spans.meets(first, last) for first, last in self._spans.runs())

    def made(self) -> Made:
        """Return the cluster's part of its record."""
        times = [turn.ts for turn in self.content]
        covered, digest = sum(estimate(turn.text) for turn in self.content), self._bytes.hexdigest()
        lines, sources = self._spans.runs(), tuple(self._sources)
        earliest, latest = _first(times), _first(times, last=True)
        return Made(1, lines, sources, self.turns, covered, earliest, latest, digest)


def name_of(line: Stored) -> str:
    """Return the id of a turn, or one made of its line if it has none."""
    return line.turn.id or f"line-{line.line}"


def _first(times: Iterable[str], *, last: bool = False) -> str:
    """Return the first of some times, or the last, as written; empty if none can be read."""
    known = [(time, ts) for ts in times if (time := moment(ts) if ts else None)]
    if not known:
        return ""
    return max(known)[1] if last else min(known)[1]


class Maker:
    """Makes summaries, each given the text of the one before it; without means, none."""

    def __init__(self, session: str, lineage: Lineage, means: Means | None) -> None:
        self.space = means.space.name if means else ""
        self._session, self._lineage, self._means = session, lineage, means
        self._summariser = means.summariser if means else None
        self._failures = 0
        self._silenced: list[Silenced] = []

    def of_turns(self, cluster: TurnCluster, when: str) -> Summary | Declined:
        """Return the record of a cluster of turns. Raises EmbeddingError."""
        made = cluster.made()
        if self._means is None or cluster.is_too_long:
            return _declined(made, TOO_LONG if self._means else "")
        seen: set[str] = set()
        utterances = []
        for turn in cluster.content:
            text, speaker = turn.text, turn.speaker or turn.role
            if not self._means.allow_secrets:
                text, speaker = mask(text), mask(speaker)
            text = clean(text, seen if turn.role == "tool" else None)
            utterances.append(Utterance(speaker, text, turn.role))
        return self._record(made, utterances, self._means, when)

    def of_summaries(self, children: Sequence[Summary], when: str) -> Summary | Declined:
        """Return the record of a cluster of summaries. Raises EmbeddingError."""
        made = Made(
            children[0].level + 1,
            joined(child.lines for child in children),
            tuple(child.id for child in children),
            sum(child.turns for child in children),
            sum(child.covered for child in children),
            _first(child.earliest for child in children),
            _first((child.latest for child in children), last=True),
            stands_for(child.digest for child in children),
        )
        if self._means is None:
            return _declined(made, "")
        utterances = []
        for line in (line for child in children for line in child.text.splitlines()):
            spoken = _SPOKEN.fullmatch(line)
            utterances.append(Utterance(spoken[1], spoken[2]) if spoken else Utterance("", line))
        return self._record(made, utterances, self._means, when)

    def remarks(self) -> Iterator[Silenced]:
        """Yield once that a summariser is given up."""
        while self._silenced:
            yield self._silenced.pop()

    def _record(
        self, made: Made, utterances: Sequence[Utterance], means: Means, when: str
    ) -> Summary | Declined:
        before = self._lineage.last.get(made.level, "")
        cluster = Cluster(utterances, before)
        outcome = summarise(cluster, means.space, self._summariser, made.covered)
        self._failures = self._failures + 1 if outcome.failed else 0
        if self._failures >= MOST_FAILURES:
            self._summariser, self._failures = None, 0
            self._silenced.append(Silenced(outcome.note))
        if not outcome.text:
            return _declined(made, outcome.why)
        return Summary(
            id=self._new_id(made.level, made.sources),
            session=self._session,
            text=outcome.text,
            tokens=outcome.tokens,
            compacted=when,
            method=outcome.method,
            model=outcome.model,
            space=self.space,
            confidence=outcome.confidence,
            note=outcome.note,
            **made._asdict(),
        )

    def _new_id(self, level: int, sources: Sequence[str]) -> str:
        """Return the id of a summary; numbered only if a file has the same ids twice."""
        for again in count():
            salt = [str(again)] if again else []
            name = f"s{level}-{digest(self._session, *sources, *salt).hex()[:12]}"
            if name not in self._lineage.ids:
                return name
        raise AssertionError  # a count has no end


def _declined(made: Made, why: str) -> Declined:
    return Declined(made.level, made.lines, made.sources, made.turns, why)


class Outcome(NamedTuple):
    """The summary of a cluster, or why there is none."""

    text: str  # the summary; empty if the cluster is declined
    method: str  # as ``Summary.method``; empty if declined
    model: str  # what wrote it; empty for all but abstractive ones
    confidence: float  # how well it represents the cluster, in [0, 1] (``retrieval-math`` 5.4)
    tokens: int  # of the text, by the heuristic counter
    covered: int  # tokens of what it summarises, likewise
    note: str = ""  # why the summariser's own draft was not used: it failed, or was refused
    why: str = ""  # why the cluster is declined; empty if it is not
    failed: bool = False  # whether the summariser failed and was not refused: it may again


def summarise(
    cluster: Cluster,
    space: VectorSpace,
    summariser: Summariser | None = None,
    covered: int | None = None,
) -> Outcome:
    """Return the summary of ``cluster``, measured in ``space``.

    ``summariser``, if given, is asked first; if it fails or is refused the extractive one works,
    and a note says so. ``covered`` are the tokens of the turns as stored, by default those of the
    cluster. A summary has fewer than either, except for a cluster of one, which is ``trivial``;
    else the cluster is declined. Raises EmbeddingError.
    """
    own_tokens = sum(estimate(turn.text) for turn in cluster.utterances)
    covered = own_tokens if covered is None else covered
    declined = Outcome("", "", "", 0.0, 0, covered)
    if not any(_first_sentence(turn.text) for turn in cluster.utterances):
        return declined._replace(why="it holds no text")
    work = _Work(cluster, space, own_tokens, covered)
    if len(cluster.utterances) == 1:  # however long it is
        return work.judged(work.sentences(_wanted(own_tokens)), "trivial")
    draft = work.ask(summariser) if summariser else declined
    if draft.text:
        return draft
    why = f"no summary of it is under its {work.bound:,} tokens"
    if work.is_work and not notes(cluster.utterances):
        why = "nothing is asked, changed, decided, failed or open in it"
        return declined._replace(why=why, note=draft.note, failed=draft.failed)
    made = work.extractive() or work.first_sentences() or declined._replace(why=why)
    return made._replace(note=draft.note, failed=draft.failed)


def _wanted(tokens: int, share: int = SHARE) -> int:
    return min(max(FLOOR, tokens // share), CEILING)


def _first_sentence(text: str) -> str:
    return next((sentence for sentence, _ in pieces(text)), "")


class _Work:
    def __init__(self, cluster: Cluster, space: VectorSpace, own_tokens: int, covered: int) -> None:
        self._cluster, self._space, self._covered = cluster, space, covered
        self.bound = min(own_tokens, covered)  # tokens that a summary stays under
        self.is_work = is_work(cluster.utterances)
        share = WORK_SHARE if self.is_work else SHARE
        self._limit = max(1, min(_wanted(self.bound, share), self.bound - 1))

    def ask(self, summariser: Summariser) -> Outcome:
        """Return the summary of ``summariser``; without text but with a note if it is not used."""
        method = summariser.method
        unused = Outcome("", "", "", 0.0, 0, self._covered)
        try:
            draft = summariser.summarise(self._cluster, self._limit)
        except SummaryError as error:
            note = f"{method} failed: {' '.join(str(error).split())}"
            return unused._replace(note=note, failed=True)
        text = plain(draft.text)
        near, covers = self._measured(text)
        why = ""
        if method != Extractive.method:  # sentences from the turns need only be short
            instructions = prompt(self._cluster, self._limit).instructions
            why = refusal(Offer(text, self._cluster, instructions, near))
        tokens = estimate(text)
        if not why and not 0 < tokens < self.bound:
            why = f"no shorter: {tokens:,} tokens for {self.bound:,}"
        if why:
            return unused._replace(note=f"{method} refused: {why}")
        sure = confidence(near, covers, draft.mean_logprob)
        return self._outcome(text, method, summariser.model, sure)

    def extractive(self) -> Outcome | None:
        """Return sentences of it, None if they cannot be short enough."""
        for part in _SHORTER:
            draft = self.sentences(max(1, self._limit // part))
            if draft and estimate(draft) < self.bound:
                return self.judged(draft, Extractive.method)
        return None

    def first_sentences(self) -> Outcome | None:
        """Return the first sentences of its first and last utterance, None if too long."""
        first, *_, last = (turn.text for turn in self._cluster.utterances)
        text = plain(f"{_first_sentence(first)} {_first_sentence(last)}")
        return self.judged(text, "first-sentences") if 0 < estimate(text) < self.bound else None

    def sentences(self, limit: int) -> str:
        """Return sentences of it, of at most ``limit`` tokens if there are such."""
        return plain(Extractive(self._space).summarise(self._cluster, limit).text)

    def judged(self, text: str, method: str) -> Outcome:
        return self._outcome(text, method, "", confidence(*self._measured(text)))

    def _measured(self, text: str) -> tuple[float, float]:
        """Return Q_align and Q_cover of ``text`` and the turns after their speakers."""
        texts = [
            attributed(turn, turn.text) if turn.text.strip() else ""
            for turn in self._cluster.utterances
        ]
        sources = range(len(texts))
        vectors = self._space.of([*texts, text], len(texts))
        return align(vectors, len(texts), sources), cover(vectors, len(texts), sources)

    def _outcome(self, text: str, method: str, model: str, sure: float) -> Outcome:
        return Outcome(text, method, model, round(sure, DIGITS), estimate(text), self._covered)
