"""Invisible characters that change what is read.

Controls; marks that turn the direction of text (Boucher and Anderson, "Trojan Source", 2021);
letters of no width, except where a script or an emoji needs them; tags and runs of variation
selectors, which can carry hidden text.
"""

import re
import unicodedata
from collections.abc import Iterator

from ctx.checks.types import Fault, Subject, named

CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
TURNING = "\u202a-\u202e\u2066-\u2069"
_SUSPECT = re.compile(
    f"[{CONTROLS}{TURNING}\u061c\u200b-\u200f\u2060-\u2064\ufeff\u180e\ufff9-\ufffb"
    "\U000e0000-\U000e007f]|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"
)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff]")
_JOINING = re.compile(  # scripts in which a joiner or a non-joiner changes how letters are drawn
    "[\u0600-\u08ff\u0900-\u0dff\u0e00-\u0fff\u1000-\u109f\u1700-\u18af\u1980-\u1aaf\ua800-\uabff"
    "\U00010d00-\U00010d3f\U00011000-\U00011fff]"
)
_WITHOUT_SPACES = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u1aaf\u3040-\u30ff\u4e00-\u9fff]"
)
"""Scripts in which a space of no width marks where a line may break: unlike the scripts of
``words.UNSPACED`` not Hangul, and Tibetan too."""
_SKIPPED = re.compile("[\ufe0f\u20e3\U0001f3fb-\U0001f3ff]")
_FLAG = "\N{WAVING BLACK FLAG}"
_END_OF_TAGS = "\U000e007f"
_LONGEST_REGION = 6
_KINDS = 3  # kinds of characters that one finding names


def check(subject: Subject) -> Iterator[Fault]:
    """Yield lines that hold such characters, of files as they are and of turns as they are read."""
    for piece in subject.pieces():
        text = piece.text if piece.first > 1 else piece.text.removeprefix("\ufeff")
        if _SUSPECT.search(text):
            for number, line in enumerate(text.split("\n"), piece.first):
                if found := list(suspects(line)):
                    yield _fault(piece.path, number, found)
    for entry in subject.entries:
        if entry.kind in ("turn", "summary"):
            found = list(suspects(entry.body))  # the reader removes controls, as of colours
            if found:
                yield _fault(entry.source, entry.line, found)


def suspects(line: str) -> Iterator[str]:
    """Yield the suspect characters of a line."""
    for match in _SUSPECT.finditer(line):
        if not _is_needed(match[0], line, match.start(), match.end()):
            yield match[0][0]


def _is_needed(run: str, line: str, start: int, end: int) -> bool:
    char = run[0]
    before, after = _before(line, start), line[end : end + 1]
    if char in "\u200c\u200d":
        joins = _JOINING.match(before) and (
            char == "\u200c" or _JOINING.match(after) or not after.strip()
        )
        emoji = char == "\u200d" and _is_picture(before) and _is_picture(after)
        return bool(joins) or emoji
    if char == "\u200b":
        return bool(_WITHOUT_SPACES.match(before) or _WITHOUT_SPACES.match(after))
    if char in "\u061c\u200e\u200f":
        return _RIGHT_TO_LEFT.search(line) is not None
    if char == "\u180e":
        return "\u1800" <= before <= "\u18af"
    return "\U000e0020" <= char <= _END_OF_TAGS and _in_flag(line, start)


def _before(line: str, start: int) -> str:
    """Return the character before ``start``, without the modifiers of an emoji."""
    at = start - 1
    while at > 0 and _SKIPPED.match(line[at]):
        at -= 1
    return line[at : at + 1] if at >= 0 else ""


def _is_picture(char: str) -> bool:
    return bool(char) and (unicodedata.category(char) == "So" or char in "\u2640\u2642\u2695")


def _in_flag(line: str, at: int) -> bool:
    """Return whether a tag belongs to the flag of a region: a black flag, letters and an end."""
    start = at
    while start > 0 and "\U000e0020" <= line[start - 1] < _END_OF_TAGS:
        start -= 1
    end = at
    while end < len(line) and "\U000e0020" <= line[end] < _END_OF_TAGS:
        end += 1
    closed = line[end : end + 1] == _END_OF_TAGS
    return line[start - 1 : start] == _FLAG and closed and end - start <= _LONGEST_REGION


def _fault(path: str, line: int, found: list[str]) -> Fault:
    kinds = list(dict.fromkeys(found))
    shown = ", ".join(map(named, kinds[:_KINDS]))
    more = f" and {len(kinds) - _KINDS} more kinds" if len(kinds) > _KINDS else ""
    message = f"holds what cannot be seen, and changes what is read: {shown}{more}"
    return Fault(path, line, message, "take it out; an editor that shows invisibles finds it")
