"""The lines of an entry that a query is about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctx.words import index_words

if TYPE_CHECKING:
    from collections.abc import Iterator

CHARS = 240
"""Longest snippet."""
_PARTS = re.compile(
    r"(?<=[.!?])\s+|(?<=[。！？])\s*|\n[ \t]*\n|\n(?=[ \t]*(?:[-*+>#|]|\d{1,9}[.)])[ \t])"
)
"""Ends of sentences, paragraphs and items; a line that only wraps ends nothing."""
_RUN = re.compile(r"\S{1,40}")
"""Words; of scripts without spaces pieces that are as long as a word may be."""
_LOOKED_AT = 500
"""Sentences of an entry that are looked at: a longer one is not read to its end."""


def snippet(text: str, asked: frozenset[str]) -> str:
    """Return the sentence of ``text`` that holds most of the stems ``asked``, on one line.

    The first of several; the beginning where none holds any. Longer ones are cut between
    words, near the first that was asked for.
    """
    best, most = "", -1
    for count, part in enumerate(_sentences(text)):
        if count >= _LOOKED_AT:
            break
        held = len(asked.intersection(index_words(part)))
        if held > most:
            best, most = part, held
    return _cut(best, asked)


def _sentences(text: str) -> Iterator[str]:
    return (" ".join(part.split()) for part in _PARTS.split(text) if part.strip())


def _cut(text: str, asked: frozenset[str]) -> str:
    if len(text) <= CHARS:
        return text
    found = _RUN.finditer(text)
    at = next((one.start() for one in found if asked.intersection(index_words(one[0]))), 0)
    start = max(0, min(at - CHARS // 3, len(text) - CHARS))
    space = text.find(" ", start, at)
    start = space + 1 if start and space >= 0 else start
    end = start + CHARS - 1
    if end < len(text):
        space = text.rfind(" ", at + 1, end)
        end = space if space >= 0 else end
    return ("… " if start else "") + text[start:end].strip() + (" …" if end < len(text) else "")
