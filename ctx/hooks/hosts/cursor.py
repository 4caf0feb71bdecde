"""Cursor: ``hooks.json`` of a project or a person.

Documented at ``cursor.com/docs/hooks``: ``sessionStart`` takes ``additional_context``. That
``beforeSubmitPrompt`` takes it too is not documented; people who read the client (3.20) found
and saw it: up to 10,000 characters reach the model whole. A release that does not know the
member passes over it. Timeouts are in seconds. ``transcript_path`` is one of the fields that all
events have, and null where Cursor writes no transcript.
"""

from ctx.hooks.host import Event, Place, flat, path, text, utf16

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.hooks.host import Contents
    from ctx.model import Json, JsonObject

name = "cursor"
title = "Cursor"
events = ("sessionStart", "beforeSubmitPrompt")
others = {"postToolUse": "Read|Write|Edit|MultiEdit|StrReplace|Delete|ApplyPatch", "preCompact": ""}
captures = ("stop", "sessionEnd")
most_characters = 10_000
places = (Place("project", ".cursor/hooks.json"), Place("global", ".cursor/hooks.json"))
needed: "JsonObject" = {"version": 1}
next_step = "open a new chat in Cursor; its settings list what runs under Hooks"
also_run_by: tuple[str, ...] = ()
size = utf16

_EVENTS = (*events, *others, *captures)
_TIMEOUT = 10  # seconds


def entry(command: str, _windows: str) -> "JsonObject":
    """Return one hook: Cursor has no groups."""
    return {"command": command, "timeout": _TIMEOUT}


def read(event: str, data: "JsonObject") -> Event | None:
    """Return what happened; the folder is the workspace's first where no other is named."""
    if event not in _EVENTS:
        return None
    return Event(
        event,
        text(data, "conversation_id", "session_id"),
        text(data, "prompt"),
        path(data, "transcript_path"),
        path(data, "cwd") or _root(data.get("workspace_roots")),
        fresh=event == "sessionStart",
    )


def answer(event: str, packet: str) -> bytes:
    """Return ``additional_context``."""
    return flat("additional_context", packet) if event in _EVENTS else b""


def usage(_lines: "Sequence[bytes]") -> tuple[int | None, int | None]:
    """Return nothing: Cursor's transcripts do not tell."""
    return None, None


def switched_off(_nearest: "Sequence[Contents]") -> list[str]:
    """Return nothing: no setting of it is documented that switches hooks off."""
    return []


def _root(roots: "Json") -> str:
    first = roots[0] if isinstance(roots, list) and roots else None
    return path({"root": first}, "root")
