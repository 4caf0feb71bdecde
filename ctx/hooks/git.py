"""The hook of git: a marked block in it, put in and taken out to the byte.

The block comes first, behind the line that names the interpreter: hooks end in ``exit`` or
``exec``, and what is behind that is never run. It ends well whatever happens in it, so the hook's
own exit code stays the hook's own. What it runs is in ``ctx.hooks.reminder``.
"""

from __future__ import annotations

import os
import re
import shlex
from codecs import BOM_UTF8
from typing import TYPE_CHECKING, NamedTuple

from ctx.app.links import links_of
from ctx.edit.links import ALL
from ctx.errors import OK, FileError, UsageError
from ctx.hooks import places
from ctx.hooks.places import Outcome, report
from ctx.hooks.reminder import ask_git
from ctx.hooks.settings_file import Change, File, Plan, carry_out, look
from ctx.hosts import GIT, GIT_EVENT
from ctx.repository import common_dir, top_of
from ctx.text.names import shown

if TYPE_CHECKING:
    from ctx.hooks.places import Options
    from ctx.world import World

_HUSKY = (".husky", "_")  # the folder that husky has git look into; what people write is above it
_MANAGERS = ((b"pre-commit.com", "pre-commit"), (b"lefthook", "lefthook"))  # they write hooks anew
BEGIN = b"# >>> ctx >>>"
END = b"# <<< ctx <<<"
EXECUTABLE = 0o755

_MADE = b" (this file, too)"  # the mark in the first line of a block where ctx made the file
_BLOCK = re.compile(rb"(?m)^# >>> ctx >>>[^\n]*\n(?:[^\n]*\n)*?# <<< ctx <<<[^\n]*(?:\n|\Z)")
_LINE = re.compile(rb"[^\n]*\n|[^\n]+\Z")
_OWN = re.compile(rb"command -v .* hook run git ")  # the line of a block that runs ctx
_SHELLS = frozenset({b"sh", b"bash", b"dash", b"ash", b"zsh", b"ksh", b"mksh"})
_SHEBANG = b"#!/bin/sh"


class Hook(NamedTuple):
    """The hook of the repository here."""

    file: File
    shown: str
    husky: bool
    shared: bool  # whether other repositories or other people use it
    note: str = ""  # what a person should know of it, in one line

    @property
    def executable(self) -> bool:
        """Whether git runs what is there, or nothing is."""
        return not os.path.lexists(self.file.path) or os.access(self.file.path, os.X_OK)


def install(options: Options, world: World) -> int:
    """Put the reminder into the hook, or show it; return the exit code."""
    hook = _asked(options, world)
    folder = os.path.dirname(hook.file.path)
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise UsageError(
            f"core.hooksPath: {shown(folder)} is no folder: git runs no hooks here",
            "`git config core.hooksPath FOLDER` names one",
        )
    command = places.PLAIN if hook.shared else places.program("local", world)
    plan = to_install(command, GIT_EVENT, hook.shown, executable=hook.executable, husky=hook.husky)
    change = (look if options.dry_run else carry_out)(hook.file, plan)
    lines = [f"{hook.shown}: reminds after a commit of decisions that nobody wrote down"]
    if not change.changes:
        lines = [f"{hook.shown}: calls ctx already; nothing to do"]
    if hook.note:
        lines.append(f"  {hook.note}")
    if not options.dry_run:
        here = places.program("local", world)
        lines.append(f"see its output for the last commit: {here} hook run git {GIT_EVENT}")
    return _report("install", hook, change, lines, options)


def uninstall(options: Options, world: World) -> int:
    """Take the reminder out of the hook, or show it; return the exit code."""
    hook = _asked(options, world)
    change = (look if options.dry_run else carry_out)(hook.file, to_uninstall())
    lines = [f"{hook.shown}: without the lines of ctx; all else is left as it is"]
    if change.changes and change.after is None:
        lines = [f"{hook.shown}: removed; ctx had made it"]
    elif not change.changes:
        lines = [f"no lines of ctx in {hook.shown}"]
    return _report("uninstall", hook, change, lines, options)


def _asked(options: Options, world: World) -> Hook:
    if options.scope in ("global", "local"):
        raise UsageError(f"--{options.scope}: a hook of git is of one repository")
    folder = places.project(options.dir, world)
    hook = hook_of(folder, world) if folder else None
    if hook is None:
        raise UsageError("no repository here", "`git init` makes one")
    return hook


def hook_of(folder: str, world: World) -> Hook | None:
    """Return the hook of the repository of ``folder``; None where there is none, or no git."""
    top, own = top_of(folder)
    asked = ask_git(folder, world, "rev-parse", "--git-path", "hooks")
    if not (own and asked):
        return None
    hooks = os.path.normpath(os.path.join(folder, os.fsdecode(asked.removesuffix(b"\n"))))
    husky = tuple(hooks.split(os.sep)[-2:]) == _HUSKY
    if husky:
        hooks = os.path.dirname(hooks)
    path = os.path.join(hooks, GIT_EVENT)
    named = os.path.relpath(path, top)
    inside = not named.startswith("..")
    own = common_dir(own)
    of_git = _is_within(hooks, own)
    # A clone brings nothing along in git's own folder, nor outside of its work tree.
    links = links_of(top, world) if inside and not of_git else ALL._replace(in_git=of_git)
    return Hook(
        File(path, links, made=1),
        named.replace(os.sep, "/") if inside else path,
        husky=husky,
        # A link out of git's folder leads to a file that others may have, too.
        shared=not (of_git and _is_within(path, own)),
        note=_note(path, husky=husky, inside=inside, of_git=of_git),
    )


def _is_within(path: str, folder: str) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(folder) + os.sep)


def _note(path: str, *, husky: bool, inside: bool, of_git: bool) -> str:
    if husky:
        return "husky runs it; it is for all who work in this repository"
    try:
        with open(path, "rb") as file:
            head = file.read(4096)
    except OSError:
        head = b""
    for mark, name in _MANAGERS:
        if mark in head:
            return f"{name} wrote this hook, and may write it anew: then install again"
    if of_git:
        return f"it is a link to {os.path.realpath(path)}" if os.path.islink(path) else ""
    return (
        "core.hooksPath: it is for all who work in this repository" if inside
        else "core.hooksPath: it is for every repository that looks there"
    )  # fmt: skip


def state(folder: str, world: World) -> tuple[Hook, bool] | None:
    """Return the hook here, and whether it asks ctx; None where there is no repository."""
    hook = hook_of(folder, world)
    if hook is None:
        return None
    try:
        with open(hook.file.path, "rb") as file:
            return hook, holds(file.read())
    except OSError:
        return hook, False


def _report(command: str, hook: Hook, change: Change, lines: list[str], options: Options) -> int:
    outcome = Outcome(GIT, "project", hook.file, hook.shown, change)
    report(command, [outcome], (options.dry_run and [*outcome.diff()]) or lines, options)
    return OK


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


def to_install(command: str, event: str, name: str, *, executable: bool, husky: bool) -> Plan:
    """Return the plan that puts the block in, or renews it.

    ``executable``: whether git runs the file there is; ``husky``: whether the file is read by
    husky, which needs neither that nor an interpreter.
    """

    def plan(data: bytes | None) -> Change:
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


def to_uninstall() -> Plan:
    """Return the plan that takes the block out, and the file where ctx made it for that."""

    def plan(data: bytes | None) -> Change:
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
    return b"".join(line for line in _LINE.findall(lines)[1:-1] if not _OWN.match(line))


def _with(data: bytes, lines: bytes) -> bytes:
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
