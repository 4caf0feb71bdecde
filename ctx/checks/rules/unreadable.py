"""What could not be read as its author meant it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctx.checks.types import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.checks.types import Subject

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
    """Yield what reading the directory warned of, each once; of secrets tells their own rule."""
    for warning in dict.fromkeys(subject.warnings):
        found = _WARNING.match(warning)
        if found and not found[3].startswith(_OF_SECRETS):
            yield Fault(found[1], int(found[2] or 1), found[3], _remedy(warning))


def _remedy(warning: str) -> str:
    return next((remedy for mark, remedy in _REMEDIES if mark in warning), "mend the file")
