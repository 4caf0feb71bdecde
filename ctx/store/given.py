"""Which rules for files a session was given: a file each, to which hooks append at once."""

from __future__ import annotations

import os

from ctx.digest import blake2b
from ctx.store.folder import below, contents, encoded, path_of, prune, remove, replace

FOLDER = "given"
MOMENTS = "moments"  # who answers which moment of a session
STARTED = "#started"  # noted of a session that had a packet, in which the rules for all files are
FIRST = "#first"  # noted of a session whose window had more than its rules
MOST = 256  # files that are kept in each folder; those that nothing came to for longest go first
_PARENT = "#parent"  # notes from which session a window was copied
_DEEPEST = 20  # forks of forks that are followed
_HELD_NS = 10**10  # after which who has not ended died: hosts wait no longer for a hook


def unsent(state: str, session: str, names: list[str]) -> list[str]:
    """Return those of ``names`` that ``session`` was not given; all without a session."""
    if not (state and session and names):
        return names
    holders = _holders(state, session, names)
    return [name for name in names if name not in holders]


def claim(state: str, session: str, names: list[str], call: str = "") -> list[str]:
    """Note that ``session`` is given ``names``; return the new ones, or all if that fails.

    ``call`` names what gives them, for ``retract``.
    """
    if not (state and session and names):
        return names
    path, own = path_of(state, FOLDER, session), f"{call}.{os.urandom(8).hex()}".encode()
    lines = b"".join(b"%s %s\n" % (_digest(session, name), own) for name in names)
    if not _appended(state, FOLDER, path, lines):
        return names
    holders = _holders(state, session, names)
    return [name for name in names if holders.get(name, own) == own]


def inherit(state: str, parent: str, session: str) -> None:
    """Note that ``session`` was given what ``parent`` was given until now."""
    path = path_of(state, FOLDER, parent)
    size = len(contents(path) or b"")
    line = b"%s %d %s\n" % (_digest(session, _PARENT), size, encoded(parent))
    _appended(state, FOLDER, path_of(state, FOLDER, session), line)


def begins(state: str, moment: str, began_ns: int) -> bool:
    """Note that a hook that was started at ``began_ns`` answers a moment of a session.

    False where another one does: it has not ended, or ended only after this one was started.
    """
    path, own = path_of(state, MOMENTS, moment), b"%d" % os.getpid()
    if not _appended(state, MOMENTS, path, b"%s %d +\n" % (own, began_ns)):
        return True
    holder, since, ended = b"", 0, 0
    for who, time, what in map(bytes.split, (contents(path) or b"").splitlines()):
        if what == b"-" and who == holder:
            holder, ended = b"", int(time)
        elif what == b"+" and int(time) > ended:
            lost = abs(int(time) - since) > _HELD_NS or not _lives(holder or own)
            holder, since = (who, int(time)) if lost or not holder else (holder, since)
    return holder == own


def _lives(process: bytes) -> bool:
    """Whether a process may still be there."""
    try:
        if os.name == "posix":  # elsewhere to ask it would end it
            os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's, who took its number
    return True


def ends(state: str, moment: str, now_ns: int) -> None:
    """Note that the hook that answers a moment has ended."""
    _appended(state, MOMENTS, path_of(state, MOMENTS, moment), b"%d %d -\n" % (os.getpid(), now_ns))


def _appended(state: str, name: str, path: str, lines: bytes) -> bool:
    """Append lines to a file of a folder, at once; return whether that worked."""
    folder = below(state, name)
    if folder and not os.path.exists(path):
        prune(folder, MOST - 1)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    try:
        file = os.open(path if folder else "", flags | getattr(os, "O_BINARY", 0), 0o600)
        try:
            os.write(file, lines)
        finally:
            os.close(file)
    except OSError:
        return False
    return True


def retract(state: str, session: str, call: str) -> None:
    """Forget what ``call`` gave ``session``: it did not arrive."""
    path = path_of(state, FOLDER, session)
    lines = (contents(path) or b"").splitlines(keepends=True)
    own = f" {call}.".encode()
    replace(path, b"".join(line for line in lines if own not in line))


def forget(state: str, session: str) -> None:
    """Forget what ``session`` was given: its window holds nothing of it any more."""
    if state and session:
        remove(path_of(state, FOLDER, session))


def _holders(
    state: str, session: str, names: list[str], size: int | None = None, deep: int = 0
) -> dict[str, bytes]:
    """Return who was the first to give each of ``names``, by the first ``size`` bytes."""
    first: dict[bytes, bytes] = {}
    data = contents(path_of(state, FOLDER, session)) or b""
    for line in data[:size].splitlines() if size is None or size <= len(data) else ():
        name, _, who = line.partition(b" ")
        first.setdefault(name, who)
    digests = ((name, _digest(session, name)) for name in names)
    found = {name: first[digest] for name, digest in digests if digest in first}
    above = first.get(_digest(session, _PARENT))
    if above and deep < _DEEPEST:
        most, _, name = above.partition(b" ")
        parent = name.decode("utf-8", "surrogatepass")
        found |= _holders(state, parent, names, int(most), deep + 1)
    return found


def _digest(session: str, name: str) -> bytes:
    """Return a digest by which sessions that share a file do not share their names."""
    return blake2b(encoded(f"{session}\0{name}"), digest_size=10).hexdigest().encode()
