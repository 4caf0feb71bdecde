"""How long a hook waits: ``ctx agent`` and ``ctx hook run`` on one directory, repeated and new.

    python benchmarks/latency.py [--dir DIRECTORY] [--runs N] [--quick] [--checkout] [--json]

Figures are multiples of a bare ``python -c pass``, medians of paired runs. What runs is a copy of
the package as an install has it; a ``--checkout`` looks at its sources at each start. The directory
is copied first; nothing is written where it is. Without ``--dir`` it is the fixture
``webshop``, for which the goals of new packets hold. Exit code 1 when a median is over its goal,
except with ``--quick``: five pairs on a busy machine judge nothing.
"""

from __future__ import annotations

import argparse
import compileall
import itertools
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import ctx as ctx_package
from benchmarks import cache
from benchmarks.measure import Figure, ctx, measure, peak_mb, report

FIXTURE = Path(__file__).parent.parent / "fixtures" / "webshop" / ".context"
GOALS = (7, 11)  # bare starts of a packet of the fixture: with one file changed, without a cache
SETTLE = 0.3
"""Seconds until a copied file's times are old enough for its answer to be remembered."""


def main() -> int:
    """Measure, print, and judge by the goals."""
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / ".context"
        shutil.copytree(options.dir, root, ignore=shutil.ignore_patterns(".ctx"))
        if not options.checkout:
            os.environ["PYTHONPATH"] = str(_installed(Path(folder) / "site-packages"))
        code = _measure(
            root,
            runs=5 if options.quick else options.runs,
            as_json=options.json,
            goals=GOALS if options.dir == FIXTURE else (None, None),
        )
    return 0 if options.quick else code


def _installed(folder: Path) -> Path:
    """Copy the package to where one is installed: a checkout looks at its sources at each start."""
    package = Path(ctx_package.__file__).parent
    shutil.copytree(package, folder / "ctx", ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(folder, quiet=1)
    return folder


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--dir", type=Path, default=FIXTURE, help="context directory to copy")
    parser.add_argument("--runs", type=int, default=25, help="pairs of runs a figure")
    parser.add_argument("--quick", action="store_true", help="five pairs a figure")
    parser.add_argument("--checkout", action="store_true", help="measure the checkout as it is")
    parser.add_argument("--json", action="store_true", help="repeat the figures as JSON")
    return parser.parse_args()


def _measure(
    root: Path, *, runs: int, as_json: bool, goals: tuple[float | None, float | None]
) -> int:
    agent = ctx("agent", "--dir", str(root), "--budget", "8000")
    count = itertools.count()

    def forget() -> None:
        shutil.rmtree(cache(root), ignore_errors=True)

    def forget_answers() -> None:
        shutil.rmtree(cache(root) / "responses", ignore_errors=True)

    def edit() -> None:
        learnings = root / "LEARNINGS.md"
        text = learnings.read_text(encoding="utf-8")
        at = text.index("\n## [", text.index("\n## [") + 1)
        learnings.write_text(
            f"{text[:at]}\nSeen again {next(count)}.\n{text[at:]}", encoding="utf-8"
        )

    measure("fills the store", agent, runs=1)
    time.sleep(SETTLE)
    measure("is remembered", agent, runs=1)
    figures = [
        measure("--version", ctx("--version"), runs=runs),
        measure("repeated", agent, runs=runs, goal=2),
        measure("warm, another answer", agent, runs=runs, before=forget_answers),
        measure("warm, one file changed", agent, runs=runs, goal=goals[0], before=edit),
        measure("no cache", agent, runs=runs, goal=goals[1], before=forget),
    ]
    figures[-1] = figures[-1]._replace(peak_mb=peak_mb(agent))
    return report([*figures, *_hooks(root, runs)], as_json=as_json)


PROMPT = "Which decision says how a part of an invoice is refunded?"
SUBJECTS = ("release", "build", "payment", "search", "journal", "import", "label", "test")


def _hooks(root: Path, runs: int) -> list[Figure]:
    """Measure ``ctx hook run`` as a host calls it."""
    number = itertools.count()

    def event(**data: str) -> bytes:
        return json.dumps({"cwd": str(root.parent), "session_id": "s", **data}).encode()

    def asked() -> bytes:
        count = next(number)
        one, two = SUBJECTS[count % len(SUBJECTS)], SUBJECTS[count // len(SUBJECTS) % len(SUBJECTS)]
        return event(prompt=f"What was decided about the {one} and learnt of the {two} by {count}?")

    def begun() -> bytes:
        return event(session_id=f"s{next(number)}", source="startup")

    prompt = ctx("hook", "run", "claude", "UserPromptSubmit")
    start = ctx("hook", "run", "claude", "SessionStart")
    again = event(prompt=PROMPT)
    for _ in range(2):  # said, and that there is nothing more to say
        measure("is told", prompt, runs=1, stdin=lambda: again)
        time.sleep(SETTLE)
    return [
        measure("hook: repeated prompt", prompt, runs=runs, goal=2.5, stdin=lambda: again),
        measure("hook: new prompt", prompt, runs=runs, goal=12, stdin=asked),
        measure("hook: session start", start, runs=runs, stdin=begun),
    ]


if __name__ == "__main__":
    raise SystemExit(main())
