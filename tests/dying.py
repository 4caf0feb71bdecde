"""Runs of ctx that die at one moment after another; each is followed by one that lives.

    python -m tests.dying CONTEXT_DIRECTORY calls|bytes|full [--piling]

Prints one JSON object: how many runs died, and after which the next one said something
else than a run without a store says. A program of its own, so that it can fork.
"""

import json
import os
import resource
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ctx.app import packet  # all that a run imports: forks start from here
from ctx.cli.main import main
from ctx.read import card, record
from ctx.store import parse_cache
from tests.keeping import cache, keeping
from tests.sampling import moment

LOADED = (packet, card, record, parse_cache)
BYTES = 1021
"""Step from one limit of a file's size to the next; a prime meets no boundary twice."""
LARGEST = 40 * BYTES


def run(root: Path, arm: Callable[[], None], **variables: str) -> tuple[int, bytes, bytes]:
    """Run ``ctx agent`` in a fork after ``arm``; return status, output and errors.

    Through pipes, which hold a packet of this size: limits on files must not cut the output.
    """
    pipes = (os.pipe(), os.pipe())
    child = os.fork()
    if child == 0:
        for (_, writing), descriptor in zip(pipes, (1, 2), strict=True):
            os.dup2(writing, descriptor)
        os.environ.update(variables)
        arm()
        os._exit(main(["agent", "--dir", str(root), "--as-of", "2026-11-21"]))
    for _, writing in pipes:
        os.close(writing)
    out, err = (_all(reading) for reading, _ in pipes)
    return os.waitpid(child, 0)[1], out, err


def _all(descriptor: int) -> bytes:
    with open(descriptor, "rb") as file:
        return file.read()


_CALLS = frozenset({"open", "os.mkdir", "os.rename", "os.remove", "os.scandir"})


def _dies_at_call(number: int) -> Callable[[], None]:
    """Kill the process before the call ``number`` that concerns the store."""
    left = [number]

    def count(*_what: object) -> None:
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    connect, homes = sqlite3.connect, keeping().values()

    def traced(*arguments: Any, **named: Any) -> sqlite3.Connection:  # noqa: ANN401
        # Not by an audit hook: a connection cannot be traced before it is made.
        database: sqlite3.Connection = connect(*arguments, **named)
        database.set_trace_callback(count)
        return database

    def audit(event: str, arguments: tuple[object, ...]) -> None:
        if event in _CALLS and any(home in str(arguments[0]) for home in homes):
            count()

    def arm() -> None:
        sqlite3.connect = traced  # type: ignore[assignment] # in a fork that is to die
        sys.addaudithook(audit)

    return arm


def dies_at_byte(number: int) -> Callable[[], None]:
    """Kill the process where a file would pass ``number`` bytes; what fits is written."""

    def arm() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        _limit(number)

    return arm


def fails_at_byte(number: int) -> Callable[[], None]:
    """Let every write fail that would make a file pass ``number`` bytes, as on a full disk."""
    return lambda: _limit(number)


def _limit(number: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (number, number))


WAYS = {"calls": _dies_at_call, "bytes": dies_at_byte, "full": fails_at_byte}


def _edit(root: Path, number: int) -> None:
    more = "more " * (number % 2)
    text = f"## [2026-03-02] Edited\n\n{more}\n" + "It is long. " * 500
    (root / "decisions" / "edited.md").write_text(text, encoding="utf-8")


def _nothing() -> None:
    return


def die(root: Path, way: str, *, piling: bool) -> dict[str, object]:
    """Die at every moment in turn; what a death leaves is cleared, or piles up."""
    right = {}
    for number in (0, 1):
        _edit(root, number)
        right[number] = run(root, _nothing, CTX_NO_CACHE="1")
    died, wrong, numbers = 0, [], range(400)
    for number in numbers:
        if not piling:
            shutil.rmtree(cache(root), ignore_errors=True)
        _edit(root, number)
        at = moment(number, way, BYTES)
        status, *said = run(root, WAYS[way](at))
        if status and os.waitstatus_to_exitcode(status) < 0:
            died += 1
        elif (status, *said) != right[number % 2]:
            wrong.append((number, "itself", said[1].decode()))
        for _ in range(2):
            after = run(root, _nothing)
            if after != right[number % 2]:
                wrong.append((number, "next", after[2].decode()))
        if not status and (way == "calls" or at > LARGEST):
            break
    return {"died": died, "tried": number + 1, "wrong": wrong, "said": len(right[0][1])}


if __name__ == "__main__":
    _now = time.time_ns
    time.time_ns = lambda: _now() + 60 * 10**9  # so that everything written is settled
    sys.stdout.write(json.dumps(die(Path(sys.argv[1]), sys.argv[2], piling="--piling" in sys.argv)))
