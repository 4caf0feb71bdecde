"""Headings that were meant to begin an entry, and are not read as one."""

import re
from collections.abc import Iterator
from datetime import datetime

from ctx.checks.types import Fault, Subject, quoted
from ctx.checks.zones import TEXT
from ctx.text import stamps

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_GLUED = re.compile(r" {0,3}(#{1,6})(?=\[\d{4}-)|(#{2,6})(?=[^\W\d_]|\[)")
_YEAR, _LATER = r"(?:19|20)\d\d", r"[-/.]\d{1,2}[-/.]\d{1,2}"
_DAY_FIRST = r"\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d"
_DATED = re.compile(
    rf"[*_~`]*(?:[\[(]\s*(?:{_YEAR}{_LATER}|{_DAY_FIRST})|(?:{_YEAR}{_LATER}|{_DAY_FIRST})(?!\d))"
)
_ENTRIES = ("decision", "learning")
_ENTRY_LEVEL = 2
_DAY = len("2026-01-31")
_FORM = "write `## [YYYY-MM-DD] Title`, or [YYYY-MM-DD-HHMMSS]"


def check(subject: Subject) -> Iterator[Fault]:
    """Yield headings without a space, and those of entries with an impossible date."""
    for document in subject.documents:
        for line in document.text.of(TEXT):
            if (heading := _HEADING.match(line.text)) is None:
                glued = _GLUED.match(line.text) if document.kind != "turn" else None
                if glued:
                    marks = glued[1] or glued[2]
                    why = f"is no heading: there is no space after {marks}"
                    message = f"{quoted(line.text)} {why}"
                    yield Fault(document.path, line.number, message, "put a space after the #")
            elif document.kind in _ENTRIES and (why := _why(len(heading[1]), heading[2])):
                yield Fault(document.path, line.number, f"{quoted(heading[2])} {why}", _FORM)


def _why(level: int, text: str) -> str:
    title, timestamp, _ = stamps.of_heading(text, of_entry=level == _ENTRY_LEVEL)
    if timestamp:
        day, clock = timestamp[:_DAY], timestamp[_DAY + 1 :]
        try:
            datetime.fromisoformat(f"{day}T{clock or '00'}")
        except ValueError:
            return "has a date that there is not"
        return "" if title.strip(" \t#") else "has a date and no title"
    return "begins with a date that is not read as one" if is_dated(text, level) else ""


def is_dated(text: str, level: int = _ENTRY_LEVEL) -> bool:
    """Whether a heading begins with the date of an entry: below its level only in brackets."""
    dated = _DATED.match(text)
    return bool(dated) and (level <= _ENTRY_LEVEL or text.lstrip("*_~`")[:1] == "[")
