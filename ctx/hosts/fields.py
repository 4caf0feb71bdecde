"""What formats of transcripts read from objects of JSON, and the turns that they make of it."""

from __future__ import annotations

import json
import os
import stat

TYPE_CHECKING = False  # this module is on the path of hooks: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx.model import Json, JsonObject, Turn
    from ctx.model.transcripts import Piece


TAIL_BYTES = 256 * 1024  # read from the end of a transcript, however long it is


def tail(path: str, most: int = TAIL_BYTES, start: int = 0) -> list[bytes]:
    """Return the last whole lines of a regular file in ``most`` bytes, from ``start`` on; or none.

    A file that is shorter than ``start`` is another one now: it is read as from its beginning.
    """
    flags = os.O_RDONLY
    for name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):
        flags |= getattr(os, name, 0)
    try:
        place = os.path.expanduser(path)
        if not (os.path.isabs(place) and stat.S_ISREG(os.stat(place).st_mode)):
            return []  # opening some devices does something
        with open(os.open(place, flags), "rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return []
            start = start if start <= status.st_size else 0
            begin = max(start, status.st_size - most)
            file.seek(begin)
            lines = (file.read(most) or b"").split(b"\n")
    except (OSError, ValueError):
        return []
    return lines[1:] if begin > start else lines


def called(turn: Turn, name: str, given: Json, bundle: str) -> Turn:
    """Return ``turn`` as the call of a tool: ``[tool_use Bash] {"command": "ls"}``."""
    call = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return turn._replace(role="assistant", text=f"[tool_use {name}] {call}", bundle=bundle)


def answered(turn: Turn, text: str, bundle: str, *, failed: bool) -> Turn:
    """Return ``turn`` as the output of the call that has the same ``bundle``."""
    extra: JsonObject = {"is_error": True} if failed else {}
    return turn._replace(role="tool", text=text, bundle=bundle, extra=extra)


def blocks(content: Json, turn: Turn) -> Iterator[Piece]:
    """Yield a turn for each block as Anthropic's API writes it, or why there is none."""
    from ctx.model.transcripts import NotATurnError, Skip

    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list):
        raise NotATurnError("has no message with content")
    if not content:
        yield Skip("message without content")
    # Ids by place stay the same, whatever blocks a later release of ctx may read.
    for place, block in enumerate(content, 1):
        suffix = f"/{place}" if turn.id and place > 1 else ""
        yield _block(block, turn._replace(id=turn.id + suffix))


def _block(block: Json, turn: Turn) -> Piece:
    from ctx.model.transcripts import Skip

    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(block, dict) or not isinstance(kind, str):
        return Skip("block without a type")
    if kind == "text":
        return turn._replace(text=string(block, "text"))
    if kind == "toolCall":  # as pi names it
        kind, block = "tool_use", {**block, "input": block.get("arguments")}
    if kind.endswith("tool_use"):
        made = called(turn, string(block, "name"), block.get("input"), string(block, "id"))
        return made._replace(text=made.text.replace("tool_use", kind, 1))
    if kind.endswith("tool_result"):
        bundle, text = string(block, "tool_use_id"), texts(block.get("content"))
        return answered(turn, text, bundle, failed=block.get("is_error") is True)
    if kind in ("image", "document"):
        return turn._replace(text=shown(kind, block))
    return Skip("thinking" if "thinking" in kind else f"block of type {kind}")


def inner(block: JsonObject, field: str) -> JsonObject:
    """Return a field that is an object; empty where it is none."""
    value = block.get(field)
    return value if isinstance(value, dict) else {}


def objects(block: JsonObject, field: str) -> list[JsonObject]:
    """Return the objects in a field that is a list; none where it is none."""
    value = block.get(field)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def strings(block: JsonObject, field: str) -> list[str]:
    """Return the texts in a field that is a list; none where it is none."""
    value = block.get(field)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


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


def newest(lines: Sequence[bytes]) -> Iterator[JsonObject]:
    """Yield the JSON objects among ``lines``, the last first; what is none is passed over."""
    for line in reversed(lines):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def marked(lines: Sequence[bytes], marks: Sequence[bytes]) -> Iterator[JsonObject]:
    """Yield the JSON objects among the ``lines`` that hold one of ``marks``, in order."""
    yield from reversed([*newest([line for line in lines if any(each in line for each in marks)])])


def inside(data: Json, *names: str) -> Json:
    """Return the member of a member …, or None where something on the way is no object."""
    for name in names:
        if not isinstance(data, dict):
            return None
        data = data.get(name)
    return data


def count(value: Json) -> int | None:
    """Return ``value`` where it is a number of tokens: whole, and not negative."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if value >= 0 else None
