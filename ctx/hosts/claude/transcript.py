"""Transcripts of Claude Code: ``~/.claude/projects/*/*.jsonl``.

Its makers do not document the format. People who read such files describe it (looked up in
2026-11): ``jeremedia/claude-code-log-format`` (``source-docs/JSONL_LOGGING.md``),
``DRMacIver/claude-reliability`` (``notes/transcript-format.md``) and
``Huntehhh/claude-code-chat`` (``docs/claude-cli-jsonl-format.md``), all on GitHub.

A line is an event with a ``type``; those of type ``user`` and ``assistant`` carry a
``message`` whose content is text or a list of blocks. Each block becomes a turn; a call of a
tool and its result share a bundle. Thoughts of a model are never imported, nor are data of images
and documents, nor ``toolUseResult``, which repeats the result for the screen.
"""

from collections.abc import Iterator, Mapping, Sequence

from ctx.hosts.fields import answered, called, count, inner, inside, newest, shown, string, texts
from ctx.model import Json, JsonObject, Turn
from ctx.model.transcripts import About, Format, Home, NotATurnError, Note, Piece, Skip
from ctx.text.times import moment, time_of

_ROLES = ("user", "assistant")
_MARKS = ("uuid", "sessionId", "leafUuid", "messageId")  # one is on every line that has a type
_TITLES = {"ai-title": "aiTitle", "custom-title": "customTitle"}
_SKIPPED: Mapping[str, str] = {
    "isSidechain": "sidechain (the session of a subagent)",
    "isMeta": "meta (put in by Claude Code)",
    "isCompactSummary": "summary (put in by Claude Code)",
    "isApiErrorMessage": "API error",
}  # flags of lines that are of neither the person nor the model of this session
_COUNTED = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class ClaudeCode(Format):
    """Reads a line of a session."""

    name = "claude-code"
    places = (Home("CLAUDE_CONFIG_DIR", ".claude", "projects/*/*.jsonl"),)

    def recognises(self, fields: JsonObject, /) -> bool:
        """Whether a line has a type and one of Claude Code's ids."""
        return isinstance(fields.get("type"), str) and any(mark in fields for mark in _MARKS)

    def read(self, fields: JsonObject, session: str, /) -> Iterator[Piece]:
        """Yield a turn for each block of a message; other lines are skipped."""
        kind = fields.get("type")
        if not isinstance(kind, str):
            raise NotATurnError("has no type")
        if isinstance(folder := fields.get("cwd"), str):
            yield About(folder=folder, branch=string(fields, "gitBranch"))
        if title := string(fields, _TITLES.get(kind, "")):
            yield About(string(fields, "sessionId"), title)
        why = next((why for flag, why in _SKIPPED.items() if fields.get(flag) is True), "")
        if kind not in _ROLES:
            yield Skip(f"type {kind}")
        elif why:
            yield Skip(why)
        else:
            yield from _turns(fields, kind, session)

    def usage(self, lines: Sequence[bytes], /) -> tuple[int | None, int | None]:
        """Return what the last answer counted, unless it was compacted since."""
        for line in newest(lines):
            if line.get("type") == "system" and line.get("subtype") == "compact_boundary":
                break
            if line.get("type") != "assistant" or line.get("isSidechain") is True:
                continue
            usage = inside(line, "message", "usage")
            if isinstance(usage, dict):
                parts = [count(usage.get(part)) for part in (*_COUNTED, "output_tokens")]
                if parts[0] is not None:
                    return sum(part or 0 for part in parts), None
        return None, None


def _turns(fields: JsonObject, role: str, session: str) -> Iterator[Piece]:
    content = inner(fields, "message").get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list):
        raise NotATurnError("has no message with content")
    if not content:
        yield Skip("message without content")
    named = string(fields, "sessionId") or session
    turn = Turn(string(fields, "uuid"), named, time_of(fields.get("timestamp")), role, "")
    if turn.ts and moment(turn.ts) is None:
        yield Note("time that cannot be read kept as written")
    # Ids by place stay the same, whatever blocks a later release of ctx may read.
    for place, block in enumerate(content, 1):
        suffix = f"/{place}" if turn.id and place > 1 else ""
        yield _block(block, turn._replace(id=turn.id + suffix))


def _block(block: Json, turn: Turn) -> Piece:
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(block, dict) or not isinstance(kind, str):
        return Skip("block without a type")
    if kind == "text":
        return turn._replace(text=string(block, "text"))
    if kind.endswith("tool_use"):
        made = called(turn, string(block, "name"), block.get("input"), string(block, "id"))
        return made._replace(text=made.text.replace("tool_use", kind, 1))
    if kind.endswith("tool_result"):
        bundle, text = string(block, "tool_use_id"), texts(block.get("content"))
        return answered(turn, text, bundle, failed=block.get("is_error") is True)
    if kind in ("image", "document"):
        return turn._replace(text=shown(kind, block))
    return Skip("thinking" if "thinking" in kind else f"block of type {kind}")


FORMAT = ClaudeCode()
