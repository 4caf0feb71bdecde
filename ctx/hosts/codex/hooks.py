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

from ctx.hosts.host import TIMEOUT, Event, Hooks, Place, inactive

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import ClassVar

    from ctx.hosts.here import Contents, Here
    from ctx.model import JsonObject

_SEEN = (b"hooks.additional_context", b'"assistant"', b'_call"', b'"compacted"')
_MOST = 1024 * 1024  # bytes of a record; the first one holds the instructions of Codex
_HEAD = 120  # bytes of a record that hold its time and type


class Codex(Hooks):
    """Its answers are ``hookSpecificOutput.additionalContext``: their schema has nothing else."""

    name = "codex"
    title = "Codex CLI"
    aliases = ("codex-cli",)
    session_variable = "CODEX_THREAD_ID"
    events = ("SessionStart", "UserPromptSubmit")
    others: ClassVar[dict[str, str]] = {
        "PostToolUse": "apply_patch|Edit|Write|Bash", "SubagentStart": "",
    }  # fmt: skip
    captures = ("Stop",)
    places = (
        Place("project", ".codex/hooks.json"),
        Place("global", ".codex/hooks.json", "CODEX_HOME"),
    )
    proves = True
    keeps_prompts = True
    owns_environment = False
    next_step = "start Codex and trust the hooks: it asks, or /hooks lists them"

    def read(self, event: str, data: JsonObject, /) -> Event | None:
        """Return what happened, and of which window this one is a copy."""
        found = super().read(event, data)
        if found and event == "SessionStart":  # of a repository and of a folder in it at once
            at = found.transcript
            found.turn = f"{found.source} {os.path.getsize(at) if os.path.exists(at) else 0}"
        if found and data.get("tool_name") == "Bash":
            from ctx.hosts.calls import shown  # not for others

            found.files = shown(data.get("tool_input"), found.cwd)
        old = found and found.transcript and found.source not in self.fresh
        if found and old and event not in self.captures:
            from ctx.hosts.fields import inner, string  # not for others

            head = inner(_record(found.transcript), "payload")
            found.parent = string(head, "forked_from_id")
            base = inner(head, "history_base")
            if base and found.source and not found.parent:
                found.until = _time(found.transcript, string(head, "id"), base)
        return found

    def seen(self, lines: Sequence[bytes], /) -> Iterator[tuple[str, str, str]]:
        """Yield hooks' texts and what the model wrote, by the kinds of content and of items."""
        from ctx.hosts.fields import inner, marked, string, texts

        for data in marked(lines, _SEEN):
            held, when = inner(data, "payload"), string(data, "timestamp")
            about = inner(held, "internal_chat_message_metadata_passthrough")
            if data.get("type") == "compacted":
                yield "emptied", "", when
            elif about.get("content_item_kinds") == ["hooks.additional_context"]:
                yield "text", texts(held.get("content")), when
            elif string(held, "role") == "assistant" or string(held, "type").endswith("_call"):
                yield "answer", string(held, "id") or when, when

    def compressed(self, lines: Sequence[bytes], /) -> str:
        """Return when the window was compacted: a process that ends behind it asks at no start."""
        every = (line for line in reversed(lines) if b'"type":"compacted"' in line[:_HEAD])
        return next(every, b"").partition(b'"timestamp":')[2][:26].decode("utf-8", "replace")

    def size(self, packet: str, /) -> int:
        """Return the length in bytes of UTF-8."""
        return len(packet.encode("utf-8", "surrogatepass"))

    def entry(self, command: str, windows: str, /) -> JsonObject:
        """Return a group of one hook; ``commandWindows`` is what ``cmd`` can run."""
        hook: JsonObject = {"type": "command", "command": command, "commandWindows": windows}
        return {"hooks": [{**hook, "timeout": TIMEOUT}]}

    def switched_off(self, nearest: Sequence[Contents], here: Here, /) -> list[str]:
        """Return what the ``config.toml`` beside each file does: the nearest ``features`` count.

        Codex also keeps there which hooks are trusted: what is no list is no event.
        """
        from ctx.hosts.codex.trust import untrusted  # not for events
        from ctx.hosts.fields import inner

        found = untrusted(nearest, here)
        every = [(each, each.beside("config.toml")) for each in nearest if each.beside]
        for _, config in every:
            known = inner(config.data, "features")
            names = [name for name in ("hooks", "codex_hooks") if isinstance(known.get(name), bool)]
            if names:
                found += inactive([config], "features", names[0])
                break
        for settings, config in every:
            events = inner(config.data, "hooks").values()
            if any(isinstance(event, list) for event in events) and settings.data.get("hooks"):
                found.append(
                    f"{settings.shown} and [hooks] in {config.shown} both hold hooks: Codex runs "
                    "both, and warns at each start; move those of config.toml to hooks.json"
                )
        return found


def _record(path: str, end: int | None = None) -> JsonObject:
    """Return the first record of a rollout, or the last one before ``end``; empty for none."""
    from ctx.hosts.fields import newest

    try:
        with open(path, "rb") as file:
            file.seek(max(0, (end or 0) - _MOST))
            data = file.readline(_MOST) if end is None else file.read(min(end, _MOST))
    except OSError:
        return {}
    return next(newest(data.splitlines()), {})


def _time(path: str, name: str, base: JsonObject) -> float:
    """Return the time of the last record before the place ``base`` of a session; 0 for none."""
    from glob import escape, iglob  # only where a person went back

    from ctx.text.times import moment

    ordinal, end = base.get("end_ordinal_exclusive"), base.get("end_byte_offset")
    top = os.path.abspath(os.path.join(os.path.dirname(path), *[os.pardir] * 3))
    if not (isinstance(ordinal, int) and isinstance(end, int)):
        return 0.0
    for each in iglob(os.path.join(escape(top), *"***", f"rollout-*{escape(name)}*.jsonl")):
        record = _record(each, end)
        if record.get("ordinal") == ordinal - 1:
            at = moment(str(record.get("timestamp")))
            return at.timestamp() if at else 0.0
    return 0.0


HOOKS = Codex()
