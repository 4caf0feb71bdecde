"""A terminal to run a command in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.hostile import environment

IN_ONE = """
import os, pty, sys
pid, handle = pty.fork()
if not pid:
    if sys.argv[1]:
        os.dup2(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT), 1)
    os.execv(sys.argv[2], sys.argv[2:])
while True:
    try:
        data = os.read(handle, 65536)
    except OSError:
        break
    if not data:
        break
    os.write(1, data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
"""A program for ``python -c``: its first argument names a file that standard output goes to
instead, empty for none; the others are the command."""

ANSWERED = """
import os, pty, sys
answers, marks = (one.encode().split(b"|") for one in sys.argv[1:3])
pid, handle = pty.fork()
if not pid:
    os.execv(sys.argv[3], sys.argv[3:])
seen, asked = b"", 0
while True:
    try:
        data = os.read(handle, 65536)
    except OSError:
        break
    if not data:
        break
    seen += data
    while answers and sum(map(seen.count, marks)) > asked:
        asked += 1
        os.write(handle, answers.pop(0) + b"\\n")
        seen += b"<" + str(asked).encode() + b">"
os.write(1, seen)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
"""The same, where each of some marks is a question: the answers are typed in turn."""


def answered(answers: str, marks: str, *arguments: str, code: int = 0, **variables: str) -> str:
    """Run ``ctx`` in a terminal, answering what ends in one of ``marks``; both are parted by |.

    Returns what the terminal is sent.
    """
    kept = environment(TERM="xterm", LC_ALL="C.UTF-8")
    for name in ("VISUAL", "EDITOR"):
        kept.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-c", ANSWERED, answers, marks, sys.executable, "-m", "ctx", *arguments],
        env=kept | variables, check=False, capture_output=True,
    )  # fmt: skip
    assert done.returncode == code, done.stdout
    return done.stdout.decode().replace("\r", "")


def in_terminal(*arguments: str, cwd: Path | None = None, out: str = "", **variables: str) -> str:
    """Run ``ctx`` in a terminal of 100 columns, its output in a file ``out`` if that is named.

    Returns what the terminal is sent; in it, lines end as in a pipe.
    """
    kept = environment(TERM="xterm", LC_ALL="C.UTF-8", COLUMNS="100")
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM"):
        kept.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-c", IN_ONE, out, sys.executable, "-m", "ctx", *arguments],
        cwd=cwd, env=kept | variables, check=True, stdin=subprocess.DEVNULL, capture_output=True,
    )  # fmt: skip
    return done.stdout.decode().replace("\r\n", "\n")
