"""A process on a terminal: types into it, and returns what a person could read there."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

CONTROLS = re.compile(
    rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?<>=]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>78]"
)
MOVES = re.compile(rb"\x1b\[\d*[CGHd]|\x1b\[\d+;\d+H")
"""Goes to another place of the screen: what follows is another word."""
STILL = 4.0
"""Seconds without news after which a screen is read."""
MOST = 45.0
"""Seconds after which it is read all the same."""
ROWS, COLUMNS = 60, 180
LITTLE = 12
"""Bytes that a spinner or a clock writes."""


def typed(
    command: list[str], folder: Path, environ: Mapping[str, str], keys: Iterable[str]
) -> list[str]:
    """Run a process on a terminal, type ``keys`` one after another, and return the lines it drew.

    Each is typed, with Enter behind it, when the screen is still. The process and all that it
    started are ended then.
    """
    child, screen = pty.fork()
    if not child:  # pragma: no cover - another process
        os.chdir(folder)
        os.execve(command[0], command, dict(environ))  # noqa: S606 - no shell is wanted
    drawn = b""
    try:
        fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        drawn = _read(screen, begins=True)
        for each in keys:
            os.write(screen, each.encode())
            drawn += _read(screen)  # an Enter that comes with the text would be a part of it
            os.write(screen, b"\r")
            drawn += b"\n" + _read(screen) + b"\n"
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        os.close(screen)
        os.waitpid(child, 0)
    plain = CONTROLS.sub(b"", MOVES.sub(b" ", drawn)).decode("utf-8", "replace")
    return [line.strip() for line in re.split(r"[\r\n]+", plain) if line.strip()]


def _read(screen: int, *, begins: bool = False) -> bytes:
    data, end = b"", time.monotonic() + MOST
    still = end if begins else time.monotonic() + STILL  # a start takes its time
    while time.monotonic() < min(still, end):
        if not select.select([screen], [], [], 0.2)[0]:
            continue
        try:
            new = os.read(screen, 1 << 16)
        except OSError:  # the process has ended
            break
        if b"\x1b[6n" in new:  # where is the cursor?
            os.write(screen, b"\x1b[1;1R")
        if b"\x1b[c" in new:  # which terminal is this?
            os.write(screen, b"\x1b[?62;c")
        data += new
        if len(CONTROLS.sub(b"", new).strip()) > LITTLE:
            still = time.monotonic() + STILL
    return data
