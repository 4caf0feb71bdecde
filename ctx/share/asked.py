"""One repository of the server as rankers see a directory: its entries, and what holds a word.

Positions count all its entries, of which few are fetched: what holds a word of the query, and
around the best of these the neighbours. So the same code gives the same scores as at home. Of
several repositories as much is fetched together as of one, in one statement each time.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import nlargest
from itertools import accumulate
from math import log
from typing import Any, NamedTuple, TypeVar

from ctx.model import NO_FRONTMATTER, Entry
from ctx.share import source_of
from ctx.share.server import EXACT, HIT, NOTHING, Held, Server, Spans, Talk, Visible
from ctx.text.words import term_ids

_Value = TypeVar("_Value", bound=str | int)
CANDIDATES = 500
"""Entries of each kind around which neighbours are fetched: as many as rankers examine."""
REACH, MEANT = 4, 6
"""Neighbours on either side that rankers look at, and those whose vectors they compare."""
WHOLE = 60  # entries of each kind whose texts are fetched with them; of others one by one
_SCALE = 1_000_000_000
_LEAST_IDF = 1e-6
_K1, _B = 1.2, 0.75  # of BM25, as FTS5 has them


class _Row(NamedTuple):
    """An entry that was fetched."""

    day: str
    anchors: int
    anchor: str
    speaker: str
    marks: str
    size: int
    author: str
    title: str | None
    text: str | None  # None where only the rest was asked for


class Asked:
    """One repository: a ``Lexicon``, and the ``parts`` that it counts."""

    def __init__(
        self,
        server: Server,
        repository: Visible,
        parts: Iterable[Talk],
        title_of: Callable[[str], str],
    ) -> None:
        """Show ``parts``, in order."""
        self.server = server
        self.repository = repository
        self.examined = CANDIDATES  # entries of each kind that rankers are to examine
        self.title_of = title_of
        every = list(parts)
        starts = accumulate((talk.entries for talk in every), initial=0)
        self.parts = [
            Part(self, repository.name, talk, start)
            for talk, start in zip(every, starts, strict=False)
        ]
        self.by_session = {part.session: part for part in self.parts}
        self._by_number = {talk.number: part for talk, part in zip(every, self.parts, strict=True)}
        self._ends = list(accumulate(map(len, self.parts)))
        self._frequency: dict[str, int] = {}
        self._forms: dict[str, list[str]] = {}
        self._hits: dict[str, list[tuple[int, int]]] = {}
        self._dates: dict[int, int] = {}
        self._rows: dict[int, _Row] = {}

    # --- what is fetched before anybody asks ----------------------------------------------

    def know(self, beginnings: Iterable[str], begun: Iterable[str]) -> None:
        """Take the words that begin so."""
        words = sorted(begun)
        for beginning in beginnings:
            self._forms[beginning] = [word for word in words if word.startswith(beginning)]

    def take(self, words: Iterable[str], holders: Mapping[str, Held]) -> None:
        """Take the entries that hold each of ``words``, of phrases their words'."""
        phrases = []
        for word in words:
            held, hits = holders.get(word, NOTHING)
            if " " in word:
                phrases.append(word)
                continue
            found = []
            for entry, times, tokens, dates in HIT.iter_unpack(hits or b""):
                part, place = self._by_number.get(entry >> 32), entry & 0xFFFFFFFF
                if part is not None and place < len(part):  # else somebody pushes meanwhile
                    found.append((part.start + place, times, tokens))
                    self._dates[part.start + place] = dates
            self._count(word, held, found)
        for phrase in phrases:
            self._take_phrase(phrase)

    def _take_phrase(self, phrase: str) -> None:
        each = [dict(self.holding(word)) for word in set(phrase.split())]
        places = [self._place(at) for at in set.intersection(*map(set, each))]
        found = []
        if places:
            name = self.repository.name
            for session, place, times, tokens, _ in self.server.phrase(name, phrase, places):
                found.append((self.by_session[session].start + place, times, tokens))
        self._count(phrase, len(found), found)

    def _count(self, word: str, held: int, found: Iterable[tuple[int, int, int]]) -> None:
        """Note what holds a word: position, how often, and words of the entry."""
        entries, tokens = self.repository.entries, self.repository.tokens
        mean = tokens / entries if entries else 1.0
        rarity = log((entries - held + 0.5) / (held + 0.5)) if held < entries else 0.0
        idf = _SCALE * max(_LEAST_IDF, rarity) * (_K1 + 1)
        least, slope = _K1 * (1 - _B), _K1 * _B / mean
        self._frequency[word] = held
        self._hits[word] = sorted(
            (at, max(1, round(idf * count / (count + least + slope * long))))
            for at, count, long in found
        )

    def scores(self, words: Iterable[str]) -> dict[int, float]:
        """Return the BM25 of what holds any of ``words``."""
        own: dict[int, float] = {}
        for word in words:
            for at, score in self.holding(word):
                own[at] = own.get(at, 0) + score
        return own

    def best(self, scores: Mapping[int, float]) -> dict[str, list[int]]:
        """Return by kind the entries with the best scores, best first."""
        by_kind: dict[str, list[int]] = {}
        for at in scores:
            by_kind.setdefault(self._part(at).kind, []).append(at)
        return {
            kind: nlargest(CANDIDATES, held, key=lambda at: (scores[at], -at))
            for kind, held in by_kind.items()
        }

    def cosines(self, near: Iterable[tuple[str, list[int], list[float]]]) -> list[float]:
        """Return the cosine of each entry, the least of the nearest of very many."""
        found: dict[int, float] = {}
        for session, places, cosines in near:
            if part := self.by_session.get(session):
                found.update(zip((part.start + place for place in places), cosines, strict=True))
        others = min(found.values(), default=0.0) if self.repository.entries > EXACT else 0.0
        return [found.get(at, others) for at in range(self._ends[-1] if self._ends else 0)]

    # --- what rankers ask -----------------------------------------------------------------

    def holding(self, word: str) -> list[tuple[int, int]]:
        """Return the entries that hold ``word``: position, and BM25 in billionths, above 0."""
        if word not in self._hits:
            name = self.repository.name
            self.take([word], {} if " " in word else self.server.holders([name], [word])[name])
        return self._hits[word]

    def marked(self, word: str) -> Container[int]:
        """Return what tells whether the entry at a position bears a mark; it is looked at then."""
        return _Marked(self, word)

    def frequency(self, word: str) -> int:
        """Return how many entries hold ``word``."""
        if word not in self._frequency:
            if " " in word:
                return len(self.holding(word)) if all(map(self.frequency, word.split())) else 0
            self.holding(word)
        return self._frequency[word]

    def titled(self, words: Sequence[str]) -> list[int]:
        """Return the entries that have titles and hold any of ``words``."""
        found = {at for word in words for at, _ in self.holding(word)}
        return sorted(at for at in found if self._part(at).kind != "turn")

    def forms(self, beginning: str) -> list[str]:
        """Return the words that begin so, stemmed and before, sorted."""
        if beginning not in self._forms:
            name = self.repository.name
            self.know([beginning], self.server.begun([name], [beginning])[name])
        return self._forms[beginning]

    def anchors(self, position: int) -> int:
        """Return how many dates and times the entry at ``position`` names."""
        known = self._dates.get(position)
        return self.row(position).anchors if known is None else known

    # --- rows -----------------------------------------------------------------------------

    def row(self, position: int, *, whole: bool = False) -> _Row:
        """Return an entry, fetched with its neighbours where it is missing."""
        row = self._rows.get(position)
        if row is None and position in self._dates:  # so probably all that holds a word is wanted
            _load([(self, [at for at in self._dates if at not in self._rows], False)])
            row = self._rows.get(position)
        if row is None or (whole and row.text is None):
            # And what is probably asked for next: texts with words of the query, or neighbours.
            texts = [at for at in self._dates if at in self._rows and self._rows[at].text is None]
            more = [position, *texts[:WHOLE]] if whole else self.around([position], WHOLE)
            _load([(self, {*more}, whole)])
            row = self._rows.get(position)
        # Forgotten between two questions: nothing is left of it.
        return row or _Row("", 0, "", "", "", 0, "", "", "")

    def _part(self, position: int) -> "Part":
        return self.parts[bisect_right(self._ends, position)]

    def _place(self, position: int) -> tuple[str, int]:
        part = self._part(position)
        return part.session, position - part.start

    def expect(self, positions: Iterable[int]) -> None:
        """Fetch entries that will be read, in one statement."""
        _load([(self, [at for at in positions if self.row(at).text is None], True)])

    def load(self, positions: Iterable[int], *, whole: bool) -> None:
        """Fetch what is missing of entries, with their texts if ``whole``, in one statement."""
        rows = ((at, self._rows.get(at)) for at in positions)
        missing = [at for at, row in rows if row is None or (whole and row.text is None)]
        _load([(self, missing, whole)])

    def around(self, positions: Iterable[int], reach: int) -> set[int]:
        """Return ``positions`` and those of their neighbours."""
        return {at for position in positions for at in self._part(position).around(position, reach)}

    def keep(self, rows: Iterable[tuple[Any, ...]], *, whole: bool) -> None:
        """Take entries that were fetched."""
        for session, place, *row in rows:
            part = self.by_session[session]
            at = part.start + place
            if place < len(part) and (whole or at not in self._rows):
                self._rows[at] = _Row(*row)

    def spans(self, positions: Iterable[int]) -> Spans:
        """Return session, first and last place of each run of ``positions``."""
        spans: list[tuple[str, int, int]] = []
        for session, place in map(self._place, sorted(positions)):
            if spans and spans[-1][0] == session and place == spans[-1][2] + 1:
                spans[-1] = session, spans[-1][1], place
            else:
                spans.append((session, place, place))
        return spans


