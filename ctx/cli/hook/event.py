"""The event that a host writes to standard input: read, bounded, and parsed.

Hosts differ: some close the pipe at once, some never do; what they send may be anything.
"""

from __future__ import annotations

import os
import select
from json import loads

from ctx.cli.hook.call import Fault

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_BYTES = 4 * 1024 * 1024
"""Of an event; what is longer is read to its end, so that its writer does not fail, and refused."""
_STDIN = 0
_CHUNK = 64 * 1024
_PAUSE = 0.05
"""Seconds without another byte after which an object that is whole is all that comes."""


def read() -> Mapping[str, object]:
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
        if size <= MOST_BYTES:
            parts.append(chunk)
        if not chunk:
            break
        if size <= MOST_BYTES and chunk.rstrip()[-1:] == b"}" and not _more():
            try:
                return parsed(b"".join(parts))
            except Fault:
                continue  # the host is only slow
    if size > MOST_BYTES:
        raise Fault("the event is over 4 MiB")
    return parsed(b"".join(parts))


def _more() -> bool:
    """Whether another byte, or the end, comes within a pause."""
    if os.name != "posix":
        return True  # nothing but sockets can be asked there
    return bool(select.select([_STDIN], [], [], _PAUSE)[0])


def parsed(data: bytes) -> Mapping[str, object]:
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
