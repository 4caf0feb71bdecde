"""How calls of tools name the files that they read and change, and the commands that they run.

One table for all hosts: a name that one of them uses means nothing else in another.
"""

from __future__ import annotations

import os
from json import loads

from ctx.text import is_path

TYPE_CHECKING = False  # this module is on the path of hooks: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.model import Json

_FILES = (
    "file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file", "filename",
    "file",
)  # fmt: skip
"""Members that hold the path of a file."""
_LISTS = ("files", "paths", "filePaths", "edits", "replacements")  # of paths, or of such objects
_COMMANDS = ("command", "cmd", "commands", "script")
_PATCHES = (*_COMMANDS, "patch", "input")  # members that may hold a patch, or a command with one
_PATCHED = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
_READS = ("read", "view", "open", "cat")
_CHANGES = (
    "edit", "write", "replace", "create", "patch", "insert", "delete", "rename", "move_",
)  # fmt: skip
_SIGNS = dict.fromkeys(map(ord, "'\"`;|&<>()"), " ")  # what is between the words of a command
_WORDS = 500  # of a command that are looked at
_SHELL = ("-lc", "-c")  # what is between a shell and its command in a list


def parsed(given: Json) -> Json:
    """Return the input of a call, which some hosts write as JSON in a string; else as it is."""
    if not isinstance(given, str) or given[:1] != "{":
        return given
    try:
        value: Json = loads(given)
    except (ValueError, RecursionError):
        return given
    return value


def reads(tool: str) -> bool:
    """Return whether a tool of this name reads files, and changes none."""
    name = tool.lower()
    return name.startswith(_READS) or "_read" in name


def files(given: Json) -> list[str]:
    """Return the files that the input of a call names, also in a patch; each once, in order."""
    return [*dict.fromkeys(_files(given))]


def changed(tool: str, given: Json) -> list[str]:
    """Return the files that a call changes: those of a tool that edits, and those of a patch."""
    name = tool.lower()
    edits = any(word in name for word in _CHANGES)
    return files(given) if edits else [*dict.fromkeys(_patched(given))]


def command(given: Json) -> str:
    """Return the command that a call runs, without the shell that it is given to; else nothing."""
    members = given if isinstance(given, dict) else {}
    found = next((members[name] for name in _COMMANDS if members.get(name)), "")
    if isinstance(found, list):
        found = " ".join(map(str, found[2:] if found[1:2] and found[1] in _SHELL else found))
    return str(found)


def shown(given: Json, folder: str) -> tuple[str, ...]:
    """Return the files that the command of a call names in ``folder``: a shell may show them."""
    words = [*filter(is_path, command(given).translate(_SIGNS).split()[:_WORDS])]
    return tuple(word for word in words if os.path.isfile(os.path.join(folder, word)))


def _files(given: Json) -> Iterator[str]:
    if isinstance(given, dict):
        for name, value in given.items():
            if name in _FILES:
                yield from _path(value)
            elif name in _LISTS and isinstance(value, list):
                for item in value:
                    yield from _files(item) if isinstance(item, dict) else _path(item)
    yield from _patched(given)


def _patched(given: Json) -> Iterator[str]:
    """Yield the files of patches in the text, list or object ``given``."""
    if isinstance(given, dict):
        for name in _PATCHES:
            yield from _patched(given.get(name))
    elif isinstance(given, list):
        for item in given:
            yield from _patched(item) if isinstance(item, str) else ()
    elif isinstance(given, str) and "*** " in given:
        for line in given.splitlines():
            if line.startswith(_PATCHED):
                yield from _path(line.partition(": ")[2].strip())


def _path(value: Json) -> Iterator[str]:
    if isinstance(value, str) and is_path(value):
        yield value
