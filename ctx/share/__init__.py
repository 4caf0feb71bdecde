"""A team's memory on a PostgreSQL server: the only code that speaks to it.

psycopg is imported when somebody connects: no packet and no hook needs it. Which rows exist for a
person the server decides (``schema.sql``), never an argument.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from ctx.errors import ServiceError
from ctx.model import SHARED, Kind, session_file
from ctx.text.names import cut, shown_line
from ctx.text.tables import groups

LONGEST = 300  # characters of a server's message that are shown
INIT = "`ctx share init` makes it, or brings it up to date"


class Row(NamedTuple):
    """An entry as it is sent: without secrets."""

    day: str  # ``Entry.timestamp``
    anchor: str  # what its id ends with, behind the file
    speaker: str
    title: str  # empty for a turn, whose title follows from its text
    text: str
    stems: str  # the words that are searched, separated by spaces; those of a title before `` | ``
    anchors: int  # dates and times that it names, 255 at most
    vector: Sequence[int] = ()  # empty without an embedder
    is_step: bool = False  # whether it is a call of a tool, or the like (``Part.steps``)


class Shared(NamedTuple):
    """A session, or another entry that stands for itself, as it is sent."""

    session: str  # its name in its repository; of turns the author is put before it
    kind: Kind
    rows: Sequence[Row]  # all of it, in order: none where it is gone
    forms: Sequence[str] = ()  # the words that stemming changes, as they were


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


@contextmanager
def explained() -> Iterator[None]:
    """Raise ServiceError, of one line, for what psycopg raises."""
    import psycopg
    from psycopg import errors

    try:
        yield
    except psycopg.ProgrammingError as error:
        if isinstance(error, errors.InsufficientPrivilege):
            hint = "`ctx share grant` gives it"
        elif isinstance(
            error, errors.UndefinedTable | errors.UndefinedFunction | errors.InvalidSchemaName
        ):
            hint = INIT
        else:
            hint = "see docs/team.md"
        raise ServiceError(f"the team's server: {_line(error)}", hint) from error
    except psycopg.Error as error:
        took_long = isinstance(error, errors.QueryCanceled)
        message = "took too long" if took_long else _line(error)
        raise ServiceError(f"the team's server: {message}", _hint(message)) from error


def _hint(message: str) -> str:
    otherwise = "what was done until then is kept; run it again later"
    hints = groups(__file__, "hints.txt")[""][1]
    return next((hint for reason, hint in hints if re.search(reason, message)), otherwise)


def _line(error: Exception) -> str:
    """Return the message of an error on one line, as it may be shown."""
    text = " ".join(str(error).split()).removeprefix("connection failed: ")
    return cut(shown_line(text), LONGEST)
