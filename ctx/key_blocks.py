"""Private keys over many lines: from the header that a detector finds to where the key ends."""

from __future__ import annotations

import re

_END = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-MAC: ?\S+")
_MATERIAL = re.compile(r"[A-Za-z0-9+/=]{40}")
_NEAR = 2_000
"""Characters behind a header within which a key begins."""
_LONGEST = 64 * 1024
"""Characters of the longest key."""
_BODY = re.compile(r"(?:[ \t>]*+(?:[A-Za-z0-9+/=]{8,}|[A-Z][\w-]{2,30}: [^\n]*|[ \t]*)(?:\n|\Z))*+")


def block(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return where the key lies whose header is at ``start`` to ``end``; None where none follows.

    Then it is only spoken of.
    """
    if not _MATERIAL.search(text, end, end + _NEAR):
        return None
    closing = _END.search(text, end, end + _LONGEST)
    return _dashed(text, start), closing.end() if closing else _end_of_body(text, end)


def _dashed(text: str, at: int) -> int:
    """Return where the dashes before a header begin; ``at`` where there are none."""
    first = at - 1 if text[at - 1 : at] == " " else at
    dashes = first
    while text[dashes - 1 : dashes] == "-":
        dashes -= 1
    return dashes if dashes < first else at


def _end_of_body(text: str, at: int) -> int:
    """Return where a key ends that nobody closed: with the last line that looks like one."""
    line = text.find("\n", at)
    if line < 0:
        return len(text)
    match = _BODY.match(text, line + 1)
    end = match.end() if match else line
    return at + len(text[at:end].rstrip())
