"""Rollouts of Codex CLI: ``~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl``.

From its source (looked up in 2026-11): ``SessionMetaLine`` and ``RolloutItem`` in
``codex-rs/protocol/src/protocol.rs``, ``ResponseItem`` in ``codex-rs/protocol/src/models.rs``
of ``openai/codex``.

A line has a ``timestamp``, a ``type`` and a ``payload``. The first names the session and its
folder; a fork is part of the session that it was made from. ``response_item`` is what the model
received and wrote; ``event_msg`` repeats it for the screen. Reasoning is never imported.
"""

import json
from collections.abc import Iterator, Sequence

from ctx.hosts.fields import answered, called, count, inner, inside, newest, string, texts
from ctx.hosts.wrappers import spoken
from ctx.model import Json, JsonObject, Turn
from ctx.model.transcripts import About, Format, Home, NotATurnError, Piece, Skip
from ctx.text.regex import regex
from ctx.text.times import time_of

_CALLS = {  # where the input of each kind of call is
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "web_search_call": "action",
}
_HEAD = 300  # characters of an output in which its program tells how it ended
_FAILED = regex(r"(?m)^(?:Exit code:|Process exited with code) [1-9]")
_RESULTS = ("function_call_output", "custom_tool_call_output")


class Codex(Format):
    """Reads a line of a rollout."""

    name = "codex"
    places = (
        Home("CODEX_HOME", ".codex", "sessions/*/*/*/rollout-*.jsonl*"),
        Home("CODEX_HOME", ".codex", "archived_sessions/rollout-*.jsonl*"),
    )

    def recognises(self, fields: JsonObject, /) -> bool:
        """Whether a line has a type and a payload."""
        return isinstance(fields.get("type"), str) and isinstance(fields.get("payload"), dict)

    def read(self, fields: JsonObject, session: str, /) -> Iterator[Piece]:
        """Yield the turn of a response item; other lines are skipped."""
        payload = fields.get("payload")
        if not isinstance(payload, dict):
            raise NotATurnError("has no payload")
        kind = string(fields, "type")
        if kind == "session_meta":
            origin, fork = string(payload, "forked_from_id"), string(payload, "id")
            named, fork = (origin, fork) if origin else (fork, "")
            branch = string(inner(payload, "git"), "branch")
            of_agent = string(payload, "thread_source") == "subagent"
            helper = of_agent or bool(inner(payload, "source").get("subagent"))
            folder = string(payload, "cwd")
            end = inner(payload, "history_base").get("end_byte_offset")
            until = 0 if origin or not isinstance(end, int) else end
            yield About(named, "", folder, branch, fork, until, helper)
        if kind == "turn_context":  # a session can be resumed in another folder
            yield About(folder=string(payload, "cwd"))
        is_summary = inner(fields, "metadata").get("compaction_output") is True
        if kind != "response_item" or is_summary:
            is_summary |= kind == "compacted"
            yield Skip("summary (put in by Codex)" if is_summary else f"type {kind}")
            return
        turn = Turn(string(payload, "id"), session, time_of(fields.get("timestamp")), "", "")
        yield _item(payload, string(payload, "type"), turn)

    def usage(self, lines: Sequence[bytes], /) -> tuple[int | None, int | None]:
        """Return what the last ``token_count`` of a rollout says, unless it was compacted since."""
        for line in newest(lines):
            if line.get("type") == "compacted":
                break
            payload = line.get("payload")
            if isinstance(payload, dict) and payload.get("type") == "token_count":
                used = count(inside(payload, "info", "last_token_usage", "total_tokens"))
                if used is not None:
                    return used, count(inside(payload, "info", "model_context_window"))
        return None, None


def _message(payload: JsonObject, role: str, turn: Turn) -> Piece:
    content = payload.get("content")
    blocks = content if isinstance(content, list) else [content]
    about = inner(payload, "internal_chat_message_metadata_passthrough")
    kinds = about.get("content_item_kinds")
    if isinstance(kinds, list) and len(kinds) == len(blocks):
        own = ("unknown", "user.")  # what Codex put in has a kind of its own
        pairs = zip(blocks, kinds, strict=True)
        blocks = [block for block, kind in pairs if str(kind or own[0]).startswith(own)]
        if not blocks:
            return Skip("context (put in by the program)")
    # Codex puts instructions and the environment into blocks of their own.
    whole = [text for block in blocks if (text := texts(block))]
    typed = [words for text in whole if (words := spoken(text)[0]).strip()]
    return turn._replace(role=role, text="\n".join((role == "user" and typed) or whole))


def _item(payload: JsonObject, kind: str, turn: Turn) -> Piece:
    role, call = string(payload, "role"), string(payload, "call_id")
    if kind == "message" and role in ("user", "assistant"):
        return _message(payload, role, turn)
    if kind == "message":
        return Skip(f"message of role {role}")
    if kind in _CALLS:
        return called(turn, string(payload, "name") or kind, payload.get(_CALLS[kind]), call)
    if kind in _RESULTS:
        text, failed = _output(payload.get("output"))
        return answered(turn, text, call, failed=failed)
    return Skip("thinking" if kind == "reasoning" else f"item of type {kind}")


def _output(output: Json) -> tuple[str, bool]:
    """Return the text of a result, which may be JSON in a string, and whether the call failed."""
    value = output
    if isinstance(output, str) and output.startswith('{"'):
        try:
            value = json.loads(output)
        except (ValueError, RecursionError):
            value = output
    if not isinstance(value, dict):
        return texts(value), bool(_FAILED.search(texts(value)[:_HEAD]))
    text = value.get("output", value.get("content"))
    code = inner(value, "metadata").get("exit_code")
    whole = output if text is None and isinstance(output, str) else texts(text)
    return whole, bool(code) or value.get("success") is False


FORMAT = Codex()