def fetch(
    every: Sequence[Asked], words: Sequence[str], near: Sequence[Sequence[float]] = ()
) -> list[set[int]]:
    """Fetch what holds most of ``words``, the nearest, and their neighbours; return the best.

    Of several repositories ``CANDIDATES`` are examined together, half of them by words where there
    are vectors: of each as many of either as are among these.
    """
    together, is_cut, most = CANDIDATES // (2 if near else 1), False, Counter[int]()
    kinds: list[list[list[int]]] = [[] for _ in every]
    for given in ([asked.scores(words) for asked in every], [dict(enumerate(n)) for n in near]):
        pool: dict[str, list[tuple[float, int, int]]] = {}
        for number, scores in enumerate(given):
            for kind, held in every[number].best(scores).items():
                kinds[number].append(held)
                pool.setdefault(kind, []).extend((scores[at], -number, -at) for at in held)
        for kept in pool.values():
            is_cut = is_cut or len(kept) > together
            most |= Counter(-number for _, number, _ in nlargest(together, kept))
    best: list[set[int]] = []
    wanted: list[tuple[Asked, Iterable[int], bool]] = []
    for number, asked in enumerate(every):
        asked.examined = most[number] if is_cut and len(every) > 1 else CANDIDATES
        best.append({at for held in kinds[number] for at in held[: asked.examined]})
        read = {at for held in kinds[number] for at in held[:WHOLE]} & best[-1]
        wanted += [(asked, asked.around(best[-1], REACH) - read, False), (asked, read, True)]
    _load(wanted)
    return best


