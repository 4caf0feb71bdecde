"""How long a Tab takes: commands, names, and ids out of directories of several sizes.

    python benchmarks/completions.py [--runs N] [--entries N] [--quick] [--json]

Figures are multiples of a bare ``python -c pass``, medians of paired runs. Besides the fixture
``webshop`` there is a directory of ``--entries`` decisions, made for this.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.measure import measure, report

FIXTURE = Path(__file__).parent.parent / "fixtures" / "webshop" / ".context"


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=25, help="pairs of runs a figure")
    parser.add_argument("--entries", type=int, default=5000, help="of the large directory")
    parser.add_argument("--quick", action="store_true", help="five pairs a figure")
    parser.add_argument("--json", action="store_true", help="repeat the figures as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder) / "small" / ".context", Path(folder) / "large" / ".context"
        shutil.copytree(FIXTURE, small, ignore=shutil.ignore_patterns(".ctx"))
        _fill(large, options.entries)
        return _measure(small, large, 5 if options.quick else options.runs, options)


def _fill(root: Path, entries: int) -> None:
    root.mkdir(parents=True)
    blocks = (
        f"## [{2010 + at % 15}-{at % 12 + 1:02}-{at % 28 + 1:02}-{at % 86400:06}] Number {at}\n\n"
        f"**Context**: of {at % 97}\n\n**Decision**: as {at % 31}\n\n**Rationale**: it is so\n\n"
        for at in range(entries)
    )
    (root / "DECISIONS.md").write_text("# Decisions\n\n" + "".join(blocks), encoding="utf-8")


def _measure(small: Path, large: Path, runs: int, options: argparse.Namespace) -> int:
    program = (sys.executable, "-m", "ctx")
    for root in (small, large):
        index = (*program, "index", "--dir", str(root))
        subprocess.run(index, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.environ["_CTX_COMPLETE"] = "complete_zsh"
    figures = [
        measure("a command", (*program, "a"), runs=runs),
        measure("a ranker", (*program, "agent", "--ranker", ""), runs=runs),
        measure("an id", (*program, "show", "--dir", str(small), ""), runs=runs),
        measure(
            f"an id of {options.entries:,}", (*program, "show", "--dir", str(large), ""), runs=runs
        ),
    ]
    return report(figures, as_json=options.json)


if __name__ == "__main__":
    raise SystemExit(main())
