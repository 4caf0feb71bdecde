"""Sentences of a query: their words, and whether they ask about what was.

Source: ``temporal-retrieval``, section 9.2. No grammar, only the few words that tell a question
about the past from an instruction, and from a question about what is to be done.
"""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

from ctx.rank.temporal.lexicon import (
    AUXILIARY,
    BIDDING,
    DUTY,
    EVENTS,
    HOW_TO,
    LEADS,
    NOW,
    PARTICIPLE_ENDS,
    PARTICIPLES,
    PAST,
    QUESTION,
    REQUEST,
)

_CODE = re.compile(r"`[^`\n]*`")
_END = re.compile(r"(?<![.!?])[.!?]++(?=[\s\"'”’)\]]|\Z)|\n[ \t]*(?=\n|[-*#>+]|\d{1,3}[.)])")
_TRIGGER = re.compile(
    r"\b(?:how|when|what|which|before|after|first|earlier|since|between)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\s—]+")
_EDGES = "\"'“”‘’()[]{}.,;:!?…*"
"""Stripped from words. Not ``-``, ``_``, ``/`` and ``=``: ``--since`` is no word of time."""
_STOPS = ",;:?!)"

_REACH = 4
"""Words from "has" to its participle, at most: "has the test ever been"."""


class Sentence:
    """One sentence of a query."""

    def __init__(self, text: str, end: int, spans: list[tuple[int, int]], texts: list[str]) -> None:
        """Take the whole query, where the sentence ends in it, its words and their places."""
        self.text = text
        self.end = end
        self.spans = spans
        """Where each word starts and ends in ``text``, edges stripped."""
        self.texts = texts
        """The words in lower case; code between backticks is one empty word."""

    def stops(self, at: int) -> bool:
        """Return whether the clause ends after the word at ``at``."""
        end = self.spans[at][1]
        after = self.spans[at + 1][0] if at + 1 < len(self.spans) else self.end + 1
        return any(char in _STOPS for char in self.text[end : min(after, end + 4)])

    @cached_property
    def asks(self) -> bool:
        """Whether this is a question, or asks to be told."""
        if self.text[self.end : self.end + 1] == "?":
            return True
        opening = next((text for text in self.texts[:3] if text not in LEADS), "")
        return opening in QUESTION or opening in AUXILIARY or opening in REQUEST


def sentences(query: str) -> Iterator[Sentence]:
    """Yield the sentences of ``query`` that hold any word of a temporal pattern.

    They end at ``.``, ``!`` or ``?`` before white space, at blank lines and at list items.
    """
    masked = _CODE.sub(lambda code: "`" * len(code[0]), query)
    start = 0
    for end in _END.finditer(masked):
        if _TRIGGER.search(masked, start, end.start()):
            yield _sentence(query, masked, start, end.start())
        start = end.end()
    if _TRIGGER.search(masked, start):
        yield _sentence(query, masked, start, len(masked))


def _sentence(query: str, masked: str, start: int, end: int) -> Sentence:
    spans, texts = [], []
    for match in _WORD.finditer(masked, start, end):
        raw = match[0]
        left = match.start() + len(raw) - len(raw.lstrip(_EDGES))
        text = raw.strip(_EDGES)
        if text:
            is_call = "(" in raw.lstrip(_EDGES)
            spans.append((left, left + len(text)))
            texts.append("" if "`" in text or is_call else text.lower().replace("’", "'"))
    return Sentence(query, end, spans, texts)


def asks_about_the_past(sentence: Sentence) -> bool:
    """Return whether a sentence asks for what was, and not for what is to be done."""
    texts = sentence.texts
    return sentence.asks and _is_past(texts) and not _is_procedure(texts)


def _is_past(texts: list[str]) -> bool:
    if not PAST.isdisjoint(texts):
        return True
    before = ["", *texts]
    return any(
        (text in EVENTS and before[at] not in NOW)
        or (text in ("has", "have") and _has_participle(texts[at + 1 : at + 1 + _REACH]))
        for at, text in enumerate(texts)
    )


def _has_participle(texts: list[str]) -> bool:
    return any(text in PARTICIPLES or text.endswith(PARTICIPLE_ENDS) for text in texts)


def _is_procedure(texts: list[str]) -> bool:
    """Return whether it is about what one should do, or how one does it."""
    if not DUTY.isdisjoint(texts):
        return True
    return not BIDDING.isdisjoint(pairwise(texts)) or not HOW_TO.isdisjoint(
        zip(texts, texts[1:], texts[2:], strict=False)
    )
