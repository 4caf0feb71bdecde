"""What a reader of transcripts is, and what it finds in them."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

from ctx.model import Turn

Fields = Mapping[str, object]
"""One line of a transcript: a JSON object."""


class NotATurnError(ValueError):
    """Why a line that should be a turn is none; the text goes on after "line 3: "."""


class Skip(NamedTuple):
    """Something that is left out because it is no turn, and never was meant to be one."""

    why: str
    """A kind that is counted: ``type summary``."""


class Note(NamedTuple):
    """Something that a person should know about a line that is imported."""

    what: str
    """A kind that is counted: ``unknown field 'x' kept``."""


class Torn(NamedTuple):
    """A line that cannot be read as a turn, as it stands in the file."""

    data: bytes
    """Without its newline; empty where the line is too long to be held."""
    why: str


Piece = Turn | Skip | Note
"""What a format makes of a line."""


class Found(NamedTuple):
    """What was found, and where."""

    line: int
    """Counted from 1."""
    what: Piece | Torn


class Format(Protocol):
    """A way of writing transcripts: a module of this folder."""

    @property
    def name(self) -> str:
        """The name that ``--format`` takes."""

    def recognises(self, fields: Fields, /) -> bool:
        """Whether a line has the shape of this format; at most one format says so."""

    def read(self, fields: Fields, session: str, /) -> Iterator[Piece]:
        """Yield what a line holds; ``session`` is for lines that name none.

        A turn without an id has an empty one. Raises NotATurnError.
        """
