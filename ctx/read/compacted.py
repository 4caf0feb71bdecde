"""What a line of a file of summaries says: a record of a compaction."""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

import re
from collections.abc import Mapping
from typing import NamedTuple

from ctx.model import Lines, Summary

MOST_LEVEL = 16
"""Of 20 turns each, this is more than anybody can say."""
_MOST = 2**53
"""What whole numbers stay under: more than any file has lines."""
_ID = re.compile(r"s[0-9]{1,2}-[0-9a-f]{12}")
"""It stands in packets as a part of a command: nothing else may be an id."""


class Run(NamedTuple):
    """One compaction: which lines of the session it summarises. Written before its clusters."""

    start: int
    """Its first line of the session's file, counted from 1."""
    end: int
    """Its last line."""
    turns: int
    """Turns in these lines that it melts: n. What earlier runs did is not counted again."""
    elevated: int
    """Turns in these lines that it leaves as they are, since a user gave a rule in them."""
    clusters: int
    """c = ⌈n / k⌉; there may be fewer, where a bundle fills more than one."""
    size: int
    """k, the turns that a summary stands for."""
    compacted: str
    """When it began, ISO 8601."""
    space: str
    """As ``Summary.space``."""


class Elevated(NamedTuple):
    """A turn in which a user gave a rule: it is not melted."""

    line: int
    turn: str
    """Its id."""


class Declined(NamedTuple):
    """A cluster that has no summary."""

    level: int
    """Of the summary that it would have had."""
    lines: Lines
    sources: tuple[str, ...]
    """Ids of what it was to be made of; empty where that is too much to name."""
    turns: int
    why: str


Record = Run | Elevated | Declined | Summary


def record(fields: Mapping[str, object]) -> Record:
    """Return the record that ``fields`` tell; ValueError where they tell none."""
    match fields.get("type"):
        case "run":
            return _run(fields)
        case "elevated":
            return Elevated(_whole(fields, "line"), _text(fields, "turn"))
        case "declined":
            return Declined(
                _whole(fields, "level"),
                _lines(fields),
                _texts(fields, "sources"),
                _whole(fields, "turns"),
                _text(fields, "why"),
            )
        case "summary":
            return _summary(fields)
        case _:
            raise ValueError("is no record of a compaction")


def _run(fields: Mapping[str, object]) -> Run:
    run = Run(
        _whole(fields, "start"),
        _whole(fields, "end"),
        _whole(fields, "turns", least=0),
        _whole(fields, "elevated", least=0),
        _whole(fields, "clusters", least=0),
        _whole(fields, "size"),
        _text(fields, "compacted"),
        _text(fields, "space"),
    )
    if run.turns + run.elevated > run.end - run.start + 1:
        raise ValueError("has more turns than lines")
    return run


def _summary(fields: Mapping[str, object]) -> Summary:
    made = Summary(
        id=_text(fields, "id"),
        session=_text(fields, "session"),
        level=_whole(fields, "level"),
        text=_text(fields, "text"),
        sources=_texts(fields, "sources"),
        lines=_lines(fields),
        turns=_whole(fields, "turns"),
        covered=_whole(fields, "covered", least=0),
        tokens=_whole(fields, "tokens", least=0),
        earliest=_text(fields, "earliest"),
        latest=_text(fields, "latest"),
        compacted=_text(fields, "compacted"),
        method=_text(fields, "method"),
        model=_text(fields, "model"),
        space=_text(fields, "space"),
        confidence=_share(fields, "confidence"),
        digest=_text(fields, "digest"),
        note=_text(fields, "note"),
    )
    if not _ID.fullmatch(made.id) or not made.sources:
        raise ValueError("has no id as summaries have them, or no sources")
    if made.level > MOST_LEVEL:
        raise ValueError(f"is of a level over {MOST_LEVEL}")
    return made


def _text(fields: Mapping[str, object], field: str) -> str:
    value = fields.get(field)
    if not isinstance(value, str):
        raise ValueError(f"has no text as its {field}")  # noqa: TRY004 - the line is wrong
    return _encodable(value)


def _encodable(text: str) -> str:
    """Return ``text`` without halves of characters, which nothing could take."""
    return text.encode("utf-8", "replace").decode()


def _whole(fields: Mapping[str, object], field: str, *, least: int = 1) -> int:
    value = fields.get(field)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < _MOST:
        raise ValueError(f"has no number as its {field}")
    return value


def _share(fields: Mapping[str, object], field: str) -> float:
    value = fields.get(field)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"has no number as its {field}")  # noqa: TRY004 - the line is wrong
    if not 0 <= value <= 1:  # nor NaN, nor a whole number of 400 digits
        raise ValueError(f"has no share as its {field}")
    return float(value)


def _texts(fields: Mapping[str, object], field: str) -> tuple[str, ...]:
    value = fields.get(field)
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError(f"has no list of texts as its {field}")
    return tuple(map(_encodable, value))


def _lines(fields: Mapping[str, object]) -> Lines:
    value = fields.get("lines")
    if not isinstance(value, list) or not value:
        raise ValueError("has no lines")
    spans: list[tuple[int, int]] = []
    for one in value:
        match one:
            case [int(first), int(last)] if 1 <= first <= last < _MOST:
                if spans and first <= spans[-1][1] + 1:
                    raise ValueError("has lines that do not rise")
                spans.append((int(first), int(last)))
            case _:
                raise ValueError("has lines that are none")
    return tuple(spans)
