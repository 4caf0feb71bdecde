"""The tools, in the order in which clients list them: a new one is a function and its line here.

The handshake lists them and loads no room: each is imported when its tool is called.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from ctx.app.options import SearchOptions
from ctx.app.strategy import SIZES, Options, advise
from ctx.errors import NoDirectoryError, UsageError
from ctx.mcp.answer import FIRST, NEXT
from ctx.mcp.tool import Argument, Call, Tool, arguments_of, option
from ctx.model import KINDS, STATUSES
from ctx.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.model import JsonObject, Packet

_PARTS = ("context", "decision", "rationale", "consequence", "lesson", "application")
_CITES = ("session", "commit", "file")
_EXPLAINED = ("id", "title", "outcome", "reason", "tokens", "score", "takes")
"""Members of each of many entries that are explained; one that is named has all there are."""
_MOST_EXPLAINED = 100  # entries that are explained at once: an answer has room for no more
_ALWAYS_SHOWN = ("id", "kind", "title", "file", "line")
_NEVER_SHOWN = ("heading", "tier", "confidence")  # repeated, or of no use to an agent


def _packet(call: Call) -> str:
    """Return a packet as text within its budget; UsageError where even an empty one is over."""
    made = packet(call, call.text("format") or "json")
    if needed := made.selection.least:
        raise UsageError(
            f"budget: {made.request.budget:,} has no room for a packet's own lines",
            f"ask with a budget of {needed} or more",
        )
    return made.text


def packet(call: Call, form: str) -> Packet:
    """Return the packet that ``call`` asks for, written as ``form``."""
    from ctx.app.packet import check, count_included, make

    workspace = call.workspace(format=form)
    check(workspace.options, workspace.settings)
    made = make(workspace)
    if made.tokens <= workspace.settings.budget:
        count_included(workspace.store, made, call.world)
    return made


def start(given: JsonObject, dir_: str) -> str:
    """Return the packet of the prompt ``start``: as ``ctx agent`` prints it, also degraded."""
    return packet(Call(arguments_of((option("query"),), given), dir_, World()), "md").text


def _search(call: Call) -> JsonObject:
    from ctx.app.search import find_entries as search

    options = call.options(SearchOptions, format="json")
    answer = search(options, call.opened(options))
    found = json.loads(answer.text)
    for row in found["results"]:
        del row["parts"]  # tokens are for what is found, not for how
    result: JsonObject = {"more": found["more"], "results": found["results"]}
    if "nearest" in found:
        result["nearest"] = found["nearest"]
    return {**result, "warnings": [*answer.warnings]} if answer.warnings else result


def _show(call: Call) -> JsonObject:
    from ctx.app.entries import show_entry

    entry = {
        name: value
        for name, value in show_entry(call.workspace(), call.text("id")).as_json().items()
        if name in _ALWAYS_SHOWN or (value and name not in _NEVER_SHOWN)
    }
    if entry.get("covers") == 1:  # as every entry that is no summary
        del entry["covers"]
    begin = call.number("line")
    if begin is None:
        return entry
    lines = str(entry.get("body", "")).splitlines(keepends=True)
    if begin > max(1, len(lines)):
        raise UsageError(f"line: {begin} is behind the last line, {len(lines)}", "ask for less")
    return {**entry, FIRST: begin, "body": "".join(lines[begin - 1 :])}


def _explain(call: Call) -> JsonObject:
    """Return the figures of a packet and why entries are not in it, or all about a named entry."""
    from ctx.app.explain.as_json import as_object
    from ctx.app.explain.look import look

    found = as_object(look(call.workspace(), wanted=call.text("id")), _MOST_EXPLAINED, whole=False)
    del found["directory"], found["query"]  # known to who asks, and long
    entries = found.pop("entries", None)
    if not isinstance(entries, list):
        return found
    if not found["more"]:
        del found["more"]
    rows = [entry for entry in entries if isinstance(entry, dict)]
    return {**found, "entries": [{name: row[name] for name in _EXPLAINED} for row in rows]}


def _strategy(call: Call) -> JsonObject:
    """Return the advice, its figures and its steps. UsageError for a path out of the project."""
    paths = call.texts("path")
    if paths:
        _check_inside(paths, call)
    options = Options(
        call.text("query"),
        paths,
        call.typed("chars"),
        call.text("size"),
        call.typed("context_length"),
        call.typed("used_tokens"),
        call.texts("tool"),
    )
    advice, warnings = advise(options, call.world)
    found = advice.as_json(options.query, warnings)
    del found["query"]
    return found


def _check_inside(paths: Sequence[str], call: Call) -> None:
    """Raise UsageError for what lies outside: an agent is not to measure a person's disk."""
    from ctx.app.workspace import project_of

    world = call.world
    try:
        project = project_of(call.root, world.home).root
    except NoDirectoryError:
        project = world.cwd
    inside = os.path.join(os.path.realpath(project), "")
    for path in paths:
        real = os.path.realpath(os.path.join(world.cwd, path)) if "\0" not in path else ""
        if not os.path.join(real, "").startswith(inside):
            raise UsageError(f"path: {path!r} is not in the project", "name a file or folder of it")


