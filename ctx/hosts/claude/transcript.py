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

from ctx.hosts.fields import blocks, count, inner, inside, newest, objects, string
from ctx.model import Json, JsonObject, Turn
from ctx.model.transcripts import (
    SUBAGENT,
    About,
    Format,
    Home,
    Node,
    NotATurnError,
    Note,
    Piece,
    Skip,
)
from ctx.text.regex import regex
from ctx.text.times import moment, time_of

_ROLES = ("user", "assistant", "tool_result")  # the last one of Qwen Code
_MARKS = ("uuid", "sessionId", "leafUuid", "messageId")  # one is on every line that has a type
_TITLES = {"ai-title": "aiTitle", "custom-title": "customTitle"}
_SKIPPED: Mapping[str, str] = {
    "isSidechain": SUBAGENT,
    "isMeta": "meta (put in by Claude Code)",
    "isCompactSummary": "summary (put in by Claude Code)",
    "isApiErrorMessage": "API error",
    "isVisibleInTranscriptOnly": "note for the screen (put in by Claude Code)",
}  # flags of lines that are of neither the person nor the model of this session
_PERSON = ("human", "user")  # kinds of ``origin`` of what a person typed; others are programs
_SYNTHETIC = "<synthetic>"  # the model of answers that Claude Code makes itself
_REFUSED = "User rejected"  # how it tells that a person refused a call
_SAID = regex(r"(?:the user said:|reason for the rejection:)\s*")
_COUNTED = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class ClaudeCode(Format):
    """Reads a line of a session."""

    name = "claude-code"
    places = (Home("CLAUDE_CONFIG_DIR", ".claude", "projects/*/*.jsonl"),)

    def recognises(self, fields: JsonObject, /) -> bool:
        """Whether a line has a type and one of Claude Code's ids."""
        is_one = isinstance(fields.get("type"), str) and any(mark in fields for mark in _MARKS)
        return is_one and "provenance" not in fields and "parts" not in inner(fields, "message")

    def read(self, fields: JsonObject, session: str, /) -> Iterator[Piece]:
        """Yield a turn for each block of a message; other lines are skipped."""
        kind = fields.get("type")
        if not isinstance(kind, str):
            raise NotATurnError("has no type")
        if isinstance(folder := fields.get("cwd"), str):
            yield About(folder=folder, branch=string(fields, "gitBranch"))
        if title := string(fields, _TITLES.get(kind, "")):
            yield About(string(fields, "sessionId"), title)
        if isinstance(name := fields.get("uuid"), str) and fields.get("isSidechain") is not True:
            origin = string(fields, "parentUuid") or string(fields, "logicalParentUuid")
            yield Node(name, origin, kind == "user" and _is_prompt(fields))
        if kind == "attachment" and inner(fields, "attachment").get("type") == "queued_command":
            fields, kind = _queued(fields), "user"
        if kind not in _ROLES:
            yield Skip(f"type {kind}")
        elif why := _why(fields):
            yield Skip(why)
        else:
            yield from self.turns(fields, kind, session)

    def turns(self, fields: JsonObject, role: str, session: str, /) -> Iterator[Piece]:
        """Yield a turn for each block of a message, and for what a person answered in it."""
        content = inner(fields, "message").get("content")
        named = string(fields, "sessionId") or session
        turn = Turn(string(fields, "uuid"), named, time_of(fields.get("timestamp")), role, "")
        if turn.ts and moment(turn.ts) is None:
            yield Note("time that cannot be read kept as written")
        for piece in blocks(content, turn):
            yield piece
            if isinstance(piece, Turn) and piece.role == "tool":
                yield from _said(piece, fields.get("toolUseResult"))

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


def _queued(fields: JsonObject) -> JsonObject:
    """Return the message of what was typed, or reported, while the agent was at work."""
    queued = inner(fields, "attachment")
    mode = string(queued, "commandMode")
    origin: Json = {"kind": mode} if mode not in ("", "prompt") else queued.get("origin")
    meta = queued.get("isMeta") or fields.get("isMeta") or False
    message: JsonObject = {"content": queued.get("prompt")}
    return {**fields, "message": message, "origin": origin, "isMeta": meta}


def _is_prompt(fields: JsonObject) -> bool:
    message = inner(fields, "message")
    marks = {mark for block in (*objects(message, "content"), *objects(message, "parts"))
             for mark in (block.get("type"), *block)}  # fmt: skip
    return not (marks & {"tool_result", "functionResponse"} or fields.get("isMeta"))


def _why(fields: JsonObject) -> str:
    flagged = next((why for flag, why in _SKIPPED.items() if fields.get(flag) is True), "")
    origin = string(inner(fields, "origin"), "kind")
    if not flagged and origin and origin not in _PERSON:
        return f"{origin} (put in by Claude Code)"
    if not flagged and inside(fields, "message", "model") == _SYNTHETIC:
        return "answer of Claude Code itself"
    return flagged


def _said(result: Turn, about: Json) -> Iterator[Turn]:
    """Yield what a person typed in answer to a call: a refusal's reason, replies to questions.

    By what Claude Code tells about a result (``about``): its text can be that of any tool.
    """
    words: list[Json] = []
    if isinstance(about, dict) and isinstance(about.get("questions"), list):
        words += inner(about, "answers").values()
        words += [inside(each, "notes") for each in inner(about, "annotations").values()]
    is_refused = isinstance(about, str) and about.startswith(_REFUSED)
    if is_refused and (said := _SAID.search(result.text)):
        words = [result.text[said.end() :]]
    if text := "\n".join(word for word in words if isinstance(word, str) and word):
        name = f"{result.id}/said" if result.id else ""
        yield result._replace(id=name, role="user", text=text, bundle="", extra={})


FORMAT = ClaudeCode()
