"""What the pages may ask: the tools of MCP that fit, and what a person looks at beside them."""

import json
import os
from collections import deque
from collections.abc import Sequence
from typing import get_args

from ctx.app.entries import list_entries
from ctx.app.explain.look import look
from ctx.app.explain.page import data_of
from ctx.app.sessions import foreign, named, state_of, summaries
from ctx.app.status import status_of
from ctx.app.task import mark
from ctx.app.walk import limits_of
from ctx.app.workspace import Workspace
from ctx.edit.tasks import State
from ctx.errors import FileError, UsageError
from ctx.mcp.tool import Argument, Call, Tool, arguments_of, option
from ctx.mcp.tools import TOOLS
from ctx.model import Json, JsonObject, Kind
from ctx.read import lineage, stored
from ctx.read.files import Limits, RefusedError, checked, decode, place
from ctx.read.sessions import FOLDER
from ctx.text.names import masked, masked_all, shown
from ctx.text.secrets import mask
from ctx.text.visible import visible
from ctx.world import World

_TURNS = 40  # turns of a session that are shown at once
_LONGEST = 20_000  # characters of a turn that are shown
_LINES = 4_000  # lines of a file that are shown at once
_BEFORE = 300  # of these, lines before the one that was asked for


def answered(name: str, given: Json, dir_: str) -> JsonObject:
    """Return what the call ``name`` of ``CALLS`` finds or does in the directory ``dir_``.

    Raises CtxError for what cannot be taken or answered.
    """
    call = CALLS[name]
    if not isinstance(given, dict):
        raise UsageError("a call is an object")
    found = call.answer(Call(arguments_of(call.arguments, given), dir_, World()))
    return json.loads(found) if isinstance(found, str) else found


def _packet(call: Call) -> JsonObject:
    """Return the figures of a packet as the page of ``ctx explain`` has them, and its text."""
    looked = look(call.workspace(format="md"))
    return {**data_of(looked), "text": looked.packet.text}


def _task(call: Call) -> JsonObject:
    states: dict[str, State] = {state: state for state in get_args(State)}
    return mark(call.workspace(), call.text("id"), states[call.text("state")])._asdict()


def _file(call: Call) -> JsonObject:
    """Return lines of a file that ctx reads here, its secrets redacted unless allowed."""
    workspace, path = call.workspace(), call.text("path")
    known = workspace.read(
        lambda context: {*context.read_order, *(source.path for source in context.sources)},
        archive=True,
    )
    if path not in known:
        raise FileError(f"{shown(path)[:200]}: is no file that ctx reads here", "see Sources")
    root, name, limits = _located(workspace, path)
    try:
        data = checked(root, name, limits)
    except RefusedError as refused:
        raise FileError(str(refused)) from refused
    text = visible(decode(path, data)[0].replace("\r\n", "\n").replace("\r", "\n"))
    lines = (text if workspace.settings.allow_secrets else mask(text)).split("\n")
    first = max(0, (call.number("line") or 1) - _BEFORE)
    return {
        "path": path,
        "full": masked(place(root, name)),
        "first": first + 1,
        "total": len(lines),
        "lines": [*lines[first : first + _LINES]],
    }


def _located(workspace: Workspace, path: str) -> tuple[str, str, Limits]:
    """Return the folder of a file, its path from there, and what may be opened."""
    request = workspace.request()
    limits = limits_of(request)
    folder, shown = request.everywhere
    if folder and path.startswith(f"{shown}/"):
        return folder, path.removeprefix(f"{shown}/"), limits._replace(project="")
    return request.root, path, limits


def _sessions(call: Call) -> JsonObject:
    root = call.root
    state = state_of(root, call.world)
    refused: list[str] = []
    rows: list[Json] = [
        {**row._asdict(), "summaries": sum(1 for _ in lineage.summaries(state, row.file))}
        for row in summaries(state, refused.append)
    ]
    return {"sessions": masked_all(rows), "warnings": [*refused, *filter(None, [foreign(root)])]}


def _session(call: Call) -> JsonObject:
    """Return summaries of a session, and its turns before a line: the last ones without any."""
    state = state_of(call.root, call.world)
    file = named(state, call.text("id"))
    redacted = str if call.workspace().settings.allow_secrets else mask
    before = call.number("line")
    last: deque[Json] = deque(maxlen=_TURNS)
    for one in stored.turns(state, file):
        if before is not None and one.line >= before:
            break
        turn = one.turn
        text = redacted(turn.text)
        last.append({
            "line": one.line, "id": masked(turn.id), "ts": turn.ts, "role": turn.role,
            "speaker": redacted(turn.speaker), "text": text[:_LONGEST],
            "more": max(0, len(text) - _LONGEST),
        })  # fmt: skip
    made: list[Json] = [
        {
            "id": masked(each.id), "level": each.level, "text": redacted(each.text),
            "turns": each.turns, "tokens": each.tokens, "covered": each.covered,
            "earliest": each.earliest, "latest": each.latest, "method": each.method,
            "line": each.lines[0][0],
        }
        for each in lineage.summaries(state, file)
    ]  # fmt: skip
    of = {"id": masked(call.text("id")), "full": masked(os.path.join(state, FOLDER, file))}
    return {**of, "summaries": made, "turns": [*last]}


_ID = Argument("id", required=True)
_LINE = Argument("line", "integer", least=1)
_OWN = (
    Tool(
        "packet",
        "A packet at all budgets up to 4 times the one that is asked for.",
        (option("query"), option("budget", least=1), option("session"), option("as-of")),
        _packet,
    ),
    Tool(
        "entries",
        "The entries of one kind.",
        (Argument("kind", choices=get_args(Kind), required=True), Argument("status")),
        lambda call: list_entries(
            call.workspace(), call.text("kind"), status=call.text("status")
        ).as_json(),
    ),
    Tool("file", "Lines of a file.", (Argument("path", required=True), _LINE), _file),
    Tool("sessions", "The stored sessions, newest first.", (), _sessions),
    Tool("session", "Summaries and turns of a session.", (_ID, _LINE), _session),
    Tool(
        "sources",
        "Where entries come from, and what they cost.",
        (),
        lambda call: status_of(call.workspace()).as_json(),
    ),
    Tool(
        "task",
        "Changes the status of a task.",
        (_ID, Argument("state", choices=get_args(State), required=True)),
        _task,
        writes=True,
    ),
)
_SHARED: Sequence[str] = ("search", "show", "add", "check")
CALLS = {call.name: call for call in (*_OWN, *(TOOLS[name] for name in _SHARED))}
