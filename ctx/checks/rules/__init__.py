"""The registry of check rules, in the order in which they run: a module with ``check`` each."""

from collections.abc import Iterator
from importlib import import_module
from typing import NamedTuple

from ctx.checks.types import Fault, Severity, Subject


class Rule(NamedTuple):
    """What is known of a rule without loading it."""

    name: str  # as its module, with hyphens
    severity: Severity
    help: str  # what it finds, in one line
    outward: str = ""  # what it follows out of the directory: links need a project, all else a tree

    def check(self, subject: Subject) -> Iterator[Fault]:
        """Return what the rule finds in ``subject``; loads its module."""
        module = import_module(f"ctx.checks.rules.{self.name.replace('-', '_')}")
        faults: Iterator[Fault] = module.check(subject)
        return faults


RULES = (
    Rule("unreadable", "error", "What is not read as its author meant it."),
    Rule("heading", "error", "Headings that begin no entry, or have no such day."),
    Rule("undated", "warning", "Decisions and learnings without a date."),
    Rule("placeholder", "warning", "What a template left to be filled in."),
    Rule("duplicate", "warning", "Entries that repeat another one."),
    Rule("contradiction", "error", "Rules that oblige to what is forbidden."),
    Rule("dead-link", "warning", "Links and relations that lead nowhere.", "links"),
    Rule("missing-path", "warning", "Paths that are not in the work tree.", "paths"),
    Rule("missing-command", "warning", "Commands that the work tree has not.", "commands"),
    Rule("no-successor", "warning", "Superseded, and no successor is named."),
    Rule("cycle", "error", "Entries that supersede or need each other."),
    Rule("dead-glob", "warning", "Scopes of rules that match no file.", "globs"),
    Rule("truncated", "warning", "Rules that a host cuts off."),
    Rule("many-rules", "warning", "More rules than agents follow."),
    Rule("hard-tier", "error", "Rules over their share of the budget."),
    Rule("secret", "error", "Passwords, keys and tokens."),
    Rule("character", "error", "Controls, and characters nobody sees."),
    Rule("injection", "warning", "Quoted text that gives orders."),
)
NAMES = tuple(rule.name for rule in RULES)
