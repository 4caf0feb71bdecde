"""What is wrong in a context directory: pure rules that read a ``Subject`` and yield faults."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from ctx.checks.rules import RULES, Rule
from ctx.checks.types import Fault, Finding, Subject

MOST = 100  # findings of one rule in one file that are listed; one more finding counts the others


def findings(
    subject: Subject, rules: Sequence[Rule] = RULES, tick: Callable[[int], None] | None = None
) -> list[Finding]:
    """Return what ``rules`` find, by file and line; ``tick`` gets how many rules have run."""
    found: list[Finding] = []
    for number, rule in enumerate(rules, 1):
        found += _of(rule, subject)
        if tick is not None:
            tick(number)
    order = {document.path: at for at, document in reversed([*enumerate(subject.documents)])}
    last = len(order)
    # Stable: findings on one line stay in the order of the rules.
    return sorted(found, key=lambda each: (order.get(each.file, last), each.file, each.line))


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
