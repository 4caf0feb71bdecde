"""What keeps texts apart that share their words: what they deny, count, name and swap.

A text that is taken for another one wrongly is lost; one that is proposed twice costs a look.
So any doubt says that two texts differ. Shared by promotion, which proposes nothing twice, and by
``ctx check``, which names what is written twice.
"""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import re
from collections.abc import Iterator
from typing import NamedTuple

from ctx.text.entities import entities
from ctx.text.words import STOPS, index_words

SWAPPED = 2
"""Words that two texts share for each that only one of them has, from where the others stand in
for one another: ``tabs in all projects``, ``spaces in all projects``. Of fewer the texts say it in
words of their own, and only their meaning can be compared."""

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
_UNSPACED = re.compile(
    r"(不|没|沒|未|無|无|别|別|勿|禁|ない|ません|なく|ずに|않|못|없|아니|말고|ไม่)(.{0,2})",
    re.DOTALL,
)


class Particulars(NamedTuple):
    """What of a text must be the same in another one that says the same."""

    denied: tuple[tuple[str, str], ...]
    """Each denial or contrast and the word that it is about, sorted."""
    figures: tuple[str, ...]
    """Numbers, versions and all else with a digit, in their order."""
    named: frozenset[str]
    """Names, identifiers, paths and whatever else ``ctx.text.entities`` finds."""
    words: frozenset[str]
    """Stems of its words."""
    folded: str
    """The text, case-folded."""


def particulars(text: str) -> Particulars:
    """Return the particulars of a text, whatever it is."""
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
    """Return whether two texts cannot say the same; symmetrical."""
    return (
        one.denied != two.denied
        or one.figures != two.figures
        or _lacks(one, two)
        or _lacks(two, one)
        or _swap(one.words, two.words)
    )


def _lacks(one: Particulars, two: Particulars) -> bool:
    """Return whether something that ``one`` names does not occur in ``two`` at all."""
    return any(name not in two.folded for name in one.named - two.named)


def _swap(one: frozenset[str], two: frozenset[str]) -> bool:
    """Return whether words of one text stand where others stand in the other."""
    mine, yours = len(one - two), len(two - one)
    return mine > 0 and yours > 0 and len(one & two) >= SWAPPED * max(mine, yours)


def _denied(folded: str) -> Iterator[tuple[str, str]]:
    tokens = _TOKEN.findall(folded)
    after = ""  # the word of weight that comes next, found from the end
    for token in reversed(tokens):
        denial = _denial(token)
        if denial:
            yield denial, after
        elif len(token) > len("to") and token not in STOPS:
            after = token
    yield from ((match[1], match[2]) for match in _UNSPACED.finditer(folded))


def _denial(token: str) -> str:
    """Return what a token denies or contrasts with, each denial alike; empty for most."""
    if token in _CONTRASTS:
        return token
    denies = token in _DENIALS or token.endswith("n't") or token.startswith(("n'", "kein"))
    return "not" if denies else ""


def _figures(folded: str) -> Iterator[str]:
    for token in _FIGURE.findall(folded):
        if any(map(str.isdigit, token)):
            yield token.strip(".,:/+-")
