"""The words of a sentence of talk, their stems, and what they name."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from ctx.read.authored.deontic.clause import contracted, is_verb
from ctx.read.instructing import lexicon as lex
from ctx.text.regex import regex
from ctx.text.words import index_words

_TOKEN = regex(
    r"@?\w+(?:[-./'’]\w+)*[_%]?|[,;:()—–]"
    r"|(?<!\w)'[^'\n]{1,40}'(?!\w)|\"[^\"\n]{1,40}\"|“[^”\n]{1,40}”|`[^`\n]{1,60}`"
)
_VALUE = regex(
    r"['\"“`].*|@\w+|[a-z]+[A-Z]\w*|(?:[A-Z][a-z0-9]+){2,}|[A-Z][A-Z0-9]+|\w*_\w*|\d[\w.%-]*"
)  # a word that is written as no other: a quotation, a name, a number, a piece of code
_CACHED = 1 << 14  # words whose reading is kept
QUOTES = "'\"“”`"
NO_NOUN = lex.ADVERBS | lex.DETERMINERS | lex.PREPOSITIONS | lex.STOPS | lex.PRONOUNS
BEFORE_OBJECT = lex.DETERMINERS | lex.PRONOUNS | lex.PREPOSITIONS


class Word(NamedTuple):
    """A word, a quotation or a mark."""

    text: str
    low: str
    is_value: bool = False  # whether it is a quotation, a name, a number or a piece of code


Words = Sequence[Word]
NO_WORD = Word("", "")


def nouns_of(text: str) -> frozenset[str]:
    """Return the stems of what ``text`` names, without words that limit nothing."""
    return nouns_in([Word(word, word) for word in text.split()])


def words_of(written: str) -> list[Word]:
    """Return the words of a text, contractions spelled out."""
    parts = _TOKEN.findall(written.replace("’", "'"))
    return [word for part in parts for word in _word(part)]


@lru_cache(_CACHED)
def _word(part: str) -> tuple[Word, ...]:
    low = part.lower()
    full = contracted(low) if "'" in low or low == "cannot" else []
    if len(full) > 1:
        return tuple(Word(each, each) for each in full)
    is_value = low != part or not low.isalpha()
    return (Word(part, low, is_value and part != "I" and bool(_VALUE.fullmatch(part))),)


def text_of(words: Words) -> str:
    """Return ``words`` with a space behind each, and a mark for each value."""
    return " ".join(["`" if word.is_value else word.low for word in words] + [""])


def place_of(text: str, at: int) -> int:
    """Return how many words of ``text_of`` end before the character ``at``."""
    return text.count(" ", 0, at)


def joined(stems: AbstractSet[str] | Sequence[str]) -> str:
    """Return ``stems`` in the order that all keys have."""
    return " ".join(sorted(stems))


def chunks_of(words: Words) -> list[Words]:
    """Return the words between commas and the like."""
    chunks: list[list[Word]] = [[]]
    for word in words:
        if word.low in {",", ";", ":", "—", "–", "(", ")"}:
            chunks.append([])
        else:
            chunks[-1].append(word)
    return [chunk for chunk in chunks if chunk]


def without(words: Words, those: AbstractSet[str]) -> Words:
    """Return ``words`` without those at their beginning."""
    place = 0
    while place < len(words) and words[place].low in those:
        place += 1
    return words[place:]


@lru_cache(_CACHED)
def stem_of(word: str) -> str:
    """Return the stem of ``word``; empty where it has none."""
    return next(iter(index_words(word)), "")


SINGLE = frozenset(map(stem_of, lex.SINGLE))


def nouns_in(words: Words, *, fronted: bool = False) -> frozenset[str]:
    """Return the stems of what ``words`` name: no values and, if ``fronted``, no verbs."""
    stems: list[str] = []
    first = 0
    for word in words:
        low, stem = word.low, stem_of(word.low)
        if low in lex.PLACES:
            del stems[first:]  # "in your Python code"
        elif low in NO_NOUN:
            first = len(stems)
        elif not (
            word.is_value
            or (fronted and low.endswith("ing") and stem not in SINGLE)
            or is_adverb(word)
        ):
            stems.append(stem)
    return frozenset(stems) - {""}


def names_in(words: Words) -> set[str]:
    """Return the stems of what ``words`` name, values included."""
    return {*nouns_in(words), *(word.low.strip(QUOTES) for word in words if word.is_value)}


def head_of(words: Words) -> str:
    """Return the stem of the last noun, or of what "naming" and the like name."""
    nouns = [stem for word in words for stem in nouns_in([word])]
    named = [stem_of(word.low) for word in words if word.low.endswith("ing")]
    return next((stem for stem in named if stem in SINGLE), nouns[-1] if nouns else "")


def is_adverb(word: Word) -> bool:
    """Whether ``word`` ends as adverbs do, and is no verb ("reply")."""
    return word.low.endswith("ly") and not (word.is_value or is_verb(word.low))


def base_of(word: str) -> str:
    """Return the base form of a verb, or of its form in -ing; empty for other words."""
    if is_verb(word):
        return word
    stem = word.removesuffix("ing")
    doubled = stem[:-1] if stem[-1:] == stem[-2:-1] else stem
    forms = (stem, f"{stem}e", doubled) if stem != word else ()
    return next((form for form in forms if is_verb(form)), "")
