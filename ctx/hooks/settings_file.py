"""The files that hold hooks: changed in one step, kept as they were, and put back.

A kept copy is made before the first change and goes when its bytes are back. Whoever dies in
between leaves the old file or the new one, and at most a copy too many, which the next run uses.
Nothing depends on a copy: without one the hooks are spliced out.
"""

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

    kept: str = ""  # where the copy from before is kept; empty for nowhere
    store: Callable[[], bool] | None = None
    """Makes the folder for that, and returns whether it could; None where the copy is beside the
    file."""


class Change(NamedTuple):
    """What is done to a file, or would be."""

    before: bytes | None  # what it holds; None where there is none
    after: bytes | None  # what it is to hold; None where it is to go
    keep: bytes | None = None  # the copy to keep, or that was kept; None for none
    drop: bool = False  # whether the copy that is kept goes
    mode: int | None = None  # permission bits of the file; None for those that it has, or usual

    @property
    def changes(self) -> bool:
        """Whether the file becomes another."""
        return self.before != self.after


Plan = Callable[[bytes | None, bytes | None], Change]  # takes the file's bytes and the kept copy's


def look(file: File, plan: Plan) -> Change:
    """Return what ``plan`` would do. Raises FileError where the file cannot be taken."""
    return plan(_read(file), copy_of(file))


def copy_of(file: File) -> bytes | None:
    """Return the copy that is kept, None where there is none that can be read."""
    if not file.kept or _leads_away(file):
        return None
    try:
        return _read(file._replace(path=file.kept))
    except FileError:
        return None  # it is not needed: only bytes that it explains are put back


def carry_out(file: File, plan: Plan, *, timeout: float = atomic.TIMEOUT) -> Change:
    """Do what ``plan`` says, and return it; nothing is touched where it changes nothing.

    Raises FileError where the file cannot be read or written; then it is as it was.
    """
    change = look(file, plan)
    if not change.changes and not change.drop:
        return change
    if change.changes and os.path.exists(file.path) and not os.access(file.path, os.W_OK):
        raise FileError(f"{file.path}: is read-only", "make it writable, then try again")
    make_folder(os.path.dirname(file.path), file.links)
    try:
        with atomic.lock(file.path, timeout=timeout, links=file.links):
            for _ in range(TRIES):
                change = look(file, plan)
                has_place = change.keep is None or not file.store or file.store()
                if not (file.kept and has_place) or _leads_away(file):
                    change = change._replace(keep=None)
                if _done(file, change):
                    return change
    finally:
        if not os.path.lexists(file.path):
            _remove_folders(file)
    raise FileError(f"{file.path}: changes while it is written", "try again when it is done")


def _leads_away(file: File) -> bool:
    """Whether the place of the copy is a link: a project must not choose what is overwritten."""
    return os.path.islink(file.kept) or os.path.islink(os.path.dirname(file.kept))


def _done(file: File, change: Change) -> bool:
    """Carry out ``change``; return False where the file is not what it was made from."""
    if change.keep is not None:
        atomic.write(file.kept, change.keep, mode=0o600, links=file.links)
    done = False
    try:
        done = _read(file) == change.before and _write(file, change)
    finally:
        # Not done: the copy is of a file that is no more, and the next attempt makes another.
        if change.drop if done else change.keep is not None:
            with suppress(OSError):
                os.unlink(file.kept)
    return done


def _write(file: File, change: Change) -> bool:
    if not change.changes:
        return True
    if change.after is None:
        with explained(file.path, "removed"):
            os.unlink(os.path.realpath(file.path))
    elif change.before is None and not os.path.islink(file.path):
        return atomic.create(file.path, change.after, mode=change.mode, links=file.links)
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

    def plan(data: bytes | None, kept: bytes | None) -> Change:
        there = hooks_in(data, wanted.tool, name) if data is not None else []
        by_hand = {hook.event for hook in there if not hook.own}
        asked = tuple(pair for pair in wanted.entries if pair[0] not in by_hand)
        own = [(hook.event, hook.entry) for hook in there if hook.own]
        if sorted(own, key=itemgetter(0)) == sorted(asked, key=itemgetter(0)):
            return Change(data, data)
        base = data
        if data is not None and own:
            base = removed(data, wanted, kept, name)
        after = with_hooks(base, wanted._replace(entries=asked), name)
        return Change(data, after, keep=base)

    return plan


def to_uninstall(wanted: Wanted, name: str) -> Plan:
    """Return the plan that takes own hooks out, and puts back what is kept where it can."""

    def plan(data: bytes | None, kept: bytes | None) -> Change:
        if data is None or not any(hook.own for hook in hooks_in(data, wanted.tool, name)):
            return Change(data, data, drop=kept is not None and kept == data)
        after = removed(data, wanted, kept, name)
        return Change(data, after, drop=after == kept)

    return plan
