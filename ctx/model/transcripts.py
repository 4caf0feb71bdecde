"""What a format of transcripts is, and the records that it yields."""

from collections.abc import Iterator, Sequence

from ctx.model.entries import JsonObject
from ctx.model.sessions import Turn
from ctx.typed import NamedTuple


class NotATurnError(ValueError):
    """A line that should be a turn cannot be read; the text continues "line 3: "."""


class Line(NamedTuple):
    """One line of a stream."""

    number: int  # counted from 1
    data: bytes  # without its newline; empty where the line is too long to be read
    length: int  # in bytes, without the newline
    ended: bool  # whether the line ends in a newline: the last of a torn file does not

    @property
    def too_long(self) -> bool:
        """Whether the line was skipped."""
        return self.length > len(self.data)


class Skip(NamedTuple):
    """Something that is left out because it is not meant to be a turn."""

    why: str  # a kind that is counted: ``type summary``
    turn: Turn | None = None  # what it would be, and earlier versions may have stored


class Note(NamedTuple):
    """A warning about a line that is imported."""

    what: str  # a kind that is counted: ``unknown field 'x' kept``


class About(NamedTuple):
    """What a line holds about its session; what it does not hold is empty."""

    session: str = ""  # the id of this session; it holds for the lines that follow, too
    title: str = ""  # the title that the host gave it
    folder: str = ""  # the working directory; stored with the turn that comes next
    branch: str = ""  # the branch that is checked out; likewise
    fork: str = ""  # the id that a fork has itself, where ``session`` is the one it was made of
    until: int = 0  # bytes of the session's transcript before that still hold: a person went back
    helper: bool = False  # whether the transcript is that of a subagent, whose turns are left out


class Node(NamedTuple):
    """A message of a conversation that can be taken back; its turns follow."""

    id: str
    parent: str | None  # the message that it follows, empty for none; None: the one before it
    is_prompt: bool  # whether a person wrote it


class Rewound(NamedTuple):
    """A person went back to before a message: it and what follows it is taken back."""

    to: str  # its id


SUBAGENT = "sidechain (the session of a subagent)"  # why a turn of a subagent is left out


class Torn(NamedTuple):
    """A line that cannot be read as a turn."""

    data: bytes  # the unchanged line without its newline; empty where it is too long for memory
    why: str


Piece = Turn | Skip | Note | About | Node | Rewound  # what a format yields for a line


class Found(NamedTuple):
    """What a transcript holds at a line."""

    line: int  # counted from 1
    what: Piece | Torn


class Home(NamedTuple):
    """Where a host keeps its transcripts."""

    variable: str  # the environment variable that names the folder instead
    folder: str  # below the home folder; without a ``pattern``, a file of the project
    pattern: str  # of the files, below the folder
    in_project: bool = False  # whether the folder is in the project, in place of the home folder


class Format:
    """A way of writing transcripts: ``FORMAT`` in the ``transcript.py`` of a host's folder."""

    name: str  # what ``--format`` takes
    places: tuple[Home, ...] = ()  # where its host keeps transcripts
    has_ids = True  # whether turns have ids or times; without, they are known by their lines
    names_sessions = False  # whether each turn tells its session, so that no other can be meant
    holds_all = False  # whether one file holds the sessions of all projects
    is_wrapped = True  # whether programs put texts of their own around and between turns

    def recognises(self, fields: JsonObject, /) -> bool:
        """Return whether a line has this format; no line has two."""
        raise NotImplementedError

    def read(self, fields: JsonObject, session: str, /) -> Iterator[Piece]:
        """Yield a line's content; lines that name no session are of ``session``.

        Raises NotATurnError.
        """
        raise NotImplementedError

    def begins(self, _line: bytes, /) -> bool:
        """Return whether this is the first line of a transcript that is no JSON."""
        return False

    def objects(self, _lines: Iterator[Line], _path: str, /) -> Iterator[tuple[Line, JsonObject]]:
        """Yield what ``read`` takes, at its first line, of a transcript that is no JSON.

        ``_path`` is that of its file, empty for a pipe. Raises OSError.
        """
        raise NotImplementedError

    def folder(self, _line: bytes, /) -> str | None:
        """Return the folder of the session in a line, or a digest of it; None for ``read``'s."""
        return None

    def usage(self, _lines: Sequence[bytes], /) -> tuple[int | None, int | None]:
        """Return tokens in the window and its length by a transcript's last lines, if it counts."""
        return None, None
