"""What search costs among many turns: a warm search, indexing, and what the index takes.

    python benchmarks/search.py [--turns N] [--runs N] [--quick] [--json]

Imports synthetic sessions into an empty context directory, indexes words and then vectors, and
searches for five words of a turn, by words alone and with the static embedder; in multiples of
a bare ``python -c pass``, medians of paired runs. Text is drawn with a fixed seed from a
vocabulary whose words are as frequent as words are. Exit code 1 when a median, a rate or the
size of the index misses its goal, except with ``--quick``.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from itertools import accumulate
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import cache, sessions_of
from benchmarks.measure import MB, Figure, ctx, measure, peak_mb, report

TURNS = 100_000
GOALS = {"none": 40.0, "static": 60.0}
"""Bare starts of a warm search, by embedder."""
RATES = {"words": 3_000, "vectors": 1_500}
"""Turns a second that are indexed at least."""
MOST_SIZE = 2.0
"""What the index takes at most, as a multiple of the text."""
PER_SESSION = 500
VOCABULARY = 20_000
COMMON = 50
"""The most frequent words, which nobody searches for."""
LETTERS = "abcdefghijklmnoprstuvw"
SEED = 7


def main() -> int:
    """Measure, print, and judge by the goals."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=TURNS, help="turns to search")
    parser.add_argument("--runs", type=int, default=9, help="pairs of runs a figure")
    parser.add_argument("--quick", action="store_true", help="5,000 turns, three pairs")
    parser.add_argument("--json", action="store_true", help="repeat the figures as JSON")
    options = parser.parse_args()
    turns, runs = (5_000, 3) if options.quick else (options.turns, options.runs)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / ".context"
        root.mkdir()
        text, query = write(Path(folder) / "turns.jsonl", turns)
        missed = _index(Path(folder), root, turns, text)
        time.sleep(0.3)
        figures = [_search(root, query, turns, embedder, runs) for embedder in GOALS]
    code = report(figures, as_json=options.json)
    for line in missed:
        print(f"missed: {line}", file=sys.stderr)
    return 0 if options.quick else 1 if missed else code


def _index(folder: Path, root: Path, turns: int, text: int) -> list[str]:
    """Import and index; print rates and sizes, and return what misses its goal."""
    _run(ctx("session", "import", str(folder / "turns.jsonl"), "--dir", str(root)))
    missed = []
    for what, embedder in (("words", "none"), ("vectors", "static")):
        start = time.perf_counter()
        _run(ctx("index", "--dir", str(root), "--embedder", embedder))
        rate = turns / (time.perf_counter() - start)
        print(f"{what}: {rate:,.0f} turns a second (goal {RATES[what]:,})")
        if rate < RATES[what]:
            missed.append(f"{what}: {rate:,.0f} turns a second")
    sizes = {path.name: path.stat().st_size for path in sorted(cache(root).glob("*.db"))}
    size = sizes["search.db"] + sizes["vectors.db"]
    stored = sum(path.stat().st_size for path in sessions_of(root).glob("*.jsonl"))
    print(f"text: {text / MB:.1f} MiB, in sessions of {stored / MB:.1f} MiB")
    print("kept: " + ", ".join(f"{name} {taken / MB:.1f} MiB" for name, taken in sizes.items()))
    print(f"the search index is {size / text:.2f} times the text (goal {MOST_SIZE:g})")
    print(f"all that is kept is {sum(sizes.values()) / stored:.2f} times the sessions")
    if size > MOST_SIZE * text:
        missed.append(f"the search index is {size / text:.2f} times the text")
    return missed


def _search(root: Path, query: str, turns: int, embedder: str, runs: int) -> Figure:
    command = ctx("search", query, "--dir", str(root), "--embedder", embedder)
    measure("times settled", command, runs=1)
    name = f"{turns:,} turns, {embedder}"
    return measure(name, command, runs=runs, goal=GOALS[embedder])._replace(
        peak_mb=peak_mb(command)
    )


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def write(path: Path, turns: int) -> tuple[int, str]:
    """Write a transcript; return the bytes of its texts, and five words of one of them."""
    draw = random.Random(SEED)
    words = ["".join(draw.choices(LETTERS, k=draw.randint(2, 10))) for _ in range(VOCABULARY)]
    weights = list(accumulate(1 / (rank + 1) for rank in range(VOCABULARY)))
    common = set(words[:COMMON])
    size, query = 0, ""
    with path.open("w", encoding="utf-8") as file:
        for number in range(turns):
            text = " ".join(draw.choices(words, cum_weights=weights, k=draw.randint(8, 60)))
            size += len(text)
            if number == turns // 2:
                rare = [word for word in dict.fromkeys(text.split()) if word not in common]
                query = " ".join(rare[:5])
            turn = {
                "id": f"t{number}",
                "session": f"s{number // PER_SESSION:04}",
                "ts": f"2026-{1 + number // 9000 % 12:02}-{1 + number // 300 % 28:02}T10:00:00Z",
                "role": ("user", "assistant")[number % 2],
                "speaker": ("Ann", "Bob")[number % 2],
                "text": text,
            }
            file.write(json.dumps(turn) + "\n")
    return size, query


if __name__ == "__main__":
    raise SystemExit(main())
