"""Gemini CLI: ``settings.json`` of a project or a person.

Documented at ``geminicli.com/docs/hooks/reference``, and seen in 0.61.0. Timeouts are in
milliseconds. Standard output must be one JSON object: other text is shown to the person, not to
the model, and so are errors where there is no output. No limit of an answer is documented.

``SessionStart`` is not installed: with ``-p`` its answer becomes a part of the prompt, and a
session that goes on loses both. Nor is ``PreCompress``, which runs before each request, whether the
window is compressed or not. A subagent's events have the session of its parent.
"""

from __future__ import annotations

import os
import re

from ctx.hosts.host import Event, Hooks, Place

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from ctx.hosts.host import Contents
    from ctx.model import Json, JsonObject

_TIMEOUT = 10_000  # milliseconds


class Gemini(Hooks):
    """Its answers are ``hookSpecificOutput.additionalContext``."""

    name = "gemini"
    title = "Gemini CLI"
    aliases = ("gemini-cli",)
    session_variable = "GEMINI_SESSION_ID"
    events = ("BeforeAgent",)
    others: ClassVar[dict[str, str]] = {"AfterTool": "read_file|read_many_files|write_file|replace"}
    captures = ("AfterAgent", "SessionEnd")
    places = (Place("project", ".gemini/settings.json"), Place("global", ".gemini/settings.json"))
    next_step = "start Gemini CLI; /hooks panel lists what it runs"

    def read(self, event: str, data: JsonObject, /) -> Event | None:
        """Return what happened; a command of the program asks nothing."""
        found = super().read(event, data)
        if found and event in self.others:
            found.session += _subagent(found.transcript, found.session)
        if found and COMMAND.match(found.prompt):
            found.prompt = ""
        return found

    def entry(self, command: str, _windows: str, /) -> JsonObject:
        """Return a group of one hook with the name that ``/hooks`` shows.

        Where there is no ctx, what the shell writes would be shown at each event: it goes to the
        second parameter, which PowerShell, where that is nothing, takes for ``$null``.
        """
        silent = f"set ctx /dev/null; {command.replace('; ', ' 2>$2; ', 1)}"
        hook: JsonObject = {
            "name": "ctx", "type": "command", "command": silent, "timeout": _TIMEOUT,
        }  # fmt: skip
        return {"hooks": [hook]}

    def switched_off(self, nearest: Sequence[Contents], /) -> list[str]:
        """Return what ``hooksConfig`` does: its nearest ``enabled``, and all its ``disabled``."""
        from ctx.hosts.fields import inside  # not for events

        found = []
        for settings in nearest:
            value = inside(settings.data, "hooksConfig", "enabled")
            if isinstance(value, bool):
                if not value:
                    found.append(
                        f"{settings.shown}: hooksConfig.enabled is false: no hooks are run; "
                        "set it to true, or take it out"
                    )
                break
        for settings in nearest:
            names = inside(settings.data, "hooksConfig", "disabled")
            if isinstance(names, list) and any(map(_is_own, names)):
                found.append(
                    f"{settings.shown}: hooksConfig.disabled names the hooks of ctx: they are not "
                    "run; take them out of that list, or `/hooks enable ctx`"
                )
        return found


def _subagent(transcript: str, session: str) -> str:
    """Return what tells a subagent that is at work from its session; empty where none is.

    Its chat is in a folder of the session's name, and newer than the session's own.
    """
    try:
        with os.scandir(os.path.join(os.path.dirname(transcript), session)) as found:
            latest = max((each.stat().st_mtime_ns, each.name) for each in found)
        return f"/{latest[1]}" if latest[0] > os.stat(transcript).st_mtime_ns else ""
    except (OSError, ValueError):
        return ""


def _is_own(name: Json) -> bool:
    """Whether Gemini CLI calls hooks of ctx by ``name``: by their own, or by their command."""
    return isinstance(name, str) and (name == "ctx" or " hook run gemini " in name)


HOOKS = Gemini()