def _load(wanted: Iterable[tuple[Asked, Iterable[int], bool]]) -> None:
    """Fetch entries of repositories, with their texts where that is true."""
    runs = [(asked, spans, whole) for asked, at, whole in wanted if (spans := asked.spans(at))]
    if runs:
        named = [(asked.repository.name, spans, whole) for asked, spans, whole in runs]
        for (asked, _, whole), rows in zip(runs, runs[0][0].server.spans(named), strict=True):
            asked.keep(rows, whole=whole)


def vectors(
    every: Sequence[Asked], model: str, wanted: Iterable[Iterable[int]]
) -> list[dict[int, bytes]]:
    """Return of each repository the vectors of entries, as pgvector sends them, where they are."""
    spans = [
        (asked.repository.name, asked.spans(at)) for asked, at in zip(every, wanted, strict=True)
    ]
    found = every[0].server.vectors(model, spans) if every else []
    return [
        {asked.by_session[session].start + place: vector for session, place, vector in rows}
        for asked, rows in zip(every, found, strict=True)
    ]


class _Marked:
    def __init__(self, asked: Asked, word: str) -> None:
        self._asked = asked
        self._word = word

    def __contains__(self, position: object) -> bool:
        return isinstance(position, int) and self._word in self._asked.row(position).marks


