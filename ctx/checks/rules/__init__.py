"""The registry of check rules, in the order in which they run: a module with ``check`` each."""

from collections.abc import Iterator
from importlib import import_module
from typing import NamedTuple, cast

from ctx.checks.types import Fault, Severity, Subject
from ctx.text.tables import groups


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


RULES = tuple(
    Rule(name, cast("Severity", severity), *texts)
    for name, severity, *texts in groups(__file__, "rules.txt")[""][1]
)
NAMES = tuple(rule.name for rule in RULES)
