"""Entries that repeat another one: word for word, nearly, or by title.

``ctx.text.similarity`` decides what repeats, as for ``ctx add``. Few entries are all compared with
each other. Of many, those that share one of their rarest words are compared, and of a word with
many holders those nearest in length: linear in the number of entries.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import combinations
from typing import NamedTuple

from rapidfuzz import fuzz

from ctx.checks.types import Fault, Subject, quoted
from ctx.model import Entry
from ctx.text import similarity
from ctx.text.similarity import differ, features
from ctx.text.vector_space import TermSpace, TermVectors
from ctx.text.words import term_ids

FEW = 64  # up to so many entries, each is compared with each
RARE = 8  # rarest words by which an entry finds others: similar entries differ in few words
HOLDERS = 32  # entries of one rare word that are compared with each other, by length
PAIRS = 2_000_000  # pairs that are compared at most: of more entries fewer of one rare word
TITLE_WORDS = 3  # least words of a title that is repeated by mistake, and not a series
_GROUP = {  # kinds that are compared, and the group in which they are
    "decision": "decision", "learning": "learning", "rule": "instruction",
    "convention": "instruction", "task": "task",
}  # fmt: skip
_DATED = frozenset({"decision", "learning"})
_RATIO = similarity.ALIKE / (200.0 - similarity.ALIKE)
"""Least length of the shorter of two similar texts, as a share of the longer one: the ratio of
similarity is 2·shorter ÷ (shorter + longer) at best."""


class _Text(NamedTuple):
    entry: Entry
    raw: str
    bare: str  # in lower case, without punctuation
    unlabelled: str  # the body of a dated entry without its labels


def check(subject: Subject) -> Iterator[Fault]:
    """Yield each entry in force that repeats an earlier one of its kind."""
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in subject.entries:
        if entry.kind in _GROUP and entry.is_current:
            groups[_GROUP[entry.kind]].append(entry)
    cut: list[int] = []
    for entries in groups.values():
        yield from _among(entries, cut)
    if any(cut):
        least, many = min(filter(None, cut)), len(cut) - cut.count(0)
        what = f"compared {many:,} of {len(cut):,} texts with the {least} nearest in length"
        subject.left_out("duplicate", f"{what} for each rare word, not with all that share it")


def _among(entries: Iterable[Entry], cut: list[int]) -> Iterator[Fault]:
    first: dict[tuple[str, str], Entry] = {}
    distinct: list[_Text] = []
    for entry in entries:
        dated = entry.kind in _DATED
        body = entry.body
        raw = (f"{entry.title}\n{body}" if dated else body)[: similarity.COMPARED]
        unlabelled = similarity.without_labels(body)[: similarity.COMPARED] if dated else ""
        text = _Text(entry, raw, similarity.bare(raw), unlabelled)
        if not text.bare:
            continue
        before = first.setdefault((_place(entry), " ".join(text.raw.casefold().split())), entry)
        if before is entry:
            distinct.append(text)
        else:
            yield _fault(entry, before, "repeats")
    near = _Near(distinct, cut).found()
    for at, (earlier, how) in sorted(near.items()):
        yield _fault(distinct[at].entry, distinct[earlier].entry, how)
    # Which of two decisions or learnings of one title is meant?
    first_titled: dict[str, Entry] = {}
    for at, text in enumerate(distinct):
        entry = text.entry
        if at not in near and entry.kind in _DATED and _is_long(entry.title):
            before = first_titled.setdefault(similarity.bare(entry.title), entry)
            if before is not entry:
                yield _fault(entry, before, "has the title of")


def _is_long(title: str) -> bool:
    return len(similarity.bare(title).split()) >= TITLE_WORDS


def _place(entry: Entry) -> str:
    """Return the context of a text: tasks of two phases may be worded alike."""
    return f"{entry.group}\n{entry.lead}" if entry.kind == "task" else entry.lead


def _fault(entry: Entry, earlier: Entry, how: str) -> Fault:
    where = f"{earlier.source}:{earlier.line}"
    if entry.kind == "task":
        remedy = "delete one of them, or write how they differ"
    else:
        remedy = "keep one; where the newer one replaces the other: `ctx add … --supersedes ID`"
    return Fault(entry.source, entry.line, f"{quoted(entry.title)} {how} {where}", remedy)


class _Near:
    def __init__(self, texts: Sequence[_Text], cut: list[int]) -> None:
        self._texts = texts
        self._cut = cut
        self._features = cache(features)

    def found(self) -> dict[int, tuple[int, str]]:
        """Return by place of each text that repeats an earlier one that one's place, and how."""
        found: dict[int, tuple[int, str]] = {}
        for at, earlier in sorted(_pairs(self._texts, self._cut)):
            how = "" if at in found else self._how(at, earlier)
            if how:
                found[at] = earlier, how
        return found

    def _how(self, at: int, earlier: int) -> str:
        one, two = self._texts[at], self._texts[earlier]
        if _place(one.entry) != _place(two.entry):
            return ""
        alike = fuzz.token_sort_ratio(one.bare, two.bare, score_cutoff=similarity.ALIKE) > 0
        if alike and self._agree(one.raw, two.raw):
            return "repeats nearly what is in"
        if one.entry.kind not in _DATED:
            return ""
        bare = similarity.bare(one.unlabelled), similarity.bare(two.unlabelled)
        similar = similarity.texts(*bare)
        similar = similar or self._vectors.cosine(at, earlier) > similarity.MEANT
        if similar and self._agree(one.unlabelled, two.unlabelled):
            return "repeats nearly what is in"
        titles = one.entry.title, two.entry.title
        if all(map(_is_long, titles)) and similarity.titles(*titles) and self._agree(*titles):
            return "has nearly the title of" if titles[0] != titles[1] else "has the title of"
        return ""

    def _agree(self, one: str, two: str) -> bool:
        return one == two or not differ(self._features(one), self._features(two))

    @cached_property
    def _vectors(self) -> TermVectors:
        return TermSpace().of([text.unlabelled for text in self._texts])


