"""Commands that write and die: every file is the old one or the new one, and the next run goes on.

    python -m tests.edit.test_writing FOLDER calls|bytes|full:COMMAND

Lets a command die at one moment after another, each time followed by one that lives, and prints
one JSON object: how many died, and after which of them something was wrong. A program of its own,
so that it can fork.
"""

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ctx.app import add  # noqa: F401 - forks start from here
from ctx.errors import UNREADABLE
from tests.deaths import check as check_deaths
from tests.edit.dying import BYTES, MOST, WAYS
from tests.forked import until
from tests.sampling import moment

posix = pytest.mark.skipif(os.name != "posix", reason="forks and signals of POSIX")
PARTS = ("--context", "c " * 200, "--decision", "d", "--rationale", "", "--consequence", "")
COMMANDS = {
    "new": ("add", "decision", "New one", *PARTS, "--force"),
    "here": ("add", "decision", "New one", *PARTS, "--supersedes", "old here", "--force"),
    "there": ("add", "decision", "New one", *PARTS, "--supersedes", "old there", "--force"),
    "made": ("add", "learning", "New one", "--context", "", "--lesson", "l", "--application", "",
             "--force"),
    "task": ("add", "task", "New one", "--force"),
    "tick": ("task", "done", "old task"),
}  # fmt: skip
OLD = "## [2020-01-01-00000%d] Old %s\n\nText.\n\n"
_STAMP = re.compile(rb"20[2-9]\d-\d\d-\d\d-\d{6}")


def prepare(root: Path) -> None:
    """Write a directory with something to supersede and something to tick."""
    shutil.rmtree(root, ignore_errors=True)
    (root / "decisions").mkdir(parents=True)
    (root / "DECISIONS.md").write_text(f"# Decisions\n\n{OLD % (1, 'here')}")
    (root / "decisions" / "a.md").write_text(OLD % (2, "there"))
    (root / "TASKS.md").write_text("# Tasks\n\n- [ ] Old task\n- [ ] Other\n")


def kept(root: Path) -> dict[str, bytes]:
    return {
        str(one.relative_to(root)): _STAMP.sub(b"NOW", one.read_bytes())
        for one in root.rglob("*")
        if one.is_file() and not one.name.startswith(".")
    }


def run(root: Path, command: str, arm: Callable[[], None]) -> tuple[int, bytes]:
    def first() -> None:
        os.environ["CTX_NO_CACHE"] = "1"  # what dies in the store is tested with the store
        arm()

    return until(first, *COMMANDS[command], "--dir", str(root))


def steps(old: dict[str, bytes], new: dict[str, bytes]) -> list[dict[str, bytes]]:
    """Return the states that a death may leave: the new entry comes before the mark elsewhere."""
    changed = [name for name in new if new[name] != old.get(name)]
    first = {name: new[name] for name in changed[:1]}
    states = [old, {**old, **first}, new]
    assert "decisions/a.md" not in first
    return states if len(changed) > 1 else [old, new]


def die(root: Path, way: str, command: str) -> dict[str, object]:
    prepare(root)
    old = kept(root)
    assert run(root, command, lambda: None) == (0, b"")
    new = dict(sorted(kept(root).items()))
    states = steps(old, new)
    met = set()
    died, wrong, number = 0, [], 0
    while True:
        prepare(root)
        at = moment(number, way, BYTES)
        code, said = run(root, command, WAYS[way](at))
        failed = code == UNREADABLE or b"does not say so itself" in said
        if code < 0 or (way == "full" and failed and said.count(b"\n") == 1):
            died += 1
        elif code or kept(root) != new:
            wrong.append((at, "itself", said.decode()))
        if kept(root) not in states:
            wrong.append((at, "neither old nor new", said.decode()))
        else:
            met.add(states.index(kept(root)))
        survived = died <= number
        code, said = run(root, command, lambda: None)
        if code:
            wrong.append((at, "next", said.decode()))
        number += 1
        if survived or number > MOST:
            break
    if way == "calls" and met != set(range(len(states))):
        wrong.append((number, "never met", str(met)))
    return {"died": died, "tried": number, "wrong": wrong}


@posix
@pytest.mark.parametrize(
    ("command", "way"),
    [*((command, "calls") for command in COMMANDS), ("there", "bytes"), ("there", "full")],
)
def test_a_death_leaves_the_old_files_or_the_new_ones(
    tmp_path: Path, command: str, way: str
) -> None:
    check_deaths(
        "tests.edit.test_writing", tmp_path, f"{way}:{command}",
        least=5 if way == "calls" else 0, inside="/.context",
    )  # fmt: skip


if __name__ == "__main__":
    sys.stdout.write(json.dumps(die(Path(sys.argv[1]), *sys.argv[2].split(":"))))
