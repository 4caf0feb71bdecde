"""Words of any script: what texts are compared by.

One function for entries, tasks and queries alike, so that what is indexed and what is
asked meet: composed, case-folded, stemmed; scripts written without spaces by pairs of
characters. Shared by the rooms, as ``tokens`` is.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MIN_CHARS = 3
"""Shorter words say nothing, in scripts that separate words by spaces."""
_ID_BYTES = 8

_HASH_CHARS = 7
"""Shortest abbreviated hash; words that long are looked at twice."""

_LABEL = re.compile(r"#[a-z][\w-]*(?::\S*)?")
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d(?:[t-]\d{4,6}z?)?\b")
_HASH = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{7,40}")
_ASCII_WORD = re.compile(f"[a-z0-9]{{{MIN_CHARS},}}")
# Letters and digits outside ASCII, and the marks that make accented letters of plain ones.
_LETTER = re.compile("[^\\W\x00-\x7f]|[\u0300-\u036f\u1ab0-\u1aff\u20d0-\u20f0]")

# Scripts that do not put spaces between words: Thai, Lao, Myanmar, Khmer, Kana, Han, Hangul.
# Hangul does, but its particles stick to the noun, so pairs find more than words do.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"[{_UNSPACED}]+")


@cache
def _spaced() -> re.Pattern[str]:
    r"""Letters, digits and the marks that combine with them.

    ``\w`` knows no combining marks, so it would cut Hindi, Tamil or decomposed accents
    into syllables; the marks are collected once, and only for text that is not ASCII.
    """
    import unicodedata  # only for text that needs it

    marks = "".join(
        re.escape(char)
        for char in map(chr, range(0x300, 0x3000))
        if unicodedata.category(char)[0] == "M"
    )
    return re.compile(f"(?:[^\\W_{_UNSPACED}]|[{marks}])+")


@cache
def _stemmer() -> Callable[[list[str]], list[str]]:
    from Stemmer import Stemmer  # a compiled module, loaded when the first text is split

    stem: Callable[[list[str]], list[str]] = Stemmer("english").stemWords
    return stem


def words(text: str) -> list[str]:
    """Return the stemmed words of ``text`` in order, repeats included.

    Split on anything that is not a letter, digit or combining mark; case-folded, composed
    (NFKC), English-stemmed (other languages pass through alike on both sides). Words under
    three characters are left out; Chinese, Japanese, Korean, Thai and their like become
    overlapping pairs. Labels, dates, hashes and check marks are not words.
    """
    text = text.lower()
    if "#" in text:
        text = _LABEL.sub(" ", text)
    text = _DATE.sub(" ", text)
    no_pairs: list[str] = []
    if text.isascii():
        found, pairs = _ASCII_WORD.findall(text), no_pairs
    elif not _LETTER.search(text):  # dashes, arrows and quotation marks only
        found, pairs = _ASCII_WORD.findall(text.encode("ascii", "replace").decode()), no_pairs
    else:
        found, pairs = _any_script(text)
    kept = [word for word in found if len(word) < _HASH_CHARS or not _HASH.fullmatch(word)]
    return _stemmer()(kept) + pairs


def _any_script(text: str) -> tuple[list[str], list[str]]:
    """Return words of scripts with spaces, and pairs of characters of those without."""
    import unicodedata  # only for text that needs it

    text = unicodedata.normalize("NFKC", text).casefold()
    pairs = [run[at : at + 2] for run in _unspaced().findall(text) for at in range(len(run) - 1)]
    return [word for word in _spaced().findall(text) if len(word) >= MIN_CHARS], pairs


def term_ids(terms: Iterable[str]) -> list[int]:
    """Return the distinct terms as sorted 64-bit numbers, the same on every machine.

    Numbers instead of words keep 50,000 entries comparable without loading their text;
    two different terms meet in one number about once in 10^13 pairs.
    """
    return sorted({_term_id(term) for term in terms})


@cache
def _term_id(term: str) -> int:
    from hashlib import blake2b

    return int.from_bytes(blake2b(term.encode(), digest_size=_ID_BYTES).digest(), "little")
