"""``ctx task``: the check box and the labels of one line, and nothing else of the file."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import json
from collections.abc import Iterator, Mapping

from ctx.app.settings import load
from ctx.app.task import mark
from ctx.edit.tasks import State
from ctx.errors import OK
from ctx.streams import safe, safe_json, write_out
from ctx.world import World

# --- what is there ------------------------------------------------------------------------


# --- saying -------------------------------------------------------------------------------

_WORDS = {"": "open", "in-progress": "in progress"}
"""How people say what has become of a task, where that is not what it is called."""


def run(  # noqa: PLR0913 - what was asked for, and where
    root: str,
    wanted: str,
    state: State,
    flags: Mapping[str, object],
    world: World,
    *,
    as_json: bool,
) -> int:
    """Mark a task and say its line before and after; return the exit code."""
    found = mark(root, wanted, state, load(root, world, flags))
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
