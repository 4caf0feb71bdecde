"""What the window of a session holds, by transcripts: of which it is a copy, and what it lost.

A fork names no origin, and its transcript is written behind its first prompt. Its start has the
tokens of its window, or, up to 2.1.205, the id of its origin. Where a person goes back, the next
prompt follows an earlier message.
"""

from __future__ import annotations

import os
from json import dumps

from ctx.hosts.fields import newest, string, tail

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from ctx.model import JsonObject

_MOST = 8 * 1024 * 1024  # bytes at the end of a transcript in which an earlier message is found
_OTHERS = (b'"tool_result"', b'"isSidechain":true')  # of what is no prompt of a person
_NEWEST = 64  # transcripts among which the origin of a fork is looked for


def origin(transcript: str, tokens: int) -> str:
    """Return the session in a folder whose window is of so many tokens, the latest; or nothing."""
    from glob import escape, iglob  # only for a fork

    from ctx.hosts.claude.transcript import FORMAT

    every = iglob(os.path.join(escape(os.path.dirname(transcript)), "*.jsonl"))
    for path in sorted(every, key=os.path.getmtime, reverse=True)[:_NEWEST]:
        lines, compacted = tail(path), b'"postTokens":%d,' % tokens
        if FORMAT.usage(lines)[0] == tokens or any(compacted in line for line in lines):
            return os.path.splitext(os.path.basename(path))[0]
    return ""


def taken_back(path: str) -> tuple[float, float] | None:
    """Return between which times that came which is not before the last prompt any more."""
    lines = tail(path)
    places = (at for at in reversed(range(len(lines))) if b'"type":"user"' in lines[at])
    last = next((at for at in places if not any(mark in lines[at] for mark in _OTHERS)), 0)
    after: JsonObject = next(newest(lines[last : last + 1]), {})
    for each in newest(lines[:last]):
        parent, name = after.get("parentUuid"), string(each, "uuid")
        if not parent or (parent == name and each.get("type") == "assistant"):
            return None
        if name and parent != name and each.get("isSidechain") is not True:
            own = b'"uuid":%s' % dumps(parent).encode()
            kept = next(newest([line for line in tail(path, _MOST) if own in line]), {})
            from ctx.text.times import moment  # only where somebody went back

            times = [moment(string(record, "timestamp")) for record in (kept, each)]
            until, since = (time and time.timestamp() for time in times)
            return (until, since) if until and since else None
        after = each if name else after
    return None
