"""What explaining a packet costs: the account, one entry to the token, and the page.

    python benchmarks/explain.py [--dir DIR] [--runs N] [--quick] [--json]

Copies a context directory, by default that of the sample project, and measures ``ctx explain``
in multiples of a bare ``python -c pass``, medians of paired runs: with an index that is up to
date, and without one. Each makes the packet at 65 budgets; one entry takes some more. Prints the
size of the page, too. Exit code 1 when a median misses its goal, except with ``--quick``.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import cache
from benchmarks.measure import ctx, measure, peak_mb, report

FIXTURE = Path(__file__).parent.parent / "fixtures" / "webshop" / ".context"
GOAL = 400.0
"""Bare starts that an explanation may take: it is waited for by a person."""
QUERY = "refund discount"
BUDGET = ("--budget", "8000", "--as-of", "2026-06-01")


def main() -> int:
    """Measure, print, and judge by the goals."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--dir", type=Path, default=FIXTURE, help="context directory to copy")
    parser.add_argument("--runs", type=int, default=9, help="pairs of runs a figure")
    parser.add_argument("--quick", action="store_true", help="two pairs a figure")
    parser.add_argument("--json", action="store_true", help="repeat the figures as JSON")
    options = parser.parse_args()
    os.environ.pop("CTX_NO_CACHE", None)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project" / ".context"
        shutil.copytree(options.dir, root, ignore=shutil.ignore_patterns(".ctx"))
        code = _measure(root, runs=2 if options.quick else options.runs, as_json=options.json)
    return 0 if options.quick else code


def _measure(root: Path, *, runs: int, as_json: bool) -> int:
    explain = ctx("explain", "--dir", str(root), *BUDGET)
    page = [*explain, "--html", "-"]
    said = json.loads(_out([*explain, "--json"]))
    last = said["entries"][-1]["id"]
    bytes_ = len(_out(page))
    print(f"{len(said['entries']):,} entries, a page of {bytes_:,} bytes")
    time.sleep(0.3)  # until the times of the new files can show a change
    measure("fills the store", explain, runs=1)

    def forget() -> None:
        shutil.rmtree(cache(root), ignore_errors=True)

    figures = [
        measure("all entries", explain, runs=runs, goal=GOAL),
        measure("for a query", [*explain, "--query", QUERY], runs=runs, goal=GOAL),
        measure("one entry, to the token", [*explain, last], runs=runs, goal=GOAL),
        measure("the page", page, runs=runs, goal=GOAL),
        measure("without an index", explain, runs=runs, before=forget, goal=GOAL),
    ]
    figures[3] = figures[3]._replace(peak_mb=peak_mb(page))
    return report(figures, as_json=as_json)


def _out(command: list[str]) -> bytes:
    return subprocess.run(command, check=True, capture_output=True).stdout


if __name__ == "__main__":
    raise SystemExit(main())
