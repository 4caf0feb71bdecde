"""A turn as sentences: which state something, and which only ask or answer politely."""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

import re
from collections.abc import Iterator
from typing import NamedTuple

from ctx.entities import segments
from ctx.promote import settled
from ctx.promote.asking import asks, fails, stands
from ctx.promote.weights import PER_TOKENS
from ctx.tokens import estimate

MOST_CHARS = 20_000
"""Characters of a turn that are looked at: who says more has pasted it."""
MOST_SENTENCES = 400
"""Sentences of a turn that are looked at."""

_CUTS = re.compile(r"(?<=[.!?…])[\"'”’»)\]*_]{0,4}\s+|(?<=[。！？｡])|\n+")
_IMAGE = re.compile(r"\[image:[^\[\]\n]{0,400}\]")
_SPEECH = re.compile(r"(?<!\w)\"[^\"]{81,4000}\"|“[^“”]{81,4000}”")
_MARKER = re.compile(r"^(?:(?:[-*+•>|]|#{1,6}|\d{1,3}[.)])(?:\s+|$)|\|)")
_FIRST = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|we|we're|we've|we'd|we'll|my|our|mine|ours"
    r"|ich|wir|meine?[nmrs]?|unsere?[nmrs]?|je|nous|notre|nos"
    r"|я|мы|мой|моя|наш|наша)\b|\bj'|[我私僕俺]|우리|나는|저는",
    re.IGNORECASE,
)
_SECOND = re.compile(r"\b(?:you|you're|you've|you'll|you'd|your|yours|u|ur)\b", re.IGNORECASE)
_OWN = re.compile(r"\b(?:my|our|i've|we've)\b", re.IGNORECASE)
_LATIN = re.compile(r"[a-z]{2}", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_].*?[^\W\d_]")
_SUBORDINATE = re.compile(
    r"\b(?:(?:can|could|would|will) you|please|help me|i(?:'m| am) (?:\w+ )?(?:trying|wondering"
    r"|looking|struggling|having trouble|not sure|unsure|worried|thinking)|i (?:want|need|hope)"
    r"|i'd (?:like|love)|how (?:can|do|should|would)|what (?:are|is|if)|let me know|let's"
    r"|i can help|i'd be happy|i hope|never ?mind|nvm|forget (?:it|that|about)|scratch that|no idea"
    r"|i (?:never|don't|didn't|do not|still don't|can't) (?:know|knew|understand|understood|get|got"
    r"|see why|remember|recall))\b",
    re.IGNORECASE,
)


class Sentence(NamedTuple):
    """A sentence of a turn, without list markers."""

    text: str
    mine: bool
    """Whether it is told in the first person, as far as its language lets one see."""
    states: bool
    """Whether it states something, instead of asking, wishing or addressing the hearer."""
    asks: bool
    """Whether it is a question or a request, or tells what is wrong beside one."""
    talks: bool
    """Whether it stands in a paragraph, not in a heading, list, table or quotation."""
    stands: bool = False
    """Whether it says itself that it is to be kept in mind."""


class Said(NamedTuple):
    """A turn, as every signal of its text takes it."""

    text: str
    """``MOST_CHARS`` of it."""
    told: str
    """What of it is neither fenced code nor a caption nor a long quotation: those it shows."""
    sentences: tuple[Sentence, ...]
    """Of what is told; ``MOST_SENTENCES`` at most."""
    hundreds: float
    """Hundreds of tokens that are told, at least 1."""

    def density(self, total: float) -> float:
        """Return ``total`` by hundred tokens, in [0, 1]."""
        return unit(total / self.hundreds)


def said(text: str) -> Said:
    """Return a turn as signals take it."""
    told = _told(text[:MOST_CHARS])
    hundreds = max(estimate(told) / PER_TOKENS, 1.0)
    return Said(text[:MOST_CHARS], told, _as_a_whole(list(_sentences(told))), hundreds)


def _told(text: str) -> str:
    told = "\n".join(run for run, is_code in segments(text) if not is_code)
    return _SPEECH.sub(" ", _IMAGE.sub(" ", told.replace("’", "'")))


def _sentences(told: str) -> Iterator[Sentence]:
    for count, part in enumerate(_CUTS.split(told)):
        if count >= MOST_SENTENCES:
            return
        bare = part.strip()
        text = _MARKER.sub("", bare)
        if text:
            yield _sentence(text, talks=text == bare)


def _sentence(text: str, *, talks: bool) -> Sentence:
    mine = bool(_FIRST.search(text) or (_LETTERS.search(text) and not _LATIN.search(text)))
    asking = asks(text)
    wishes = asking or bool(_SUBORDINATE.search(text))
    to_you = bool(_SECOND.search(text)) and not _OWN.search(text)
    return Sentence(
        text, mine, mine and not (wishes or to_you), asking, talks, not asking and stands(text)
    )


def _as_a_whole(found: list[Sentence]) -> tuple[Sentence, ...]:
    """Return sentences, of a turn that asks those about what fails as part of what it asks."""
    if not any(one.asks for one in found):
        return tuple(found)
    return tuple(
        one._replace(asks=True, states=False)
        if fails(one.text) and not one.stands and not settled.weight_of(one.text)
        else one
        for one in found
    )


def unit(value: float) -> float:
    """Return ``value`` within [0, 1]; 0 for what is no number."""
    return min(1.0, max(0.0, value))  # in this order: max keeps 0 against what is no number
