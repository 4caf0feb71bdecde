"""The end of a session's transcript: how full the window is, and what was said last.

The host names the file, and it may be anything: only the end of a regular file is read, and of
what is in it only text that somebody said.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TAIL_BYTES = 256 * 1024
"""Read from the end of a transcript, however long it is."""
LAST_CHARACTERS = 300
"""Of what somebody said last: its end, which is what a short answer answers to."""
_SPEAKERS = frozenset({"user", "assistant", "human", "model", "agent", "gemini"})
_INNER = ("message", "payload", "data")
"""Members in which transcripts keep what was said."""
_WRITTEN = ("text", "content", "parts")
_TEXTS = ("text", "input_text", "output_text")
"""What parts of a turn are called that somebody said; others are calls of tools and the like."""
_DEEP = 4


def tail(path: str) -> list[bytes]:
    """Return the last whole lines of the file at ``path``; none where it is no regular file."""
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
            start = max(0, status.st_size - TAIL_BYTES)
            file.seek(start)
            lines = (file.read(TAIL_BYTES) or b"").split(b"\n")
    except (OSError, ValueError):
        return []
    return lines[1:] if start else lines


def last_said(lines: Sequence[bytes], prompt: str) -> str:
    """Return what was said last, before ``prompt``: the end of one text, in whole words.

    Empty where nothing was. What tools wrote is passed over, and so is what hosts put in the
    mouth of a user: it begins with a tag.
    """
    for text in _texts(lines):
        words = " ".join(text.split())
        if words[:1] not in {"", "<"} and words != " ".join(prompt.split()):
            end = words[-LAST_CHARACTERS:]
            return end if end == words else end.partition(" ")[2] or end
    return ""


def _texts(lines: Sequence[bytes]) -> Iterator[str]:
    """Yield what users and models said, the last first."""
    from json import loads

    for line in reversed(lines):
        try:
            found = loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and not (found.get("isSidechain") or found.get("isMeta")):
            yield _said(found)


def _said(record: dict[str, object]) -> str:
    """Return what a record of a transcript says, empty where nobody speaks in it."""
    for _ in range(_DEEP):
        speaker = record.get("role") or record.get("type")
        if isinstance(speaker, str) and speaker in _SPEAKERS and not _holds(record):
            return _text(record)
        inner = _holds(record)
        if not inner:
            return ""
        record = inner
    return ""


def _holds(record: dict[str, object]) -> dict[str, object]:
    """Return the record inside a record, empty where there is none."""
    for name in _INNER:
        inner = record.get(name)
        if isinstance(inner, dict):
            return inner
    return {}


def _text(value: object, deep: int = _DEEP) -> str:
    """Return the text of what was said, whole or in parts; parts that are no text are left out."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and deep:
        return "\n".join(filter(None, (_text(part, deep - 1) for part in value if _is_said(part))))
    if isinstance(value, dict) and deep:
        return next(filter(None, (_text(value.get(name), deep - 1) for name in _WRITTEN)), "")
    return ""


def _is_said(part: object) -> bool:
    return not isinstance(part, dict) or part.get("type", "text") in _TEXTS
