"""How cost grows: ``ctx agent`` on synthetic directories of many entries.

    python benchmarks/scale.py [--entries N …] [--runs N] [--quick] [--json]

For each size: a warm store and another answer than the last, the same after one entry of
one file changed, and the first run; in multiples of a bare ``python -c pass``, medians of
paired runs, with peak memory. Then what the benefit/cost planner takes of it, as it says
itself (``planner_ms`` of ``ctx plan --json``). Text is drawn with a fixed seed from a
vocabulary whose words are as frequent as words are. Exit code 1 when a median or the memory is
over its goal, except with ``--quick``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import cache
from benchmarks.measure import Figure, ctx, measure, peak_mb, report

SIZES = (1_000, 10_000, 50_000)
GOALS = {10_000: 14.0, 50_000: 40.0}
"""Bare starts with a warm store, by number of entries."""
MOST_MB = 350
VOCABULARY = 20_000
PLANNED = (3_334, 16_667, 33_334)
"""Entries of the planner's figures: three fragments each."""
LETTERS = "abcdefghijklmnoprstuvw"
WORDS = 90
"""Words in an entry, a real one's share."""
CANDIDATES = 10_000
"""Fragments that the planner may take ``PLANNER_MS`` for."""
PLANNER_MS = 250.0
PER_FILE = 500
"""Entries in a file of a themed folder."""
SEED = 7


def main() -> int:
    """Measure, print, and judge by the goals."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--entries", type=int, nargs="+", default=SIZES, help="sizes to measure")
    parser.add_argument("--runs", type=int, default=9, help="pairs of runs a figure")
    parser.add_argument("--quick", action="store_true", help="1,000 entries, three pairs")
    parser.add_argument("--json", action="store_true", help="repeat the figures as JSON")
    options = parser.parse_args()
    sizes, runs = ((1_000,), 3) if options.quick else (options.entries, options.runs)
    figures = [figure for size in sizes for figure in _figures(size, runs)]
    code = report(figures, as_json=options.json)
    slow = _planner((334,) if options.quick else PLANNED, runs)
    heavy = [figure.name for figure in figures if figure.peak_mb > MOST_MB]
    if heavy:
        print(f"over {MOST_MB} MiB: {', '.join(heavy)}", file=sys.stderr)
    if slow > PLANNER_MS:
        print(f"over {PLANNER_MS:.0f} ms for {CANDIDATES:,} candidates", file=sys.stderr)
    return 0 if options.quick else 1 if heavy or slow > PLANNER_MS else code


def _figures(size: int, runs: int) -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / ".context"
        write(root, size)
        agent = ctx("agent", "--dir", str(root), "--budget", "8000")
        count = itertools.count()

        def forget_answers() -> None:
            shutil.rmtree(cache(root) / "responses", ignore_errors=True)

        def edit() -> None:
            path = root / "learnings" / "topic-000.md"
            text = path.read_text(encoding="utf-8")
            at = text.index("\n## [", len(text) // 2)
            path.write_text(
                f"{text[:at]}\nSeen again {next(count)}.\n{text[at:]}", encoding="utf-8"
            )

        first = measure(f"{size:,} entries, first run", agent, runs=1)
        time.sleep(0.3)
        measure("times settled", agent, runs=1, before=forget_answers)
        warm = measure(
            f"{size:,} entries, warm", agent, runs=runs, goal=GOALS.get(size), before=forget_answers
        )
        forget_answers()
        memory = peak_mb(agent)
        changed = measure(f"{size:,} entries, one changed", agent, runs=runs, before=edit)
        repeated = measure(f"{size:,} entries, repeated", agent, runs=runs)
    return [warm._replace(peak_mb=memory), changed, repeated, first]


def _planner(sizes: Sequence[int], runs: int) -> float:
    """Print what planning takes; return the median for about ``CANDIDATES`` fragments, in ms."""
    print(f"{'planner acs':32}{'fragments':>12}{'no query':>12}{'a query':>12}{'µs each':>10}")
    worst = 0.0
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / ".context"
            write(root, size)
            query = (root / "TASKS.md").read_text(encoding="utf-8").splitlines()[4][6:60]
            plan = ctx("plan", "--dir", str(root), "--json")
            _planned(plan)  # fills the store
            usual, asked = (
                [_planned([*plan, *more]) for _ in range(runs)] for more in ([], ["--query", query])
            )
        count = usual[0]["candidate_count"]
        times = [median(one["planner_ms"] for one in found) for found in (usual, asked)]
        each = 1000 * max(times) / count
        row = f"{f'{size:,} entries':32}{count:12,.0f}"
        print(f"{row}{times[0]:9.0f} ms{times[1]:9.0f} ms{each:10.1f}")
        if count <= 1.1 * CANDIDATES:
            worst = max(worst, *times)
    return worst


def _planned(command: Sequence[str]) -> dict[str, float]:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout)["metrics"]
    return figures


def write(root: Path, size: int) -> None:
    """Write a context directory of ``size`` decisions and learnings with tasks to match."""
    draw = random.Random(SEED)
    words = ["".join(draw.choices(LETTERS, k=draw.randint(3, 11))) for _ in range(VOCABULARY)]
    weights = [1 / (rank + 3) for rank in range(VOCABULARY)]
    root.mkdir(parents=True)
    (root / "CONSTITUTION.md").write_text(
        "# Constitution\n\n- [ ] Keep the budget\n", encoding="utf-8"
    )

    def text(count: int) -> str:
        return " ".join(draw.choices(words, weights, k=count))

    tasks = "".join(f"- [ ] {text(25)} #priority:medium\n" for _ in range(200))
    (root / "TASKS.md").write_text(f"# Tasks\n\n## Phase 1\n\n{tasks}", encoding="utf-8")
    for kind, labels in (
        ("decisions", ("Context", "Decision", "Rationale")),
        ("learnings", ("Context", "Lesson", "Application")),
    ):
        (root / kind).mkdir()
        left, number = size // 2, 0
        while left > 0:
            entries = []
            for _ in range(min(PER_FILE, left)):
                day = f"20{draw.randint(20, 26)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
                stamp = f"{draw.randint(0, 23):02}{draw.randint(0, 59):02}{draw.randint(0, 59):02}"
                body = "\n\n".join(f"**{label}**: {text(WORDS // 3)}." for label in labels)
                entries.append(f"## [{day}-{stamp}] {text(8)}\n\n{body}\n\n---\n")
            path = root / kind / f"topic-{number:03}.md"
            path.write_text(f"# Topic {number}\n\n" + "\n".join(entries), encoding="utf-8")
            left, number = left - PER_FILE, number + 1


if __name__ == "__main__":
    raise SystemExit(main())
