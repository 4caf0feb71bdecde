"""Distinguishing features of near-duplicates: negations, numbers, names, and words that differ.

A text that is mistaken for another one is lost; one that is proposed twice only costs a look. So
any doubt means that two texts differ. Shared by promotion, which proposes nothing twice, and by
``ctx check``, which reports near-duplicates.
"""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import re
from collections.abc import Iterator
from typing import NamedTuple

from ctx.text.entities import entities
from ctx.text.words import STOPS, index_words

SWAPPED = 2
"""Shared words for each word of one text alone from which the latter replace one another: ``tabs in
all projects``, ``spaces in all projects``. With fewer, two texts may mean the same in different
words, and only their meaning can be compared."""

_ESCAPE = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_FIGURE = re.compile(r"[\w.,:/+-]+")
_DENYING = (
    "not no never none nor neither nobody nothing nowhere without cannot dont doesnt didnt "
    "cant wont isnt arent wasnt shouldnt mustnt couldnt wouldnt hasnt havent avoid stop "
    "nicht nie niemals nichts niemand ohne weder ne pas jamais aucun aucune sans rien ni "
    "nunca jamás jamas sin ningún ninguna nada non senza nessun nessuna mai não nao sem "
    "nenhum niet geen nooit zonder inte ikke ikkje aldrig uten utan nie bez brak nem ei älä "
    "değil yok tidak bukan jangan không не нет ни никогда нельзя без δεν μην όχι لا لم لن "
    "ليس بدون לא אין नहीं मत बिना"
)
_DENIALS = frozenset(_DENYING.split())
_CONTRASTING = (
    "instead rather than over from before after except unless statt anstatt vor nach außer "
    "plutôt avant après sauf antes después вместо до после кроме"
)
_CONTRASTS = frozenset(_CONTRASTING.split())
# In scripts without spaces a negation is part of a run, so it is searched with its neighbours.
_UNSPACED_DENIAL = re.compile(
    r"(不|没|沒|未|無|无|别|別|勿|禁|ない|ません|なく|ずに|않|못|없|아니|말고|ไม่)(.{0,2})",
    re.DOTALL,
)


class Particulars(NamedTuple):
    """The features that two texts of the same meaning share."""

    denied: tuple[tuple[str, str], ...]
    """Each negation or contrast and the word after it, sorted."""
    figures: tuple[str, ...]
    """Numbers, versions and other tokens with a digit, in their order."""
    named: frozenset[str]
    """Names, identifiers, paths and all other entities (``ctx.text.entities``)."""
    words: frozenset[str]
    """Stems of its words."""
    folded: str
    """The text, case-folded."""


def particulars(text: str) -> Particulars:
    """Return the distinguishing features of a text."""
    bare = _ESCAPE.sub(" ", text).replace("’", "'")
    folded = " ".join(bare.casefold().split())
    return Particulars(
        tuple(sorted(_denied(folded))),
        tuple(_figures(folded)),
        entities(bare),
        frozenset(index_words(bare)) - STOPS,
        folded,
    )


def differ(one: Particulars, two: Particulars) -> bool:
    """Return whether two texts cannot mean the same; symmetrical."""
    return (
        one.denied != two.denied
        or one.figures != two.figures
        or _lacks(one, two)
        or _lacks(two, one)
        or _swap(one.words, two.words)
    )


def _lacks(one: Particulars, two: Particulars) -> bool:
    """Whether something that ``one`` names does not occur in ``two``."""
    return any(name not in two.folded for name in one.named - two.named)


def _swap(one: frozenset[str], two: frozenset[str]) -> bool:
    """Whether some words of one text are replaced by others in the other text."""
    own, other = len(one - two), len(two - one)
    return own > 0 and other > 0 and len(one & two) >= SWAPPED * max(own, other)


def _denied(folded: str) -> Iterator[tuple[str, str]]:
    after = ""  # the next word that is no stop word, from the end
    for token in reversed(_TOKEN.findall(folded)):
        denial = _denial(token)
        if denial:
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


def _figures(folded: str) -> Iterator[str]:
    for token in _FIGURE.findall(folded):
        if any(map(str.isdigit, token)):
            yield token.strip(".,:/+-")
