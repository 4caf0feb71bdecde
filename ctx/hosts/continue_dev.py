"""Sessions of Continue: ``~/.continue/sessions/*.json``, as its CLI 1.5.47 wrote them (2026-11)."""

from collections.abc import Iterator

from ctx.hosts.fields import answered, called, inner, objects, string, texts
from ctx.model import JsonObject, Turn
from ctx.model.transcripts import About, Format, Home, NotATurnError, Piece, Skip
from ctx.text.regex import regex

_FOLDER = regex(rb'"workspaceDirectory":\s*"([^"\\]+)"')


class Continue(Format):
    """Reads a document."""

    name = "continue"
    places = (Home("CONTINUE_GLOBAL_DIR", ".continue", "sessions/*-*.json"),)

    def recognises(self, fields: JsonObject, /) -> bool:
        """Whether this is a session of a workspace."""
        return isinstance(fields.get("history"), list) and "workspaceDirectory" in fields

    def read(self, fields: JsonObject, session: str, /) -> Iterator[Piece]:
        """Yield the turns of all messages, which have no times."""
        if not isinstance(fields.get("history"), list):
            raise NotATurnError("has no history")
        session = string(fields, "sessionId") or session
        yield About(session, string(fields, "title"), string(fields, "workspaceDirectory"))
        for item in objects(fields, "history"):
            message = inner(item, "message")
            role = string(message, "role")
            turn = Turn("", session, "", role, texts(message.get("content")))
            if role not in ("user", "assistant"):
                yield Skip(f"message of role {role}")
                continue
            yield turn
            for call in objects(item, "toolCallStates"):
                tool, bundle = (
                    inner(inner(call, "toolCall"), "function"),
                    string(call, "toolCallId"),
                )
                yield called(turn, string(tool, "name"), tool.get("arguments"), bundle)
                output = "\n".join(string(one, "content") for one in objects(call, "output"))
                yield answered(turn, output, bundle, failed=call.get("status") == "errored")

    def folder(self, line: bytes, /) -> str:
        """Return the folder that a line of the document names; empty for none."""
        found = _FOLDER.search(line)
        return found[1].decode("utf-8", "replace") if found else ""


FORMAT = Continue()
