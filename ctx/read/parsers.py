"""The registry of parsers: one a kind of file. A new kind is a new module and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.read.entries import DECISIONS, LEARNINGS
from ctx.read.lists import CONVENTIONS, RULES
from ctx.read.tasks import TASKS

if TYPE_CHECKING:
    from ctx.read.card import Parser

PARSERS: dict[str, Parser] = {
    "rules": RULES,
    "tasks": TASKS,
    "conventions": CONVENTIONS,
    "decisions": DECISIONS,
    "learnings": LEARNINGS,
}
