"""``ctx task``: the check box and the labels of one line, and nothing else of the file."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import json
from collections.abc import Iterator

from ctx.app.task import Marked, mark
from ctx.app.workspace import Workspace
from ctx.edit.tasks import State
from ctx.errors import OK
from ctx.streams import safe, safe_json, write_out

_WORDS = {"": "open", "in-progress": "in progress"}
"""How people say what has become of a task, where that is not what it is called."""


def run(workspace: Workspace, wanted: str, state: State, *, as_json: bool) -> int:
    """Mark a task and say its line before and after; return the exit code."""
    found = mark(workspace, wanted, state)
    if as_json:
        text = safe_json(f"{json.dumps(found._asdict(), ensure_ascii=False, indent=1)}\n")
    else:
        text = safe("".join(f"{line}\n" for line in _lines(found)))
    write_out(text.encode("utf-8", "replace"))
    return OK


def _lines(found: Marked) -> Iterator[str]:
    word = _WORDS.get(found.status, found.status)
    already = "" if found.changed else " already"
    yield f"{found.file}:{found.line} is {word}{already}: {found.title}"
    if found.changed:
        yield f"  was  {found.before.strip()}"
    yield f"  now  {found.after.strip()}"
