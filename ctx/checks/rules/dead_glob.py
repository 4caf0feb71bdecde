"""Patterns in the frontmatter of rules that match no file of the work tree."""

from collections.abc import Iterator

from ctx.checks.types import Fault, Rules, Subject, quoted

_SPECIAL = "*?[{"


def check(subject: Subject) -> Iterator[Fault]:
    """Yield a fault for each pattern without a file, at its line."""
    if subject.tree is None:
        return
    for rules in subject.rules:
        scope = rules.scope
        if scope is None or scope.mode != "match":
            continue
        for pattern in scope.patterns:
            where = f"{scope.base}/{pattern}" if scope.base else pattern
            if pattern == "**" or pattern.startswith("!") or subject.tree.ignores(_literal(where)):
                continue
            if not subject.tree.meets(scope._replace(patterns=(pattern,))):
                message = f"{quoted(pattern)} matches no file: the rules are never included by it"
                remedy = "correct the pattern, or take it out: `ctx rules` lists all"
                yield Fault(rules.file, _line(subject, rules, pattern), message, remedy)


def _literal(pattern: str) -> str:
    """Return the names that a pattern begins with."""
    end = next((at for at, char in enumerate(pattern) if char in _SPECIAL), len(pattern))
    return pattern[:end].rpartition("/")[0] if end < len(pattern) else pattern


def _line(subject: Subject, rules: Rules, pattern: str) -> int:
    documents = (each for each in subject.documents if each.path == rules.file)
    lines = (line for document in documents for line in document.text.lines[:200])
    return next((number for number, line in enumerate(lines, 1) if pattern in line), 1)
