"""Rules for the files that a tool reads or edits: which of them the session has not received.

What can apply is in a table that is made from the project's sources, and read again as long as
none of them changed: an event where nothing applies is answered without the rooms. The table is
JSON: ``project``, ``names`` and ``folders`` of the documents that folders may hold, ``tokens``
that an answer may cost, and ``rules``, a row a file: ``id``, ``bases``, ``patterns``, ``moment``
(see ``ctx.read.loaded``), ``always`` where a packet holds it, so that it is sent only to a session
that had none, ``title`` and ``path`` with the tokens of both as a ``head`` and of the path as
a ``name``, ``pieces`` with their tokens, and how many are ``left`` for want of room.
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
    from collections.abc import Iterable, Iterator
    from typing import TypedDict

    from ctx.hooks.ask import Ask
    from ctx.hooks.host import Event
    from ctx.store import Store
    from ctx.world import World

    class Row(TypedDict):
        """A file of rules."""

        id: str
        bases: list[str]
        patterns: list[str]
        moment: str
        always: bool
        title: str
        path: str
        head: int
        name: int
        pieces: list[tuple[int, str]]
        left: int

    class Table(TypedDict):
        """All that can apply to a file of the project."""

        project: str
        names: list[str]
        folders: list[str]
        tokens: int
        rules: list[Row]


def key_of(ask: Ask, world: World) -> str:
    """Return the key of the table for a tool in a project."""
    return build.key_of(PacketOptions(), ask.root, world, "rules for files", ask.tool.name)


def answer(ask: Ask, store: Store, data: bytes, *, made: bool = False) -> Answer | None:
    """Return what to print, and note that the session is given it.

    ``data`` is the table. None where it does not know of a document in a folder of these files;
    not for one that was ``made`` for them.
    """
    table: Table = loads(data)
    paths = list(_inside(ask.event, table["project"]))
    if not made and any(map(os.path.exists, _documents(paths, table))):
        return None
    rows = {row["id"]: row for row in table["rules"]} if paths and table["tokens"] else {}
    unsent = given.unsent(store.state, ask.session, [*rows, given.STARTED])
    is_new = bool(ask.session) and given.STARTED in unsent
    rows = {id_: rows[id_] for id_ in unsent if id_ in rows and (is_new or not rows[id_]["always"])}
    found = _applying(rows.values(), paths) if rows else {}
    moments = ("touch", "read") if ask.event.reads else ("touch",)
    loaded = [id_ for id_ in found if rows[id_]["moment"] in moments]
    given.claim(store.state, ask.session, loaded)
    news = [id_ for id_ in found if id_ not in loaded]
    sent, _ = _text([rows[id_] for id_ in news], paths, table["tokens"])
    claimed = given.claim(store.state, ask.session, sent)
    if not claimed:
        return Answer(b"", 0, "no rules for it", lambda: None)
    if claimed != sent:  # another hook sends the others at this moment
        news = claimed
    _, text = _text([rows[id_] for id_ in news], paths, table["tokens"])
    return Answer(ask.tool.answer(ask.event.name, text), 0, "rules for files", lambda: None)


def _inside(event: Event, project: str) -> Iterator[str]:
    """Yield the files of an event relative to ``project``, as written and where links lead."""
    roots = {project, os.path.realpath(project)}
    found = set()
    for name in event.files:
        path = os.path.normpath(os.path.join(event.cwd, os.path.expanduser(name)))
        for each in (path, os.path.realpath(path)):
            for root in roots:
                inside = each[len(root) + 1 :].replace(os.sep, "/")
                if each.startswith(os.path.join(root, "")) and inside not in found:
                    found.add(inside)
                    yield inside


def _documents(paths: list[str], table: Table) -> Iterator[str]:
    """Yield where documents would be in folders of ``paths`` that the table does not know."""
    known = {*table["folders"], ""}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder not in known:
            known.add(folder)
            for name in table["names"]:
                yield os.path.join(table["project"], folder, name)
            folder = folder.rpartition("/")[0]


def _applying(rows: Iterable[Row], paths: list[str]) -> dict[str, str]:
    """Return the ids of the rows that apply to a path."""
    from ctx.text.globs import matching  # only where a rule may apply

    return {
        row["id"]: path
        for row in rows
        for path in paths
        for base in row["bases"]
        if path.startswith(base) and matching(row["patterns"], path[len(base) :])
    }


def _text(rows: list[Row], paths: list[str], tokens: int) -> tuple[list[str], str]:
    """Return rules in at most ``tokens``: of each file what has room, and what to read.

    With the ids of their files; what cannot even be named is sent with the next event.
    """
    shown = ", ".join(paths[:_SHOWN]) + (", …" if len(paths) > _SHOWN else "")
    text = f"Rules for {shown}:\n"
    left = tokens - len(text) // _CHARACTERS - _END
    named = []
    for row in sorted(rows, key=lambda row: row["always"]):
        if row["name"] <= left:
            left -= row["name"]
            named.append(row)
    more = []
    for number, row in enumerate(named):
        room = (left - row["head"]) // (len(named) - number)
        pieces, omitted = [], row["left"]
        for cost, piece in row["pieces"] if room > 0 else ():
            if cost <= room:
                room -= cost
                left -= cost
                pieces.append(piece)
        if pieces:
            left -= row["head"]
            text += f"\n## {row['title']} ({row['path']})\n\n{''.join(pieces)}"
        if omitted or len(pieces) < len(row["pieces"]):
            more.append(row["path"])
    if more:
        text += f"\n{_MORE}: {', '.join(more)}\n"
    return [row["id"] for row in named], text


_MORE = "Read these files before you go on, they hold more rules"
_SHOWN = 3
"""Paths that are named."""
_CHARACTERS = 3
"""By which paths become tokens, with room to spare."""
_END = 40
"""Tokens of the line about files that hold more."""
