"""All entries of a directory in one sequence: by position, each made when asked for, and ranked."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, cached_property
from itertools import accumulate, groupby
from operator import attrgetter

from ctx.model import ARCHIVED, FOREIGN, Entry, Kind, Part, Question, Scored
from ctx.rank.score import decay_rate

DEAR = 200  # tokens that halve the worth of an entry where tokens are the budget (``planner.md``)
DIGITS = 9  # decimals of scores: smaller differences are rounding errors, which differ by machine


_Given = tuple[float, tuple[tuple[str, float], ...], float]  # a score, its parts, and the relevance


class Corpus:
    """The entries of all parts, by position as in a ``Lexicon``; a session's are in a row."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts
        self.starts = list(accumulate(map(len, parts), initial=0))  # of each part, and the last end
        self._first: list[int] = []  # where the source of each part begins and, in ``_last``, ends
        self._last: list[int] = []
        self._talk: dict[int, Sequence[int]] = {}  # turns that are no steps, by a session's start
        self.around = cache(self._around)  # which several signals ask for
        end = 0
        for _, pieces in groupby(parts, key=attrgetter("source")):
            count = len(list(pieces))
            begin, end = end, end + count
            self._first += [self.starts[begin]] * count
            self._last += [self.starts[end]] * count

    def __len__(self) -> int:
        return self.starts[-1]

    def _at(self, position: int) -> tuple[int, int]:
        number = bisect_right(self.starts, position) - 1
        return number, position - self.starts[number]

    def entry(self, position: int) -> Entry:
        """Return the entry at ``position``."""
        number, place = self._at(position)
        return self.parts[number].entry(place)

    def size(self, position: int) -> int:
        """Return ``Entry.size`` of the entry at ``position``."""
        number, place = self._at(position)
        return self.parts[number].sizes[place]

    def part(self, position: int) -> Part:
        """Return the part that the entry at ``position`` is of."""
        return self.parts[self._at(position)[0]]

    def timestamp(self, position: int) -> str:
        """Return ``Entry.timestamp`` of the entry at ``position``."""
        number, place = self._at(position)
        return self.parts[number].timestamps[place]

    def speaker(self, position: int) -> str:
        """Return the speaker of the turn at ``position``; empty for other entries."""
        number, place = self._at(position)
        speakers = self.parts[number].speakers
        return speakers[place] if speakers else ""

    def decay(self, position: int) -> float | None:
        """Return how unsure a summary is, in [0, 1]; None for other entries."""
        number, place = self._at(position)
        confidences = self.parts[number].confidences
        return decay_rate(confidences[place]) if confidences else None

    @cached_property
    def steps(self) -> AbstractSet[int]:
        """The positions of turns that are calls of tools, their output, or announce a call."""
        starts = zip(self.starts, self.parts, strict=False)
        return frozenset(start + place for start, part in starts for place in part.steps)

    def _around(self, position: int, reach: int) -> Sequence[int]:
        """Return a session's turns within ``reach``, steps not counted; all else is alone."""
        number = self._at(position)[0]
        if self.parts[number].kind != "turn" or position in self.steps:
            return (position,)
        first = self._first[number]
        if first not in self._talk:
            every = range(first, self._last[number])
            self._talk[first] = every
            if self.steps:
                self._talk[first] = [at for at in every if at not in self.steps]
        talk = self._talk[first]
        place = bisect_left(talk, position)
        return talk[max(0, place - reach) : place + reach + 1]

    def sources(self) -> Iterator[tuple[int, int]]:
        """Yield where each file begins and ends, each once."""
        return iter(dict.fromkeys(zip(self._first, self._last, strict=True)))

    def asked_for(self, question: Question) -> "Askable":
        """Return the entries that may answer ``question``."""
        return Askable(self, question)


class Askable:
    """The entries that may answer a question: of its kinds and statuses, and young enough."""

    def __init__(self, corpus: Corpus, question: Question) -> None:
        self._corpus = corpus
        self._kinds = [part.kind in question.kinds for part in corpus.parts]
        self._since = question.since
        self._statuses = question.statuses

    def superseded(self) -> Iterator[int]:
        """Yield the positions of superseded entries, unless they may be answers."""
        if not self._statuses:
            for start, part in zip(self._corpus.starts, self._corpus.parts, strict=False):
                yield from (start + place for place in part.superseded)

    def by_kind(self, positions: Iterable[int]) -> Iterator[list[int]]:
        """Yield those of ``positions`` that may be answers, the entries of each kind together."""
        by_kind: dict[Kind, list[int]] = {}
        parts, starts = self._corpus.parts, self._corpus.starts
        by_part: list[list[int]] = [[] for _ in parts]
        for position in positions:
            by_part[bisect_right(starts, position) - 1].append(position)
        for part, asked, held in zip(parts, self._kinds, by_part, strict=True):
            if asked and held:
                is_tested = self._since or part.superseded or self._statuses or part.kind == "task"
                valid = filter(self.__contains__, held) if is_tested else held
                by_kind.setdefault(part.kind, []).extend(valid)
        yield from by_kind.values()

    def __contains__(self, position: int) -> bool:
        number, place = self._corpus._at(position)  # noqa: SLF001 - the other half of one class
        part = self._corpus.parts[number]
        return (
            self._kinds[number]
            and (not self._since or part.timestamps[place][:10] >= self._since)
            and self._is_wanted(part, place)
        )

    def _is_wanted(self, part: Part, place: int) -> bool:
        if self._statuses:
            return any(map(part.entry(place).has_status, self._statuses))
        if place in part.superseded:
            return False
        can_be_closed = part.kind == "task" and not part.source.startswith(ARCHIVED)
        return not can_be_closed or part.entry(place).is_current


def ordered(corpus: Corpus, scores: Mapping[int, _Given], question: Question) -> list[Scored]:
    """Return the entries of ``scores``, best by ``worth``, then by relevance, then in order."""
    return [
        scored(corpus, at, scores[at], named=at in question.named)
        for at in first_of_each(corpus, by_worth(corpus, scores, question), question)
    ]


def by_worth(corpus: Corpus, scores: Mapping[int, _Given], question: Question) -> list[int]:
    """Return the positions of ``scores``, best by ``worth`` first, those without by relevance."""
    return sorted(
        scores, key=lambda at: (-worth(corpus, at, scores[at][0], question), -scores[at][2], at)
    )


def first_of_each(corpus: Corpus, positions: Iterable[int], question: Question) -> Iterator[int]:
    """Yield what ``question`` names, then the others; of each kind the first that it wants.

    That is all where it does not limit them: entries cost time to make. Turns that came with the
    repository are a kind of their own: they displace no others.
    """
    seen: Counter[tuple[str, bool]] = Counter()
    most = question.most
    for at in sorted(positions, key=lambda at: at not in question.named):
        part = corpus.part(at)
        kind = part.kind, part.source.startswith(FOREIGN)
        seen[kind] += 1
        if most is None or seen[kind] <= most:
            yield at


def scored(corpus: Corpus, position: int, given: _Given, *, named: bool = False) -> Scored:
    """Return the entry at ``position`` with its rounded score, their parts and its relevance."""
    score, parts, relevance = given
    entry = corpus.entry(position)
    return Scored(entry, round(score, DIGITS), parts, named, relevance=relevance)


def worth(corpus: Corpus, position: int, score: float, question: Question) -> float:
    """Return what an entry of this ``score`` is sorted by: by length where tokens count."""
    if question.per_token:
        score /= 1 + corpus.size(position) / DEAR
    return round(score, DIGITS)
