"""Rules for the files that a tool reads or edits: which of them the session has not received.

What can apply is in a table that is made from the project's sources, and read again as long as
none of them changed: an event where nothing applies is answered without reading.
"""

from __future__ import annotations

import os
from json import loads

from ctx.app import build
from ctx.app.options import PacketOptions
from ctx.hooks.deadline import Answer
from ctx.store import given

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypedDict

    from ctx.hooks.ask import Ask
    from ctx.hosts.host import Event
    from ctx.store import Store
    from ctx.world import World

    class Row(TypedDict):
        """A file of rules, as the table holds it."""

        id: str
        bases: list[str]
        patterns: list[str]
        ignores: bool  # whether patterns are those of a ``.gitignore``
        moment: str  # when the host loads it (``Context.moments``)
        always: bool  # whether packets hold it: it is for sessions that had none
        title: str  # its heading: with the path, or that alone
        path: str  # as ``names.shown`` has it
        head: int  # tokens of its heading
        name: int  # tokens of its path
        pieces: list[tuple[int, str]]  # its rules, each with its tokens
        left: int  # rules that are too long

    class Table(TypedDict):
        """All that can apply; ``folders`` are those whose documents, by ``names``, are in it."""

        project: str
        names: list[str]
        folders: list[str]
        counter: str  # by which all is counted, in the form of the host's answer
        tokens: int
        rules: list[Row]


def key_of(ask: Ask, world: World) -> str:
    """Return the key of the table for a tool in a project."""
    more = ("rules for touched files", *ask.host, ask.event.agent)
    return build.key_of(PacketOptions(), ask.root, world, *more)


def answer(ask: Ask, store: Store, data: bytes, *, made: bool = False) -> Answer | None:
    """Return what to print, and note that the session is given it.

    ``data`` is the table. None where it does not know of a document in a folder of these files;
    not for one that was ``made`` for them.
    """
    table: Table = loads(data)
    paths, trees = _inside(ask.event, table["project"]), ask.tool.trees
    paths = [path for path in paths if not (trees and path.startswith(trees))]
    if not made and _is_incomplete(table, paths):
        return None
    rows = table["rules"] if paths and table["tokens"] else []
    names = given.unsent(store.state, ask.session, [*(row["id"] for row in rows), given.STARTED])
    is_new, unsent = bool(ask.session) and given.STARTED in names, {*names}
    rows = [row for row in rows if row["id"] in unsent and (is_new or not row["always"])]
    rows = _applying(rows, paths) if rows else []
    rows = _not_loaded(ask, store, rows) if rows else []
    if not rows:
        return Answer(b"", 0, "no rules for it")
    from ctx.hooks.printed import Printed  # only where a rule applies
    from ctx.text.names import few
    from ctx.text.tokens import counter

    printed = Printed(counter(table["counter"]), ask.tool, ask.event.name, table["tokens"])
    head = f"Rules for {few(paths, _SHOWN)}:\n"
    if printed.count(head) > printed.room // 4:
        head = "Rules for the files at hand:\n"
    room = printed.room - printed.count(head) - _END
    # What cannot even be named is sent with the next event.
    named: list[Row] = []
    for row in rows:
        if sum(row["name"] for row in (*named, row)) <= room:
            named.append(row)
    while named and not printed.fits(head + _text(named, 0)):
        named.pop()
    # What is not claimed is sent by another hook at this moment.
    claimed = given.claim(store.state, ask.session, [row["id"] for row in named], ask.call)
    named = [row for row in named if row["id"] in claimed]
    if not named:
        return Answer(b"", 0, "no rules for it")
    text = head + _text(named, room)
    while room > 0 and not printed.fits(text):  # the whole may cost more than its parts
        room -= max(0, printed.count(text) - printed.room) + _JOINTS
        text = head + _text(named, room)
    return Answer(printed.answer(text), 0, "rules for files")


def _not_loaded(ask: Ask, store: Store, rows: list[Row]) -> list[Row]:
    """Return the rows that the host does not load by itself, those of certain files first."""
    from ctx.hooks import unproven  # only where a rule applies

    moments, told = ("touch", "read") if ask.event.reads else ("touch",), ask.event.loaded
    real = {*map(os.path.realpath, told or ())}
    names = {*map(os.path.basename, real)}  # of others it tells nothing: these import them
    left = []
    for number, row in enumerate(sorted(rows, key=lambda row: row["always"])):
        path, call = unproven.path_of(ask, row["id"]), f"{ask.call}-{number}{given.LOADED}"
        is_other = bool(names) and os.path.basename(path) not in names
        is_told = told is None or is_other or os.path.realpath(path) in real
        expected = row["moment"] in moments and is_told
        if expected and path not in ask.absent:
            given.claim(store.state, ask.session, [row["id"]], call)
            unproven.note(ask, store, files=[path], call=call)
        else:
            left.append((path, row))
    if left and ask.tool.proves and ask.event.transcript:
        loaded = unproven.window(ask)[1]
        left = [(path, row) for path, row in left if os.path.realpath(path) not in loaded]
    return [row for _, row in left]


def _inside(event: Event, project: str) -> list[str]:
    """Return the files of an event relative to ``project``, as written and where links lead."""
    roots = {os.path.join(root, "") for root in (project, os.path.realpath(project))}
    found = []
    for name in event.files:
        path = os.path.normpath(os.path.join(event.cwd, os.path.expanduser(name)))
        for each in (path, os.path.realpath(path)):
            found += [each.removeprefix(root) for root in roots if each.startswith(root)]
    return list(dict.fromkeys(path.replace(os.sep, "/") for path in found))


def _is_incomplete(table: Table, paths: list[str]) -> bool:
    """Whether a document is in a folder of ``paths`` that the table does not know."""
    above = {path[:end] for path in paths for end, char in enumerate(path) if char == "/"}
    return any(
        os.path.exists(os.path.join(table["project"], folder, name))
        for folder in above.difference(table["folders"])
        for name in table["names"]
    )


def _applying(rows: Iterable[Row], paths: list[str]) -> list[Row]:
    from ctx.text.scopes import first_match  # only where a rule may apply

    return [
        row
        for row in rows
        if any(
            path.startswith(base)
            and first_match(row["patterns"], path[len(base) :], ignores=row["ignores"])
            for path in paths
            for base in row["bases"]
        )
    ]


def _text(rows: list[Row], left: int) -> str:
    """Return rules in at most ``left`` tokens: of each file what has room, and what to read."""
    left -= sum(row["name"] for row in rows)
    text, more = "", []
    for number, row in enumerate(rows):
        room = (left - row["head"]) // (len(rows) - number)
        before, pieces = room, []
        for cost, piece in row["pieces"]:
            if cost <= room:
                room -= cost
                pieces.append(piece)
        if pieces:
            left -= row["head"] + before - room
            text += f"\n## {row['title']}\n\n{''.join(pieces)}"
        if row["left"] or len(pieces) < len(row["pieces"]):
            more.append(row["path"])
    return f"{text}\n{_MORE}: {', '.join(more)}\n" if more else text


_MORE = "Read these files before you go on, they hold more rules"
_SHOWN = 3  # paths that are named
_END = 40  # tokens of the line about files that hold more
_JOINTS = 20  # tokens by which a text that costs too much is shortened at least
