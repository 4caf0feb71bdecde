"""Settings as people have them, and events as tools tell them: files of ``tests/golden/hooks``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ctx.hooks.places import settings, tool_named
from ctx.model import JsonObject
from ctx.world import World

if TYPE_CHECKING:
    from ctx.hooks.places import Settings

FOLDER = Path(__file__).resolve().parents[1] / "golden" / "hooks"
TOOLS = ("claude", "cursor", "codex", "gemini", "copilot")


class Recorded(NamedTuple):
    """An event as a tool tells it."""

    tool: str
    event: str
    host: str
    """What the name of the file adds: who of several hosts, or from what."""
    data: JsonObject


def cases(tool: str) -> list[Path]:
    """Return the settings of a tool, without those that show what becomes of them."""
    return sorted(
        path for path in (FOLDER / tool).iterdir() if not path.name.endswith(".installed.json")
    )


def events() -> list[Recorded]:
    """Return all recorded events."""
    found = []
    for path in sorted((FOLDER / "events").iterdir()):
        tool, event, *host = path.stem.split("-")
        data = json.loads(path.read_bytes())["data"]
        found.append(Recorded(tool, event, "".join(host), data))
    return found


def in_project(tool: str, root: Path) -> Settings:
    """Return the settings of a tool in the project ``root``."""
    one = tool_named(tool)
    return settings(one, one.places[0], str(root), World())
