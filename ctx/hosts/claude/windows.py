"""What the window of a session holds, by its transcripts: of which it is a copy, and what it lost.

A fork says no word of its origin, and its own transcript is written behind its first prompt. Up to
2.1.205 its start has the session of its origin; from 2.1.215 on it has its own, and the tokens of
its window. Where a person goes back, the next prompt follows an earlier message.
"""

from __future__ import annotations

import os
from json import dumps

from ctx.hosts.fields import newest, string
from ctx.text.times import moment

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.model import JsonObject

_ENDING = ".jsonl"
_TAIL, _MOST = 256 * 1024, 8 * 1024 * 1024  # bytes at the end of a transcript that are looked at
_SIBLINGS = 32  # transcripts among which the origin of a fork is looked for


def siblings(transcript: str) -> Iterator[str]:
    """Yield the sessions whose transcripts are in the folder of one, the last written first."""
    folder, own = os.path.split(transcript)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    paths = (os.path.join(folder, name) for name in names if name != own)
    times = ((os.path.getmtime(path), path) for path in paths if path.endswith(_ENDING))
    for _, path in sorted(times, reverse=True)[:_SIBLINGS]:
        yield os.path.basename(path)[: -len(_ENDING)]


def origin(transcript: str, tokens: int) -> str:
    """Return the session whose window is of so many tokens, of which one is a fork; else nothing."""
    from ctx.hosts.claude.transcript import FORMAT  # only for a fork

    for session in siblings(transcript):
        lines = _lines(os.path.join(os.path.dirname(transcript), session + _ENDING), _TAIL)
        compacted = b'"postTokens":%d,' % tokens
        if FORMAT.usage(lines)[0] == tokens or any(compacted in line for line in lines):
            return session
    return ""


def taken_back(path: str) -> tuple[float, float] | None:
    """Return between which times that came which is not before the last prompt any more."""
    for most in (_TAIL, _MOST):
        lines = _lines(path, most)
        places = (at for at, line in enumerate(lines) if _is_prompt(line))
        last = max(places, default=0)
        after: JsonObject = next(newest(lines[last : last + 1]), {})
        for each in newest(lines[:last]):
            parent, name = after.get("parentUuid"), string(each, "uuid")
            if not name or each.get("isSidechain") is True:
                continue
            if not parent or (parent == name and each.get("type") == "assistant"):
                return None
            if parent != name:
                own = b'"uuid":%s' % dumps(parent).encode()
                kept = next(newest([line for line in lines[:last] if own in line]), None)
                if kept:
                    return _time(kept), _time(each)
                break
            after = each
    return None


def _is_prompt(line: bytes) -> bool:
    is_other = b'"tool_result"' in line or b'"isSidechain":true' in line
    return b'"type":"user"' in line and not is_other


def _time(record: JsonObject) -> float:
    found = moment(string(record, "timestamp"))
    return found.timestamp() if found else 0.0


def _lines(path: str, most: int) -> list[bytes]:
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - most))
            return file.read(most).splitlines()
    except OSError:
        return []
