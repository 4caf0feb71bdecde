"""The events of a query, and whether it asks how they relate in time.

Source: ``temporal-retrieval``, sections 9.2 and 9.4.1. English only: other languages score
ξ = 0, and nothing changes for them.
"""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from math import fsum
from typing import NamedTuple

from ctx.rank.coverage import keywords
from ctx.rank.temporal.patterns import (
    BREAKS,
    DETERMINERS,
    EMPTY,
    STRONG,
    WORDS,
    Sentence,
    is_meant,
    mood,
    sentences,
    strong,
)
from ctx.rank.temporal.settings import DEFAULTS, Settings

MAX_WORDS = 6
"""Content words of a slot: a longer run is several."""
_MAX_SENTENCES = 4
"""Sentences that are searched: they name more events than there are slots."""
WEIGHTS = {
    "how many days": 1.0,
    "how long": 0.9,
    "before/after": 0.8,
    "first/earlier": 0.8,
    "since/between": 0.7,
    "when did": 0.7,
}
"""s_i of the patterns tpat_i. Each counts once, however often it matches."""


class Hit(NamedTuple):
    """A temporal pattern at its place in a sentence."""

    pattern: str
    """A key of ``WEIGHTS``."""
    first: int
    """Its first word, counted from 0."""
    last: int
    """Its last word, inclusive."""


class Indication(NamedTuple):
    """ξ(q), and the patterns behind it."""

    xi: float
    """In [0, 1]."""
    active: bool
    """ξ ≥ θ_ξ, and the extension is enabled."""
    patterns: tuple[str, ...]
    """What matched, in the order of ``WEIGHTS``."""


def indicate(query: str, settings: Settings = DEFAULTS) -> Indication:
    """Return ξ(q) = min(Σ s_i·1[tpat_i(q)] / θ_ξ^norm, 1) (section 9.2).

    0 where nothing matches. Raises ValueError unless ``settings.xi_norm`` is over 0.
    """
    if not settings.xi_norm > 0:
        raise ValueError(f"θ_ξ^norm is over 0, not {settings.xi_norm}")
    found: set[str] = set()
    for _, hits in temporal(query, settings):
        found.update(hit.pattern for hit in hits)
        if len(found) == len(WEIGHTS):
            break
    patterns = tuple(pattern for pattern in WEIGHTS if pattern in found)
    xi = min(fsum(WEIGHTS[pattern] for pattern in patterns) / settings.xi_norm, 1.0)
    return Indication(xi, settings.enabled and xi >= settings.theta_xi, patterns)


def temporal(query: str, settings: Settings = DEFAULTS) -> Iterator[tuple[Sentence, list[Hit]]]:
    """Yield the sentences of ``query`` in which a pattern matches, and where."""
    for sentence in sentences(query):
        hits = _hits(sentence, guarded=settings.guarded)
        if hits:
            yield sentence, hits


def _hits(sentence: Sentence, *, guarded: bool) -> list[Hit]:
    """Return the matches of all patterns in a sentence, in its order."""
    texts = sentence.texts
    hits = [
        Hit(pattern, at, last)
        for at, text in enumerate(texts)
        if text in STRONG
        for pattern, last in strong(sentence, at, guarded=guarded)
    ]
    taken = {at for hit in hits for at in range(hit.first, hit.last + 1)}
    how = mood(sentence, is_open=bool(hits))
    for at, text in enumerate(texts):
        pattern = WORDS.get(text)
        if pattern and at not in taken and (not guarded or is_meant(sentence, at, how)):
            hits.append(Hit(pattern, at, at))
    return sorted(hits, key=lambda hit: hit.first)


class Slot(NamedTuple):
    """e_j: one event that a query names."""

    text: str
    """As written, to embed."""
    words: frozenset[str]
    """Its content words as ``ctx.text.words`` stems them; never empty."""


class _Run(NamedTuple):
    """Words between two breaks, from a content word to a content word."""

    first: int
    last: int
    distance: int
    """Words to the nearest temporal pattern."""


def slots(query: str, settings: Settings = DEFAULTS) -> tuple[Slot, ...]:
    """Return E(q): at most m_max noun phrases around the temporal patterns (section 9.4.1).

    A run of words between patterns, conjunctions, auxiliaries and punctuation, less the empty
    words at its ends; of too many the ones nearest to a pattern, in the order of the query.
    Proper nouns are in runs as other words are. Empty where no pattern matches.
    """
    found: dict[frozenset[str], Slot] = {}
    for sentence, hits in islice(temporal(query, settings), _MAX_SENTENCES):
        chosen: dict[frozenset[str], tuple[int, Slot]] = {}
        for run in sorted(_runs(sentence, hits), key=lambda run: (run.distance, run.first)):
            if len(found) + len(chosen) >= settings.m_max:
                break
            text = sentence.text[sentence.spans[run.first][0] : sentence.spans[run.last][1]]
            words = keywords(text)
            if words and words not in found:
                chosen.setdefault(words, (run.first, Slot(text, words)))
        for _, slot in sorted(chosen.values(), key=lambda pair: pair[0]):
            found[slot.words] = slot
    return tuple(found.values())


def _runs(sentence: Sentence, hits: list[Hit]) -> Iterator[_Run]:
    texts = sentence.texts
    places = [at for hit in hits for at in range(hit.first, hit.last + 1)]
    taken = {at for at in places if not _is_in_phrase(texts, at)}
    run: list[int] = []
    for at, text in enumerate(texts):
        is_break = at in taken or text in BREAKS
        if not is_break and (run or text not in EMPTY):
            run.append(at)
        if run and (is_break or sentence.stops(at) or at == len(texts) - 1):
            content = [word for word in run if texts[word] not in EMPTY]
            for start in range(0, len(content), MAX_WORDS):
                piece = content[start : start + MAX_WORDS]
                yield _Run(piece[0], piece[-1], _distance(piece[0], piece[-1], places))
            run = []


def _is_in_phrase(texts: list[str], at: int) -> bool:
    """Return whether a pattern is part of a noun phrase: "my first draft"."""
    before = texts[at - 1] if at else ""
    return texts[at] == "first" and (before in DETERMINERS or before.endswith("'s"))


def _distance(first: int, last: int, places: list[int]) -> int:
    """Return the words from a run to the nearest of ``places``; 0 where it holds one."""
    at = bisect_left(places, first)
    before = first - places[at - 1] if at else None
    after = max(places[at] - last, 0) if at < len(places) else None
    return min(gap for gap in (before, after) if gap is not None)
