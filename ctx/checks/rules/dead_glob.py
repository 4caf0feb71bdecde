"""Patterns in the frontmatter of rules that match no file of the work tree."""

from collections.abc import Iterator

from ctx.checks.types import Fault, Subject, quoted

_SPECIAL = "*?[{"
_FRONT = 200  # lines in which frontmatter is


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
                lines = enumerate(subject.lines_of(rules.file)[:_FRONT], 1)
                line = next((number for number, line in lines if pattern in line), 1)
                yield Fault(rules.file, line, message, remedy)


def _literal(pattern: str) -> str:
    end = next((at for at, char in enumerate(pattern) if char in _SPECIAL), len(pattern))
    return pattern[:end].rpartition("/")[0] if end < len(pattern) else pattern
