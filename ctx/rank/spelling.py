"""Words of a query that no entry holds, taken for words that differ from them in one letter."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ctx.model import Lexicon
from ctx.text.words import STOPS, searched_words

LEAST_LETTERS = 4
BEGINNING = 6  # letters from which on a mistyped word may also be the beginning of another
FIXED = 2  # letters at the beginning of a word that are never mistyped
MOST_WORDS = 32  # a query of more words is a text: it is taken as it is
_WORD = re.compile(r"[^\W_]+")

Corrections = tuple[tuple[str, str], ...]  # words as typed, and what is searched instead


def corrected(query: str, lexicon: Lexicon) -> tuple[str, Corrections]:
    """Return ``query`` with mistyped words corrected, and what was corrected.

    A word is mistyped where the directory holds neither it nor a word that begins with it, but one
    that is a letter more, less or other, or with two letters exchanged, away; or else, from six
    letters on, the beginning of one. An entry has to hold that word beside most words of the query
    that are known: a question about something else has no such entry, and is taken as it is, as is
    one most of whose words stay unknown. Of several words the one in the best company is taken,
    then the most frequent, then the first by alphabet. Raises CacheLossError.
    """
    typed = list(dict.fromkeys(_WORD.findall(query)))
    if len(typed) > MOST_WORDS:
        return query, ()
    mistyped: dict[str, list[_Near]] = {}
    known: list[str] = []
    unknown = 0
    for word in typed:
        words = searched_words(word)
        if not words or words[0][0] in STOPS:
            continue
        if _is_known(words, lexicon):
            known.append(words[0][0])
        elif near := _nearest(words[0][1], lexicon):
            mistyped[word] = near
        else:
            unknown += 1
    if not mistyped or unknown > len(known):
        return query, ()
    company = Counter(at for stem in known for at, _ in lexicon.holding(stem))
    instead = {}
    for word, near in mistyped.items():
        beside, _, best = max(
            (max((company[at] for at in other.holders), default=0), len(other.holders), -number)
            for number, other in enumerate(near)
        )
        if beside * 2 > len(known) or not known:
            instead[word] = near[-best].typed
    text = _WORD.sub(lambda word: instead.get(word[0], word[0]), query) if instead else query
    return text, tuple(instead.items())


class _Near(NamedTuple):
    typed: str  # it, or as much of it as was typed
    holders: list[int]


def _is_known(words: Sequence[tuple[str, str]], lexicon: Lexicon) -> bool:
    """Whether an entry holds the word, one that begins with it, or all its parts."""
    (whole, form), *parts = words
    if lexicon.frequency(whole) or (len(form) >= LEAST_LETTERS and lexicon.forms(form)):
        return True
    return bool(parts) and all(lexicon.frequency(stem) for stem, _ in parts)


def _nearest(form: str, lexicon: Lexicon) -> list[_Near]:
    """Return the words that ``form`` may be meant to be, those of its length first."""
    if len(form) < LEAST_LETTERS or not form.isalpha():
        return []  # another number is another thing: v1, v10
    from rapidfuzz.distance import OSA  # only where a word is unknown

    size = len(form)
    others = [other for other in lexicon.forms(form[:FIXED]) if other.isalpha()]
    ends = (size, size + 1, size - 1) if size >= BEGINNING else ()
    # Whole words go before beginnings, and beginnings of the same length before others.
    for end in (None, *ends):
        near = [
            _Near(other[:end], [at for at, _ in lexicon.holding(searched_words(other)[0][0])])
            for other in others
            if len(other[:end]) >= LEAST_LETTERS
            # Another last letter makes another word of a beginning: hearts, heartbeat.
            and (end is None or other[end - 1 : end] == form[-1])
            and OSA.distance(form, other[:end], score_cutoff=1) <= 1
        ]
        if near:
            return sorted(near, key=lambda other: (abs(len(other.typed) - size), other.typed))
    return []
