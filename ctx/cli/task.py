"""``ctx task``: the check box and the labels of one line, and nothing else of the file."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import json
from collections.abc import Iterator, Mapping

from ctx.app.task import mark
from ctx.app.workspace import Workspace
from ctx.edit.tasks import State
from ctx.errors import OK
from ctx.streams import safe, safe_json, write_out

# --- what is there ------------------------------------------------------------------------


# --- saying -------------------------------------------------------------------------------

_WORDS = {"": "open", "in-progress": "in progress"}
"""How people say what has become of a task, where that is not what it is called."""


def run(workspace: Workspace, wanted: str, state: State, *, as_json: bool) -> int:
    """Mark a task and say its line before and after; return the exit code."""
    found = mark(workspace, wanted, state)
    if as_json:
        text = safe_json(f"{json.dumps(found, ensure_ascii=False, indent=1)}\n")
    else:
        text = safe("".join(f"{line}\n" for line in _lines(found)))
    write_out(text.encode("utf-8", "replace"))
    return OK


def _lines(found: Mapping[str, object]) -> Iterator[str]:
    status = str(found["status"])
    word = _WORDS.get(status, status)
    already = "" if found["changed"] else " already"
    yield f"{found['file']}:{found['line']} is {word}{already}: {found['title']}"
    if found["changed"]:
        yield f"  was  {str(found['before']).strip()}"
    yield f"  now  {str(found['after']).strip()}"
