"""Run the tests several times in a row on a machine that is busy with something else.

    python3 scripts/dev.py busy                     all tests, three times, beside eight loops
    python3 scripts/dev.py busy --runs 1 tests/cli -n 2

What is no option of this script goes to pytest. Prints a line for each run, and of a run that
fails all that pytest said; exits with 1 if any failed. The loops end with this process, however
it ends.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
LOOP = (
    "import os, sys\n"
    "while os.getppid() == int(sys.argv[1]):\n"  # whoever is killed cannot end it
    "    for _ in range(10**6): pass\n"
)


def loop() -> subprocess.Popen[bytes]:
    """Start a process that uses up a core as long as this one lives."""
    return subprocess.Popen([sys.executable, "-c", LOOP, str(os.getpid())])


def tested(arguments: Sequence[str]) -> tuple[int, str]:
    """Run pytest; return its exit code and what it said."""
    command = [sys.executable, "-m", "pytest", "-q", *arguments]
    if not any(one.startswith("-n") for one in arguments):
        command += ["-n", "auto"]
    done = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.PIPE)
    return done.returncode, done.stdout.decode(errors="replace").rstrip()


def main(argv: Sequence[str] | None = None) -> int:
    """Return 0 if every run passed, else 1."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=3, help="how many runs (3)")
    parser.add_argument("--loops", type=int, default=8, help="how many loops beside them (8)")
    options, arguments = parser.parse_known_args(argv)
    failed = 0
    with ExitStack() as beside:
        for _ in range(options.loops):
            one = beside.enter_context(loop())
            beside.callback(one.kill)  # before it is waited for
        for number in range(1, options.runs + 1):
            start = time.monotonic()
            code, said = tested(arguments)
            if code:
                failed += 1
                print(said)
            verdict = f"FAILED with exit code {code}" if code else "passed"
            seconds = time.monotonic() - start
            last = said.rpartition("\n")[2].strip()
            print(
                f"run {number} of {options.runs}: {verdict} in {seconds:.0f} s: {last}", flush=True
            )
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main())
