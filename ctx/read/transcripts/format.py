"""The interface of formats of transcripts, and the records that they yield."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from ctx.model import JsonObject, Turn


class NotATurnError(ValueError):
    """A line that should be a turn cannot be read; the text continues "line 3: "."""


class Skip(NamedTuple):
    """Something that is left out because it is not meant to be a turn."""

    why: str  # a kind that is counted: ``type summary``


class Note(NamedTuple):
    """A warning about a line that is imported."""

    what: str  # a kind that is counted: ``unknown field 'x' kept``


class About(NamedTuple):
    """What a line holds about its session; what it does not hold is empty."""

    session: str = ""  # the id of this session; it holds for the lines that follow, too
    title: str = ""  # the title that the host gave it
    folder: str = ""  # the working directory; stored with the turn that comes next
    branch: str = ""  # the branch that is checked out; likewise


class Place(NamedTuple):
    """Where a host keeps its transcripts."""

    variable: str  # the environment variable that names the folder instead
    folder: str  # below the home folder
    pattern: str  # of the files, below the folder


class Torn(NamedTuple):
    """A line that cannot be read as a turn."""

    data: bytes  # the unchanged line without its newline; empty where it is too long for memory
    why: str


Piece = Turn | Skip | Note | About  # what a format yields for a line


class Found(NamedTuple):
    """What a transcript holds at a line."""

    line: int  # counted from 1
    what: Piece | Torn


class Format(Protocol):
    """A way of writing transcripts: a module of this folder."""

    @property
    def name(self) -> str:
        """The name that ``--format`` takes."""

    @property
    def places(self) -> tuple[Place, ...]:
        """Where its host keeps transcripts."""

    def recognises(self, fields: JsonObject, /) -> bool:
        """Whether a line has this format; no line has two."""

    def read(self, fields: JsonObject, session: str, /) -> Iterator[Piece]:
        """Yield a line's content; lines that name no session are of ``session``.

        Raises NotATurnError.
        """
