"""The registry of parsers by kind of file. A new kind is a new module and a line here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctx.read.card import Parser

PARSERS = {
    "authored": ("authored.parser", "AUTHORED"),
    "tasks": ("tasks", "TASKS"),
    "conventions": ("lists", "CONVENTIONS"),
    "decisions": ("entries", "DECISIONS"),
    "learnings": ("entries", "LEARNINGS"),
    "sections": ("sections", "SECTIONS"),
}
"""Module and name of each parser, by the kind that ``directory.READERS`` names."""


def parser_of(kind: str) -> Parser:
    """Return the parser of ``kind``; only its module is loaded."""
    module, name = PARSERS[kind]
    parser: Parser = getattr(import_module(f"ctx.read.{module}"), name)
    return parser
