"""The deontic reader: whether a paragraph instructs, told from its words.

A text is cut into sentences (``clause``) and each word is tagged with what it can be by itself
(``forms``, ``lexicon``). One walk keeps the state of the clause and asks the families of
constructs in their order (``families``); ``narrative`` vetoes. Every
family has the one signature ``rule(clause, i) -> Found | None``. Code, paths and quoted speech
are one opaque word each: they can be an object, and say nothing themselves.
"""

from __future__ import annotations

from ctx.read.authored.deontic.families import instructions
from ctx.read.authored.deontic.reading import Instruction, Reading

__all__ = ["Instruction", "Reading", "gives_a_rule", "read"]


def read(text: str) -> Reading:
    """Return what ``text``, one paragraph of Markdown or plain prose, instructs."""
    return Reading(tuple(instructions(text)))


def gives_a_rule(talk: str) -> bool:
    """Return whether somebody says in ``talk`` what is to hold from then on (``standing``)."""
    from ctx.read.authored.deontic import standing  # patterns: for talk only
    from ctx.read.authored.deontic.standing import stands

    own = standing.own_words(talk)
    return any(map(standing.is_rule, standing.sentences(own))) or any(
        stands(one, own[one.start : one.end]) for one in instructions(own)
    )