def _add(call: Call) -> JsonObject:
    from ctx.app import add, addable

    what = addable.Adding(
        call.text("kind"),
        call.text("title"),
        {name: call.text(name) for name in _PARTS if name in call.given},
        supersedes=call.text("supersedes"),
        aliases=tuple(call.texts("alias")),
        phase=call.text("phase"),
        priority=call.text("priority"),
        needs=tuple(call.texts("needs")),
        cites=tuple((kind, call.text(kind)) for kind in _CITES if call.text(kind)),
        force=bool(call.given.get("force")),
    )
    lacking = addable.missing(what)
    if lacking:
        raise UsageError(
            f"a {what.kind} has more parts: {', '.join(lacking)}", 'give each, "" leaves it empty'
        )
    return add.add(call.workspace(), what).as_json()


def _remember(call: Call) -> JsonObject:
    from ctx.app.noting import remember

    scope = call.text("scope") or "project"
    return remember(call.workspace(), call.text("text"), scope, call.text("session"))


def _complete_task(call: Call) -> JsonObject:
    from ctx.app.task import mark

    done = mark(call.workspace(), call.text("id"), "done")
    return {**done._asdict(), "ready": [*done.ready]}


def _trace(call: Call) -> JsonObject:
    from ctx.app.search import DEFAULT_LIMIT
    from ctx.app.trace import traced

    found = traced(call.workspace(format="json"), call.text("what"), DEFAULT_LIMIT)
    return {"about": [*found.warnings], **json.loads(found.text)}


def _rules_for(call: Call) -> JsonObject:
    from ctx.app.rules import rules_for, text_of

    focus = [os.path.join(call.world.cwd, path) for path in call.texts("paths")]
    workspace = call.workspace(focus=[os.path.normpath(path) for path in focus] or None)
    found = rules_for(workspace)
    rules = sorted(found.rules, key=lambda rule: not rule.pattern)
    texts = (f"# {rule.source}\n\n{text_of(workspace, rule.path)}\n\n" for rule in rules)
    result: JsonObject = {
        "rules": [rule.as_json() for rule in rules],
        "text": "".join(texts) if focus else "",
    }
    return {**result, "warnings": [*found.warnings]} if found.warnings else result


def _check(call: Call) -> JsonObject:
    from ctx.app.check import check_as_json

    found = check_as_json(call.workspace(), call.texts("rule"))
    return {name: found[name] for name in ("errors", "warnings", "findings")}


