"""A marked block in a hook of git, put in and taken out to the byte.

It stands first, behind the line that names the interpreter: hooks end in ``exit`` or ``exec``,
and what stands behind that is never run. It ends well whatever happens in it, so the hook's
own exit code stays the hook's own.
"""

import re
import shlex
from codecs import BOM_UTF8

from ctx.errors import FileError
from ctx.hooks.settings_file import Change, Plan

BEGIN = b"# >>> ctx >>>"
END = b"# <<< ctx <<<"
EXECUTABLE = 0o755

_MADE = b" (this file, too)"
"""What the first line of a block says where ctx made the file."""
_BLOCK = re.compile(rb"(?m)^# >>> ctx >>>[^\n]*\n(?:[^\n]*\n)*?# <<< ctx <<<[^\n]*(?:\n|\Z)")
_LINE = re.compile(rb"[^\n]*\n|[^\n]+\Z")
_OWN = re.compile(rb"command -v .* hook run git ")
"""The line of a block that runs ctx."""
_SHELLS = frozenset({b"sh", b"bash", b"dash", b"ash", b"zsh", b"ksh", b"mksh"})
_SHEBANG = b"#!/bin/sh"


def block(command: str, event: str, eol: bytes = b"\n", *, made: bool = False) -> bytes:
    """Return the lines that run ``command`` for the hook ``event``."""
    lines = (
        BEGIN + b" `ctx hook uninstall git` removes these lines" + (_MADE if made else b""),
        f"command -v {shlex.quote(shlex.split(command)[0])} >/dev/null 2>&1 && "
        f"{command} hook run git {event} || :".encode("utf-8", "surrogateescape"),
        END,
    )
    return b"".join(line + eol for line in lines)


def holds(data: bytes | None) -> bool:
    """Return whether a hook has the block."""
    return data is not None and _BLOCK.search(data) is not None


def installing(command: str, event: str, name: str, *, executable: bool, husky: bool) -> Plan:
    """Return the plan that puts the block in, or renews it.

    ``executable`` says whether git runs the file there is; ``husky`` that the file is read by
    husky, which needs neither that nor an interpreter.
    """

    def plan(data: bytes | None, _kept: bytes | None) -> Change:
        if data is None:
            lines = block(command, event, made=True)
            new = lines if husky else _SHEBANG + b"\n" + lines
            return Change(None, new, mode=None if husky else EXECUTABLE)
        found = _BLOCK.search(data)
        if found:
            first = found[0].partition(b"\n")[0]
            theirs = _theirs(found[0])
            new = block(command, event, _eol(first), made=_MADE in first)
            if not found[0].endswith(b"\n") and not theirs:
                new = new.removesuffix(_eol(first))
            return Change(data, data[: found.start()] + new + theirs + data[found.end() :])
        _refuse_others(data, command, event, name)
        if not (executable or husky):
            raise FileError(
                f"{name}: is not executable: git does not run it",
                "make it executable or move it away, then try again",
            )
        return Change(data, _with(data, block(command, event, _eol(data))))

    return plan


def uninstalling() -> Plan:
    """Return the plan that takes the block out, and the file where ctx made it for that."""

    def plan(data: bytes | None, _kept: bytes | None) -> Change:
        if data is None:
            return Change(data, data)
        rest, made = data, False
        while found := _BLOCK.search(rest):  # a file that was merged may hold two
            made = made or _MADE in found[0].partition(b"\n")[0]
            at_end = not found[0].endswith(b"\n")
            rest = rest[: found.start()] + _theirs(found[0]) + rest[found.end() :]
            if at_end:
                rest = re.sub(rb"\r?\n\Z", b"", rest)
        empty = rest.strip() in (b"", _SHEBANG)
        return Change(data, None if made and empty else rest)

    return plan


def _theirs(lines: bytes) -> bytes:
    """Return what a person wrote into a block."""
    return b"".join(line for line in _LINE.findall(lines)[1:-1] if not _OWN.match(line))


def _with(data: bytes, lines: bytes) -> bytes:
    """Return a script with ``lines`` behind the line that names its interpreter."""
    mark = BOM_UTF8 if data.startswith(BOM_UTF8) else b""
    text = data[len(mark) :]
    if not text.startswith(b"#!"):
        return mark + lines + text
    first, newline, rest = text.partition(b"\n")
    if newline:
        return mark + first + newline + lines + rest
    eol = b"\r\n" if lines.endswith(b"\r\n") else b"\n"
    return mark + first + eol + lines.removesuffix(eol)


def _eol(data: bytes) -> bytes:
    """Return how lines end where the first one ends; texts in a script may end theirs otherwise."""
    first, newline, _ = data.partition(b"\n")
    return b"\r\n" if first.endswith(b"\r") else newline or b"\n"


def _refuse_others(data: bytes, command: str, event: str, name: str) -> None:
    """Raise FileError for a hook that is no shell script."""
    shell = b"\0" not in data
    text = data.removeprefix(BOM_UTF8)
    if shell and text.startswith(b"#!"):
        words = text.split(b"\n", 1)[0][2:].split()
        names = [re.split(rb"[\\/]", word)[-1].removesuffix(b".exe") for word in words]
        if names[:1] == [b"env"]:
            names = [word for word in names[1:] if not word.startswith(b"-") and b"=" not in word]
        shell = names[:1] != [] and names[0] in _SHELLS
    if not shell:
        raise FileError(
            f"{name}: is no shell script: nothing was changed",
            f"let it run: {command} hook run git {event}",
        )
