"""Near-duplicates: whether one text repeats another, for ``ctx add``, promotion and ``ctx check``.

By words and distinguishing features: negations, numbers, names, words that differ. In doubt two
texts differ: one that is mistaken for another is lost, one that is proposed twice costs a look.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from rapidfuzz import fuzz, utils

from ctx.text.english import words_of
from ctx.text.entities import entities
from ctx.text.words import STOPS, index_words

ALIKE = 90.0  # ratio of rapidfuzz, in [0, 100], from which two texts are near-duplicates
MEANT = 0.85  # cosine above which two texts are near-duplicates by their meaning
LEAST_SHARE = 0.5  # of a longer text's words: with fewer a shorter one is no near-duplicate
COMPARED = 4_000  # characters of a text that are compared
_NO_PART = frozenset({"status", "supersedes", "source"})


def bare(text: str) -> str:
    """Return ``text`` in lower case, without punctuation."""
    return utils.default_process(text)


def titles(one: str, two: str) -> float:
    """Return how alike two titles are, in any order of words, in [0, 100]; 0 below ``ALIKE``."""
    first, second = bare(one), bare(two)
    if not first or not second:
        return 100.0 if one.strip() == two.strip() else 0.0
    return float(fuzz.token_sort_ratio(first, second, score_cutoff=ALIKE))


def texts(one: str, two: str) -> float:
    """Return how alike two bare texts are, in [0, 100]; 0 below ``ALIKE`` or ``LEAST_SHARE``."""
    short, long = sorted((len(one), len(two)))
    if not short or short < LEAST_SHARE * long:
        return 0.0
    return float(fuzz.token_set_ratio(one, two, score_cutoff=ALIKE))


def without_labels(body: str) -> str:
    """Return the body of an entry without its labels, as ``ctx add`` is given it."""
    paragraphs = []
    for paragraph in body.split("\n\n"):
        label, mark, rest = paragraph.removeprefix("**").partition("**:")
        is_part = bool(mark) and paragraph.startswith("**") and "\n" not in label
        if is_part and label.lower() in _NO_PART:
            continue
        paragraphs.append(rest.strip() if is_part else paragraph)
    return "\n\n".join(paragraphs)


SWAPPED = 2
"""Shared words for each word of one text alone from which those replace one another: ``tabs in all
projects``, ``spaces in all projects``. With fewer only the meaning can be compared."""

_ESCAPE = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_FIGURE = re.compile(r"[\w.,:/+-]+")
_DENIALS = words_of("denials")
_CONTRASTS = words_of("contrasts")
# In scripts without spaces a negation is part of a run, so it is searched with its neighbours.
_UNSPACED_DENIAL = re.compile(
    r"(不|没|沒|未|無|无|别|別|勿|禁|ない|ません|なく|ずに|않|못|없|아니|말고|ไม่)(.{0,2})",
    re.DOTALL,
)


class Features(NamedTuple):
    """The features that two texts of the same meaning share."""

    denied: tuple[tuple[str, str], ...]  # each negation or contrast and the word after it, sorted
    figures: tuple[str, ...]  # numbers, versions and other tokens with a digit, in their order
    named: frozenset[str]  # names, identifiers, paths and other entities (``ctx.text.entities``)
    words: frozenset[str]  # stems of its words
    folded: str  # the text, case-folded


def features(text: str) -> Features:
    """Return the distinguishing features of a text."""
    bare = _ESCAPE.sub(" ", text).replace("’", "'")
    folded = " ".join(bare.casefold().split())
    return Features(
        tuple(sorted(_denied(folded))),
        tuple(
            token.strip(".,:/+-")
            for token in _FIGURE.findall(folded)
            if any(map(str.isdigit, token))
        ),
        entities(bare),
        stems(bare),
        folded,
    )


def stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a text, without stop words."""
    return frozenset(index_words(text)) - STOPS


def differ(one: Features, two: Features) -> bool:
    """Return whether two texts cannot mean the same; symmetrical."""
    if one.denied != two.denied or one.figures != two.figures or _lacks(one, two):
        return True
    own, other = len(one.words - two.words), len(two.words - one.words)
    shared = len(one.words & two.words)
    return _lacks(two, one) or (own > 0 and other > 0 and shared >= SWAPPED * max(own, other))


def _lacks(one: Features, two: Features) -> bool:
    return any(name not in two.folded for name in one.named - two.named)


def _denied(folded: str) -> Iterator[tuple[str, str]]:
    after = ""  # the next word that is no stop word, from the end
    for token in reversed(_TOKEN.findall(folded)):
        if denial := _denial(token):
            yield denial, after
        elif len(token) > len("to") and token not in STOPS:
            after = token
    yield from ((match[1], match[2]) for match in _UNSPACED_DENIAL.finditer(folded))


def _denial(token: str) -> str:
    """Return a contrast as it is, ``not`` for any negation; empty for most tokens."""
    if token in _CONTRASTS:
        return token
    denies = token in _DENIALS or token.endswith("n't") or token.startswith(("n'", "kein"))
    return "not" if denies else ""