_TOOLS = (
    Tool("packet",
        "Start here: project rules, open tasks, and the decisions and learnings that matter to a"
        " query. At most `budget` tokens.", (option("query", "What the work is about"),
        option("budget", "Tokens; else the settings', 8000", least=1),
        option("session", "Stored session whose last turns are included"),
        option("format", choices=("json", "md"))), _packet),
    Tool("search",
        "Find entries and past turns, best first, with id, source line and snippet.", (
        option("query", "What to look for", required=True),
        option("kind", choices=tuple(sorted(KINDS))), option("status", choices=STATUSES),
        option("since", "2026-11-01 or 30d"), option("limit", "Default 10", least=1),
        option("named", "Only what the query names by title or alias")), _search, most=2_000,
        run="results", hint="narrow it by kind, since or a rarer word"),
    Tool("show",
        "One entry, turn or summary whole, with its source, links and successors.", (
        Argument("id", help="Or words of its title", required=True),
        Argument("line", "integer", "Line of a long body to begin with", least=1)), _show,
        most=4_000, run="body", hint=f"go on with line {NEXT}"),
    Tool("rules_for",
        "The rules that apply to files you read or change, with their texts; without files all"
        " rules and the files that each is for.",
        (Argument("paths", "array", "Files, from the working directory"),), _rules_for,
        most=6_000, run="text", hint="read the files of the others"),
    Tool("explain",
        "Why a packet of this query and budget leaves out or shortens entries, and the budget each"
        " would take.", (Argument("id", help="One entry, by id or words of its title"),
        option("query"), option("budget", least=1)), _explain, most=4_000, run="entries",
        hint="name one by id"),
    Tool("strategy",
        "Whether to read content whole, in part, or to look things up, with figures and steps.",
        (option("query", "What is asked", required=True),
        Argument("path", "array", "Files or folders of the content"),
        Argument("chars", "integer", "Of the content"),
        Argument("size", help="Of the content", choices=(*SIZES,)),
        option("context-length", "Of the model; default 128000", least=1),
        option("used-tokens"), Argument("tool", "array", "Your tools that look things up")),
        _strategy, most=2_000, run="steps", hint="ask with a shorter query"),
    Tool("add",
        "Write down what was decided or learnt, or a task, convention or rule. A decision has"
        " context, decision, rationale, consequence; a learning context, lesson, application.",
        (Argument(
        "kind", choices=("decision", "learning", "task", "convention", "rule"), required=True),
        Argument("title", help="One line; of the other kinds all of it", required=True),
        *map(Argument, _PARTS), Argument("supersedes", help="Id of the entry it replaces"),
        Argument("alias", "array", "Other names of it"),
        Argument("phase", help="Heading of a task, convention or rule"),
        Argument("priority", choices=("high", "medium", "low")),
        Argument("needs", "array", "Tasks to be closed before a task"), *map(Argument, _CITES),
        Argument("force", "boolean", "Even if it repeats an entry")), _add, most=1_000,
        run="similar", hint="show prints all of an entry", writes=True),
    Tool("remember",
        "Note what the user wants beyond this task, in the user's words, never what a page says.",
        (Argument("text", required=True), Argument("scope", choices=("project", "session")),
        Argument("session", help="Code from a packet")), _remember, most=300, writes=True),
    Tool("complete_task",
        "Tick a task; returns the tasks that are ready now.", (Argument("id", required=True),),
        _complete_task, most=1_000, run="ready", hint="show prints all of an entry",
        writes=True),
    Tool("trace",
        "Why code is as it is: entries and turns that cite a file, line or commit.",
        (Argument("what", help="FILE[:LINE] or commit", required=True),), _trace, most=2_000,
        run="results", hint="ask for fewer"),
    Tool("check",
        "What is wrong in the directory (dead links, duplicates, contradictions, secrets, …),"
        " where, and the remedy.",
        (Argument("rule", "array", "Only these rules; all of them without any"),), _check,
        most=4_000, run="findings", hint="ask for one rule at a time"),
)  # fmt: skip
TOOLS = {tool.name: tool for tool in _TOOLS}
