"""Anchors: dates and times in a text (``temporal-retrieval``, 9.3), found in linear time."""

import re
from collections.abc import Iterator

from ctx.text.english import DAYS, MONTHS, SHORT
from ctx.text.regex import regex

_S = r"\s{1,3}"
_YEAR = r"(?:19|20)\d\d"
_MM = r"(?:0[1-9]|1[0-2])"
_DD = r"(?:0[1-9]|[12]\d|3[01])"
_D = r"(?:0?[1-9]|[12]\d|3[01])"
_ORDINAL = r"(?:st|nd|rd|th)"
_LONG = "|".join(MONTHS)
_MONTH = rf"(?:{_LONG}|(?:{'|'.join(SHORT)})\b\.?)"
_WEEKDAY = f"(?:{'|'.join(DAYS)})"
_UNIT = "(?:minute|hour|day|night|week|weekend|fortnight|month|year|decade)s?"
_COUNTED = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|few|several"
_NUMBER = rf"(?:\d{{1,4}}|an?|{_COUNTED}|couple\sof)"
_SPAN = "(?:night|morning|afternoon|evening|week|weekend|month|year|quarter|spring|summer|autumn)"
_ZONE = r"(?:z|[+-]\d\d:?\d\d)?"
_ISO_TIME = rf"(?:t\d\d:?\d\d(?::?\d\d(?:[.,]\d{{1,9}})?)?|\s\d\d:\d\d(?::\d\d)?){_ZONE}"

# What must precede a bare year or month, or "2000" would be a size and "may" a verb.
_IN = "(?:in|since|until|till|during|early|late|mid)"
_NEAR = rf"(?:{_IN}|by|before|after|from|through|of|last|next|this|around|between|and)"
_SIZES = (
    r"(?:[kmg]?b|ms|px|bytes?|tokens?|lines?|char(?:acter)?s?|words?|rows?|items?|entries|files?"
    r"|requests?|points?|times|users?|people|pages?|tests?|records?|turns?)\b"
)

_ANCHOR = "|".join(
    (
        # 2024-05-01, 2024-05-01T10:30:00Z, 2024-05-01-103000, 2024-05
        rf"{_YEAR}-{_MM}-{_DD}(?:{_ISO_TIME}|-\d{{6}})?(?!\d)",
        rf"{_YEAR}-{_MM}(?![\d-])",
        # 5/7/2024, 2024/05/07; with dots only where the year is in full: 1.2.24 is a version
        rf"(?<![/.]){_D}/{_D}/(?:\d{{4}}|\d\d)(?![\d/])",
        rf"(?<![/.]){_YEAR}/{_D}/{_D}(?![\d/])",
        rf"(?<![/.]){_D}\.{_D}\.{_YEAR}(?![\d.])",
        # Times of day, before days of a month: 10:30, 3 pm; not file.py:10:30
        r"(?<![:./-])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:\s?[ap]\.?m\b)?(?![\d:])",
        r"(?<![:./-])(?:1[0-2]|0?[1-9])\s?[ap]\.?m\b",
        # 7 May 2024, 7th of May, May 7th, 2024, May 2024
        rf"{_D}{_ORDINAL}?{_S}(?:of{_S})?{_MONTH}\b(?:,?{_S}{_YEAR}\b)?",
        rf"{_MONTH}{_S}{_D}{_ORDINAL}?(?![\w/:.]{{0,1}}\d)\b(?:,?{_S}{_YEAR}\b)?",
        rf"{_MONTH},?{_S}(?:of{_S})?{_YEAR}\b",
        # Unix times, in seconds and milliseconds
        r"(?<![.-])1\d{9}(?:\d{3})?(?!\w)",
        # Years and months by themselves
        rf"{_NEAR}{_S}(?P<year>{_YEAR})\b(?![-/:.]\d)(?!\s{{0,2}}{_SIZES})",
        rf"\({_YEAR}\)",
        rf"(?P<near>{_NEAR}){_S}(?P<month>{_LONG})\b(?!\.?,?{_S}\d)",
        # Days by name, and by distance
        rf"(?:(?:last|next|this|past){_S})?{_WEEKDAY}s?\b",
        rf"(?:day{_S}(?:before|after){_S})?(?:yesterday|tomorrow)\b",
        r"(?:today|tonight|noon|midnight)\b",
        rf"(?:last|next|this|past|previous|following|coming){_S}{_SPAN}\b",
        rf"(?:last|next|past|previous){_S}{_NUMBER}{_S}{_UNIT}\b",
        rf"(?:previous|following|next){_S}day\b",
        rf"{_NUMBER}{_S}{_UNIT}{_S}(?:ago|earlier|later|before|after|from{_S}now)\b",
    )
)
_START = (
    rf"(?:(?<![a-z0-9])|(?=\())(?=[0-9(]|{'|'.join(SHORT)}|{'|'.join(day[:3] for day in DAYS)}"
    r"|(?:in|by|of|and|an?|day)\s|since|until|till|during|early|late|mid|before|after"
    r"|from|through|last|next|this|around|between|today|tonight|noon|yesterday|tomorrow|past"
    rf"|previous|following|coming|{_COUNTED}|couple)"
)  # how an anchor begins. Few places in a text do, so that it is searched six times as fast
_TIME = regex(f"{_START}(?:{_ANCHOR})".encode())  # it takes half of a bare start to compile
_PRECISE = regex(rf"{_YEAR}|\d{_ORDINAL}".encode())
_FORMER = regex(rf"\b(?:{_NEAR}|on|to){_S}$".encode())
_FIRM = regex(_IN.encode())
_FILLERS = regex(
    rf"\s{{0,3}}(?:(?:the|around|about|on|early|late|end|start|beginning|of){_S}){{0,4}}".encode()
)
_LOOK_BACK = 12  # characters before a month that may hold a word of ``_NEAR``, and spaces
_DOUBTFUL = (b"may", b"march")  # months that are verbs as well
ANCHOR_NORM = 3  # θ_A^norm: the distinct anchors that saturate A


