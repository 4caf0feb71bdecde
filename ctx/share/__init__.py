"""A team's memory on a PostgreSQL server: the only code that speaks to it.

psycopg is imported when somebody connects: no packet and no hook needs it. Which rows exist for a
person the server decides (``schema.sql``), never an argument.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctx.model import SHARED, session_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.model import Kind


class Row(NamedTuple):
    """An entry as it is sent: without secrets."""

    day: str
    """``Entry.timestamp``."""
    anchor: str
    """What its id ends with, behind the file."""
    speaker: str
    title: str
    """Empty for a turn, whose title follows from its text."""
    text: str
    stems: str
    """The words that are searched, separated by spaces; those of a title before `` | ``."""
    anchors: int
    """Dates and times that it names, 255 at most."""
    vector: Sequence[int] = ()
    """Empty without an embedder."""
    is_step: bool = False
    """Whether it is a call of a tool, or the like (``Part.steps``)."""


class Shared(NamedTuple):
    """A session, or another entry that stands for itself, as it is sent."""

    session: str
    """Its name in its repository; of turns the author is put before it."""
    kind: Kind
    rows: Sequence[Row]
    """All of it, in order: none where it is gone."""
    forms: Sequence[str] = ()
    """The words that stemming changes, as they were."""


class Stored(NamedTuple):
    """An entry as it comes from the server."""

    session: str
    place: int
    day: str
    anchor: str
    speaker: str
    author: str
    title: str
    text: str


def folder_of(repository: str) -> str:
    """Return the name under which a repository's entries are shown, and stored once pulled.

    Safe for every file system, whatever the repository is called.
    """
    return session_file(repository).removesuffix(".jsonl")


def source_of(repository: str, session: str, kind: Kind) -> str:
    """Return the source of the entries of a ``session``, as ``Entry.source`` has it."""
    name = session_file(session) if kind == "turn" else session.partition("#")[0]
    return f"{SHARED}/{folder_of(repository)}/{name}"
