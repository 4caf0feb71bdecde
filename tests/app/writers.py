"""What tests of commands that write share: calls in this process, and files before and after."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

from ctx.app.add import add
from ctx.app.addable import Adding
from ctx.app.options import PacketOptions
from ctx.app.task import mark
from ctx.app.workspace import Workspace
from ctx.edit.tasks import State
from ctx.model import Context
from ctx.world import World

NOW_NS = 1_795_253_400 * 10**9
"""A morning of November 2026."""
DECISION = {"context": "c", "decision": "d", "rationale": "r", "consequence": "q"}
LEARNING = {"context": "c", "lesson": "l", "application": "a"}
PARTS = {"decision": DECISION, "learning": LEARNING}
KINDS = ("decision", "learning", "task", "convention", "rule")


def world() -> World:
    """Return a world without settings and store, at a fixed time."""
    one = World()
    one.environ = {"CTX_NO_CACHE": "1", "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]}
    one.home = "/nowhere"
    one.now_ns = NOW_NS
    return one


def workspace(root: Path) -> Workspace:
    return Workspace(PacketOptions(), world(), root=str(root))


def adding(kind: str, title: str, **more: Any) -> Adding:  # noqa: ANN401 - any field of it
    """Return what gives all parts of an entry of ``kind``."""
    return Adding(kind, title, PARTS.get(kind, {}))._replace(**more)


def added(root: Path, what: Adding) -> dict[str, Any]:
    return add(workspace(root), what).as_json()


def ticked(root: Path, wanted: str, state: State = "done") -> dict[str, Any]:
    return mark(workspace(root), wanted, state)._asdict()


def files(root: Path) -> dict[str, bytes]:
    """Return every file below ``root``, by name."""
    every = (one for one in root.rglob("*") if one.is_file())
    return {str(one.relative_to(root)): one.read_bytes() for one in every}


def said(root: Path) -> Counter[tuple[object, ...]]:
    """Return what a directory says, where ids and lines do not count."""

    def look(context: Context) -> Counter[tuple[object, ...]]:
        return Counter(
            (one.source, one.kind, one.tier, one.title, one.body, one.timestamp, one.status,
             one.priority, one.group, one.lead)
            for one in context.entries
        )  # fmt: skip

    return workspace(root).read(look)


def inserted(before: bytes, after: bytes) -> bytes | None:
    """Return the bytes that ``after`` holds beyond ``before``, in one place; None where not so."""
    if len(after) <= len(before):
        return None
    start = next(
        (at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new),
        len(before),
    )
    more = len(after) - len(before)
    for at in range(start, -1, -1):  # what is new may begin as what stood there
        if after[at + more :] == before[at:]:
            return after[at : at + more]
        if at and after[at - 1 + more] != before[at - 1]:
            return None
    return None
