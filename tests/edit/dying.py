"""Imports that die at one moment after another; each is followed by one that lives.

    python -m tests.edit.dying FOLDER calls|halves|bytes|full

Prints one JSON object: how many died or failed, and after which of them the next import
made other files than an undisturbed one. A program of its own, so that it can fork.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ctx.cli.session import import_  # noqa: F401 - what a run imports: forks start from here
from ctx.errors import UNREADABLE
from ctx.sessions import importing
from tests.dying import dies_at_byte, fails_at_byte
from tests.forked import until
from tests.imported import sessions_of
from tests.sampling import moment

BYTES = 61
"""Step from one limit of a file's size to the next; a prime meets no boundary twice."""
MOST = 500
"""An end in any case."""
CALLS = (
    "open", "write", "fsync", "truncate", "replace", "rename", "mkdir", "unlink", "link", "close",
    "chmod", "rmdir",
)  # fmt: skip
_WRITE = os.write
FRAGMENT = b'{"id": "a0", "session": "a", "te'


def prepare(root: Path) -> None:
    """Leave what an import that died and one of a hand edit could have left."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    folder = sessions_of(root)
    shutil.rmtree(folder)
    folder.mkdir()
    turn = {"id": "old", "session": "a", "ts": "", "role": "user", "text": "old"}
    (folder / "a.jsonl").write_bytes(json.dumps(turn).encode() + b"\n" + FRAGMENT)
    turn["session"] = "b"
    (folder / "b.jsonl").write_bytes(json.dumps(turn).encode())


def source(path: Path) -> None:
    """Write a transcript with one of everything: two sessions, no ids, same ids, torn lines."""
    lines = []
    for number in range(60):
        session = "ab"[number % 2]
        turn = {"session": session, "role": "user", "text": f"Text {number % 7} " * 3}
        if number % 3:
            turn["id"] = f"m{number // 6}"
        lines.append(json.dumps(turn))
        if number % 20 == 0:
            lines.append(f"torn {number}")
    path.write_text("\n".join(lines), encoding="utf-8")


def run(arm: Callable[[], None], *arguments: str) -> tuple[int, bytes]:
    """Run ``ctx session import`` in a fork after ``arm``; return its status and errors."""

    def first() -> None:
        importing.BUFFER = 300
        os.environ["CTX_NO_CACHE"] = "1"  # what dies in the store is tested with the store
        arm()

    return until(first, "session", "import", *arguments)


def _dies_at_call(number: int) -> Callable[[], None]:
    """Kill the process before the call ``number`` of those that change files."""
    return lambda: _count(number, lambda _name, _arguments: None)


def _dies_in_a_write(number: int) -> Callable[[], None]:
    """As at a call, but a write has written its first half by then."""

    def half(name: str, arguments: tuple[Any, ...]) -> None:
        if name == "write":
            _WRITE(arguments[0], arguments[1][: len(arguments[1]) // 2])

    return lambda: _count(number, half)


def _count(number: int, before: Callable[[str, tuple[Any, ...]], None]) -> None:
    left = [number]

    def wrap(name: str) -> None:
        real = getattr(os, name)

        def call(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - any call of os
            left[0] -= 1
            if left[0] < 0:
                before(name, arguments)
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **named)

        setattr(os, name, call)

    for name in CALLS:
        wrap(name)


WAYS = {
    "calls": _dies_at_call,
    "halves": _dies_in_a_write,
    "bytes": dies_at_byte,
    "full": fails_at_byte,
}


def files(root: Path) -> dict[str, bytes]:
    folder = sessions_of(root)
    every = (one for one in folder.rglob("*") if one.is_file())
    return {str(one.relative_to(folder)): one.read_bytes() for one in every}


def die(base: Path, way: str) -> dict[str, object]:
    root, path = base / ".context", base / "log.jsonl"
    base.mkdir(exist_ok=True)
    source(path)
    arguments = (str(path), "--dir", str(root))
    prepare(root)
    assert run(lambda: None, *arguments)[0] == 0
    right = files(root)
    assert len(right["a.jsonl"].splitlines()) == len(right["b.jsonl"].splitlines()) == 31
    died, wrong, number = 0, [], 0
    while True:
        prepare(root)
        at = moment(number, way, BYTES)
        code, said = run(WAYS[way](at), *arguments)
        if code < 0 or (way == "full" and code == UNREADABLE and said.count(b"\n") == 1):
            died += 1
        elif code or files(root) != right:
            wrong.append((at, "itself", said.decode()))
        survived = died <= number
        for _ in range(1 if number % 8 else 2):
            code, said = run(lambda: None, *arguments)
            if code or not _same(files(root), right):
                wrong.append((at, "next", said.decode()))
        number += 1
        if survived or number > MOST:
            break
    return {"died": died, "tried": number, "wrong": wrong}


def _same(found: dict[str, bytes], right: dict[str, bytes]) -> bool:
    """Whether all is as it should be, but for more fragments and what nobody reads."""
    kept = {name: data for name, data in found.items() if name in right}
    fragments = kept.pop("aside/a.txt", b"").split(b"\n")
    expected = {name: data for name, data in right.items() if name != "aside/a.txt"}
    return kept == expected and FRAGMENT in fragments


if __name__ == "__main__":
    os.environ["CTX_STATE_DIR"] = f"{sys.argv[1]}/state"  # in memory, where the folder is
    sys.stdout.write(json.dumps(die(Path(sys.argv[1]), sys.argv[2])))
