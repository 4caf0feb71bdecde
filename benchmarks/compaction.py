"""What compacting a long session costs: turns a second, and memory.

    python benchmarks/compaction.py [--turns N] [--quick] [--json]

Compacts a synthetic session of a tenth of the turns and one of all of them, extractively and
without an embedder; then compacts the longer one again, kills that after a third of its
records, and lets another one go on. Prints turns a second, peak memory, tokens of turns for
one of a summary, and what the file system holds. Text is drawn with a fixed seed. Exit code 1
when the longer one takes much more memory, or when what was killed ends otherwise than what was
not; memory is not judged with ``--quick``.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import sessions_of
from benchmarks.measure import MB

MOST_GROWTH_MB = 24
"""What ten times the turns may take more: bundles, rules and names of summaries."""
SEED = 7
VOCABULARY = 20_000
LETTERS = "abcdefghijklmnoprstuvw"
WORDS = 40
"""Words in a turn."""
NAME = "long.jsonl"
_RUN = (
    "import resource, subprocess, sys; "
    "done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True); "
    "sys.stdout.buffer.write(done.stdout); "
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)
_WHEN = re.compile(rb'"compacted": "[^"]*"')


class Figure(NamedTuple):
    """What one compaction cost."""

    turns: int
    turns_a_second: float
    peak_mb: float
    """0 where the system does not tell."""
    summaries: int
    ratio: float
    """Tokens of turns for one of their summaries."""
    bytes_ratio: float
    """Bytes of the session for one of its summaries."""


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=100_000, help="of the longer session")
    parser.add_argument("--quick", action="store_true", help="5,000 turns")
    parser.add_argument("--json", action="store_true", help="repeat the figures as JSON")
    options = parser.parse_args()
    turns = 5_000 if options.quick else options.turns
    with tempfile.TemporaryDirectory() as folder:
        figures = [_figure(Path(folder), count) for count in (turns // 10, turns)]
        equal = _killed(Path(folder), turns)
    print(f"{'turns':>10}{'turns a s':>12}{'MiB':>8}{'summaries':>11}{'tokens':>9}{'bytes':>8}")
    for one in figures:
        print(
            f"{one.turns:10,}{one.turns_a_second:12,.0f}{one.peak_mb:8.1f}{one.summaries:11,}"
            f"{one.ratio:9.2f}{one.bytes_ratio:8.2f}"
        )
    growth = figures[1].peak_mb - figures[0].peak_mb
    print(f"ten times the turns take {growth:+.1f} MiB")
    print(f"killed at a third and run again: {'the same' if equal else 'OTHER'} bytes")
    if options.json:
        print(json.dumps([one._asdict() for one in figures]))
    return 1 if not equal or (growth > MOST_GROWTH_MB and not options.quick) else 0


def _command(root: Path) -> list[str]:
    return [sys.executable, "-m", "ctx", "session", "compact", "--json", "--dir", str(root)]


def _figure(folder: Path, turns: int) -> Figure:
    """Compact a new session, and keep it."""
    root = folder / f"of-{turns}" / ".context"
    root.mkdir(parents=True)
    session = sessions_of(root) / NAME
    size = write(session, turns)
    start = time.perf_counter()
    found = _measured(_command(root))
    seconds = time.perf_counter() - start
    told, peak = json.loads(found[0]), found[1]
    one = told["sessions"][0]
    made = (sessions_of(root) / "summaries" / NAME).stat().st_size
    return Figure(
        turns, turns / seconds, peak, sum(one["summaries"].values()), one["ratio"], size / made
    )


def _measured(command: list[str]) -> tuple[str, float]:
    """Return what a command writes, and its peak memory in MiB; 0 where nobody tells."""
    try:
        import resource  # noqa: F401 - not on every system
    except ImportError:
        done = subprocess.run(command, capture_output=True, check=True, text=True)
        return done.stdout, 0.0
    done = subprocess.run(
        (sys.executable, "-c", _RUN, *command), capture_output=True, check=True, text=True
    )
    text, _, peak = done.stdout.rstrip().rpartition("\n")
    return text, int(peak) * (1 if sys.platform == "darwin" else 1024) / MB


def _killed(folder: Path, turns: int) -> bool:
    """Compact again, kill at a third, go on; return whether the summaries are the same."""
    root = folder / f"of-{turns}" / ".context"
    made = sessions_of(root) / "summaries" / NAME
    right = made.read_bytes()
    shutil.rmtree(made.parent)
    with subprocess.Popen(_command(root), stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and _size(made) < len(right) / 3:
            time.sleep(0.02)
        process.kill()
    if not 0 < _size(made) < len(right):
        return False
    subprocess.run(_command(root), stdout=subprocess.DEVNULL, check=True)
    return _timeless(made.read_bytes()) == _timeless(right)


def _timeless(data: bytes) -> bytes:
    return _WHEN.sub(b"", data)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def write(path: Path, turns: int) -> int:
    """Write a session with bundles, rules and pasted output; return its bytes."""
    draw = random.Random(SEED)
    words = ["".join(draw.choices(LETTERS, k=draw.randint(3, 11))) for _ in range(VOCABULARY)]
    path.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number in range(turns):
            role = ("user", "assistant", "tool", "assistant")[number % 4]
            day, second = f"2026-01-{1 + number // 86_400:02}", number % 86_400
            clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
            text = ". ".join(
                " ".join(draw.choices(words, k=WORDS // 4)).capitalize() for _ in range(4)
            )
            if number % 100 == 0:
                text = f"Never {words[number % VOCABULARY]} without a review. {text}"
            turn = {"id": f"t{number}", "session": "long", "ts": f"{day}T{clock}Z", "role": role}
            turn["text"] = text
            if number % 10 in (5, 6, 7):
                turn["bundle"] = f"b{number // 10}"
            size += file.write(json.dumps(turn) + "\n")
    return size


if __name__ == "__main__":
    raise SystemExit(main())
