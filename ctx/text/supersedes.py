"""Titles and timestamps in ``Supersedes: …``, which the reader and ``ctx check`` read alike."""

import re
from collections.abc import Iterator

_LINK = re.compile(r"\[([^\[\]]{0,200})\]\([^()]{0,300}\)")
_STAMPED = re.compile(r"^\[?(\d{4}-\d{2}-\d{2}(?:-(?:\d{4,6}|[a-z\d]{1,2}(?![\w-])))?)\]?")
_QUOTED = re.compile(r"[\"“`']([^\"”`']+)[\"”`']")
_EDGES = " \t.,;:\"'`*_“”‘’"


def readings(claim: str) -> Iterator[str]:
    """Yield what ``claim`` may name, case-folded: all, a quoted or linked part, its timestamp."""
    text = _LINK.sub(r"\1", claim).strip(_EDGES).casefold()
    yield from filter(None, (text, text.strip("[]" + _EDGES)))
    if stamped := _STAMPED.match(text):
        yield stamped[1]
        yield text[stamped.end() :].strip(_EDGES) or stamped[1]
    if quoted := _QUOTED.match(claim.strip()):
        yield quoted[1].strip(_EDGES).casefold()


def is_date(name: str) -> bool:
    """Return whether a name begins with a date, which several entries may share."""
    return _STAMPED.match(name) is not None