class _Column(Sequence[_Value]):
    """A column of a part: a value is fetched when it is asked for, all of them by iteration."""

    def __init__(self, part: "Part", of: Callable[[_Row], _Value]) -> None:
        self._part = part
        self._of = of

    def __len__(self) -> int:
        return len(self._part)

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 - a value, or a list for a slice
        wanted = range(len(self))[place]
        return self._of(self._part.row(wanted)) if isinstance(wanted, int) else [*self][place]

    def __iter__(self) -> Iterator[_Value]:
        return map(self._of, self._part.rows())


class Part:
    """A session of the server, or an entry that stands for itself: a ``Part`` of ``ctx.model``."""

    front = NO_FRONTMATTER
    confidences: Sequence[float] = ()
    superseded = frozenset[int]()
    digest = b""

    def __init__(self, asked: Asked, repository: str, talk: Talk, start: int) -> None:
        """Begin at the position ``start``."""
        self._asked = asked
        self.session = talk.session
        self.kind = talk.kind
        self.start = start
        self.steps = frozenset(talk.steps)
        self._count = talk.entries
        self.source = source_of(repository, talk.session, talk.kind)
        self.name = f"{self.source}#{talk.session}"
        self.timestamps = _Column(self, lambda row: row.day)
        self.sizes = _Column(self, lambda row: row.size // 4)
        is_talk = talk.kind == "turn"
        self.speakers = _Column(self, lambda row: row.speaker) if is_talk else ()
        self.names = frozenset(talk.speakers) if is_talk else frozenset[str]()

    def __len__(self) -> int:
        """Return the number of entries."""
        return self._count

    def row(self, place: int) -> _Row:
        """Return what is known of the entry at ``place``, fetched with its neighbours."""
        return self._asked.row(self.start + place)

    def rows(self, *, whole: bool = False) -> Iterator[_Row]:
        """Yield all entries, in order, with their texts if ``whole``; what is missing in one go."""
        every = range(self.start, self.start + self._count)
        self._asked.load(every, whole=whole)
        return (self._asked.row(at, whole=whole) for at in every)

    @cached_property
    def _talk(self) -> Sequence[int]:
        every = range(self.start, self.start + self._count)
        return [at for at in every if at - self.start not in self.steps] if self.steps else every

    def around(self, position: int, reach: int) -> Sequence[int]:
        """Return the turns around the one at ``position``, steps not counted, and itself."""
        if position - self.start in self.steps:
            return (position,)
        place = bisect_left(self._talk, position)
        return self._talk[max(0, place - reach) : place + reach + 1]

    def body(self, place: int) -> str:
        """Return the text of the entry at ``place``."""
        return self._asked.row(self.start + place, whole=True).text or ""

    def terms(self, place: int) -> Sequence[int]:
        """Return the hashed terms of the entry at ``place``."""
        return term_ids(self.body(place))

    def holding(self, terms: Iterable[int]) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield each of the hashed ``terms`` that occurs, and the places of its entries.

        It fetches every text: rankers of the server's entries ask the ``Lexicon`` instead.
        """
        held = [set(term_ids(row.text or "")) for row in self.rows(whole=True)]
        for term in terms:
            if places := [place for place, those in enumerate(held) if term in those]:
                yield term, places

    def entry(self, place: int) -> Entry:
        """Return the entry at ``place``, fetched where it is missing."""
        row = self._asked.row(self.start + place, whole=True)
        body = row.text or ""
        title = row.title or f"{row.speaker}: {self._asked.title_of(body.strip())}"
        return Entry(
            id=f"{self.source}#{row.anchor}", kind=self.kind, tier="variant", title=title,
            source=self.source, line=place + 1, end_line=place + 1, timestamp=row.day, status="",
            priority=0, group="", lead="", supersedes="", size=row.size // 4,
            title_size=len(title) // 4, front=self.front, content=self, place=place,
            speaker=row.speaker,
        )  # fmt: skip
