"""The registry of parsers: one a kind of file. A new kind is a new module and a line here."""

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
"""The name that ``directory.READERS`` uses, and where the parser stands: module and name."""


def parser_of(kind: str) -> Parser:
    """Return what parses files of ``kind``: an edited task list does not load word lists."""
    module, name = PARSERS[kind]
    parser: Parser = getattr(import_module(f"ctx.read.{module}"), name)
    return parser
