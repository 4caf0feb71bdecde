"""Compactions that die at one moment after another; each is followed by one that lives.

    python -m tests.sessions.compacting FOLDER calls|halves|bytes|full

Prints one JSON object: how many died or failed, and after which of them the next compaction
made other bytes than an undisturbed one. A program of its own, so that it can fork.
"""

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ctx.cli.session import compact  # noqa: F401 - what a run imports: forks start from here
from ctx.errors import UNREADABLE
from tests.forked import until
from tests.imported import sessions_of
from tests.sampling import moment

BYTES = 401
"""Step from one limit of a file's size to the next; a prime meets no boundary twice."""
MOST = 500
"""An end in any case."""
_WHEN = re.compile(rb'"compacted": "[^"]*"')


def session(path: Path, turns: Iterable[Mapping[str, object] | bytes]) -> None:
    """Add turns to a session, or lines that are none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        for turn in turns:
            file.write(turn if isinstance(turn, bytes) else json.dumps(turn).encode())
            file.write(b"\n")


def turns(count: int, start: int = 0) -> list[dict[str, object]]:
    """Return turns with one of everything: rules, bundles, tool output, no ids and same ids."""
    made: list[dict[str, object]] = []
    for number in range(start, start + count):
        role = ("user", "assistant", "tool")[number % 3]
        text = f"The gate {number} was moved to the wall {number * 7}. It took {number % 9} days."
        turn: dict[str, object] = {"role": role, "text": text, "session": "s"}
        if number % 13 == 0:
            turn |= {"role": "user", "text": f"Never open the gate {number} at night."}
        if number % 10:
            turn["id"] = f"t{number}"
        if number % 7 in (2, 4):
            turn["bundle"] = f"b{number // 7}"
        if number % 4:
            turn["ts"] = f"2026-01-{1 + number % 28:02}T00:00:00Z"
        made.append(turn)
    return made


def run(arm: Callable[[], None], *arguments: str) -> tuple[int, bytes]:
    """Run ``ctx session compact`` in a fork after ``arm``; return its status and errors."""
    return until(arm, "session", "compact", "--size", "2", "--budget", "400", *arguments)


def _summaries(root: Path) -> bytes:
    path = sessions_of(root) / "summaries" / "s.jsonl"
    return _WHEN.sub(b"", path.read_bytes()) if path.exists() else b""


def prepare(root: Path) -> None:
    """Leave a session that has grown since it was compacted."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    shutil.rmtree(sessions_of(root))
    session(sessions_of(root) / "s.jsonl", turns(30))
    assert run(lambda: None, "--dir", str(root))[0] == 0
    session(sessions_of(root) / "s.jsonl", turns(40, 30))


def die(base: Path, way: str) -> dict[str, object]:
    """Die at every moment in turn; compare what the next compaction makes of it."""
    from tests.edit.dying import WAYS  # for systems that have such accounting

    root = base / ".context"
    arguments = ("--dir", str(root))
    prepare(root)
    kept = base / "kept"
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(sessions_of(root), kept)
    assert run(lambda: None, *arguments)[0] == 0
    right = _summaries(root)
    assert b'"level": 2' in right
    assert b'"type": "elevated"' in right
    whole = (sessions_of(root) / "s.jsonl").read_bytes()
    died, wrong, number = 0, [], 0
    while True:
        shutil.rmtree(sessions_of(root))
        shutil.copytree(kept, sessions_of(root), dirs_exist_ok=True)
        at = moment(number, way, BYTES)
        code, said = run(WAYS[way](at), *arguments)
        survived = True
        if code < 0 or (way == "full" and code == UNREADABLE and said.count(b"\n") == 1):
            died, survived = died + 1, False
        elif code or _summaries(root) != right:
            wrong.append((at, "itself", said.decode()))
        for _ in range(1 if number % 8 else 2):
            code, said = run(lambda: None, *arguments)
            if code or _summaries(root) != right:
                wrong.append((at, "next", said.decode()))
        if (sessions_of(root) / "s.jsonl").read_bytes() != whole:
            wrong.append((at, "session", ""))
        number += 1
        if survived or number > MOST:
            break
    return {"died": died, "tried": number, "wrong": wrong}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(die(Path(sys.argv[1]), sys.argv[2])))
