"""What could not be read as its author meant it."""

import re
from collections.abc import Iterator

from ctx.checks.types import Fault, Subject

_WARNING = re.compile(r"(.+?):(?:(\d+):)? (.*)", re.DOTALL)
_OF_SECRETS = "a secret ("
_REMEDIES = (
    ("is not closed", "close it where it ends"),
    ("UTF-8", "save the file as UTF-8"),
    ("frontmatter", "mend the lines between the two ---"),
    ("line of", "put data into a file of its own, and link to it"),
    ("summaries", "delete it; `ctx session compact` makes it anew"),
)


def check(subject: Subject) -> Iterator[Fault]:
    """Yield the warnings of reading the directory, each once; secrets have a rule of their own."""
    for warning in dict.fromkeys(subject.warnings):
        found = _WARNING.match(warning)
        if found and not found[3].startswith(_OF_SECRETS):
            remedies = (remedy for mark, remedy in _REMEDIES if mark in warning)
            yield Fault(found[1], int(found[2] or 1), found[3], next(remedies, "mend the file"))
