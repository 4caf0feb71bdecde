"""When a short prompt is asked together with what was said before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.hooks.ask import content_words, unspaced
from ctx.text.words import term_ids

if TYPE_CHECKING:
    from ctx.model import Context, Part

_FIXED = frozenset({"rule", "convention", "task"})
"""Kinds that are said whatever is asked."""


def query_of(prompt: str, recent: str, context: Context) -> str:
    """Return what is asked for: the prompt, with ``recent`` where it finds nothing by itself.

    Together they would find what most of the words are about, and those are of what was said
    before: it must not hide what the person asks now.
    """
    if recent and not _finds(prompt, context):
        return f"{prompt}\n{recent}"
    return prompt


def _finds(prompt: str, context: Context) -> bool:
    """Whether an entry holds all words of ``prompt`` that say what it is about."""
    terms = set(term_ids(" ".join((*content_words(prompt), unspaced(prompt)))))
    return bool(terms) and any(
        _holds_all(part, terms)
        for source in context.sources
        for part in source.parts
        if part.kind not in _FIXED
    )


def _holds_all(part: Part, terms: set[int]) -> bool:
    found: set[int] | None = None
    count = 0
    for _, places in part.holding(terms):
        found = set(places) if found is None else found.intersection(places)
        count += 1
    return count == len(terms) and bool(found)
