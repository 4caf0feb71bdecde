"""``ctx init``: make a context directory, or what is missing of one.

Everything that can be foreseen is checked before anything is made; each file is then
made whole or not at all; and the person's own file, ``.gitignore``, comes last.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from ctx import atomic
from ctx.cli import templates
from ctx.cli.find import repository
from ctx.errors import OK, FileError

if TYPE_CHECKING:
    from collections.abc import Callable

DIRECTORY = ".context"
NEXT = "next: write your rules into .context/CONSTITUTION.md, then run: ctx agent"

_STATE = ".context/.ctx"
"""What git shall ignore: the store and the logs, rebuilt at any time."""
_BOM = b"\xef\xbb\xbf"
_MOST_BYTES = 64 * 1024 * 1024
"""Of a ``.gitignore`` that is read whole."""


class _Ignore(NamedTuple):
    """The ``.gitignore`` that counts for the context directory."""

    path: str
    pattern: str
    """The line to add."""
    equals: frozenset[bytes]
    """Lines, without a final slash, that do the same already."""


def run(root: str, *, minimal: bool = False, say: Callable[[str], None]) -> int:
    """Make what is missing of ``root``'s context directory and return the exit code.

    Existing files are never changed, but for one line added to ``.gitignore``. ``say``
    is given one line a file, and a last one with what to do next.
    """
    if not root:
        raise FileError("the working directory is gone", "change to one that is there")
    root = os.path.abspath(root)
    home = os.path.join(root, DIRECTORY)
    texts = templates.files(minimal=minimal)
    ignore = _ignore(root)
    _foresee(root, home, texts, ignore)
    fresh = _make_folder(home)
    try:
        _fill(home, texts, say)
    except BaseException:
        if fresh:  # an empty one would be a context directory that says nothing
            with suppress(OSError):
                os.rmdir(home)
        raise
    say(f"{_add_line(ignore)} {_shown(ignore.path, root)}")
    say(NEXT)
    return OK


# --- before anything is made --------------------------------------------------------------


def _foresee(root: str, home: str, texts: dict[str, str], ignore: _Ignore) -> None:
    """Raise the FileError that would stop the work halfway."""
    for path in (home, ignore.path):
        _stay_inside(path, os.path.dirname(ignore.path))
    if os.path.lexists(home) and not os.path.isdir(home):
        raise FileError(f"{home}: is not a directory", "move it away, then run ctx init again")
    if os.path.exists(ignore.path) and not os.path.isfile(ignore.path):
        raise FileError(f"{ignore.path}: is not a file", "move it away, then run ctx init again")
    if not os.path.isdir(home):
        _need_writable(root)
    elif not texts.keys() <= _there(home, texts).keys():
        _need_writable(home)
    if not _ignored(_read(ignore.path), ignore):
        _need_writable(os.path.dirname(ignore.path))


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


def _shown(path: str, root: str) -> str:
    return os.path.relpath(path, root).replace(os.sep, "/")


# --- .gitignore ---------------------------------------------------------------------------


def _ignore(root: str) -> _Ignore:
    top = repository(root)
    anchored = f"/{_shown(os.path.join(root, _STATE), top)}"
    # A pattern with a slash inside counts from the folder of its .gitignore: below that
    # the same words would match nothing. The stars also spare escaping the folder's name.
    pattern = _STATE if root == top else f"**/{_STATE}"
    equals = {anchored, anchored[1:], f"**/{_STATE}", ".ctx", "**/.ctx"}
    return _Ignore(
        os.path.join(top, ".gitignore"),
        pattern + "/",
        frozenset(os.fsencode(line) for line in equals),
    )


def _add_line(ignore: _Ignore) -> str:
    """Add the pattern where it is missing and return the word for what was done."""
    if _ignored(_read(ignore.path), ignore):
        return "kept"  # without the lock: nothing needs to be writable
    with atomic.lock(ignore.path):
        # Not a write where there was none: another program may make one at this moment.
        if atomic.create(ignore.path, _addition(b"", ignore.pattern)):
            return "created"
        old = _read(ignore.path) or b""
        if _ignored(old, ignore):
            return "kept"
        atomic.write(ignore.path, old + _addition(old, ignore.pattern))
    return f"added {ignore.pattern} to"


def _addition(old: bytes, pattern: str) -> bytes:
    """Return the bytes that add one line to ``old`` in the style of its other lines."""
    lines, crlf = old.count(b"\n"), old.count(b"\r\n")
    end = b"\r\n" if 2 * crlf > lines else b"\n"
    gap = b"" if not old.removeprefix(_BOM) or old.endswith(b"\n") else end
    return gap + pattern.encode() + end


def _ignored(data: bytes | None, ignore: _Ignore) -> bool:
    """Return whether a line of ``data`` has git ignore what we would add."""
    lines = (data or b"").removeprefix(_BOM).split(b"\n")
    return any(line.rstrip(b" \r").removesuffix(b"/") in ignore.equals for line in lines)


def _read(path: str) -> bytes | None:
    """Return the bytes of a file; None where there is none."""
    try:
        if os.path.getsize(path) > _MOST_BYTES:
            raise FileError(f"{path}: over {_MOST_BYTES:,} bytes", "nobody writes so much")
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from error
