"""Runs of ``ctx hook install`` that die at one moment after another; the next ones live.

    python -m tests.hooks.dying FOLDER install-calls|install-full|uninstall-calls|uninstall-full

Prints one JSON object: how many died or failed, and after which of them the settings were neither
the old ones nor the new ones, or the next run made something else of them.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctx.cli import app  # noqa: F401 - all that a run imports: forks start from here
from ctx.cli.main import main
from ctx.errors import UNREADABLE
from ctx.hooks import install  # noqa: F401 - likewise
from tests.dying import fails_at_byte
from tests.keeping import state
from tests.sampling import moment

if TYPE_CHECKING:
    from collections.abc import Callable

BYTES = 61
"""Step from one limit of a file's size to the next."""
MOST = 200
CALLS = ("open", "write", "fsync", "replace", "mkdir", "unlink", "link", "close", "chmod", "rmdir")
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
    """Run ``ctx hook`` in a fork after ``arm``; return its status."""
    child = os.fork()
    if child == 0:
        for descriptor in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
        arm()
        os._exit(main(["hook", command, "claude", "--project", "--dir", str(root)]))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _dies_at_call(number: int) -> Callable[[], None]:
    """Kill the process before the call ``number`` of those that change files."""

    def arm() -> None:
        left = [number]
        for name in CALLS:
            setattr(os, name, _counted(getattr(os, name), left))

    return arm


def _counted(real: Callable[..., Any], left: list[int]) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - any call of os
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **named)

    return call


def files(root: Path) -> dict[str, bytes]:
    """Return what is in the folder of the settings, and of their copy, by name."""
    folders = (root / ".claude", state(root / ".context") / "before-hooks")
    return {
        one.name: one.read_bytes()
        for folder in folders
        if folder.is_dir()
        for one in folder.iterdir()
    }


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
        code = run(root, (_dies_at_call if way == "calls" else fails_at_byte)(at), command)
        found = kept(files(root))
        survived = not (code < 0 or (way == "full" and code == UNREADABLE))
        died += not survived
        if found["settings.json"] not in (before["settings.json"], after["settings.json"]):
            wrong.append((at, "the settings are neither"))
        copy = found.get("claude-settings.json", OLD)
        if not survived and copy != OLD:
            wrong.append((at, "the copy is another"))
        if run(root, lambda: None, command) or kept(files(root)) != after:
            wrong.append((at, "the next run"))
        number += 1
        if survived or number > MOST:
            break
    return {"died": died, "tried": number, "wrong": wrong}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(die(Path(sys.argv[1]) / "project", *sys.argv[2].split("-"))))
