"""Whether commands end on very large directories, in time that grows as the entries do.

CPU-seconds of the command and its children are compared with those at 1,000 entries: at most
``SLACK`` times the ratio of the entries. What a command did not look at it must name.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import TYPE_CHECKING

from scripts.attacks.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
BASE = 1_000
SLACK = 2.0
"""How much more than in proportion a command may take: caches of the processor are one size."""
WORDS = [
    head + body + end
    for head in ("re", "in", "con", "pro", "de", "ex", "ab", "sub", "per", "tra")
    for body in ("fund", "voice", "tract", "duct", "cide", "port", "sorb", "mit", "form", "late")
    for end in ("", "s", "er", "ing", "ion", "al", "able", "ly", "ed", "ive")
]
COMMANDS = {  # what is made, the command, and what it prints where something is left out
    "check": ("entries", "in length for each rare word, not with all that share it"),
    "explain": ("rules", "packets of 65, as there is much to try"),
}


def entries(folder: Path, count: int, random_: random.Random) -> None:
    """Write decisions, learnings and conventions, ``count`` together."""
    for name in ("DECISIONS", "LEARNINGS"):
        with (folder / f"{name}.md").open("w") as file:
            file.write(f"# {name.title()}\n")
            for at in range(count // 3):
                day = f"2025-0{1 + at % 9}-1{at % 10}-{at % 24:02}{at % 60:02}{at // 60 % 60:02}"
                title, body = (" ".join(random_.choices(WORDS, k=k)) for k in (6, 25))
                file.write(f"\n## [{day}] {title.capitalize()} {at}\n\n{body.capitalize()}.\n")
    rules(folder / "CONVENTIONS.md", count - 2 * (count // 3), "- ", random_)


def rules(path: Path, count: int, mark: str, random_: random.Random) -> None:
    """Write ``count`` rules into a file."""
    verbs = ("Use", "Never use", "Prefer", "Always write", "Avoid")
    lines = (
        f"{mark}{random_.choice(verbs)} {' '.join(random_.choices(WORDS, k=6))} {at}\n"
        for at in range(count)
    )
    path.write_text(f"# Rules\n\n{''.join(lines)}")


def spent(command: str, count: int) -> tuple[float, str]:
    """Return the CPU-seconds of a command on ``count`` entries, and what it reports."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "project", ".context")
        folder.mkdir(parents=True)
        random_ = random.Random(count)  # noqa: S311 - made-up words
        if COMMANDS[command][0] == "rules":
            rules(folder / "CONSTITUTION.md", count, "- [ ] ", random_)
        else:
            entries(folder, count, random_)
        before = getrusage(RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-m", "ctx", command],
            cwd=folder.parent, capture_output=True, text=True, check=False,
            env={"HOME": home, "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        after = getrusage(RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, done.stderr if done.returncode in {0, 1} else f"exit code {done.returncode}"


def attack(*, full: bool) -> Iterator[Result]:
    """Compare the time of commands on small and large directories."""
    for command, (what, left_out) in COMMANDS.items():
        base, _ = spent(command, BASE)
        sizes = [10_000, 60_000 if what == "entries" else 30_000] if full else [4_000]
        failed, ratios = [], []
        for size in sizes:
            seconds, reported = spent(command, size)
            ratios.append(f"{size:,}: {seconds / base:.1f}")
            if seconds / base > SLACK * size / BASE:
                failed.append(f"{size:,} {what}: {seconds / base:.1f} times {BASE:,}")
            if left_out not in " ".join(reported.split()):
                failed.append(f"{size:,} {what}: what was left out is not named: {reported[-200:]}")
        shown = f"ctx {command}, CPU-seconds as multiples of {BASE:,} {what} ({', '.join(ratios)})"
        yield Result(shown, len(sizes), tuple(failed))
