"""Codex CLI: ``hooks.json`` beside its ``config.toml``.

Documented at ``developers.openai.com/codex/hooks``, and by the schemas in
``codex-rs/hooks/schema`` of its source. Timeouts are in seconds. Codex asks a person to trust a
hook before it runs it, again after each change of its command. Additional context above 2,500
tokens, each counted as 4 bytes, is put into a file, and the model gets its head and tail.
"""

from ctx.hooks.host import Event, Place, count, inside, objects, said, specific, utf8

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

name = "codex"
title = "Codex CLI"
events = ("SessionStart", "UserPromptSubmit")
most_characters = 10_000
places = (
    Place("project", ".codex/hooks.json"),
    Place("global", ".codex/hooks.json", "CODEX_HOME"),
)
needed: "Mapping[str, object]" = {}
next_step = "start Codex and trust the hooks: it asks, or /hooks lists them"
also_run_by: tuple[str, ...] = ()
size = utf8

_TIMEOUT = 10
"""Seconds."""
_FRESH = ("startup", "clear", "compact")


def entry(command: str, windows: str) -> "Mapping[str, object]":
    """Return a group of one hook; ``commandWindows`` is what ``cmd`` can run."""
    hook = {
        "type": "command",
        "command": command,
        "commandWindows": windows,
        "timeout": _TIMEOUT,
    }
    return {"hooks": [hook]}


def read(event: str, data: "Mapping[str, object]") -> Event | None:
    """Return what happened; a session that is resumed holds what it held."""
    if event not in events:
        return None
    return said(event, data, fresh=event == "SessionStart" and data.get("source") in _FRESH)


def answer(event: str, packet: str) -> bytes:
    """Return ``hookSpecificOutput.additionalContext``: its schema takes no other member."""
    return specific(event, packet) if event in events else b""


def usage(lines: "Sequence[bytes]") -> tuple[int | None, int | None]:
    """Return what the last ``token_count`` of a rollout says, unless it was compacted since."""
    for line in objects(lines):
        if line.get("type") == "compacted":
            break
        payload = line.get("payload")
        if isinstance(payload, dict) and payload.get("type") == "token_count":
            used = count(inside(payload, "info", "last_token_usage", "total_tokens"))
            if used is not None:
                return used, count(inside(payload, "info", "model_context_window"))
    return None, None
