"""Cursor: ``hooks.json`` of a project or a person.

Documented at ``cursor.com/docs/hooks``: ``sessionStart`` takes ``additional_context``. That
``beforeSubmitPrompt`` takes it too is not documented; people who read the client (3.20) found
and saw it: up to 10,000 characters reach the model whole. A release that does not know the
member passes over it. Timeouts are in seconds. ``transcript_path`` is one of the fields that all
events have, and null where Cursor writes no transcript.
"""

from __future__ import annotations

from ctx.hosts.host import TIMEOUT, Event, Hooks, Place, dumped, path, text

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from typing import ClassVar

    from ctx.model import JsonObject


class Cursor(Hooks):
    """Its answers are ``additional_context``; what is used of a window is in no transcript."""

    name = "cursor"
    title = "Cursor"
    events = ("sessionStart", "beforeSubmitPrompt")
    others: ClassVar[dict[str, str]] = {
        "postToolUse": "Read|Write|Edit|MultiEdit|StrReplace|Delete|ApplyPatch", "preCompact": "",
    }  # fmt: skip
    captures = ("stop", "sessionEnd")
    places = (Place("project", ".cursor/hooks.json"), Place("global", ".cursor/hooks.json"))
    needed: ClassVar[JsonObject] = {"version": 1}
    next_step = "open a new chat in Cursor; its settings list what runs under Hooks"

    def entry(self, command: str, _windows: str, /) -> JsonObject:
        """Return one hook: Cursor has no groups."""
        return {"command": command, "timeout": TIMEOUT}

    def read(self, event: str, data: JsonObject, /) -> Event | None:
        """Return what happened; the folder is the workspace's first where no other is named."""
        if not self.knows(event):
            return None
        roots = data.get("workspace_roots")
        root: JsonObject = {"cwd": roots[0] if isinstance(roots, list) and roots else None}
        return Event(
            event,
            text(data, "conversation_id", "session_id"),
            text(data, "prompt"),
            path(data, "transcript_path"),
            path(data, "cwd") or path(root, "cwd"),
            fresh=event == "sessionStart",
        )

    def answer(self, event: str, packet: str, /) -> bytes:
        """Return ``additional_context``."""
        return dumped({"additional_context": packet}) if self.knows(event) else b""


HOOKS = Cursor()
