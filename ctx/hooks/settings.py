"""Hooks of ctx in the settings of a tool: what is there, with them, and without them again.

Pure: texts in, texts out. A hook is ctx's own by its command and by nothing else, so a copy of
the settings from elsewhere, or one that was formatted anew, is understood as well.
"""

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ctx.edit.json_splice import Node, ScanError, at_path, scan, with_item, with_member, without
from ctx.errors import FileError
from ctx.model import Json, JsonObject

HOOKS = "hooks"  # the member of all settings that holds the hooks, by event
_RUNS = re.compile(  # a command that runs ctx for a hook and does nothing else
    r"""(?x) \s* (?P<program> '[^']*' (?:\\''[^']*')* | "[^"]*" | [^\s"';&|<>`$()]+ )
    (?P<module> \s+ -m \s+ ctx )? \s+ hook \s+ run \s+ (?P<tool> [\w-]+ ) \s+ (?P<event> \w+ )
    \s*+ (?: ; \s* exit \s+ 0 )? \s* \Z"""
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


class _Found(NamedTuple):
    hook: Hook
    holder: Node
    place: int


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
        for key, value in wanted.needed.items():
            if at_path(scan(text), (key,)) is None:
                text = with_member(text, (key,), value)
        for event, entry in wanted.entries:
            text = with_item(text, (HOOKS, event), entry)
    except ScanError as error:
        raise _unreadable(name, text, error) from error
    if _value(text, name) != _merged(_value(old, name), wanted):
        raise FileError(f"{name}: cannot be changed without changing more", "add the hooks by hand")
    return mark + text.encode()


def removed(data: bytes, wanted: Wanted, before: bytes | None, name: str) -> bytes | None:
    """Return settings without the hooks of ctx for ``wanted.tool``; None: there was no file.

    ``before`` is what they were before ctx came, None where nothing is kept of that. If nobody
    changed them since they come back to the byte; else ctx's hooks go and nothing else does,
    and lists that are left empty go where they were not there before. Raises FileError.
    """
    mark, text = _decoded(data, name)
    found = _all_found(_scanned(text, name), wanted.tool)
    own = [one.hook for one in found if one.hook.own]
    for origin in (before, None):  # a copy that is kept may be from before the file was deleted
        if _untouched(data, own, origin, wanted, name):
            return origin
    had = _scanned(_decoded(before or b"", name)[1], name)
    old = text
    text = _stripped(text, wanted.tool, lambda path: at_path(had, path) is not None)
    if before is not None:
        text = _without_needed(text, wanted, had)
    if _rest(_value(text, name), wanted) != _rest(_value(old, name), wanted):
        raise FileError(f"{name}: cannot be changed without changing more", "take them out by hand")
    left = scan(text)
    bare = left is not None and isinstance(left.value, dict) and left.value.items() <= dict(
        wanted.needed
    ).items()  # fmt: skip
    if before is None and (left is None or bare) and "//" not in text and "/*" not in text:
        return None
    return mark + text.encode()


def _untouched(
    data: bytes, own: Sequence[Hook], before: bytes | None, wanted: Wanted, name: str
) -> bool:
    """Whether putting the same hooks into what was ``before`` gives what is there now."""
    entries = tuple((hook.event, hook.entry) for hook in own)
    try:
        return with_hooks(before, wanted._replace(entries=entries), name) == data
    except FileError:
        return False  # what is kept was spoilt by a hand


def _stripped(text: str, tool: str, kept: Callable[[tuple[str, ...]], bool]) -> str:
    """Return ``text`` without own hooks, and without the lists that are empty for that."""
    events: dict[str, None] = {}
    while True:
        node = scan(text)
        one = next((one for one in _all_found(node, tool) if one.hook.own), None)
        if one is None:
            break
        events[one.hook.event] = None
        text = without(text, one.holder, one.place)
    for path in (*((HOOKS, event) for event in events), (HOOKS,)):
        node = scan(text)
        empty = at_path(node, path)
        holder = at_path(node, path[:-1])
        if events and empty is not None and holder and empty.members == () and not kept(path):
            names = [one.key for one in holder.members or ()]
            place = len(names) - 1 - names[::-1].index(path[-1])
            # Without the last of two with one name the other would count: ctx never makes a second.
            alone = names.count(path[-1]) == 1
            if alone and text[empty.start + 1 : empty.end - 1].strip() == "":
                text = without(text, holder, place)
    return text


def _without_needed(text: str, wanted: Wanted, had: Node | None) -> str:
    """Return ``text`` without what no hook needs any more, and what was not there before."""
    for key, value in wanted.needed.items():
        node = scan(text)
        hooks = at_path(node, (HOOKS,))
        found = at_path(node, (key,))
        unused = found is not None and found.value == value and not (hooks and hooks.members)
        if node and unused and at_path(had, (key,)) is None:
            names = [one.key for one in node.members or ()]
            text = without(text, node, len(names) - 1 - names[::-1].index(key))
    return text


def _all_found(node: Node | None, tool: str) -> list[_Found]:
    tops = node.members if node else None
    return [
        found
        for top in tops or ()
        if top.key == HOOKS
        for event in (top.node.members if isinstance(top.node.value, dict) else None) or ()
        if isinstance(event.node.value, list)
        for found in _found_in(event.node, event.key, tool)
    ]


def _found_in(items: Node, event: str, tool: str) -> Iterator[_Found]:
    for place, item in enumerate(items.members or ()):
        groups = _groups_of(item.node)
        if groups is None:
            command = _command(item.node.value, tool)
            if command:
                yield _Found(_hook(event, command, item.node), items, place)
            continue
        inner = groups.members or ()
        commands = [_command(one.node.value, tool) for one in inner]
        if len(inner) == 1 and commands[0]:
            yield _Found(_hook(event, commands[0], item.node), items, place)
            continue
        for at, (command, one) in enumerate(zip(commands, inner, strict=True)):
            if command:
                yield _Found(_hook(event, command, one.node), groups, at)


def _groups_of(node: Node) -> Node | None:
    inner = at_path(node, (HOOKS,)) if isinstance(node.value, dict) else None
    return inner if inner is not None and isinstance(inner.value, list) else None


def _hook(event: str, command: str, node: Node) -> Hook:
    entry = node.value if isinstance(node.value, dict) else {}
    return Hook(event, command, bool(program_of(command)), entry)


def _command(value: Json, tool: str) -> str:
    fields = value if isinstance(value, dict) else {}
    for key in ("command", "bash", "powershell", "windows", "commandWindows"):
        command = fields.get(key)
        found = _CALLS.search(command) if isinstance(command, str) else None
        alone = _RUNS.match(command) if isinstance(command, str) else None
        named = alone["tool"] if alone and program_of(str(command)) else found and found[1]
        if named == tool:
            return str(command)
    return ""


def _value(text: str, name: str) -> JsonObject:
    node = _scanned(text, name)
    return node.value if node and isinstance(node.value, dict) else {}


def _merged(value: JsonObject, wanted: Wanted) -> JsonObject:
    """Return what settings of this ``value`` say with what is wanted."""
    hooks = value.get(HOOKS, {})
    new: JsonObject = dict(hooks) if isinstance(hooks, dict) else {}
    for event, entry in wanted.entries:
        there = new.get(event, [])
        new[event] = [*(there if isinstance(there, list) else []), entry]
    with_hooks = {HOOKS: new} if wanted.entries else {}
    return {
        **value,
        **{key: value.get(key, one) for key, one in wanted.needed.items()},
        **with_hooks,
    }


def _rest(value: JsonObject, wanted: Wanted) -> JsonObject:
    """Return what settings say beside own hooks, what they need, and empty lists."""
    value = {key: one for key, one in value.items() if wanted.needed.get(key) != one}
    hooks = value.get(HOOKS)
    if not isinstance(hooks, dict):
        return value
    lists = {event: _others(items, wanted.tool) for event, items in hooks.items()}
    full = {event: items for event, items in lists.items() if items not in ([], {})}
    return {
        **{key: one for key, one in value.items() if key != HOOKS},
        **({HOOKS: full} if full else {}),
    }


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


def _unreadable(name: str, text: str, error: ScanError) -> FileError:
    line = len(re.findall(r"\r\n|\n|\r", text[: error.at])) + 1
    return FileError(f"{name}:{line}: cannot be changed: {error}", "mend it, then try again")
