"""``hook.log`` in the state of a directory: what became of each call of a hook, a line each.

A hook says nothing where something is wrong, so that it never disturbs its host: this is where
it is said. Nothing of a prompt, a file or a setting is in it. Best effort: where it cannot be
written, the call goes on as if it had been.
"""

from __future__ import annotations

import os
import stat
import time

from ctx.store.folder import is_private

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from ctx.cli.hook.call import Call
    from ctx.cli.world import World

NAME = "hook.log"
OLD = "hook.log.1"
MOST_BYTES = 64 * 1024
"""Of one file; then it becomes the old one, and the old one goes."""
_WORD = 40
"""Characters of a name that a host may have made up."""


def note(call: Call, root: str, world: World) -> None:
    """Add the line of ``call`` to the log of the directory ``root``."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    took = f"{(time.monotonic() - call.began) * 1000:.0f} ms"
    fields = (now, _plain(call.tool), _plain(call.event), call.outcome, call.reason or "-", took)
    line = "\t".join(fields).encode("ascii", "replace") + b"\n"
    try:
        store = world.places(root).state
        if store and not is_private(store):
            store = world.prepare(root).state
        if store:
            _append(store, line)
    except OSError:
        return  # full, or read-only: there is nowhere to say so


def _plain(name: str) -> str:
    """Return what a host called something as one word."""
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in name[:_WORD]) or "-"


def _append(store: str, line: bytes) -> None:
    """Add ``line``, and begin another file after the last that there is room for."""
    path = os.path.join(store, NAME)
    # Neither a link is followed nor a pipe waited for: the directory may be from elsewhere.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC"):
        flags |= getattr(os, name, 0)
    log = os.open(path, flags, 0o600)
    try:
        status = os.fstat(log)
        if stat.S_ISREG(status.st_mode):
            os.write(log, line)
    finally:
        os.close(log)
    if status.st_size + len(line) > MOST_BYTES:
        _begin_anew(path, os.path.join(store, OLD))


def _begin_anew(path: str, old: str) -> None:
    """Make the log the ``old`` one; where that cannot be, it goes: it is not to grow for ever."""
    try:
        os.replace(path, old)
    except OSError:  # a folder, say
        os.unlink(path)


def last(store: str) -> dict[str, list[str]]:
    """Return the newest line of each tool in the log of ``store``, as its fields.

    They are time, tool, event, outcome, reason and duration, all text; see ``call.OUTCOMES``.
    """
    found: dict[str, list[str]] = {}
    for name in (OLD, NAME):
        for line in _lines(os.path.join(store, name)):
            fields = line.split("\t")
            if len(fields) == len(FIELDS):
                found[fields[1]] = fields
    return found


FIELDS = ("time", "tool", "event", "outcome", "reason", "took")
"""What a line holds."""


def _lines(path: str) -> list[str]:
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return []
        with open(path, "rb") as file:
            return file.read(2 * MOST_BYTES).decode("ascii", "replace").splitlines()
    except OSError:
        return []  # nothing was called yet
