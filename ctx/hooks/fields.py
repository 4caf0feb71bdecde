"""What the tools share: reading fields of any type, and the answer that most of them take."""

from ctx.hooks.shape import Event

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PATH_LIMIT = 4096
"""Characters of a path that is believed."""


def text(data: "Mapping[str, object]", *names: str) -> str:
    """Return the first of the members ``names`` that is text and not empty, or nothing."""
    for name in names:
        value = data.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def path(data: "Mapping[str, object]", *names: str) -> str:
    """Return the first of the members ``names`` that can be a path, or nothing."""
    value = text(data, *names)
    return value if "\0" not in value and len(value) <= PATH_LIMIT else ""


def said(event: str, data: "Mapping[str, object]", *, fresh: bool) -> Event:
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


def objects(lines: "Sequence[bytes]") -> "Iterator[dict[str, object]]":
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
