"""What the release workflow asks of this checkout: the text of the release of a tag.

    python scripts/release.py notes v0.1.0

Prints the section of CHANGELOG.md. Exit code 1 where the tag is not the version of the program,
or the changelog has no section of that version with a day.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
_VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)


def version() -> str:
    """Return the version of the program, without importing it."""
    found = _VERSION.search((ROOT / "ctx" / "__init__.py").read_text("utf-8"))
    if not found:
        raise SystemExit("ctx/__init__.py: no __version__")
    return found[1]


def notes(tag: str, changelog: str) -> str:
    """Return what ``changelog`` has of the release ``tag``; SystemExit where it cannot be one."""
    if tag != f"v{version()}":
        raise SystemExit(f"{tag}: the program is {version()} (ctx/__init__.py): tag v{version()}")
    head = re.escape(version())
    section = re.search(
        rf"^## \[{head}\] - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)",
        changelog,
        re.MULTILINE | re.DOTALL,
    )
    if not section or not section[1].strip():
        raise SystemExit(f"CHANGELOG.md: no section '## [{version()}] - YYYY-MM-DD' with text")
    return f"{section[1].strip()}\n"


def main(argv: Sequence[str]) -> int:
    """Print the notes."""
    match argv:
        case ["notes", tag]:
            sys.stdout.write(notes(tag, (ROOT / "CHANGELOG.md").read_text("utf-8")))
            return 0
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
