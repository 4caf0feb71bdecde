"""The files that hold hooks, changed in one step: who dies in between leaves the old or the new."""

import os
from collections.abc import Callable
from contextlib import suppress
from operator import itemgetter
from typing import NamedTuple

from ctx.edit import atomic
from ctx.edit.atomic import explained
from ctx.edit.links import STRICT, Links, make_folder, real
from ctx.errors import FileError
from ctx.hooks.settings import Hook, Wanted, hooks_in, removed, with_hooks

TRIES = 3  # times that a file is read again because it changed meanwhile
LARGEST = 16 * 1024 * 1024  # bytes of a file that is changed


class File(NamedTuple):
    """A file that holds hooks, or will."""

    path: str
    links: Links = STRICT  # which links are followed where it is written
    made: int = 0  # how many folders above it ctx makes, and removes when they are empty


class Change(NamedTuple):
    """What is done to a file, or would be."""

    before: bytes | None  # what it holds; None where there is none
    after: bytes | None  # what it is to hold; None where it is to go
    mode: int | None = None  # permission bits of the file; None for those that it has, or usual

    @property
    def changes(self) -> bool:
        """Whether the file becomes another."""
        return self.before != self.after


Plan = Callable[[bytes | None], Change]  # takes the file's bytes, None where there is none


def look(file: File, plan: Plan) -> Change:
    """Return what ``plan`` would do. Raises FileError where the file cannot be taken."""
    return plan(_read(file))


def carry_out(file: File, plan: Plan, *, timeout: float = atomic.TIMEOUT) -> Change:
    """Do what ``plan`` says, and return it; on a FileError the file is as it was."""
    change = look(file, plan)
    if not change.changes:
        return change
    if os.path.exists(file.path) and not os.access(file.path, os.W_OK):
        raise FileError(f"{file.path}: is read-only", "make it writable, then try again")
    make_folder(os.path.dirname(file.path), file.links)
    try:
        with atomic.lock(file.path, timeout=timeout, links=file.links):
            return _attempts(file, plan)
    finally:
        if not os.path.lexists(file.path):
            _remove_folders(file)


def _attempts(file: File, plan: Plan) -> Change:
    for _ in range(TRIES):
        change = look(file, plan)
        if not change.changes or (_read(file) == change.before and _write(file, change)):
            return change
    raise FileError(f"{file.path}: changes while it is written", "try again when it is done")


def _write(file: File, change: Change) -> bool:
    """Carry out ``change``; return False where the file is not what it was made from."""
    if change.after is None:
        with explained(file.path, "removed"):
            os.unlink(os.path.realpath(file.path))
    elif change.before is None and not os.path.islink(file.path):
        if not atomic.create(file.path, change.after, links=file.links):
            raise FileError(f"{file.path}: was made meanwhile", "try again")
        if change.mode is not None:
            with explained(file.path, "made executable"):
                os.chmod(file.path, change.mode)
    else:
        # Asked when all else is done: a tool may save its settings at any moment.
        return atomic.write(
            file.path,
            change.after,
            mode=change.mode,
            still=lambda: _read(file) == change.before,
            links=file.links,
        )
    return True


def _read(file: File) -> bytes | None:
    target = real(file.path, file.links)
    with suppress(OSError):
        if os.path.getsize(target) > LARGEST:
            raise FileError(
                f"{file.path}: is larger than {LARGEST // 1024**2} MB", "make it smaller"
            )
    return atomic.read(file.path)


def _remove_folders(file: File) -> None:
    folder = os.path.dirname(file.path)
    for _ in range(file.made):
        try:
            os.rmdir(folder)
        except OSError:
            return  # something else is in it
        folder = os.path.dirname(folder)


def holding(file: File, tool: str, name: str) -> list[Hook]:
    """Return the hooks that run ctx for ``tool`` in a file. Raises FileError."""
    data = _read(file)
    return [] if data is None else hooks_in(data, tool, name)


def to_install(wanted: Wanted, name: str) -> Plan:
    """Return the plan that puts in what is wanted instead of own hooks; a person's count, too."""

    def plan(data: bytes | None) -> Change:
        there = hooks_in(data, wanted.tool, name) if data is not None else []
        by_hand = {hook.event for hook in there if not hook.own}
        asked = tuple(pair for pair in wanted.entries if pair[0] not in by_hand)
        own = [(hook.event, hook.entry) for hook in there if hook.own]
        if sorted(own, key=itemgetter(0)) == sorted(asked, key=itemgetter(0)):
            return Change(data, data)
        base = data
        if data is not None and own:
            base = removed(data, wanted, name)
        after = with_hooks(base, wanted._replace(entries=asked), name)
        return Change(data, after)

    return plan


def to_uninstall(wanted: Wanted, name: str) -> Plan:
    """Return the plan that takes own hooks out, and all that was made for them."""

    def plan(data: bytes | None) -> Change:
        return Change(data, None if data is None else removed(data, wanted, name))

    return plan
