"""The interface of formats of transcripts, and the records that they yield."""

import json
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from ctx.model import Json, JsonObject, Turn


class NotATurnError(ValueError):
    """A line that should be a turn cannot be read; the text continues "line 3: "."""


class Skip(NamedTuple):
    """Something that is left out because it is not meant to be a turn."""

    why: str  # a kind that is counted: ``type summary``


class Note(NamedTuple):
    """A warning about a line that is imported."""

    what: str  # a kind that is counted: ``unknown field 'x' kept``


class About(NamedTuple):
    """What a line holds about its session; what it does not hold is empty."""

    session: str = ""  # the id of this session; it holds for the lines that follow, too
    title: str = ""  # the title that the host gave it
    folder: str = ""  # the working directory; stored with the turn that comes next
    branch: str = ""  # the branch that is checked out; likewise


class Place(NamedTuple):
    """Where a host keeps its transcripts."""

    variable: str  # the environment variable that names the folder instead
    folder: str  # below the home folder
    pattern: str  # of the files, below the folder


class Torn(NamedTuple):
    """A line that cannot be read as a turn."""

    data: bytes  # the unchanged line without its newline; empty where it is too long for memory
    why: str


Piece = Turn | Skip | Note | About  # what a format yields for a line


class Found(NamedTuple):
    """What a transcript holds at a line."""

    line: int  # counted from 1
    what: Piece | Torn


class Format(Protocol):
    """A way of writing transcripts: a module of this folder."""

    @property
    def name(self) -> str:
        """The name that ``--format`` takes."""

    @property
    def places(self) -> tuple[Place, ...]:
        """Where its host keeps transcripts."""

    def recognises(self, fields: JsonObject, /) -> bool:
        """Whether a line has this format; no line has two."""

    def read(self, fields: JsonObject, session: str, /) -> Iterator[Piece]:
        """Yield a line's content; ``session`` is for lines that name none. NotATurnError."""


def called(turn: Turn, name: str, given: Json, bundle: str) -> Turn:
    """Return ``turn`` as the call of a tool: ``[tool_use Bash] {"command": "ls"}``."""
    call = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return turn._replace(role="assistant", text=f"[tool_use {name}] {call}", bundle=bundle)


def answered(turn: Turn, text: str, bundle: str, *, failed: bool) -> Turn:
    """Return ``turn`` as the output of the call that has the same ``bundle``."""
    extra: JsonObject = {"is_error": True} if failed else {}
    return turn._replace(role="tool", text=text, bundle=bundle, extra=extra)


def inner(block: JsonObject, field: str) -> JsonObject:
    """Return a field that is an object; empty where it is none."""
    value = block.get(field)
    return value if isinstance(value, dict) else {}


def objects(block: JsonObject, field: str) -> list[JsonObject]:
    """Return the objects in a field that is a list; none where it is none."""
    value = block.get(field)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def string(block: JsonObject, field: str) -> str:
    """Return a field that is text; empty where it is none."""
    value = block.get(field)
    return value if isinstance(value, str) else ""


def texts(content: Json) -> str:
    """Return the text of a message or result: a string, or blocks of text and pictures."""
    if isinstance(content, str):
        return content
    every = []
    for block in content if isinstance(content, list) else [content]:
        if not isinstance(block, dict):
            every.append(block if isinstance(block, str) else "")
        elif isinstance(block.get("text"), str):
            every.append(string(block, "text"))
        else:
            every.append(shown(str(block.get("type") or "block"), block))
    return "\n".join(filter(None, every))


def shown(kind: str, block: JsonObject) -> str:
    """Return a note in place of data: ``[image image/png, 1,024 bytes]``."""
    source = block.get("source")
    if not isinstance(source, dict):
        return f"[{kind}]"
    data = string(source, "data")
    size = len(data) * 3 // 4 - data[-2:].count("=") if source.get("type") == "base64" else 0
    label = string(source, "media_type") or string(source, "url")
    bytes_ = f", {size or len(data):,} bytes" if data else ""
    return f"[{kind}{' ' if label else ''}{label}{bytes_}]"
