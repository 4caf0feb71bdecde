"""Measuring commands as whole processes, in multiples of a bare interpreter start.

Machines differ and are noisy, so no figure here is a time alone: each run of a command is
paired with a run of ``python -c pass`` right after it, and the median of the ratios is
reported with the least and the greatest.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

BARE = (sys.executable, "-c", "pass")
MB = 1024 * 1024


class Figure(NamedTuple):
    """What a command costs, in bare starts."""

    name: str
    median: float
    least: float
    greatest: float
    peak_mb: float
    """Peak memory of the command, in MiB; 0 where it was not measured."""
    goal: float | None
    """Most bare starts that the design allows; None where it sets no goal."""


def ctx(*arguments: str) -> list[str]:
    """Return the command line of the ``ctx`` that is installed beside this interpreter."""
    script = os.path.join(os.path.dirname(sys.executable), "ctx")
    return [script if os.path.exists(script) else f"{script}.exe", *arguments]


def measure(  # noqa: PLR0913 - what is run, how often, and around what
    name: str,
    command: Sequence[str],
    *,
    runs: int,
    goal: float | None = None,
    before: Callable[[], None] | None = None,
    stdin: Callable[[], bytes] | None = None,
) -> Figure:
    """Run ``command`` ``runs`` times, ``before`` ahead of each, and return its figure.

    ``stdin`` says what each run reads on standard input.
    """
    ratios = []
    for _ in range(runs):
        if before:
            before()
        ratios.append(_seconds(command, stdin() if stdin else None) / _seconds(BARE))
    return Figure(name, statistics.median(ratios), min(ratios), max(ratios), 0.0, goal)


def _seconds(command: Sequence[str], stdin: bytes | None = None) -> float:
    """Return how long a command takes; raise RuntimeError where it fails."""
    start = time.perf_counter()
    reads = None if stdin is None else subprocess.PIPE
    process = subprocess.Popen(command, stdin=reads, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    _, err = process.communicate(stdin)
    seconds = time.perf_counter() - start
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {err.decode(errors='replace')}")
    return seconds


def peak_mb(command: Sequence[str]) -> float:
    """Return the peak memory of one run, in MiB; 0 where the system does not tell."""
    code = (
        "import resource, subprocess, sys; "
        "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    try:
        found = subprocess.run(
            (sys.executable, "-c", code, *command), capture_output=True, check=True, text=True
        )
    except subprocess.CalledProcessError:
        return 0.0  # no such accounting on this system
    unit = 1 if sys.platform == "darwin" else 1024
    return int(found.stdout) * unit / MB


def report(figures: Sequence[Figure], *, as_json: bool) -> int:
    """Print the figures as a table (and as JSON on the last line); return 1 if a goal is missed."""
    print(f"{'bare starts':34}{'median':>8}{'least':>8}{'most':>8}{'goal':>6}{'MiB':>8}")
    for figure in figures:
        goal = "" if figure.goal is None else f"{figure.goal:g}"
        memory = f"{figure.peak_mb:.0f}" if figure.peak_mb else ""
        print(
            f"{figure.name:34}{figure.median:8.2f}{figure.least:8.2f}{figure.greatest:8.2f}"
            f"{goal:>6}{memory:>8}"
        )
    if as_json:
        print(json.dumps([figure._asdict() for figure in figures]))
    missed = [one.name for one in figures if one.goal is not None and one.median > one.goal]
    if missed:
        print(f"over its goal: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0
