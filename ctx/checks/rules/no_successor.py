"""Superseded entries without a successor."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ctx.checks.types import Fault, Subject, quoted
from ctx.model import Entry

_STATUS = re.compile(
    r"^[ \t>-]*(?:~~[ \t]*|(?:\*\*|__)?status(?:\*\*|__)?[ \t]*:(?:\*\*|__)?[ \t]*[*_~]*)"
    r"superseded\b[*_]*(?P<rest>[^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_BY = re.compile(r"[\s*_:,(]*by\b[\s*_:]*(?P<name>.+)", re.IGNORECASE)
_SURE = re.compile(r"[\"“`\[]")  # how a name begins that is one, and no reason in prose
_ELSEWHERE = re.compile(r"https?://|(?<![\w-])[\w-]+/[\w.-]+#?\d*|#\d+|\b[A-Z]{2,}-\d+\b|\.md\b")
"""Issues, addresses and documents: they exist, whether or not they can be seen from here."""
_REASON = re.compile(r"(?!by\b)\b\w{2,}", re.IGNORECASE)
_REMEDY = (
    'name it: `**Status**: Superseded by "TITLE"`, or write in the new one `**Supersedes**: …`'
)


class Status(NamedTuple):
    """How an entry states that it is out of date."""

    by: str  # the successor that it names; empty if none
    reason: bool  # whether it gives a reason


def check(subject: Subject) -> Iterator[Fault]:
    """Yield superseded entries without a successor, an existing one, or a reason."""
    followed = {
        named.id
        for entry in subject.entries
        for claim in filter(None, entry.supersedes.split("\n"))
        for named in subject.names.entries(claim)
        if named.id != entry.id
    }
    for entry in subject.entries:
        dated = entry.kind in ("decision", "learning") and entry.id not in followed
        status = status_of(entry) if dated else None
        if status is None or (status.reason and not status.by):
            continue
        title, by = quoted(entry.title), status.by
        if not by:
            why = f"{title} is superseded, and no successor is named"
            yield Fault(entry.source, entry.line, why, _REMEDY)
        elif _SURE.match(by) and not (_ELSEWHERE.search(by) or subject.names.resolve(by)):
            why = f"{title} is superseded by {quoted(by)}, which is not there"
            yield Fault(entry.source, entry.line, why, _REMEDY)


def status_of(entry: Entry) -> Status | None:
    """Return how an entry itself states that it is superseded; None where it does not."""
    found = _STATUS.search(entry.body) if entry.status == "superseded" else None
    if found is None:
        return None
    by = _BY.match(found["rest"])
    name = by["name"].strip(" \t~*_.") if by else ""
    return Status(name, bool(_REASON.search(found["rest"])))
