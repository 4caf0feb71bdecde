"""Hooks of ctx in the settings of a tool: what is there, with them, and without them again.

Pure: texts in, texts out. A hook is ctx's own by its command and by nothing else, so a copy of
the settings from elsewhere, or one that was formatted anew, is understood as well.
"""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import NamedTuple

from ctx.edit.json_splice import (
    Node,
    ScanError,
    at_path,
    scan,
    was_empty,
    with_item,
    with_member,
    without,
)
from ctx.errors import FileError
from ctx.hosts import hooks_of, host
from ctx.model import Json, JsonObject

_OWN = " "  # a second blank before the value of a needed member that ctx put beside hooks of others
HOOKS = "hooks"  # the member of all settings that holds the hooks, by event
_RUNS = re.compile(  # a command that runs ctx for a hook and does nothing else
    r"""(?x) \s*+ (?: set [ ] ctx [ ] /dev/null ; \s*+ )?
    (?P<program> '[^']*' (?:\\''[^']*')* | "[^"]*" | [^\s"';&|<>`$()]+ )
    (?P<module> \s+ -m \s+ ctx )? \s+ hook \s+ run \s+ (?P<tool> [\w-]+ ) \s+ (?P<event> \w+ )
    (?: [ ] 2>\$2 )? \s*+ (?: ; \s* exit \s+ 0 )? \s* \Z"""
)
_CALLS = re.compile(r"\bctx(?:\.exe)?[\"']?\s+hook\s+run\s+([\w-]+)\s+(\w+)")
"""A command that runs ctx for a hook among other things."""
_PROGRAM = re.compile(r"""(?:^|[\\/"'])ctx(?:\.exe)?["']?$""", re.IGNORECASE)


class Wanted(NamedTuple):
    """What the settings are to hold."""

    tool: str
    entries: tuple[tuple[str, JsonObject], ...]  # by event: its item in the list of hooks
    needed: JsonObject  # members that settings must have beside the hooks


class Hook(NamedTuple):
    """A hook that runs ctx."""

    event: str  # the list of the settings that it is in
    command: str
    own: bool  # whether running ctx is all it does; else a person wrote it
    entry: JsonObject  # the item of the list: the hook itself, or the group that holds it alone


_Way = tuple[tuple[Node, int], ...]  # from the root on, what holds a hook, and which member does


class _Found(NamedTuple):
    hook: Hook
    way: _Way


def program_of(command: str) -> str:
    """Return what ``command`` starts, as it is written; empty where it does not run ctx alone."""
    found = _RUNS.match(command)
    alone = found and (found["module"] or _PROGRAM.search(found["program"]))
    return found["program"] if found and alone else ""


def hooks_in(data: bytes, tool: str, name: str) -> list[Hook]:
    """Return the hooks that run ctx for ``tool`` in settings called ``name``; or FileError."""
    node = _scanned(_decoded(data, name)[1], name)
    return [one.hook for one in _all_found(node, tool)]


def with_hooks(data: bytes | None, wanted: Wanted, name: str) -> bytes:
    """Return settings with what is ``wanted``, at the end of the lists; raises FileError."""
    mark, old = _decoded(data or b"", name)
    text = old
    try:
        if data is not None and scan(text) is None:
            text += _eol(text)  # by which a file that was there differs from one that ctx makes
        there = at_path(scan(text), (HOOKS,)) is not None
        for event, entry in wanted.entries:
            text = with_item(text, (HOOKS, event), entry)
        for key, value in wanted.needed.items():
            if at_path(scan(text), (key,)) is None:
                text = with_member(text, (key,), value)
                if there and (node := at_path(scan(text), (key,))):
                    text = text[: node.start] + _OWN + text[node.start :]
    except ScanError as error:
        raise _unreadable(name, text, error) from error
    if _value(text, name) != _merged(_value(old, name), wanted):
        raise FileError(f"{name}: cannot be changed without changing more", "add the hooks by hand")
    return mark + text.encode()


def removed(data: bytes, wanted: Wanted, name: str) -> bytes | None:
    """Return settings without the hooks of ctx for ``wanted.tool``; None: ctx made the file.

    What ``with_hooks`` made for them goes with them. So the bytes are what they were before, unless
    somebody changed them since: then nothing else of what they say changes. Raises FileError.
    """
    mark, old = _decoded(data, name)
    root = _scanned(old, name)
    left = _stripped(old, wanted.tool)
    if root is None or left == old:
        return data
    text = old
    for key in reversed(wanted.needed):
        node = scan(text)
        if node and _is_unneeded(key, wanted.needed[key], node, text, left):
            text = without(text, node, _last(node, key))
    text = _stripped(text, wanted.tool)  # the last first: in the order in which all was put in
    if _rest(_value(text, name), wanted) != _rest(_value(old, name), wanted):
        raise FileError(f"{name}: cannot be changed without changing more", "take them out by hand")
    return None if root.start == 0 and not text.strip() else mark + text.encode()


def _stripped(text: str, tool: str) -> str:
    while own := [one for one in _all_found(scan(text), tool) if one.hook.own]:
        text = _without(text, own[-1].way)
    return text


def _without(text: str, way: _Way) -> str:
    """Return ``text`` without what is at the end of ``way``, and without all that was made for it.

    That is each object and list around it that holds nothing else, unless it was there before.
    """
    *above, (holder, place) = way
    if len(holder.members or ()) == 1 and above and not was_empty(text, holder):
        outer, at = above[-1]
        names = [one.key for one in outer.members or ()]
        # Without the last of two with one name the other would count: ctx never makes a second.
        if names.count(names[at]) == 1:
            return _without(text, tuple(above))
    left = without(text, holder, place)
    root = scan(left)
    if above or root is None or root.members or was_empty(text, holder):
        return left
    if left[root.start + 1 : root.end - 1].strip():
        return left  # a comment
    eol = _eol(text)
    return left[: root.start].removesuffix(eol) + left[root.end :].removeprefix(eol)


