"""Gemini CLI: ``settings.json`` of a project or a person.

Documented at ``geminicli.com/docs/hooks/reference``. Timeouts are in milliseconds. Standard
output must be one JSON object: other text is shown to the person, not to the model. Hooks of a
project run only in a folder that is trusted. No limit of an answer is documented.
"""

from ctx.hooks.host import Event, Place, count, event_of, inside, objects, specific, utf16

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.hooks.host import Contents
    from ctx.model import Json, JsonObject

name = "gemini"
title = "Gemini CLI"
events = ("SessionStart", "BeforeAgent")
others = {"AfterTool": "read_file|read_many_files|write_file|replace", "PreCompress": ""}
captures = ("AfterAgent", "SessionEnd")
most_characters = 10_000
places = (Place("project", ".gemini/settings.json"), Place("global", ".gemini/settings.json"))
needed: "JsonObject" = {}
next_step = "start Gemini CLI; /hooks panel lists what it runs"
also_run_by: tuple[str, ...] = ()
size = utf16

_TIMEOUT = 10_000  # milliseconds
_EVENTS = (*events, *others, *captures)
_FRESH = ("startup", "clear")


def entry(command: str, _windows: str) -> "JsonObject":
    """Return a group of one hook with the name that ``/hooks`` shows."""
    hook: JsonObject = {"name": "ctx", "type": "command", "command": command, "timeout": _TIMEOUT}
    return {"hooks": [hook]}


def read(event: str, data: "JsonObject") -> Event | None:
    """Return what happened; after a compression no event follows."""
    if event not in _EVENTS:
        return None
    return event_of(event, data, fresh=event == "SessionStart" and data.get("source") in _FRESH)


def answer(event: str, packet: str) -> bytes:
    """Return ``hookSpecificOutput.additionalContext``."""
    return specific(event, packet) if event in _EVENTS else b""


def usage(lines: "Sequence[bytes]") -> tuple[int | None, int | None]:
    """Return what the last message of a transcript counted, where it is a line of its own."""
    for line in objects(lines):
        used = count(inside(line, "tokens", "total"))
        if used is not None:
            return used, None
    return None, None


def switched_off(nearest: "Sequence[Contents]") -> list[str]:
    """Return what ``hooksConfig`` does: the nearest ``enabled`` counts, and all ``disabled``."""
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


def _is_own(name: "Json") -> bool:
    """Whether Gemini CLI calls hooks of ctx by ``name``: by their own, or by their command."""
    return isinstance(name, str) and (name == "ctx" or " hook run gemini " in name)
