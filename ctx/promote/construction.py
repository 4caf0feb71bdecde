"""D_tech: how far a technical turn says how things are built, in [0, 1]."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctx.promote.weights import BUILT

if TYPE_CHECKING:
    from ctx.promote.prose import Said

_PATTERNS = {
    "definition": re.compile(
        r"\b(?:is|are) (?:defined|implemented|stored|kept|called|computed) (?:as|in|by|at)\b"
        r"|\bstands for\b|\bmeans that\b|\bis responsible for\b|\blives in\b",
        re.IGNORECASE,
    ),
    "dependency": re.compile(
        r"\b(?:depends? on|requires?|imports?|incompatible with|needs? version)\b"
        r"|\bv\d{1,4}(?:\.\d{1,6}){0,3}\b|\b\d{1,4}\.\d{1,6}\.\d{1,6}\b|[\w-][<>=~^]=?\d",
        re.IGNORECASE,
    ),
    "test": re.compile(
        r"\b(?:tests?|suite|coverage|assertions?|regression|benchmarks?) (?:\w+ ){0,3}"
        r"(?:pass(?:es|ed)?|fail(?:s|ed|ing)?|cover(?:s|ed)?|prove[sd]?|hold[s]?|green|red|\d+ ?%)"
        r"|\b(?:pytest|jest|cypress|vitest|junit|test_\w{1,80})\b",
        re.IGNORECASE,
    ),
}


def construction(said: Said) -> float:
    """Return D_tech: marks of definitions, dependencies and tests.

    By hundred tokens of prose (``compaction.md``, Promotion); a question defines nothing.
    """
    return said.density(sum(weight_of(one.text) for one in said.sentences if not one.asks))


def weight_of(text: str) -> float:
    """Return what the marks of a sentence weigh together; at least 0."""
    return sum(weight for mark, weight in BUILT.items() if _PATTERNS[mark].search(text))
