"""``ctx init``: make a context directory, or what is missing of one.

Everything that can be foreseen is checked before anything is made; each file is then
made whole or not at all.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from ctx.app import templates
from ctx.app.find import repository
from ctx.edit import atomic
from ctx.errors import OK, FileError

if TYPE_CHECKING:
    from collections.abc import Callable

DIRECTORY = ".context"
NEXT = "next: write your rules into .context/CONSTITUTION.md, then run: ctx agent"


def run(root: str, *, minimal: bool = False, say: Callable[[str], None]) -> int:
    """Make what is missing of ``root``'s context directory and return the exit code.

    Existing files are never changed. ``say`` is given one line a file, and a last one with what
    to do next.
    """
    if not root:
        raise FileError("the working directory is gone", "change to one that is there")
    root = os.path.abspath(root)
    home = os.path.join(root, DIRECTORY)
    texts = templates.files(minimal=minimal)
    _foresee(root, home, texts)
    fresh = _make_folder(home)
    try:
        _fill(home, texts, say)
    except BaseException:
        if fresh:  # an empty one would be a context directory that says nothing
            with suppress(OSError):
                os.rmdir(home)
        raise
    say(NEXT)
    return OK


# --- before anything is made --------------------------------------------------------------


def _foresee(root: str, home: str, texts: dict[str, str]) -> None:
    """Raise the FileError that would stop the work halfway."""
    _stay_inside(home, repository(root))
    if os.path.lexists(home) and not os.path.isdir(home):
        raise FileError(f"{home}: is not a directory", "move it away, then run ctx init again")
    if not os.path.isdir(home):
        _need_writable(root)
    elif not texts.keys() <= _there(home, texts).keys():
        _need_writable(home)


def _stay_inside(path: str, top: str) -> None:
    """Raise FileError for a link out of the project: nothing is written through it."""
    inside = os.path.join(os.path.realpath(top), "")
    if os.path.islink(path) and not os.path.realpath(path).startswith(inside):
        raise FileError(
            f"{path}: is a link out of the project", "move it away, then run ctx init again"
        )


def _need_writable(folder: str) -> None:
    if not os.path.isdir(folder):
        raise FileError(f"{folder}: no such directory")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FileError(f"{folder}: directory is not writable")


# --- files --------------------------------------------------------------------------------


def _make_folder(home: str) -> bool:
    """Make the directory where it is missing and return whether it was."""
    try:
        os.mkdir(home)
    except OSError as error:
        if os.path.isdir(home):
            return False
        raise FileError(f"{home}: cannot be created: {error.strerror or error}") from error
    return True


def _fill(home: str, texts: dict[str, str], say: Callable[[str], None]) -> None:
    there = _there(home, texts)
    for name, text in texts.items():
        made = name not in there and atomic.create(os.path.join(home, name), text.encode())
        say(f"{'created' if made else 'kept'} {DIRECTORY}/{there.get(name, name)}")


def _there(home: str, texts: dict[str, str]) -> dict[str, str]:
    """Return which of the files are there, and how they are spelt.

    In any case, as they are read: ``Tasks.md`` needs no ``TASKS.md`` beside it.
    """
    try:
        spelt = {name.lower(): name for name in os.listdir(home)}
    except OSError as error:
        raise FileError(f"{home}: cannot be read: {error.strerror or error}") from error
    return {name: spelt[name.lower()] for name in texts if name.lower() in spelt}
