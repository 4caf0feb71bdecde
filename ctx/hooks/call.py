"""One call of a hook: its options, its event, and its line in ``hook.log``."""

from __future__ import annotations

import os
import select
import stat
import time
from json import loads

from ctx.app.options import ALL, HookOptions, plain

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.model import JsonObject
    from ctx.world import World


OPTIONS = {name: ALL[name] for name in ("budget", "context-length", "cooldown", "deadline", "dir")}
"""The options of ``ctx hook run``."""
OUTCOMES = ("answered", "silent", "quiet", "ignored", "fault", "deadline")
"""What becomes of a call: a packet was printed, which the host may drop; nothing is new;
the same was printed a moment ago; the tool has no such event; something is wrong; it took too
long."""
SECONDS = 2.0  # the deadline, where nobody sets another
MOST_SECONDS = 600.0  # more is no deadline: hosts give up before


class Fault(Exception):  # noqa: N818 - the log shows this name
    """Something is wrong, and the log says what: in words that hold nothing of the event."""


class Call:
    """One call: what is known of it, for the log."""

    __slots__ = ("began", "event", "options", "outcome", "reason", "tool")

    def __init__(self, tool: str, event: str, options: HookOptions) -> None:
        self.began = time.monotonic()
        self.tool = tool
        self.event = event
        self.options = options
        self.outcome = "fault"  # one of ``OUTCOMES``
        self.reason = ""  # why, in words that hold nothing of the event

    def ends(self, outcome: str, reason: str = "") -> None:
        """Keep what became of it."""
        self.outcome, self.reason = outcome, reason


def read_call(arguments: Sequence[str]) -> Call | None:
    """Return the call of two names and plain options; None where typer must look."""
    match plain(arguments, OPTIONS):
        case [tool, event], given:
            return Call(tool, event, HookOptions(**given))
        case _:
            return None


def seconds(text: str) -> float | None:
    """Return the deadline in ``text``, such as 2, 0.5 or 3s; None where it is none."""
    try:
        found = float(text.strip().removesuffix("s"))
    except ValueError:
        return None
    return min(found, MOST_SECONDS) if found > 0 else None


MOST_EVENT_BYTES = 4 * 1024 * 1024  # a longer event is read to its end, and refused
_STDIN = 0
_CHUNK = 64 * 1024
_PAUSE = 0.05  # seconds without another byte after which an object that is whole is all that comes


def read_event() -> JsonObject:
    """Return the event on standard input; raises Fault where there is none.

    Waits for the end of the input, or for the end of the object where the host leaves the
    pipe open: the deadline is for the caller to keep.
    """
    parts: list[bytes] = []
    size = 0
    while True:
        try:
            chunk = os.read(_STDIN, _CHUNK)
        except BlockingIOError:  # a host's own pipe, which does not wait
            select.select([_STDIN], [], [])
            continue
        except OSError:
            chunk = b""  # closed, or a folder
        size += len(chunk)
        if size <= MOST_EVENT_BYTES:
            parts.append(chunk)
        if not chunk:
            break
        if size <= MOST_EVENT_BYTES and chunk.rstrip()[-1:] == b"}" and not _more():
            try:
                return parsed(b"".join(parts))
            except Fault:
                continue  # the host is only slow
    if size > MOST_EVENT_BYTES:
        raise Fault("the event is over 4 MiB")
    return parsed(b"".join(parts))


def _more() -> bool:
    """Whether another byte, or the end, comes within a pause."""
    if os.name != "posix":
        return True  # nothing but sockets can be asked there
    return bool(select.select([_STDIN], [], [], _PAUSE)[0])


def parsed(data: bytes) -> JsonObject:
    """Return the JSON object in ``data``; raises Fault where it is none."""
    if not data.strip():
        raise Fault("no event on standard input")
    try:
        found = loads(data)
    except RecursionError:
        raise Fault("the event is nested too deeply") from None
    except ValueError:  # not UTF-8, not JSON, or a number of thousands of digits
        raise Fault("the event is not JSON") from None
    if not isinstance(found, dict):
        raise Fault("the event is not a JSON object")
    return found


NAME = "hook.log"
OLD = "hook.log.1"
MOST_BYTES = 64 * 1024  # of one file; then it becomes the old one, and the old one goes
_WORD = 40  # characters of a name that a host may have made up


def note(call: Call, root: str, world: World) -> None:
    """Add the line of ``call`` to the log of the directory ``root``."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    took = f"{(time.monotonic() - call.began) * 1000:.0f} ms"
    fields = (now, _plain(call.tool), _plain(call.event), call.outcome, call.reason or "-", took)
    line = "\t".join(fields).encode("ascii", "replace") + b"\n"
    try:
        store = world.store(root)
        if store.state and not store.is_ready():
            store = world.store(root, make=True)
        if store.state:
            _append(store.state, line)
    except OSError:
        return  # full, or read-only: there is nowhere to report it


def _plain(name: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in name[:_WORD]) or "-"


def _append(store: str, line: bytes) -> None:
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
    """Return the newest line of each tool in the log of ``store``, as its ``FIELDS``."""
    found: dict[str, list[str]] = {}
    for name in (OLD, NAME):
        for line in _lines(os.path.join(store, name)):
            fields = line.split("\t")
            if len(fields) == len(FIELDS):
                found[fields[1]] = fields
    return found


FIELDS = ("time", "tool", "event", "outcome", "reason", "took")  # what a line holds


def _lines(path: str) -> list[str]:
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return []
        with open(path, "rb") as file:
            return file.read(2 * MOST_BYTES).decode("ascii", "replace").splitlines()
    except OSError:
        return []  # nothing was called yet
