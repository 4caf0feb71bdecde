"""Codex CLI: ``hooks.json`` beside its ``config.toml``.

Documented at ``developers.openai.com/codex/hooks``, and by the schemas in
``codex-rs/hooks/schema`` of its source. Timeouts are in seconds. Codex asks a person to trust a
hook before it runs it, again after each change of its definition or place. Additional context
above 10,000 bytes is put into a file, and the model gets its head and tail (seen in 0.171.0).

Hooks of the terminal are run by a server, which has the environment of the shell that started it:
no variable of ctx counts. A fork, and a subagent unless it is to begin anew, hold the window of
their parent; where a person goes back, the session goes on in another file, which names the place.
"""

from __future__ import annotations

import os

from ctx.hosts.host import Event, Hooks, Place

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import ClassVar

    from ctx.hosts.host import Contents, Here
    from ctx.model import JsonObject

_SEEN = (b"hooks.additional_context", b'"assistant"', b'_call"', b'"compacted"')
_TIMEOUT = 10  # seconds
_HEAD = 1024 * 1024  # bytes of the first line of a rollout, which holds the instructions of Codex
_BEFORE = 64 * 1024  # bytes before a place in which the last record is looked for


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
    proves = True
    owns_environment = False
    next_step = "start Codex and trust the hooks: it asks, or /hooks lists them"

    def read(self, event: str, data: JsonObject, /) -> Event | None:
        """Return what happened, and of which window this one is a copy."""
        found = super().read(event, data)
        if found and (event == "SubagentStart" or found.source in ("fork", "resume")):
            from ctx.hosts.fields import inner, string  # not for others

            head = _head(found.transcript)
            found.parent = string(head, "forked_from_id")
            base = inner(head, "history_base")
            if base and not found.parent:
                found.until = _time(found.transcript, string(head, "id"), base)
        return found

    def seen(self, lines: Sequence[bytes], /) -> Iterator[tuple[str, str, str]]:
        """Yield hooks' texts and what the model wrote, by the kinds of content and of items."""
        from json import loads

        from ctx.hosts.fields import inner, objects, string

        for line in lines:
            if not any(mark in line for mark in _SEEN):
                continue
            try:
                data = loads(line)
                held, when = inner(data, "payload"), string(data, "timestamp")
                about = inner(held, "internal_chat_message_metadata_passthrough")
                kinds = about.get("content_item_kinds")
            except (AttributeError, ValueError, RecursionError):
                continue
            if data.get("type") == "compacted":
                yield "emptied", "", when
            elif data.get("type") != "response_item":
                continue
            elif kinds == ["hooks.additional_context"]:
                yield from (
                    ("text", string(each, "text"), when) for each in objects(held, "content")
                )
            elif string(held, "role") == "assistant" or string(held, "type").endswith("_call"):
                yield "answer", string(held, "id") or when, when

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

    def switched_off(self, nearest: Sequence[Contents], here: Here, /) -> list[str]:
        """Return what the ``config.toml`` beside each file does: the nearest ``features`` count.

        Codex also keeps there which hooks are trusted: what is no list is no event.
        """
        from ctx.hosts.codex.trust import untrusted  # not for events

        found = untrusted(nearest, here)
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


def _head(path: str) -> JsonObject:
    """Return what the first line of a rollout holds; empty where it cannot be read."""
    from json import loads

    from ctx.hosts.fields import inner

    try:
        with open(path, "rb") as file:
            line = loads(file.readline(_HEAD))
    except (OSError, ValueError, RecursionError):
        return {}
    return inner(line, "payload") if isinstance(line, dict) else {}


def _time(path: str, name: str, base: JsonObject) -> float:
    """Return the time of the last record before the place ``base`` of a session; 0 for none."""
    from glob import escape, iglob  # only where a person went back
    from json import loads

    from ctx.hosts.fields import string
    from ctx.text.times import moment

    ordinal, end = base.get("end_ordinal_exclusive"), base.get("end_byte_offset")
    if not (isinstance(ordinal, int) and isinstance(end, int)):
        return 0.0
    top = os.path.abspath(os.path.join(os.path.dirname(path), *[os.pardir] * 3))
    for each in iglob(os.path.join(escape(top), "*", "*", "*", f"rollout-*{escape(name)}*.jsonl")):
        try:
            with open(each, "rb") as file:
                file.seek(max(0, end - _BEFORE))
                line = loads(file.read(min(end, _BEFORE)).rstrip(b"\n").rpartition(b"\n")[2])
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(line, dict) and line.get("ordinal") == ordinal - 1:
            at = moment(string(line, "timestamp"))
            return at.timestamp() if at else 0.0
    return 0.0


HOOKS = Codex()