def anchors(text: str) -> Iterator[str]:
    """Yield the distinct anchors of ``text``, in order, lower case (section 9.3).

    ISO, slashed and dotted dates, a month with a day or a year, weekdays, relative days and spans
    ("yesterday", "two weeks ago", "last month"), times, years, Unix times. A month or a year alone
    counts after a word of time only ("in 2023"): "may" is a verb, 2048 a size. Two ways to write
    one day are two anchors: only a calendar could tell.
    """
    seen = set()
    data = _ascii(text)
    low = data.lower()
    for match in _TIME.finditer(low):
        if not _is_meant(match, data):
            continue
        # Without the word of time before it, a year or month is one anchor.
        words = match["year"] or match["month"] or match[0].strip(b"()")
        anchor = b" ".join(words.split()).decode()
        if anchor not in seen:
            seen.add(anchor)
            yield anchor


def density(count: int) -> float:
    """Return A(d) = min(distinct anchors / θ_A^norm, 1), in [0, 1] (9.3), for a ``count``."""
    return min(count / ANCHOR_NORM, 1.0)


def follows(text: str, at: int) -> bool:
    """Return whether an anchor is at ``at``, or after a few words such as "the end of"."""
    low = _ascii(text[at : at + 100]).lower()  # longer than fillers and any anchor
    fillers = _FILLERS.match(low)
    # The word of time is before ``at``: put back, or a bare year or month would not match.
    start = b"in " + low[fillers.end() if fillers else 0 :]
    return any(
        (match := _TIME.match(start, begin)) is not None and match.end() > len(b"in ")
        for begin in (0, len(b"in "))
    )


def _ascii(text: str) -> bytes:
    """Return one byte for each character: bytes are searched much faster."""
    return text.encode("ascii", "replace")


def _is_meant(match: re.Match[bytes], data: bytes) -> bool:
    """Return whether a match is a word by itself, and no verb."""
    start = match.start()
    if start and data[start - 1 : start].isalnum() and match[0][:1].isalnum():
        return False
    if not any(month in match[0] for month in _DOUBTFUL):
        return True
    if match["month"]:
        return _is_capital(match["month"], match.start("month"), data) or (
            _FIRM.fullmatch(match["near"]) is not None
        )
    if _PRECISE.search(match[0]) or any(
        _is_capital(month, start + match[0].find(month), data)
        for month in _DOUBTFUL
        if month in match[0]
    ):
        return True
    return _FORMER.search(data[max(start - _LOOK_BACK, 0) : start].lower()) is not None


def _is_capital(month: bytes, at: int, data: bytes) -> bool:
    return data[at : at + len(month)].lower() == month and data[at : at + 1].isupper()
