"""Gemini CLI: ``settings.json`` of a project or a person.

Documented at ``geminicli.com/docs/hooks/reference``. Timeouts are in milliseconds. Standard
output must be one JSON object: other text is shown to the person, not to the model. Hooks of a
project run only in a folder that is trusted. No limit of an answer is documented.
"""

from __future__ import annotations

from ctx.hosts.host import Hooks, Place

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
    events = ("SessionStart", "BeforeAgent")
    others: ClassVar[dict[str, str]] = {
        "AfterTool": "read_file|read_many_files|write_file|replace", "PreCompress": "",
    }  # fmt: skip
    captures = ("AfterAgent", "SessionEnd")
    places = (Place("project", ".gemini/settings.json"), Place("global", ".gemini/settings.json"))
    next_step = "start Gemini CLI; /hooks panel lists what it runs"
    fresh = ("startup", "clear")  # after a compression no event follows

    def entry(self, command: str, _windows: str, /) -> JsonObject:
        """Return a group of one hook with the name that ``/hooks`` shows."""
        hook: JsonObject = {
            "name": "ctx", "type": "command", "command": command, "timeout": _TIMEOUT,
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


def _is_own(name: Json) -> bool:
    """Whether Gemini CLI calls hooks of ctx by ``name``: by their own, or by their command."""
    return isinstance(name, str) and (name == "ctx" or " hook run gemini " in name)


HOOKS = Gemini()