def _pairs(texts: Sequence[_Text], cut: list[int]) -> set[tuple[int, int]]:
    """Return the places of texts worth comparing, the later first."""
    if len(texts) <= FEW:
        return {(at, earlier) for earlier, at in combinations(range(len(texts)), 2)}
    bodies = {at: text.entry.terms for at, text in enumerate(texts)}
    dated = [at for at, text in enumerate(texts) if text.entry.kind in _DATED]
    titles = {at: term_ids(texts[at].entry.title) for at in dated}
    return {
        *_overlapping(bodies, {at: len(texts[at].bare) for at in bodies}, cut),
        *_overlapping(titles, {at: len(texts[at].entry.title) for at in titles}, cut),
    }


def _overlapping(
    terms: Mapping[int, Sequence[int]], lengths: Mapping[int, int], cut: list[int]
) -> Iterator[tuple[int, int]]:
    """Yield the places that have half of the terms of one of them in common."""
    sets = {at: frozenset(held) for at, held in terms.items()}
    for one, near in _sharing(terms, lengths, cut):
        held = sets[one]
        for two in near:
            other = sets[two]
            if 2 * len(held & other) >= min(len(held), len(other)):
                yield max(one, two), min(one, two)


def _sharing(
    terms: Mapping[int, Sequence[int]], lengths: Mapping[int, int], cut: list[int]
) -> Iterator[tuple[int, set[int]]]:
    """Yield each place with those that share one of its rarest terms and are a little longer.

    ``cut`` gets for each 0, or how many of a term it was compared with, where that is not all.
    """
    many = Counter(term for held in terms.values() for term in held)
    holders: dict[int, list[int]] = defaultdict(list)
    rarest: dict[int, list[tuple[list[int], int]]] = {}
    for at in sorted(terms, key=lambda at: (lengths[at], at)):
        shared = (term for term in terms[at] if many[term] > 1)
        rare = sorted(shared, key=lambda term: (many[term], term))[:RARE]
        for term in rare:
            holders[term].append(at)
        rarest[at] = [(holders[term], len(holders[term])) for term in rare]
    most = max(1, min(HOLDERS, PAIRS // (RARE * max(1, len(terms)))))
    for one, found in rarest.items():
        near: set[int] = set()
        is_cut = False
        for places, after in found:
            end = bisect_right(places, lengths[one] / _RATIO, after, key=lengths.__getitem__)
            near.update(places[after : min(end, after + most)])
            is_cut |= end > after + most
        cut.append(most * is_cut)
        yield one, near
