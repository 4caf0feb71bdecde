"""Suggestions as each shell reads them.

Ids are made of names of files, and a name may hold anything: what is put on a line is quoted, so
that the shell takes it for one word and evaluates nothing in it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctx.cli.completing import Value
    from ctx.cli.shell.line import Typed

_UNSAFE_IN_BASH = re.compile(r"^#|[^\w@%+=:,./#-]")
_UNSAFE_IN_DOUBLE_QUOTES = re.compile(r'([$`"\\])')
_SAFE_IN_POWERSHELL = re.compile(r"[\w./][\w./:#+=-]*|--?\w[\w-]*")
_POWERSHELL_QUOTES = re.compile("(['\u2018\u2019\u201a\u201b])")
"""All of them end a text in single quotes there."""


def bash(one: Value, typed: Typed) -> str:
    """Return what replaces the word on the line; bash shows no descriptions."""
    text = one.value[typed.kept :]
    if typed.quote == "'":
        return text.replace("'", "'\\''")
    if typed.quote:  # history is expanded between double quotes, and no backslash prevents it
        return _UNSAFE_IN_DOUBLE_QUOTES.sub(r"\\\1", text).replace("!", "\"'!'\"")
    return _UNSAFE_IN_BASH.sub(lambda found: "\\" + found[0], text)


def zsh(one: Value, _: Typed) -> str:
    """Return value and description; zsh quotes what it puts in."""
    value = re.sub(r"([\\:])", r"\\\1", one.value)
    told = one.help.replace("\\", "\\\\")
    return f"{value}:{told}" if told else value


def fish(one: Value, _: Typed) -> str:
    """Return value and description; fish quotes what it puts in."""
    return f"{one.value}\t{one.help}" if one.help else one.value


def powershell(one: Value, _: Typed) -> str:
    """Return what is put in, what is shown, and a description, which may not be empty."""
    text = one.value
    if not _SAFE_IN_POWERSHELL.fullmatch(text):
        text = "'{}'".format(_POWERSHELL_QUOTES.sub(r"\1\1", text))
    return f"{text}\t{one.value}\t{one.help or one.value}"