def _is_unneeded(key: str, value: Json, root: Node, text: str, left: str) -> bool:
    """Whether ``with_hooks`` put ``key`` behind the hooks, which are not in ``left`` any more."""
    names = [one.key for one in root.members or ()]
    if not root.members or key not in names or names.index(key) < names.index(HOOKS):
        return False
    node = root.members[_last(root, key)].node
    made = at_path(scan(left), (HOOKS,)) is None or text.endswith(f": {_OWN}", 0, node.start)
    return made and node.value == value


def _last(node: Node, key: str) -> int:
    return max(place for place, one in enumerate(node.members or ()) if one.key == key)


def _all_found(node: Node | None, tool: str) -> list[_Found]:
    return [
        found
        for at, top in enumerate((node.members if node else None) or ())
        if node and top.key == HOOKS
        for place, event in enumerate(
            (top.node.members if isinstance(top.node.value, dict) else None) or ()
        )
        if isinstance(event.node.value, list)
        for found in _found_in(event.node, event.key, tool, ((node, at), (top.node, place)))
    ]


def _found_in(items: Node, event: str, tool: str, way: _Way) -> Iterator[_Found]:
    for place, item in enumerate(items.members or ()):
        groups = _groups_of(item.node)
        if groups is None:
            command = _command(item.node.value, tool)
            if command:
                yield _Found(_hook(event, command, item.node), (*way, (items, place)))
            continue
        inner = groups.members or ()
        commands = [_command(one.node.value, tool) for one in inner]
        if len(inner) == 1 and commands[0]:
            yield _Found(_hook(event, commands[0], item.node), (*way, (items, place)))
            continue
        inside = (*way, (items, place))
        for at, (command, one) in enumerate(zip(commands, inner, strict=True)):
            if command:
                yield _Found(_hook(event, command, one.node), (*inside, (groups, at)))


def _groups_of(node: Node) -> Node | None:
    inner = at_path(node, (HOOKS,)) if isinstance(node.value, dict) else None
    return inner if inner is not None and isinstance(inner.value, list) else None


def _hook(event: str, command: str, node: Node) -> Hook:
    entry = node.value if isinstance(node.value, dict) else {}
    return Hook(event, command, bool(program_of(command)), entry)


def _command(value: Json, tool: str) -> str:
    fields = value if isinstance(value, dict) else {}
    for command in (host.text(fields, key) for key in (hooks_of(tool) or host.Hooks).commands):
        found, alone = _CALLS.search(command), _RUNS.match(command)
        if (alone["tool"] if alone and program_of(command) else found and found[1]) == tool:
            return command
    return ""


def _value(text: str, name: str) -> JsonObject:
    node = _scanned(text, name)
    return node.value if node and isinstance(node.value, dict) else {}


def _merged(value: JsonObject, wanted: Wanted) -> JsonObject:
    hooks = value.get(HOOKS, {})
    new: JsonObject = dict(hooks) if isinstance(hooks, dict) else {}
    for event, entry in wanted.entries:
        there = new.get(event, [])
        new[event] = [*(there if isinstance(there, list) else []), entry]
    with_hooks = {HOOKS: new} if wanted.entries else {}
    needed = {key: value.get(key, one) for key, one in wanted.needed.items()}
    return {**value, **needed, **with_hooks}


def _rest(value: JsonObject, wanted: Wanted) -> JsonObject:
    """Return what settings say beside own hooks, what they need, and empty lists."""
    value = {key: one for key, one in value.items() if wanted.needed.get(key) != one}
    hooks = value.get(HOOKS)
    if not isinstance(hooks, dict):
        return value
    lists = {event: _others(items, wanted.tool) for event, items in hooks.items()}
    full = {event: items for event, items in lists.items() if items not in ([], {})}
    rest = {key: one for key, one in value.items() if key != HOOKS}
    return {**rest, HOOKS: full} if full else rest


def _others(items: Json, tool: str) -> Json:
    if not isinstance(items, list):
        return items
    kept: list[Json] = []
    for item in items:
        inner = item.get(HOOKS) if isinstance(item, dict) else None
        if isinstance(item, dict) and isinstance(inner, list):
            rest = [hook for hook in inner if not program_of(_command(hook, tool))]
            if rest or not inner:
                kept.append({**item, HOOKS: rest})
        elif not program_of(_command(item, tool)):
            kept.append(item)
    return kept


def _decoded(data: bytes, name: str) -> tuple[bytes, str]:
    """Return the mark of the byte order, and the text behind it."""
    mark = BOM_UTF8 if data.startswith(BOM_UTF8) else b""
    try:
        return mark, data[len(mark) :].decode()
    except UnicodeDecodeError as error:
        raise FileError(
            f"{name}: cannot be read: byte {error.start + len(mark)} is not UTF-8",
            "save it as UTF-8, then try again",
        ) from error


def _scanned(text: str, name: str) -> Node | None:
    try:
        return scan(text)
    except ScanError as error:
        raise _unreadable(name, text, error) from error


def _eol(text: str) -> str:
    found = re.search(r"\r\n|\n|\r", text)
    return found[0] if found else "\n"


def _unreadable(name: str, text: str, error: ScanError) -> FileError:
    line = len(re.findall(r"\r\n|\n|\r", text[: error.at])) + 1
    return FileError(f"{name}:{line}: cannot be changed: {error}", "mend it, then try again")
