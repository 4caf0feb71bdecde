"""Whether what a person says in talk is meant to hold from then on.

In a document that instructs every imperative is a rule. In talk most are not: "Fix the parser."
is work to be done once, "Keep it up!" is encouragement. So a sentence that instructs is a rule
here only where something says that it holds beyond the moment: a prohibition, a necessity that
the listener is under, a word of generality, a condition, or a verb of policy.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctx.read.deontic.spoken import is_of_others

if TYPE_CHECKING:
    from ctx.read.deontic.instruction import Instruction

_GENERAL = re.compile(
    r"\b(?:always|never|every\s+time|each\s+time|whenever|from\s+now\s+on|from\s+here\s+on|"
    r"in\s+(?:the\s+)?future|by\s+default|without\s+exception|under\s+no\s+circumstances|"
    r"at\s+all\s+times|no\s+longer|not\s+ever|any\s?more|only\s+ever)\b"
)
_NECESSARY = re.compile(
    # Not "you must have felt", nor "that must be great": these guess.
    r"\b(?:must|shall)\s+(?:not\s+|never\s+|always\s+|only\s+)*"
    r"(?!have\b(?!\s+(?:an?|the|at|no)\b)|be\b|feel|seem|look|sound|love|enjoy|mean|know|really|add\s+so)"
    r"\w+|\b(?:must|shall)\s+(?:not\s+|never\s+|always\s+|only\s+)*be\s+\w+(?:ed|en|wn|pt|lt)\b"
    r"|\b(?:must\s+never|must\s+always|may\s+not|cannot\s+be)\b"
)
_FORBIDS = re.compile(
    r"(?:^|[.!?;:,]\s*|\b(?:please|and|but|so|then|also|again)\s+)"
    r"(?:please\s+)?(?:do\s+not|don't|never|no\s+more)\s+\w+"
)
_UNDER = re.compile(
    r"(?:^|[,;:]\s*|\b(?:and|but|so|please)\s+)"
    r"(?:if|when|before|after|unless|until|once|for\s+(?:every|each|all|any))\s+"
    r"(?:you|we|a|an|the|any|every|each|anything|something|\w+ing)\b"
)
_POLICY = re.compile(
    r"(?:^|[.!?;:,]\s*|\b(?:please|and|but|so|then|also)\s+)"
    r"(?:prefer|avoid|ensure|make\s+sure|be\s+sure|remember\s+to|stick\s+to|respect|follow|"
    r"use|treat|default\s+to|refrain\s+from)\s+(?!it\b|me\b|up\b|your\b|him\b|her\b)\w+"
)
_CHEERS = re.compile(
    r"(?:do\s+not|don't|never)\s+(?:worry|give\s+up|forget|hesitate|let|lose|stop|be\s+\w+|"
    r"mind|know|think|get\s+\w+|tell|ask|say|miss|sweat|underestimate|quit|doubt|ever\s+quit|"
    r"been|had|seen|heard|felt|thought|tried|went|did|was|were|got)\b"
)
_SAYS_SO = frozenset({"default", "label"})
"""Cues that are said of rules alone."""
_NEVER = frozenset({"identity", "priority"})
"""Cues that in talk are about somebody, or about taste."""


def stands(one: Instruction, sentence: str) -> bool:
    """Whether ``one``, said in ``sentence`` of talk, is meant to hold from then on."""
    if one.modality == "permitted" or one.cue in _NEVER or "```" in sentence:
        return False  # in a fence stands code that somebody pasted
    text = " ".join(sentence.split()).casefold().replace("\u2019", "'")
    if is_of_others(text):
        return False
    if one.cue in _SAYS_SO or _NECESSARY.search(text) or _POLICY.search(text):
        return True
    if one.modality == "forbidden":
        return bool(_FORBIDS.search(text)) and not _CHEERS.search(text)
    conditional = one.cue in ("modal", "lead-in") and _UNDER.search(text)
    general = one.cue != "modal" and _GENERAL.search(text) and not _CHEERS.search(text)
    return bool(conditional or general)
