"""Change JSON that people wrote: what is not changed stays byte for byte."""

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from ctx.model import Json

DEEPEST = 100  # levels of nesting that are read

_BLANK = re.compile(r"(?>[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?>[^"\\\x00-\x1f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])", re.ASCII)
_WORD = re.compile(r"(?:true|false|null)(?!\w)")
_EOL = re.compile(r"\r\n|\n|\r")
_SAME_LINE = re.compile(r"(?>[ \t]*(?>/\*[^\r\n]*?\*/|//[^\r\n]*))*")
_BETWEEN = re.compile(r"//[^\r\n]*|/\*.*?\*/|,", re.DOTALL)
_NOTES = re.compile(r'"(?:[^"\\]|\\.)*"|(//[^\r\n]*|/\*.*?\*/)', re.DOTALL)
"""Strings, and comments, which are its group."""
_TO_LINE_END = re.compile(r"[ \t]*(?:[\r\n]|$)")
_MADE_INTO = "  "
"""Behind the bracket of an object or array that was there before, empty, unlike one that is new."""


class ScanError(ValueError):
    """Why a text cannot be read."""

    def __init__(self, what: str, at: int) -> None:
        super().__init__(what)
        self.at = at


class Node(NamedTuple):
    """A value, and its place."""

    start: int
    end: int  # after its last character
    members: tuple["Member", ...] | None  # of an object or an array; None for other values
    value: Json  # the value itself; of members with the same name the last, as all hosts read them


class Member(NamedTuple):
    """A member of an object, or an item of an array."""

    key: str  # empty for an item
    start: int  # where its key begins, or the value of an item
    node: Node
    comma: int  # offset of the comma behind it; -1 without one

    @property
    def end(self) -> int:
        """After its value."""
        return self.node.end


def scan(text: str) -> Node | None:
    """Return the value of ``text``, None if it is blanks and comments. Raises ScanError."""
    at = blank(text, 0)
    if at == len(text):
        return None
    node = _value(text, at, 0)
    rest = blank(text, node.end)
    if rest < len(text):
        raise ScanError("there is text behind the end", rest)
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
    if opening in ("{", "["):
        return _container(text, at, depth)
    pattern = _STRING if opening == '"' else _WORD if opening.isalpha() else _NUMBER
    found = pattern.match(text, at)
    if not found:
        raise ScanError("a text never ends" if opening == '"' else "there is no value here", at)
    return Node(at, found.end(), None, _plain(found[0], at))


def _plain(raw: str, at: int) -> Json:
    try:
        value: Json = json.loads(raw)
    except ValueError as error:  # a number of thousands of digits
        raise ScanError("a value that cannot be read", at) from error
    return value


def _container(text: str, start: int, depth: int) -> Node:
    is_object = text[start] == "{"
    closing = "}" if is_object else "]"
    members: list[Member] = []
    at = blank(text, start + 1)
    while text[at : at + 1] != closing:
        begin, name = at, ""
        if is_object:
            key = _STRING.match(text, at)
            if not key:
                raise ScanError("a name in double quotes is missing", at)
            colon = blank(text, key.end())
            if text[colon : colon + 1] != ":":
                raise ScanError("a colon is missing", colon)
            name = str(_plain(key[0], at))
            at = blank(text, colon + 1)
        node = _value(text, at, depth + 1)
        at = blank(text, node.end)
        comma = at if text[at : at + 1] == "," else -1
        members.append(Member(name, begin, node, comma))
        if comma >= 0:
            at = blank(text, at + 1)
        elif text[at : at + 1] != closing:
            raise ScanError(f"a comma or {closing} is missing", at)
    value: Json = [member.node.value for member in members]
    if is_object:
        value = {member.key: member.node.value for member in members}
    return Node(start, at + 1, tuple(members), value)


class _Edit(NamedTuple):
    start: int
    end: int
    new: str


class _Style(NamedTuple):
    eol: str
    unit: str  # one step of indentation
    one_line: bool  # whether it is not empty, and all in one line


def at_path(node: Node | None, path: Sequence[str]) -> Node | None:
    """Return the value at ``path``, the last of members with the same name, or None."""
    for key in path:
        if node is None:
            return None
        members = reversed(node.members or ())
        node = next((member.node for member in members if member.key == key), None)
    return node


def with_member(text: str, path: Sequence[str], value: Json) -> str:
    """Return ``text`` with a new member at ``path``, objects on the way made; or ScanError."""
    root, above = scan(text), 0
    while above < len(path) - 1 and at_path(root, path[: above + 1]) is not None:
        above += 1
    for key in reversed(path[above + 1 :]):
        value = {key: value}
    if root is None:
        return _whole(text, {path[0]: value})
    holder = at_path(root, path[:above])
    if holder is None or not isinstance(holder.value, dict):
        where = holder.start if holder else root.start
        raise ScanError("no object, where one should be", where)
    return _inserted(text, root, holder, value, path[above])


def with_item(text: str, path: Sequence[str], value: Json) -> str:
    """Return ``text`` with ``value`` last in the array at ``path``, a new one if need be."""
    root = scan(text)
    array = at_path(root, path)
    if root is None or array is None:
        return with_member(text, path, [value])
    if not isinstance(array.value, list):
        raise ScanError("no array, where one should be", array.start)
    return _inserted(text, root, array, value, None)


