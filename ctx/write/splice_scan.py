"""JSON as people write it, with the offset of everything: comments, trailing commas, duplicates.

Settings are changed by splicing their text, never by writing them anew, so all that is needed of
a parser is where things stand. (Libraries that keep comments rebuild the text from a model; none
that was found tells offsets, takes an empty file, and loads in a few milliseconds.)
"""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

import json
import re
from typing import NamedTuple

DEEPEST = 100
"""Levels of nesting that are followed."""

_BLANK = re.compile(r"(?>[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?>[^"\\\x00-\x1f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])", re.ASCII)
_WORD = re.compile(r"(?:true|false|null)(?!\w)")


class ScanError(ValueError):
    """Why a text cannot be read."""

    def __init__(self, what: str, at: int) -> None:
        """Keep ``what`` is wrong, and its offset."""
        super().__init__(what)
        self.at = at


class Node(NamedTuple):
    """A value, and where it stands."""

    start: int
    end: int
    """After its last character."""
    members: tuple["Member", ...] | None
    """What an object or an array holds; None for other values."""
    value: object
    """The value itself; of an object the last of members with the same name, as all hosts do."""


class Member(NamedTuple):
    """A member of an object, or an item of an array."""

    key: str
    """Empty for an item."""
    start: int
    """Where its key begins, or the value of an item."""
    node: Node
    comma: int
    """Offset of the comma behind it; -1 without one."""

    @property
    def end(self) -> int:
        """After its value."""
        return self.node.end


def scan(text: str) -> Node | None:
    """Return the value that ``text`` holds, or None where it holds blanks and comments alone.

    Raises ScanError.
    """
    at = blank(text, 0)
    if at == len(text):
        return None
    node = _value(text, at, 0)
    rest = blank(text, node.end)
    if rest < len(text):
        raise ScanError("something stands behind the end", rest)
    return node


def blank(text: str, at: int) -> int:
    """Return the offset of what follows blanks and comments from ``at`` on."""
    found = _BLANK.match(text, at)
    end = found.end() if found else at
    if text.startswith("/*", end):
        raise ScanError("a comment never ends", end)
    return end


def _value(text: str, at: int, depth: int) -> Node:
    if depth > DEEPEST:
        raise ScanError(f"nested deeper than {DEEPEST} levels", at)
    opening = text[at : at + 1]
    if opening == "{":
        return _object(text, at, depth)
    if opening == "[":
        return _array(text, at, depth)
    pattern = _STRING if opening == '"' else _WORD if opening.isalpha() else _NUMBER
    found = pattern.match(text, at)
    if not found:
        raise ScanError("a text never ends" if opening == '"' else "no value stands here", at)
    return Node(at, found.end(), None, _plain(found[0], at))


def _plain(raw: str, at: int) -> object:
    try:
        return json.loads(raw)
    except ValueError as error:  # a number of thousands of digits
        raise ScanError("a value that cannot be read", at) from error


def _object(text: str, start: int, depth: int) -> Node:
    members: list[Member] = []
    at = blank(text, start + 1)
    while text[at : at + 1] != "}":
        key = _STRING.match(text, at)
        if not key:
            raise ScanError("a name in double quotes is missing", at)
        colon = blank(text, key.end())
        if text[colon : colon + 1] != ":":
            raise ScanError("a colon is missing", colon)
        node = _value(text, blank(text, colon + 1), depth + 1)
        name = str(_plain(key[0], at))
        at = _add(text, members, Member(name, at, node, -1), "}")
    return Node(start, at + 1, tuple(members), {one.key: one.node.value for one in members})


def _array(text: str, start: int, depth: int) -> Node:
    members: list[Member] = []
    at = blank(text, start + 1)
    while text[at : at + 1] != "]":
        node = _value(text, at, depth + 1)
        at = _add(text, members, Member("", at, node, -1), "]")
    return Node(start, at + 1, tuple(members), [one.node.value for one in members])


def _add(text: str, members: list[Member], member: Member, closing: str) -> int:
    """Add a member with its comma; return the offset of what follows."""
    at = blank(text, member.end)
    if text[at : at + 1] == ",":
        members.append(member._replace(comma=at))
        return blank(text, at + 1)
    if text[at : at + 1] != closing:
        raise ScanError(f"a comma or {closing} is missing", at)
    members.append(member)
    return at
