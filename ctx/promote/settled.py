"""A: how far a technical turn says what was settled, in [0, 1]."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctx.promote.asking import stands
from ctx.promote.weights import RESOLVED

if TYPE_CHECKING:
    from ctx.promote.prose import Said

_PATTERNS = {
    "decided": re.compile(
        r"\b(?:decided|chose|chosen|opted|agreed|settled on|going with|went with|switched to"
        r"|we(?:'ll| will) use|from now on)\b",
        re.IGNORECASE,
    ),
    "root cause": re.compile(
        r"\b(?:root cause|culprit|turned out|turns out|the cause was)\b", re.IGNORECASE
    ),
    "fixed": re.compile(r"\b(?:fixed|resolved|solved|repaired|reverted)\b", re.IGNORECASE),
    "merged": re.compile(
        r"\b(?:merged|shipped|released|deployed|landed|rolled out)\b", re.IGNORECASE
    ),
    "configured": re.compile(
        r"\b(?:configured|enabled|disabled|migrated|upgraded|pinned|installed|set up)\b",
        re.IGNORECASE,
    ),
    "because": re.compile(r"\b(?:because|due to|caused by|so that)\b", re.IGNORECASE),
}


def settled(said: Said) -> float:
    """Return A: marks of what was decided, fixed, merged, configured, and why.

    By hundred tokens of prose (``compaction.md``, Promotion); a question settles nothing.
    """
    return said.density(sum(weight_of(one.text) for one in said.sentences if not one.asks))


def weight_of(text: str) -> float:
    """Return what the marks of a sentence weigh together; at least 0."""
    return sum(weight for mark, weight in RESOLVED.items() if _has(mark, text))


def _has(mark: str, text: str) -> bool:
    """Return whether a sentence has a mark; what is to hold from now on is decided, too."""
    return bool(_PATTERNS[mark].search(text)) or (mark == "decided" and stands(text))


def decides(text: str) -> bool:
    """Return whether a sentence tells of a decision, rather than of what was found out."""
    return bool(_PATTERNS["decided"].search(text))
