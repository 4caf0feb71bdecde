"""Codex CLI: ``hooks.json`` beside its ``config.toml``.

Documented at ``developers.openai.com/codex/hooks``, and by the schemas in
``codex-rs/hooks/schema`` of its source. Timeouts are in seconds. Codex asks a person to trust a
hook before it runs it, again after each change of its command. Additional context above 2,500
tokens, each counted as 4 bytes, is put into a file, and the model gets its head and tail.
"""

from __future__ import annotations

from ctx.hosts.host import Hooks, Place

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

    from ctx.hosts.host import Contents
    from ctx.model import JsonObject

_TIMEOUT = 10  # seconds


class Codex(Hooks):
    """Its answers are ``hookSpecificOutput.additionalContext``: their schema has nothing else."""

    name = "codex"
    title = "Codex CLI"
    aliases = ("codex-cli",)
    session_variable = "CODEX_THREAD_ID"
    events = ("SessionStart", "UserPromptSubmit")
    others: ClassVar[dict[str, str]] = {
        "PostToolUse": "apply_patch|Edit|Write", "SubagentStart": "",
    }  # fmt: skip
    captures = ("Stop",)
    places = (
        Place("project", ".codex/hooks.json"),
        Place("global", ".codex/hooks.json", "CODEX_HOME"),
    )
    next_step = "start Codex and trust the hooks: it asks, or /hooks lists them"

    def size(self, packet: str, /) -> int:
        """Return the length in bytes of UTF-8."""
        return len(packet.encode("utf-8", "surrogatepass"))

    def entry(self, command: str, windows: str, /) -> JsonObject:
        """Return a group of one hook; ``commandWindows`` is what ``cmd`` can run."""
        hook: JsonObject = {
            "type": "command",
            "command": command,
            "commandWindows": windows,
            "timeout": _TIMEOUT,
        }
        return {"hooks": [hook]}

    def switched_off(self, nearest: Sequence[Contents], /) -> list[str]:
        """Return what the ``config.toml`` beside each file does: the nearest ``features`` count.

        Codex also keeps there which hooks are trusted: what is no list is no event.
        """
        found = []
        every = [(each, each.beside("config.toml")) for each in nearest if each.beside]
        for _, config in every:
            features = config.data.get("features")
            known = features if isinstance(features, dict) else {}
            names = [name for name in ("hooks", "codex_hooks") if isinstance(known.get(name), bool)]
            if names:
                if not known[names[0]]:
                    found.append(
                        f"{config.shown}: features.{names[0]} is false: no hooks are run; "
                        "set it to true, or take it out"
                    )
                break
        for settings, config in every:
            hooks = config.data.get("hooks")
            events = hooks.values() if isinstance(hooks, dict) else ()
            if any(isinstance(event, list) for event in events) and settings.data.get("hooks"):
                found.append(
                    f"{settings.shown} and [hooks] in {config.shown} both hold hooks: Codex runs "
                    "both, and warns at each start; move those of config.toml to hooks.json"
                )
        return found


HOOKS = Codex()
