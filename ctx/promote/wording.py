"""What an entry made of a turn says: its kind, its title and its text, in the turn's own words."""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ctx.promote import construction, conversational, settled
from ctx.promote.prose import Sentence, said
from ctx.promote.weights import CHANCE

MOST_TITLE = 90
"""Characters of a title; a longer one ends with a clause, else it is cut between words."""
LEAST_TITLE = 25
"""Characters of a clause that can stand for its sentence."""
MOST_TEXT = 1_200
"""Characters of a text; of a longer turn only its decisive sentences are taken."""
GAP = "…"
"""Stands between sentences that are not neighbours in the turn."""

_BLANKS = re.compile(r"\n\s*\n\s*")
_MARKS = re.compile(r"[*`]{1,3}(?=\S)|(?<=\S)[*`]{1,3}|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)")
_FILLERS = re.compile(
    r"(?:(?:so|and|but|also|plus|anyway|btw|und|et|donc|y|entonces)(?:,\s*|\s+)"
    r"(?!(?:that|far|much|many|as|is|was|long|known|called|on|forth|what)\b)"
    r"|(?:ok|okay|k|well|yes|yeah|yep|yup|right|sure|fine|great|good|perfect|cool|nice|alright"
    r"|all right|thanks|thank you|thx|h+m+|ah|oh|hey|hi|hello|agreed|then|now|actually|basically"
    r"|honestly|look|listen|by the way|in that case|sounds good|you know|i mean|i see|got it"
    r"|(?:that is |that's |it's )?fine (?:with|by|for) (?:me|us)|gut|na gut|also gut|genau|klar"
    r"|also|ja|bon|alors|oui|d'accord|bueno|vale|pues|sí|ну|итак|да|хорошо|ладно)\s*[,.!;:—–-]+\s*"
    r"|(?:好的?|那么|所以|另外|对了|はい|じゃあ|では|그럼|네)\s*[,，、。!！:：]\s*)",
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"(?:(?<!\s)\s+)?[;；。—–]\s*|:\s+|(?<!\s)\s+(?:-{1,2}\s+|(?=\())"
    r"|(?:,|(?<!\s))\s+(?=(?:because|since|so that|which|although|though|while|whereas|otherwise"
    r"|in order to|weil|damit|obwohl|sodass|parce que|afin|porque|потому)\b)"
    r"|,\s+(?=(?:and|but|so|as|then|und|aber|denn|dass|et|mais|y|pero|и|но|а)\b)",
    re.IGNORECASE,
)
_COMMA = re.compile(r",\s+|[，、]")
_OPENS = re.compile(
    r"(?:if|when|whenever|unless|until|once|since|because|as|after|before|although|though|while"
    r"|in order|to|for|with|given|wenn|falls|weil|nachdem|bevor|obwohl|da|si|quand|comme|cuando"
    r"|aunque|если|когда)\b",
    re.IGNORECASE,
)


class Proposal(NamedTuple):
    """An entry that could be made of a turn."""

    kind: Literal["decision", "learning"]
    """A decision where the turn decides something, else a learning."""
    title: str
    """One line: how its decisive sentence begins."""
    text: str
    """What the turn says; code, captions and long quotations left out."""


def propose(text: str) -> Proposal:
    """Return the entry that a turn could become; its title is empty where it has no words."""
    turn = said(text)
    told, found = turn.told.strip(), turn.sentences
    weights = [_weight(one) for one in found]
    best = max(range(len(found)), key=lambda at: (weights[at], -at), default=None)
    decides = any(not one.asks and settled.decides(one.text) for one in found)
    return Proposal(
        "decision" if decides else "learning",
        "" if best is None else _title(found[best].text),
        _BLANKS.sub("\n\n", told) if len(told) <= MOST_TEXT else _decisive(found, weights),
    )


def _weight(sentence: Sentence) -> float:
    """Return what a sentence adds to the signals; more for one that states than one that asks."""
    talk = conversational.weight_of(sentence)
    tech = 0.0 if sentence.asks else _technical(sentence.text)
    return talk + tech + (CHANCE / 10 if sentence.states else 0.0)


def _technical(text: str) -> float:
    return settled.weight_of(text) + construction.weight_of(text)


def _title(sentence: str) -> str:
    """Return a sentence, or as many of its clauses as a title takes, without what opens it."""
    title = _without_fillers(" ".join(_MARKS.sub("", sentence).split())).rstrip(".。")
    if len(title) <= MOST_TITLE:
        return title
    clause = _clause(title)
    if clause:
        return clause
    cut = title.rfind(" ", MOST_TITLE // 2, MOST_TITLE)
    return title[: cut if cut > 0 else MOST_TITLE].rstrip(" ,;:—-") + " …"


def _without_fillers(title: str) -> str:
    """Return a title without conjunctions and the like before it; itself if nothing is left."""
    start = 0
    while found := _FILLERS.match(title, start):
        start = found.end()
    rest = title[start:]
    if not start or not rest.strip(".。!！ "):
        return title
    first = rest.split()[0].rstrip(",;:")
    return rest[0].upper() + rest[1:] if first.isalpha() and first.islower() else rest


def _clause(title: str) -> str:
    """Return the longest beginning of a title that is whole clauses; empty where there is none.

    One that only says when or why the rest holds is none.
    """
    if _OPENS.match(title):
        return ""
    for pattern in (_BREAK, _COMMA):
        starts = [one.start() for one in pattern.finditer(title, LEAST_TITLE, MOST_TITLE + 3)]
        fitting = [at for at in starts if at <= MOST_TITLE]
        if fitting:
            return title[: fitting[-1]].rstrip(" ,;:—–-")
    return ""


def _decisive(found: Sequence[Sentence], weights: list[float]) -> str:
    """Return the sentences that weigh most, as many as fit, in their order."""
    chosen: set[int] = set()
    room = MOST_TEXT
    for at in sorted(range(len(found)), key=lambda at: (-weights[at], at)):
        size = len(found[at].text) + len(GAP) + 2
        if weights[at] > 0 and size <= room:
            chosen.add(at)
            room -= size
    if not chosen:
        return found[0].text[: MOST_TEXT - 2] + f" {GAP}" if found else ""
    told: list[str] = []
    for at in sorted(chosen):
        told += [found[at].text] if not told or at - 1 in chosen else [GAP, found[at].text]
    return " ".join(told)
