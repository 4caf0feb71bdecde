"""What the tools speak in: an event, and a place of settings.

Plain classes: importing ``typing`` alone would cost a third of a bare start on every prompt.
"""


class Event:
    """Something that happened in a tool, as its hook is told."""

    __slots__ = ("cwd", "fresh", "name", "prompt", "session", "source", "transcript")

    def __init__(  # noqa: PLR0913 - as a record with names, which would import typing
        self,
        name: str,
        session: str = "",
        prompt: str = "",
        transcript: str = "",
        cwd: str = "",
        *,
        fresh: bool = False,
        source: str = "",
    ) -> None:
        """Keep what is known; what is not is empty."""
        self.name = name
        """What ``answer`` is asked with: it says how this host wants to be answered."""
        self.session = session
        self.prompt = prompt
        """What the person asked; empty where nothing was asked yet."""
        self.transcript = transcript
        """The path of the session's transcript."""
        self.cwd = cwd
        """Where the tool works."""
        self.fresh = fresh
        """Whether the window holds nothing of before: after a start, a clearing, a compaction."""
        self.source = source
        """From what the window is new, as the host says it: ``clear``, ``compact``…"""


class Place:
    """A file in which a tool looks for its hooks."""

    __slots__ = ("owned", "path", "scope", "variable")

    def __init__(self, scope: str, path: str, variable: str = "", *, owned: bool = False) -> None:
        """Keep where it is."""
        self.scope = scope
        """``project`` (committed, for everybody), ``local`` (this project, this person) or
        ``global`` (this person, every project)."""
        self.path = path
        """Below the project or the home folder, with forward slashes."""
        self.variable = variable
        """The environment variable that names another folder for the first part of ``path``."""
        self.owned = owned
        """Whether the file is ctx's own, among others of its folder."""
