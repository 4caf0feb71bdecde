"""E(q): the events that a query relates in time.

Source: ``temporal-retrieval``, section 9.4.1.
"""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ctx.rank.coverage import keywords
from ctx.rank.temporal.indicator import Hit, temporal
from ctx.rank.temporal.lexicon import BREAKS, DETERMINERS, EMPTY
from ctx.rank.temporal.sentence import Sentence
from ctx.rank.temporal.settings import DEFAULTS, Settings

MAX_WORDS = 6
"""Content words of a slot: a longer run is several."""
_MAX_SENTENCES = 4
"""Sentences that are searched: more events than slots stand in them."""


class Slot(NamedTuple):
    """e_j: one event that a query names."""

    text: str
    """As written, to embed."""
    words: frozenset[str]
    """Its content words as ``ctx.words`` stems them; never empty."""


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
    Names need no search of their own, since they stand in runs as other words do. Empty where
    no pattern matches.
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
        for _, slot in sorted(chosen.values(), key=lambda one: one[0]):
            found[slot.words] = slot
    return tuple(found.values())


def _runs(sentence: Sentence, hits: list[Hit]) -> Iterator[_Run]:
    """Yield the runs of a sentence, with their distance to a pattern."""
    places = [at for hit in hits for at in range(hit.first, hit.last + 1)]
    taken = {at for at in places if not _belongs(sentence.texts, at)}
    run: list[int] = []
    for at, text in enumerate(sentence.texts):
        is_break = at in taken or text in BREAKS
        if not is_break and (run or text not in EMPTY):
            run.append(at)
        if run and (is_break or sentence.stops(at) or at == len(sentence.texts) - 1):
            yield from _pieces(sentence, run, places)
            run = []


def _belongs(texts: list[str], at: int) -> bool:
    """Return whether a pattern is part of a noun phrase: "my first draft"."""
    before = texts[at - 1] if at else ""
    return texts[at] == "first" and (before in DETERMINERS or before.endswith("'s"))


def _pieces(sentence: Sentence, run: list[int], places: list[int]) -> Iterator[_Run]:
    """Yield a run in pieces of at most ``MAX_WORDS`` content words."""
    content = [at for at in run if sentence.texts[at] not in EMPTY]
    for start in range(0, len(content), MAX_WORDS):
        piece = content[start : start + MAX_WORDS]
        yield _Run(piece[0], piece[-1], _distance(piece[0], piece[-1], places))


def _distance(first: int, last: int, places: list[int]) -> int:
    """Return the words from a run to the nearest of the places; 0 where it holds one."""
    at = bisect_left(places, first)
    before = first - places[at - 1] if at else None
    after = max(places[at] - last, 0) if at < len(places) else None
    return min(gap for gap in (before, after) if gap is not None)
