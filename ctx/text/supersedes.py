"""Titles and timestamps in ``Supersedes: …``, which the reader and ``ctx check`` read alike."""

from collections.abc import Iterator

from ctx.text.regex import regex

_LINK = regex(r"\[([^\[\]]{0,200})\]\([^()]{0,300}\)")
_STAMPED = regex(r"^\[?(\d{4}-\d{2}-\d{2}(?:-(?:\d{4,6}|[a-z\d]{1,2}(?![\w-])))?)\]?")
_QUOTED = regex(r"[\"“`']([^\"”`']+)[\"”`']")
_NUMBER = regex(  # of a decision record that is named by it
    r"(?:adr|decision|record)[ \t#_-]{0,3}0*(\d{1,4})(?![\w.-]?\d)"
    r"|#?0*(\d{1,4})(?:[.:-][ \t]?[^\d\s].*)?$"
)
_RECORD = regex(r"/(?:adr[-_]?)?0*(\d{1,4})(?:[-_]\D[^#]*)?\.md#(?:adr-?)?0*\1(?!\d)")
"""The id of an entry that is a file with a number."""
_EDGES = " \t.,;:\"'`*_“”‘’"


def readings(claim: str) -> Iterator[str]:
    """Yield what ``claim`` may name, case-folded: all, its quoted or linked part, date, number."""
    text = _LINK.sub(r"\1", claim).strip(_EDGES).casefold()
    yield from filter(None, (text, text.strip("[]" + _EDGES)))
    if stamped := _STAMPED.match(text):
        yield stamped[1]
        yield text[stamped.end() :].strip(_EDGES) or stamped[1]
    if quoted := _QUOTED.match(claim.strip()):
        yield quoted[1].strip(_EDGES).casefold()
    if numbered := _NUMBER.match(text):
        yield f"#{numbered[1] or numbered[2]}"


def names(title: str, timestamp: str, id_: str) -> set[str]:
    """Return the names of an entry: title, timestamp, id, anchor, and its number as a record."""
    id_ = id_.casefold()
    numbered = _RECORD.match(id_, max(0, id_.rfind("/", 0, id_.find("#"))))
    own = {title.casefold(), timestamp, id_, id_.partition("#")[2]}
    return own | {f"#{numbered[1]}"} if numbered else own


def is_shared(name: str) -> bool:
    """Return whether a name is a number or begins with a date, which several entries may share."""
    return name[:1] == "#" or _STAMPED.match(name) is not None
