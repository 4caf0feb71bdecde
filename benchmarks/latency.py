"""How long a hook waits: ``ctx agent`` and ``ctx hook run`` on one directory, repeated and new.

    python benchmarks/latency.py [--dir DIRECTORY] [--runs N] [--quick] [--checkout] [--json]
    python benchmarks/latency.py --team TURNS [--dir DIRECTORY] [--runs N]

Figures are multiples of a bare ``python -c pass``, medians of paired runs. What runs is a copy of
the package as an install has it; a ``--checkout`` looks at its sources at each start. The directory
is copied first; nothing is written where it is. Without ``--dir`` it is the fixture
``webshop``, for which the goals of new packets hold. Exit code 1 when a median is over its goal,
except with ``--quick``: five pairs on a busy machine judge nothing.

``--team`` compares instead a state directory with a server's address, which nobody answers, and
so many turns of others that were pulled, with one that has neither: medians of ratios of CPU time,
paired.
"""

from __future__ import annotations

import argparse
import compileall
import itertools
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import ctx as ctx_package
from benchmarks import cache
from benchmarks.hooks import cpu
from benchmarks.measure import Figure, ctx, measure, peak_mb, report
from benchmarks.share import PER_SESSION, Turns
from ctx.app import sync
from ctx.app.sessions import state_of
from ctx.share import Stored
from ctx.world import World

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
        if options.team is not None:
            _team(root, options.team, options.runs)
            return 0
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
    parser.add_argument("--team", type=int, metavar="TURNS", help="compare with a team's memory")
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


def _environment(root: Path, name: str, turns: int | None) -> dict[str, str]:
    """Return an environment of its own, with a team's address and ``turns`` unless they are None.

    Nobody answers at the address.
    """
    world = World()
    world.environ = environ = {
        **os.environ, "CTX_STATE_DIR": str(root.parent / name / "state"),
        "CTX_CACHE_DIR": str(root.parent / name / "cache"), "CTX_SHARE_SERVER": "",
    }  # fmt: skip
    if turns is not None:
        environ["CTX_SHARE_SERVER"] = "postgresql://nobody@127.0.0.1:1/none"
        cursor = sync.Cursor(state_of(str(root), world, make=True), "acme/other")
        cursor.save()
        Path(cursor.folder).mkdir()
        made = next(Turns(turns, 1).repositories())[1]
        for at in range(0, turns, PER_SESSION):
            lines = (
                sync._line(  # noqa: SLF001 - as a pull writes them
                    Stored("s", n, "2026-01-05", f"t{n}", "user", "ann", "", text)
                )
                for n, text in enumerate(made[at : at + PER_SESSION])
            )
            Path(cursor.folder, f"s{at}.jsonl").write_bytes(b"".join(lines))
    return environ


def _team(root: Path, turns: int, runs: int) -> None:
    """Print what a team's memory adds to packets and hooks."""
    both = [_environment(root, "without", None), _environment(root, "with", turns)]
    count = itertools.count()

    def prompt() -> bytes:
        asked = (
            f"What was decided about the {SUBJECTS[next(count) % len(SUBJECTS)]}, {next(count)}?"
        )
        return json.dumps({"cwd": str(root.parent), "session_id": "s", "prompt": asked}).encode()

    def begun() -> bytes:
        given = {"cwd": str(root.parent), "session_id": f"s{next(count)}", "source": "startup"}
        return json.dumps(given).encode()

    agent = ctx("agent", "--dir", str(root), "--budget", "8000")
    for name, command, stdin in (
        ("ctx agent", agent, bytes),
        ("ctx agent --query", [*agent, "--query", PROMPT], bytes),
        ("hook: new prompt", ctx("hook", "run", "claude", "UserPromptSubmit"), prompt),
        ("hook: session start", ctx("hook", "run", "claude", "SessionStart"), begun),
    ):
        ratios = []
        for run in range(-2, runs):  # the first two fill what is stored
            given = stdin()
            spent = []
            for environ in both:
                for answers in Path(environ["CTX_CACHE_DIR"]).rglob("responses"):
                    shutil.rmtree(answers)
                spent.append(cpu(command, given, environ)[0])
            if run >= 0:
                ratios.append(spent[1] / spent[0])
        print(f"{name:34}{statistics.median(ratios):8.2f}")


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
