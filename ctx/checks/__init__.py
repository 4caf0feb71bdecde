"""What is wrong in a context directory: one rule a file, one signature, an ordered registry.

A rule looks at a ``Subject`` and yields faults; the walk that reads the directory is
``ctx.app.check``. Rules are pure: what exists around the directory is asked through it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ctx.checks.naming import Names
from ctx.checks.rules import NAMES, RULES
from ctx.checks.types import (
    Dear,
    Document,
    Fault,
    Finding,
    Hard,
    Instructed,
    Piece,
    Rule,
    Secret,
    Severity,
    Subject,
    Tree,
)
from ctx.checks.zones import zoned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = [
    "MOST",
    "NAMES",
    "RULES",
    "Dear",
    "Document",
    "Fault",
    "Finding",
    "Hard",
    "Instructed",
    "Names",
    "Piece",
    "Rule",
    "Secret",
    "Severity",
    "Subject",
    "Tree",
    "findings",
    "zoned",
]

MOST = 100
"""Findings of one rule in one file that are named; of more there is one that counts them."""


def findings(
    subject: Subject, rules: Sequence[Rule] = RULES, told: Callable[[int], None] | None = None
) -> list[Finding]:
    """Return what ``rules`` find, file by file in reading order, and by line within each.

    ``told`` is told how many rules have been asked.
    """
    found: list[Finding] = []
    for number, rule in enumerate(rules, 1):
        found += _of(rule, subject)
        if told is not None:
            told(number)
    order = {document.path: at for at, document in reversed([*enumerate(subject.documents)])}
    last = len(order)
    # Stable: what stands on one line stays in the order of the rules.
    return sorted(found, key=lambda one: (order.get(one.file, last), one.file, one.line))


def _of(rule: Rule, subject: Subject) -> Iterator[Finding]:
    count: Counter[str] = Counter()
    last: dict[str, Fault] = {}
    for fault in rule.check(subject):
        count[fault.file] += 1
        last[fault.file] = fault
        if count[fault.file] <= MOST:
            yield Finding(rule.name, rule.severity, *fault)
    for path, fault in last.items():
        if count[path] > MOST:
            more = fault._replace(message=f"and {count[path] - MOST:,} more of these")
            yield Finding(rule.name, rule.severity, *more)
