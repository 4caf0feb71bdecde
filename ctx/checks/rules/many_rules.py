"""More rules in every packet than agents follow."""

from collections.abc import Iterator

from ctx.checks.types import Fault, Subject

MOST = 150
"""Rules up to which the best models follow nearly all; from then on they omit more with each one
(Jaroslawicz et al., "How Many Instructions Can LLMs Follow at Once?", 2025)."""


def check(subject: Subject) -> Iterator[Fault]:
    """Yield one fault, at the file with the most rules for all files."""
    many = sum(len(rules.always) for rules in subject.rules)
    if many > MOST:
        most = max(subject.rules, key=lambda rules: len(rules.always))
        message = f"{many:,} rules are for all files, {len(most.always):,} of them in this one"
        remedy = f"give those for some files a scope, or delete some: agents follow about {MOST}"
        yield Fault(most.file, most.always[0].line, message, remedy)
