"""Whether a large tree slows ctx down: the first packet in one of many files and in an empty one.

    python benchmarks/monorepo.py [--files 100000] [--runs 15]

Both trees hold an AGENTS.md at the root and in a package, rules for Claude Code and Cursor, and no
`.context/`; one holds empty files besides, 50 a folder. Each call starts without a cache, with the
package's file in focus; calls alternate between the trees. Figures are CPU and wall time of whole
processes, medians, and the ratio of the sums. Exit code 1 where the ratio of CPU is over 1.3.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

FOCUS = "packages/p7/src/a.ts"
FILES = {
    "AGENTS.md": "# Rules\n\n- Never push to main.\n- Run the tests before a commit.\n",
    "packages/p7/AGENTS.md": "# Package\n\n- Never import from another package.\n",
    ".claude/rules/ts.md": "---\npaths:\n  - '**/*.ts'\n---\n- Always name exports.\n",
    ".cursor/rules/py.mdc": "---\nglobs: **/*.py\nalwaysApply: false\n---\n- Type all of it.\n",
    FOCUS: "export {}\n",
}
A_FOLDER = 50
GOAL = 1.3
CALLS = {
    "agent": ["agent", "--focus", FOCUS],
    "search": ["search", "tests"],
    "hook": ["hook", "run", "claude", "UserPromptSubmit"],
}


class Cost(NamedTuple):
    """What one call took, in milliseconds."""

    cpu: float
    wall: float


def main() -> int:
    """Make both trees, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trees = [Path(folder, name) for name in ("small", "large")]
        for tree in trees:
            for name, text in FILES.items():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                (tree / name).write_text(text)
            subprocess.run(["git", "init", "-q", str(tree)], check=True)
        for number in range(options.files):
            place = trees[1] / f"packages/p{number // 5_000}/d{number // A_FOLDER % 100}"
            if not number % A_FOLDER:
                place.mkdir(parents=True)
            (place / f"f{number}.ts").touch()
        return max(_compare(name, trees, options.runs) for name in CALLS)


def _compare(name: str, trees: list[Path], runs: int) -> int:
    """Print what a call costs in both trees; return 1 where the large one costs too much."""
    costs: list[list[Cost]] = [[], []]
    for run in range(runs + 1):
        for place in (0, 1) if run % 2 else (1, 0):
            cost = _cost(name, trees[place])
            if run:  # the first one warms the file system
                costs[place].append(cost)
    small, large = [statistics.median(each.cpu for each in some) for some in costs]
    walls = [statistics.median(each.wall for each in some) for some in costs]
    ratio = sum(each.cpu for each in costs[1]) / sum(each.cpu for each in costs[0])
    print(
        f"{name:8} CPU {small:5.0f} ms -> {large:5.0f} ms, ratio {ratio:.2f}; "
        f"wall {walls[0]:5.0f} ms -> {walls[1]:5.0f} ms"
    )
    return int(ratio > GOAL)


def _cost(name: str, tree: Path) -> Cost:
    kept = tree.parent / "kept"
    shutil.rmtree(kept, ignore_errors=True)
    environ = {key: value for key, value in os.environ.items() if not key.startswith("CTX_")}
    environ |= {"CTX_CACHE_DIR": str(kept / "c"), "CTX_STATE_DIR": str(kept / "s")}
    environ |= {"HOME": str(tree.parent)}
    event = f'{{"session_id": "s", "prompt": "fix the tests", "cwd": "{tree}"}}'
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-P", "-m", "ctx", *CALLS[name]]
    subprocess.run(
        command, cwd=tree, env=environ, input=event.encode(), stdout=subprocess.PIPE, check=True
    )
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - began
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(cpu * 1000, wall * 1000)


if __name__ == "__main__":
    sys.exit(main())
