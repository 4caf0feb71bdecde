"""Which rules for files a session was given: a file each, to which hooks append at once."""

from __future__ import annotations

import os

from ctx.digest import blake2b
from ctx.store.folder import below, contents, encoded, path_of, prune, remove, replace

FOLDER = "given"
STARTED = "#started"  # noted of a session that had a packet, in which the rules for all files are
FIRST = "#first"  # noted of a session that had more than its rules
COPIED = "#copied"  # noted of a session whose window began as a copy of another one's
MOST = 256  # sessions that are kept; those that received nothing for the longest time go first
LOADED = "-loaded"  # at the end of the name of a call for which the host loads them by itself


def unsent(state: str, session: str, names: list[str]) -> list[str]:
    """Return those of ``names`` that ``session`` was not given; all without a session."""
    if not (state and session and names):
        return names
    first = _first(path_of(state, FOLDER, session))
    return [name for name in names if _digest(name) not in first]


def claim(state: str, session: str, names: list[str], call: str = "") -> list[str]:
    """Note that ``session`` is given ``names``; return the new ones, or all if that fails.

    ``call`` names what gives them, for ``retract``, and begins with its time (``World.now_ns``).
    """
    if not (state and session and names):
        return names
    path, own = path_of(state, FOLDER, session), f"{call}.{os.urandom(8).hex()}".encode()
    folder = below(state, FOLDER)
    if not folder:
        return names
    if os.path.lexists(path) and contents(path) is None:
        remove(path)  # a link, a pipe, or a file that others may write to
    if not os.path.exists(path):
        prune(folder, MOST - 1)
    lines = b"".join(b"%s %s\n" % (_digest(name), own) for name in names)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
        flags |= getattr(os, name, 0)
    try:
        file = os.open(path, flags, 0o600)
        try:
            os.write(file, lines)
        finally:
            os.close(file)
    except OSError:
        return names
    first = _first(path)
    return [name for name in names if first.get(_digest(name), own) == own]


def inherit(state: str, parent: str, session: str) -> None:
    """Note that ``session`` was given what ``parent`` was given until now."""
    data = state and session and contents(path_of(state, FOLDER, parent))
    if data and below(state, FOLDER):
        replace(path_of(state, FOLDER, session), data)


def take_back(state: str, session: str, until: float, since: float) -> None:
    """Forget what ``session`` was given between two times, in seconds since the epoch."""
    path = path_of(state, FOLDER, session)
    lines = (contents(path) or b"").splitlines(keepends=True)
    replace(path, b"".join(line for line in lines if not until < _time(line) < since))


def retract(state: str, session: str, call: str) -> None:
    """Forget what calls whose names end in ``call`` gave ``session``: it did not arrive."""
    path = path_of(state, FOLDER, session)
    lines = (contents(path) or b"").splitlines(keepends=True)
    kept = [line for line in lines if f"{call}.".encode() not in line]
    if len(kept) < len(lines):
        replace(path, b"".join(kept))


def forget(state: str, session: str) -> None:
    """Forget what ``session`` was given: its window holds nothing of it any more."""
    if state and session:
        remove(path_of(state, FOLDER, session))


def _time(line: bytes) -> float:
    call = line.partition(b" ")[2].partition(b".")[0].partition(b"-")[0]
    return int(call or b"0", 16) / 1e9


def _first(path: str) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for line in (contents(path) or b"").splitlines():
        name, _, who = line.partition(b" ")
        found.setdefault(name, who)
    return found


def _digest(name: str) -> bytes:
    return blake2b(encoded(name), digest_size=10).hexdigest().encode()
