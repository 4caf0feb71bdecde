"""The dates of entries in headings and below them, as the reader and ``ctx check`` read them."""

from __future__ import annotations

from ctx.text.english import MONTHS, SHORT
from ctx.text.regex import regex
from ctx.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re

_DAY = r"(\d{4})([-/])(\d{1,2})\2(\d{1,2})"
_CLOCK = r"(?:(?:[-T]|[ ](?=\d\d:|\d{4,6}[Z\])]))(\d{2}):?(\d{2})(?::?(\d{2}))?)?Z?"
_SUFFIX = r"((?:-[a-z\d]{1,2})?)"  # tells apart the entries of one day: ``[2026-07-06-b]``
_IN_BRACKETS = regex(rf"\[{_DAY}{_CLOCK}{_SUFFIX}\][ \t]*(?:[-–—:|][ \t]+)?")
_BARE = regex(rf"\(?{_DAY}{_CLOCK}{_SUFFIX}(?:\)|(?=[\s:]|$)):?[ \t]*(?:[-–—|][ \t]+)?")
_LAST = regex(rf"[\[(]{_DAY}{_CLOCK}{_SUFFIX}[\])][ \t]*$")
_LABEL = r"^[ \t>*+_-]{0,12}date[*_]{0,2}[ \t]{0,4}:[*_]{0,2}[ \t]{0,4}[\[`]?"
_LINE = regex(rf"(?im){_LABEL}{_DAY}{_CLOCK}(?![^\W_])")
_MONTH = rf"({'|'.join(SHORT)})[a-z]{{0,6}}"
_TH = "(?:st|nd|rd|th)?"
_WRITTEN = regex(
    rf"(?im){_LABEL}(?:(\d{{1,2}})(?:\.(\d{{1,2}})\.|{_TH}\.?[ -]{_MONTH}[.,]?[ -])"
    rf"|{_MONTH}\.? (\d{{1,2}}){_TH},? )(\d{{4}})(?![^\W_])"
)  # ``1 March 2024``, ``March 1, 2024``, ``01.03.2024``; with ``/`` the day is not certain


class Stamped(NamedTuple):
    """A heading's text, apart from its date."""

    title: str
    timestamp: str = ""  # as ``Entry.timestamp``; empty where the heading has no date
    anchor: str = ""  # the same with what separates it from others of that day, ``2026-07-06-b``


def of_heading(text: str, *, of_entry: bool = True) -> Stamped:
    """Return the title and the date of a heading.

    The date is first or last: ``[2026-09-01] Title``, ``2026-09-01 Title``, ``Title (2026-09-01)``,
    with ``/`` for ``-`` as well. In a heading that is not ``of_entry``, which may be a part of an
    entry, only a date in brackets counts that is first.
    """
    if found := _IN_BRACKETS.match(text):
        return _stamped(text[found.end() :], found)
    if found := _BARE.match(text) if of_entry else None:
        return _stamped(text[found.end() :] or text, found)
    last = _LAST.search(text) if of_entry else None
    return _stamped(text[: last.start()].rstrip(), last) if last else Stamped(text)


def of_body(text: str) -> str:
    """Return the timestamp in the first line ``**Date**: 2026-09-01`` of an entry; else nothing."""
    if found := _LINE.search(text):
        return _timestamp(found)
    written = _WRITTEN.search(text)
    if written is None:
        return ""
    first, number, after, before, second, year = written.groups(default="")
    name = (after or before).lower()
    month = SHORT.index(name) + 1 if name else int(number)
    return f"{year}-{month:02}-{first or second:0>2}" if month <= len(MONTHS) else ""


def _stamped(title: str, found: re.Match[str]) -> Stamped:
    timestamp = _timestamp(found)
    return Stamped(title, timestamp, timestamp + found[8].lower())


def _timestamp(found: re.Match[str]) -> str:
    year, _, month, day, *clock = found.groups(default="")
    return "-".join(filter(None, (year, f"{month:0>2}", f"{day:0>2}", "".join(clock[:3]))))
