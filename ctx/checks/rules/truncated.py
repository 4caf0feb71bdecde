"""Files of which a host loads only the beginning."""

from collections.abc import Iterator

from ctx.checks.types import Fault, Rules, Subject


def check(subject: Subject) -> Iterator[Fault]:
    """Yield a fault at the line from which on a host, from the root down, loads no more bytes."""
    for rules in subject.rules:
        for host, most in rules.most_bytes.items():
            above = (other.size for other in subject.rules if _is_above(other, rules))
            left = max(0, most - sum(above))
            if rules.size > left:
                message = f"{host} loads {most:,} bytes of such files together: not what follows"
                remedy = "shorten the files, or move rules for some folders into these"
                yield Fault(rules.file, _line(subject, rules.file, left), message, remedy)


def _is_above(other: Rules, rules: Rules) -> bool:
    """Return whether ``other`` is loaded before ``rules``, from a folder above."""
    folder, base = (each.scope.base if each.scope else "" for each in (other, rules))
    is_near = not folder or base.startswith(f"{folder}/")
    return other.origin == rules.origin and folder != base and is_near


def _line(subject: Subject, path: str, left: int) -> int:
    for number, line in enumerate(subject.lines_of(path), 1):
        left -= len(line.encode("utf-8", "surrogatepass")) + 1
        if left < 0:
            return number
    return 1
