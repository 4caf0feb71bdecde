"""Words of any script, by which texts are compared: folded and stemmed, or pairs of characters."""

import re
import unicodedata
from collections.abc import Callable
from functools import cache

from Stemmer import Stemmer

from ctx.digest import blake2b
from ctx.text.english import FUNCTION, words_of
from ctx.text.regex import regex

MIN_CHARS = 3  # shorter words mean little, in scripts that separate words by spaces
_ID_BYTES = 8

_LABEL = regex(r"#[a-z][\w-]*(?::\S*)?")
_HASH = regex(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{7,40}")
# What is left of a written date once it is split: its year, and perhaps a time of day.
_DATE = regex(r"(?:19|20)\d\d|(?:\d\dt)?\d{6}z?|\d\dt\d\d|\d\dz")

_ACCENT = regex("[\u0300-\u036f]+")  # of Latin, Greek, Cyrillic; Indic marks are letters
_BARRED = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe"})
"""Letters with an accent that Unicode does not separate."""
_HUMP = regex(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_BETWEEN_HUMPS = regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_SEPARATED = bytes(c if chr(c).isalnum() else 32 for c in range(128)) + b" " * 128  # else a space

# Scripts that do not put spaces between words: Thai, Lao, Myanmar, Khmer, Kana, Han, Hangul.
# Hangul does, but its particles stick to the noun, so pairs find more than words do.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_ASKED_WITH = (
    "what when where who whom which how whi did do doe is are was were has have had be been"
    " would could might can the a an that this it i he she they me his her their you your my"
    " of to in on for at by from with about and or say said"
)
STOPS = frozenset(_ASKED_WITH.split())  # rare in entries, frequent in questions: not to be counted
_KANA = regex("[\u3041-\u309f]{1,2}")


@cache
def _runs() -> tuple[re.Pattern[str], re.Pattern[str]]:
    r"""Return patterns of words in scripts with spaces, and of runs in scripts without.

    ``\w`` has no combining marks, so it would cut Hindi, Tamil or decomposed accents into
    syllables; the marks are collected once, and only for text that is not ASCII.
    """
    marks = "".join(
        re.escape(char)
        for char in map(chr, range(0x300, 0x3000))
        if unicodedata.category(char)[0] == "M"
    )
    return re.compile(f"(?:[^\\W_{UNSPACED}]|[{marks}])+"), re.compile(f"[{UNSPACED}]+")


_APART = f"[^\\x00-/:-@\\[-`{{-\\x7f\\xa0«»\u2010-\u2016\u2018-\u2027{UNSPACED}]"
_WORD = regex(f"(?<!{_APART})[A-Za-z0-9]{{3,64}}(?!{_APART})")
"""Whole words of ASCII: a letter or mark beside one belongs to it."""


def words(text: str) -> list[str]:
    """Return the stemmed words of ``text`` in order, repeats included.

    Words are of letters, digits and marks, case-folded, composed (NFKC), English-stemmed. Those
    under three characters are left out; Chinese, Japanese, Korean, Thai and their like become
    overlapping pairs. Labels, dates, hashes and check marks are not words.
    """
    found, pairs = _split(text)
    return [stem for stem in map(_stem_of, found) if stem] + pairs


def index_words(text: str) -> list[str]:
    """Return the stemmed words of ``text``, as ``words``, but with none left out."""
    found, pairs = _split(text, labels=True)
    return [*map(_stem, found), *pairs]


def searched_words(
    text: str, is_known: Callable[[str], object] | None = None
) -> list[tuple[str, str]]:
    """Return the words by which ``text`` is searched: stems, and each as it was before stemming.

    As ``index_words``, and behind each identifier where it first occurs its parts (``getUserName``:
    get, user, name), unless its stem ``is_known``. Pairs of unspaced characters have no form before
    stemming: it is empty.
    """
    if _HUMP.search(text):
        seen = set[str]()

        def with_parts(identifier: re.Match[str]) -> str:
            whole = identifier[0]
            if whole in seen or not _HUMP.search(whole):
                return whole
            seen.add(whole)
            if is_known and is_known(_stem(whole.lower())):
                return whole
            return " ".join([whole, *(part for part in _BETWEEN_HUMPS.split(whole) if part[1:])])

        text = _WORD.sub(with_parts, text)
    found, pairs = _split(text, labels=True)
    return [*((_stem(word), word) for word in found), *((pair, "") for pair in pairs)]


def term_ids(text: str) -> list[int]:
    """Return the distinct words of ``text`` as 64-bit numbers, the same on every machine."""
    found, pairs = _split(text)
    ids = set(map(_word_id, set(found)))
    ids.update(map(_term_id, pairs))
    ids.discard(0)
    return list(ids)


@cache
def _word_id(word: str) -> int:
    """Return the id of a word before stemming; 0 for what is no word."""
    stem = _stem_of(word)
    return _term_id(stem) if stem else 0


_stem = Stemmer("english").stemWord


def _stem_of(word: str) -> str:
    """Return the stem of a word; empty for short words, dates and hashes."""
    if len(word) < MIN_CHARS:
        return ""
    if not word.isalpha() and (_DATE.fullmatch(word) or _HASH.fullmatch(word)):
        return ""
    stem: str = _stem(word)
    return stem


def _term_id(term: str) -> int:
    return int.from_bytes(blake2b(term.encode(), digest_size=_ID_BYTES).digest(), "little")


def _folded(text: str) -> str:
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", _ACCENT.sub("", text).translate(_BARRED))


def _split(text: str, *, labels: bool = False) -> tuple[list[str], list[str]]:
    """Return words before stemming and unspaced pairs; with ``labels`` also single characters."""
    text = text.lower()
    has_others = any(
        char.isalnum() or unicodedata.combining(char) for char in set(text) if char > "\x7f"
    )  # dashes, arrows and quotation marks alone change nothing
    if has_others:
        text = _folded(text)
    if "#" in text and not labels:
        text = _LABEL.sub(" ", text)
    if not has_others or text.isascii():
        return text.encode("utf-8", "replace").translate(_SEPARATED).decode().split(), []
    spaced, unspaced = _runs()
    runs = unspaced.findall(text)
    pairs = [run[start : start + 2] for run in runs for start in range(len(run) - 1)]
    if labels:
        pairs += [run for run in runs if len(run) == 1]
    return spaced.findall(text), pairs


def is_common(word: str) -> bool:
    """Return whether a stem is of no subject, as Japanese in kana is."""
    return word in _common() or _KANA.fullmatch(word) is not None


@cache
def _common() -> frozenset[str]:
    # As ``index_words``, without its patterns, which take long to compile.
    asking = words_of(*FUNCTION, "asking", "german", "romance", "russian", "chinese")
    return STOPS.union(map(_stem, _folded(" ".join(asking)).split()))


def has_subject(query: str) -> bool:
    """Return whether a word of ``query`` names a subject: none of "what did we decide?" does."""
    return not all(is_common(stem) for stem, _ in searched_words(query))
