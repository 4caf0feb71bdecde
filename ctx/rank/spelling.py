"""Words of a query that no entry holds, taken for words that differ from them in one letter."""

import re
from collections.abc import Sequence

from ctx.model import Lexicon
from ctx.text.words import STOPS, searched_words

LEAST_LETTERS = 4
FIXED = 2
"""Letters at the beginning of a word that are never mistyped."""
MOST_WORDS = 32
"""A query of more words is a text: it is taken as it is."""
_WORD = re.compile(r"[^\W_]+")

Corrections = tuple[tuple[str, str], ...]
"""Words as typed, and what is searched instead."""


def corrected(query: str, lexicon: Lexicon) -> tuple[str, Corrections]:
    """Return ``query`` with mistyped words corrected, and what was corrected.

    A word is mistyped where the directory holds neither it nor a word that begins with it, but one
    that is a letter more, less or other, or with two letters exchanged, away. Of several the most
    frequent one is taken, then the first by alphabet. A query most of whose words stay unknown is
    about something else, and taken as it is. Raises CacheLossError.
    """
    typed = list(dict.fromkeys(_WORD.findall(query)))
    if len(typed) > MOST_WORDS:
        return query, ()
    instead, known, unknown = {}, 0, 0
    for word in typed:
        words = searched_words(word)
        if not words or words[0][0] in STOPS:
            continue
        if _is_known(words, lexicon):
            known += 1
        elif found := _nearest(words[0][1], lexicon):
            instead[word] = found
        else:
            unknown += 1
    if not instead or unknown > known:
        return query, ()
    text = _WORD.sub(lambda word: instead.get(word[0], word[0]), query)
    return text, tuple(instead.items())


def _is_known(words: Sequence[tuple[str, str]], lexicon: Lexicon) -> bool:
    """Whether an entry holds the word, one that begins with it, or all its parts."""
    (whole, form), *parts = words
    if lexicon.frequency(whole) or (len(form) >= LEAST_LETTERS and lexicon.forms(form)):
        return True
    return bool(parts) and all(lexicon.frequency(stem) for stem, _ in parts)


def _nearest(form: str, lexicon: Lexicon) -> str:
    """Return the word that ``form`` was meant to be; empty for none."""
    if len(form) < LEAST_LETTERS or not form.isalpha():
        return ""  # another number is another thing: v1, v10
    from rapidfuzz.distance import OSA  # only where a word is unknown

    near = [
        (-lexicon.frequency(searched_words(other)[0][0]), other)
        for other in lexicon.forms(form[:FIXED])
        if other.isalpha()
        and len(other) >= LEAST_LETTERS
        and OSA.distance(form, other, score_cutoff=1) <= 1
    ]
    return min(near, default=(0, ""))[1]
