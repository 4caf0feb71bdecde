"""Settings as people have them, and events as hosts send them: files of ``tests/hosts``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ctx.hooks.places import settings, tool_named
from ctx.hosts import NAMES
from ctx.hosts.host import about
from ctx.model import Json, JsonObject
from ctx.world import World

if TYPE_CHECKING:
    from ctx.hooks.places import Settings

FOLDER = Path(__file__).resolve().parents[1] / "hosts"


class Recorded(NamedTuple):
    """An event as a host sends it."""

    tool: str
    event: str
    host: str
    """What the name of the file adds: who of several hosts, or from what."""
    data: JsonObject
    read: JsonObject
    """What it holds: the ``prompt``, whether the window is ``fresh``, and other attributes of an
    ``Event`` that are not told by the members of Claude Code."""
    answer: tuple[str, ...]
    """The members of an answer that lead to the text for the model; empty for events without."""

    @property
    def id(self) -> str:
        """The name of the test."""
        return "-".join(filter(None, (self.tool, self.event, self.host)))


def cases(tool: str) -> list[Path]:
    """Return the settings of a host, without those that show what becomes of them."""
    return sorted(
        path
        for path in (FOLDER / tool / "settings").iterdir()
        if not path.name.endswith(".installed.json")
    )


def form(tool: str) -> JsonObject:
    """Return the form of a host's settings and its names of events, as its documents have them."""
    found: JsonObject = json.loads((FOLDER / tool / "form.json").read_text("utf-8"))
    return found


def events() -> list[Recorded]:
    """Return all recorded events."""
    found = []
    for tool in NAMES:
        for path in sorted((FOLDER / tool / "events").iterdir()):
            event, *host = path.stem.split("-")
            case = json.loads(path.read_bytes())
            answer = tuple(case.get("answer", ()))
            found.append(Recorded(tool, event, "".join(host), case["data"], case["read"], answer))
    return found


def sent(tool: str, event: str, **new: Json) -> JsonObject:
    """Return an event as its host sends it, with what is ``new`` of what was read of it."""
    every = [one for one in events() if (one.tool, one.event) == (tool, event)]
    one = min(every, key=lambda one: (not one.read["fresh"], one.host))
    found = tool_named(tool).read(event, one.data)
    assert found is not None
    about(found, one.data)
    written = json.dumps(one.data)
    for name, value in new.items():
        written = written.replace(json.dumps(getattr(found, name)), json.dumps(value))
    data: JsonObject = json.loads(written)
    return data


def in_project(tool: str, root: Path) -> Settings:
    """Return the settings of a tool in the project ``root``."""
    one = tool_named(tool)
    return settings(one, one.places[0], str(root), World())
