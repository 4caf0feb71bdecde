"""Events of hosts, the fields of each, and the form of an answer."""

from __future__ import annotations

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


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


PATH_LIMIT = 4096
"""Characters of a path that is believed."""


def text(data: Mapping[str, object], *names: str) -> str:
    """Return the first of the members ``names`` that is text and not empty, or nothing."""
    for name in names:
        value = data.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def path(data: Mapping[str, object], *names: str) -> str:
    """Return the first of the members ``names`` that can be a path, or nothing."""
    value = text(data, *names)
    return value if "\0" not in value and len(value) <= PATH_LIMIT else ""


def said(event: str, data: Mapping[str, object], *, fresh: bool) -> Event:
    """Return the event as the form of Claude Code says it, which most tools have taken on."""
    return Event(
        event,
        text(data, "session_id", "sessionId"),
        text(data, "prompt"),
        path(data, "transcript_path", "transcriptPath"),
        path(data, "cwd"),
        fresh=fresh,
        source=text(data, "source"),
    )


def specific(event: str, packet: str) -> bytes:
    """Return ``hookSpecificOutput`` with ``packet`` as additional context."""
    from json import dumps  # only where something is said

    said = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": packet}}
    return dumps(said, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def flat(key: str, packet: str) -> bytes:
    """Return an object whose only member ``key`` is ``packet``."""
    from json import dumps  # only where something is said

    return dumps({key: packet}, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def utf16(packet: str) -> int:
    """Return the length of ``packet`` as JavaScript counts it: in units of UTF-16."""
    return len(packet.encode("utf-16-le", "surrogatepass")) // 2


def utf8(packet: str) -> int:
    """Return the length of ``packet`` in bytes of UTF-8."""
    return len(packet.encode("utf-8", "surrogatepass"))


def objects(lines: Sequence[bytes]) -> Iterator[dict[str, object]]:
    """Yield the JSON objects among ``lines``, the last first; what is none is passed over."""
    from json import loads  # only where a transcript is looked at

    for line in reversed(lines):
        try:
            found = loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def inside(data: object, *names: str) -> object:
    """Return the member of a member …, or None where something on the way is no object."""
    for name in names:
        if not isinstance(data, dict):
            return None
        data = data.get(name)
    return data


def count(value: object) -> int | None:
    """Return ``value`` where it is a number of tokens: whole, and not negative."""
    ok = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if ok and isinstance(value, int) else None
