"""What importing a transcript costs: time and memory by size.

    python benchmarks/sessions.py [--mb N] [--runs N] [--quick] [--json]

Imports a transcript of a tenth of the size and one of the size into an empty context
directory, then the larger one again; in multiples of a bare ``python -c pass``, medians of
paired runs, with turns a second and peak memory. Text is drawn with a fixed seed. Exit code
1 when the larger one takes much more memory than the smaller one, except with ``--quick``.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import sessions_of
from benchmarks.measure import MB, Figure, measure, peak_mb, report

MOST_GROWTH_MB = 24
"""What ten times the size may take more: digests of the turns."""
WORDS = 90
"""Words in a turn."""
SEED = 7


def main() -> int:
    """Measure, print, and judge the memory."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--mb", type=int, default=50, help="size of the larger transcript")
    parser.add_argument("--runs", type=int, default=3, help="pairs of runs a figure")
    parser.add_argument("--quick", action="store_true", help="5 MB, one pair")
    parser.add_argument("--json", action="store_true", help="repeat the figures as JSON")
    options = parser.parse_args()
    size, runs = (5, 1) if options.quick else (options.mb, options.runs)
    figures: list[Figure] = []
    rates: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for part in (size / 10, size):
            figures += _figures(Path(folder), part, runs, rates)
    growth = figures[2].peak_mb - figures[0].peak_mb
    print("\n".join(rates))
    print(f"ten times the size takes {growth:+.1f} MiB")
    report(figures, as_json=options.json)
    return 1 if growth > MOST_GROWTH_MB and not options.quick else 0


def _figures(folder: Path, size: float, runs: int, rates: list[str]) -> list[Figure]:
    source, root = folder / f"of-{size:g}.jsonl", folder / ".context"
    turns = write(source, round(size * MB))
    root.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "ctx", "session", "import", str(source), "--dir", str(root)]

    def forget() -> None:
        shutil.rmtree(sessions_of(root))

    forget()
    memory = peak_mb(command)
    first = measure(f"{size:g} MB, first import", command, runs=runs, before=forget)
    again_memory = peak_mb(command)
    again = measure(f"{size:g} MB, again", command, runs=runs)
    forget()
    start = time.perf_counter()
    measure("one run", command, runs=1)
    rates.append(f"{size:g} MB: {turns:,} turns, {turns / (time.perf_counter() - start):,.0f} a s")
    return [first._replace(peak_mb=memory), again._replace(peak_mb=again_memory)]


def write(path: Path, size: int) -> int:
    """Write a transcript of about ``size`` bytes in one session; return its turns."""
    draw = random.Random(SEED)
    words = ["".join(draw.choices("abcdefghijklmnoprstuvw", k=draw.randint(3, 11)))
             for _ in range(20_000)]  # fmt: skip
    count = written = 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            role = ("user", "assistant", "tool")[count % 3]
            day, second = f"2026-01-{1 + count // 86_400:02}", count % 86_400
            clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
            text = " ".join(draw.choices(words, k=WORDS))
            turn = {"id": f"t{count}", "ts": f"{day}T{clock}Z", "role": role, "text": text}
            written += file.write(json.dumps(turn) + "\n")
            count += 1
    return count


if __name__ == "__main__":
    raise SystemExit(main())
