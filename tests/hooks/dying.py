"""Runs of ``ctx hook install`` that die at one moment after another; the next ones live.

    python -m tests.hooks.dying FOLDER install-calls|install-full|uninstall-calls|uninstall-full

Prints one JSON object: how many died or failed, and after which of them the settings were neither
the old ones nor the new ones, or the next run made something else of them.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ctx.errors import UNREADABLE
from ctx.hooks import install  # noqa: F401 - what a run imports: forks start from here
from tests.edit.dying import WAYS
from tests.forked import until
from tests.keeping import state
from tests.sampling import moment

if TYPE_CHECKING:
    from collections.abc import Callable

BYTES = 61
"""Step from one limit of a file's size to the next."""
MOST = 200
OLD = b"{\n  // " + b"mine " * 80 + b'\n  "model": "opus"\n}\n'


def prepare(root: Path, command: str) -> None:
    """Leave a project as it is before ``command``."""
    for folder in (root, state(root / ".context")):
        shutil.rmtree(folder, ignore_errors=True)
    (root / ".context").mkdir(parents=True)
    (root / ".claude").mkdir()
    (root / ".claude/settings.json").write_bytes(OLD)
    if command == "uninstall":
        run(root, lambda: None, "install")


def run(root: Path, arm: Callable[[], None], command: str) -> int:
    return until(arm, "hook", command, "claude", "--project", "--dir", str(root))[0]


def files(root: Path) -> dict[str, bytes]:
    """Return what is in the folder of the settings, by name."""
    return {one.name: one.read_bytes() for one in (root / ".claude").iterdir()}


def kept(found: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files that people see: what a killed writer was filling is not among them."""
    return {name: data for name, data in found.items() if not name.startswith(".")}


def die(root: Path, command: str, way: str) -> dict[str, object]:
    """Die at every moment in turn; look what is there, and what the next run makes of it."""
    prepare(root, command)
    before = files(root)
    assert run(root, lambda: None, command) == 0
    after = files(root)
    assert before != after
    died, wrong, number = 0, [], 0
    while True:
        prepare(root, command)
        at = moment(number, way, BYTES)
        code = run(root, WAYS[way](at), command)
        found = kept(files(root))
        survived = not (code < 0 or (way == "full" and code == UNREADABLE))
        died += not survived
        if found["settings.json"] not in (before["settings.json"], after["settings.json"]):
            wrong.append((at, "the settings are neither"))
        if run(root, lambda: None, command) or kept(files(root)) != after:
            wrong.append((at, "the next run"))
        number += 1
        if survived or number > MOST:
            break
    return {"died": died, "tried": number, "wrong": wrong}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(die(Path(sys.argv[1]) / "project", *sys.argv[2].split("-"))))
