"""Attack what the documents promise, and print a table of what was tried and what did not hold.

    python3 scripts/dev.py attacks              every attack, a sample of its cases
    python3 scripts/dev.py attacks --full       all cases: minutes to hours
    python3 scripts/dev.py attacks secrets …    these alone

Each attack is a module beside this file with a function ``attack(full)`` that yields a ``Result``
for each of its rows. Exits with 1 where something did not hold, with 2 for an unknown name.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scripts.attacks.result import Result

HERE = Path(__file__).resolve().parent
NAMES = sorted({path.stem for path in HERE.glob("*.py")} - {"__init__", "__main__", "result"})
SHOWN = 10  # cases named below a row


def rows(name: str, *, full: bool) -> Iterator[Result]:
    """Yield the results of the attack ``name``."""
    module = import_module(f"scripts.attacks.{name}")
    results: Iterator[Result] = module.attack(full=full)
    yield from results


def main(argv: Sequence[str]) -> int:
    """Run attacks and return the exit code."""
    parser = argparse.ArgumentParser(prog="dev.py attacks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--full", action="store_true", help="all cases, not a sample")
    given = parser.parse_args(argv)
    if unknown := sorted({*given.names} - {*NAMES}):
        print(f"unknown attack {unknown[0]!r}: one of {', '.join(NAMES)}", file=sys.stderr)
        return 2
    failed = 0
    print("| attack | what | tried | failed |\n|---|---|---|---|")
    for name in given.names or NAMES:
        for result in rows(name, full=given.full):
            failed += len(result.failed)
            what = f"{result.what} (skipped: {result.skipped})" if result.skipped else result.what
            print(f"| {name} | {what} | {result.tried:,} | {len(result.failed):,} |", flush=True)
            for line in result.failed[:SHOWN]:
                print(f"  {name}: {line}", file=sys.stderr, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