def was_empty(text: str, holder: Node) -> bool:
    """Whether ``holder`` was there, and empty, before its first member was put into it."""
    first = holder.members[0].start if holder.members else -1
    gap = text[holder.start + 1 : first]
    return first >= 0 and gap.startswith(_MADE_INTO) and gap[2:3] not in (" ", "\t")


def without(text: str, holder: Node, place: int) -> str:
    """Return ``text`` without the member or item of ``holder`` at ``place``; comments stay."""
    members = holder.members or ()
    gone = members[place]
    opened = members[place - 1].end if place else holder.start + 1
    start, after_comment = _before_blanks(text, opened, gone.start)
    rest = gone.comma + 1 if gone.comma >= 0 else gone.end
    notes = [found[1] for found in _NOTES.finditer(text, gone.start, gone.end) if found[1]]
    style = _style(text, holder)
    apart = style.eol + _indent(text, gone.start)
    after_comment = notes[-1].startswith("//") if notes else after_comment
    keeps = after_comment and not _TO_LINE_END.match(text, rest)
    new = "".join(apart + note for note in notes) + (style.eol if keeps else "")
    edits = [_Edit(start, gone.end, new)]
    if gone.comma >= 0:
        edits.append(_Edit(gone.comma, gone.comma + 1, ""))
    elif place:  # the last one: the comma before it goes, too
        before = members[place - 1].comma
        edits.append(_Edit(before, before + 1, ""))
    if len(members) == 1 and not notes and gone.comma < 0 and was_empty(text, holder):
        tail = style.eol + _indent(text, holder.start)
        own_line = text.startswith(tail, gone.end) and _own_line(text, gone)
        edits = [_Edit(holder.start + 1, gone.end + (len(tail) if own_line else 0), "")]
    return _applied(text, edits)


def _inserted(text: str, root: Node, holder: Node, value: Json, key: str | None) -> str:
    """Return ``text`` with ``value`` last in ``holder``, under ``key`` where that is an object."""
    style = _style(text, root)
    members = holder.members or ()
    if not members:
        return _first(text, holder, style, value, key)
    last = members[-1]
    tail = last.comma + 1 if last.comma >= 0 else last.end
    comments = _SAME_LINE.match(text, tail)
    edge = comments.end() if comments else tail
    own_line = _own_line(text, last)
    if not own_line and "//" not in text[tail:edge]:
        new = _compact(value, key)
        new = f" {new}," if last.comma >= 0 else f", {new}"
        return _applied(text, [_Edit(edge, edge, new)])
    indent = _indent(text, last.start) if own_line else _indent(text, holder.start) + style.unit
    new = style.eol + indent + _drawn(value, key, style, indent)
    if last.comma >= 0:
        return _applied(text, [_Edit(edge, edge, f"{new},")])
    if edge == tail:
        return _applied(text, [_Edit(edge, edge, f",{new}")])
    return _applied(text, [_Edit(last.end, last.end, ","), _Edit(edge, edge, new)])


def _first(text: str, holder: Node, style: _Style, value: Json, key: str | None) -> str:
    """Return ``text`` with ``value`` before the blanks and comments that are all of ``holder``."""
    start = holder.start + 1
    new = _compact(value, key)
    if not style.one_line:
        outer = style.eol + _indent(text, holder.start)
        inner = outer + style.unit
        new = inner + _drawn(value, key, style, inner.removeprefix(style.eol)) + outer
    return _applied(text, [_Edit(start, start, _MADE_INTO + new)])


def _whole(text: str, value: Json) -> str:
    """Return a text of only blanks and comments with ``value`` behind them."""
    found = _EOL.search(text)
    eol = found[0] if found else "\n"
    gap = eol if text and not text.endswith(("\n", "\r")) else ""
    return f"{text}{gap}{_drawn(value, None, _Style(eol, '  ', one_line=False), '')}{eol}"


def _drawn(value: Json, key: str | None, style: _Style, indent: str) -> str:
    lines = json.dumps(value, indent=style.unit, ensure_ascii=False)
    return _named(key) + lines.replace("\n", style.eol + indent)


def _compact(value: Json, key: str | None) -> str:
    return _named(key) + json.dumps(value, ensure_ascii=False)


def _named(key: str | None) -> str:
    return "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "


def _style(text: str, root: Node) -> _Style:
    found = _EOL.search(text)
    members = root.members or ()
    unit = ""
    if members and _own_line(text, members[0]):
        unit = _indent(text, members[0].start).removeprefix(_indent(text, root.start))
    inside = bool(members) and not _EOL.search(text, root.start, root.end)
    return _Style(found[0] if found else "\n", unit or "  ", inside)


def _own_line(text: str, member: Member) -> bool:
    """Return whether only blanks precede ``member`` in its line."""
    return text[: member.start].rstrip(" \t").endswith(("\n", "\r"))


def _indent(text: str, at: int) -> str:
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    end = start
    while end < at and text[end] in " \t":
        end += 1
    return text[start:end]


def _before_blanks(text: str, at: int, end: int) -> tuple[int, bool]:
    """Return where blanks before ``end`` begin, and whether a ``//`` comment precedes them."""
    edge, after_comment = at, False
    for found in _BETWEEN.finditer(text, at, end):
        edge, after_comment = found.end(), found[0].startswith("//")
    return edge, after_comment


def _applied(text: str, edits: Sequence[_Edit]) -> str:
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.new + text[edit.end :]
    return text
