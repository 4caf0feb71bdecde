"""Placeholders of templates that nobody filled in, which no packet includes."""

from collections.abc import Iterator

from ctx.checks.types import Fault, Subject, quoted
from ctx.checks.zones import TEXT
from ctx.text.placeholders import is_placeholder

_UNREAD = frozenset({"", "task", "turn", "summary"})


def check(subject: Subject) -> Iterator[Fault]:
    """Yield each line of rules, conventions, decisions and the like that is a placeholder."""
    for document in subject.documents:
        if document.kind in _UNREAD:
            continue
        for line in document.text.of(TEXT):
            if is_placeholder(line.text):
                why = f"{quoted(line.text.strip())} is a placeholder, which packets leave out"
                yield Fault(document.path, line.number, why, "fill it in, or delete it")
