"""The interface of formats of transcripts, and the records that they yield."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from ctx.model import JsonObject, Turn


class NotATurnError(ValueError):
    """A line that should be a turn cannot be read; the text continues "line 3: "."""


class Skip(NamedTuple):
    """Something that is left out because it is not meant to be a turn."""

    why: str
    """A kind that is counted: ``type summary``."""


class Note(NamedTuple):
    """A warning about a line that is imported."""

    what: str
    """A kind that is counted: ``unknown field 'x' kept``."""


class Torn(NamedTuple):
    """A line that cannot be read as a turn."""

    data: bytes
    """The unchanged line without its newline; empty where it is too long for memory."""
    why: str


Piece = Turn | Skip | Note
"""What a format yields for a line."""


class Found(NamedTuple):
    """What a transcript holds at a line."""

    line: int
    """Counted from 1."""
    what: Piece | Torn


class Format(Protocol):
    """A way of writing transcripts: a module of this folder."""

    @property
    def name(self) -> str:
        """The name that ``--format`` takes."""

    def recognises(self, fields: JsonObject, /) -> bool:
        """Whether a line has this format; no line has two."""

    def read(self, fields: JsonObject, session: str, /) -> Iterator[Piece]:
        """Yield the content of a line; ``session`` is for lines that name none.

        A turn without an id has an empty one. Raises NotATurnError.
        """
