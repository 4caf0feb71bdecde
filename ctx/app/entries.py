"""The entries of one kind, with their id, date, status and title."""

from typing import NamedTuple, get_args

from ctx.app.workspace import Workspace
from ctx.config import quoted
from ctx.errors import UsageError
from ctx.model import Context, Entry, Kind

STATUSES = ("open", "todo", "in-progress", "blocked", "done", "skipped", "superseded")
"""What entries can be asked for: ``open`` is all that is neither closed nor superseded, ``todo``
what nobody has begun."""


_PLURALS = {"lore": "lore", "summary": "summaries"}


_CLOSED = ("done", "skipped", "superseded")


_DATED = ("decision", "learning", "turn", "summary")
"""Kinds that are listed newest first; the others as their files have them."""


class Options(NamedTuple):
    """What the command was given, as typed."""

    kind: str
    status: str | None = None
    limit: str | None = None
    as_json: bool = False


def listed(
    workspace: Workspace, kind: str, *, status: str = "", limit: int | None = None
) -> dict[str, object]:
    """Return the entries of ``kind`` (one or many of them: ``task``, ``tasks``).

    ``status`` is one of ``STATUSES``, empty for all; ``limit`` the most that are returned, the
    first ones. ``total`` counts all that there are. Raises UsageError for other names.
    """
    known = kind_of(kind)
    if status and status not in STATUSES:
        raise UsageError(
            f"--status: unknown status {quoted(status)}", f"one of {', '.join(STATUSES)}"
        )

    def look(context: Context) -> list[dict[str, object]]:
        return [_object(entry) for entry in _chosen(context, known, status)]

    found = workspace.read(look)
    return {"kind": known, "total": len(found), "entries": found[:limit]}


def kind_of(name: str) -> Kind:
    """Return the kind that ``name`` means, one of them or many; raises UsageError for none."""
    wanted = name.strip().lower()
    for kind in get_args(Kind):
        if wanted in (kind, f"{kind}s", _PLURALS.get(kind, "")):
            known: Kind = kind
            return known
    kinds = ", ".join(_PLURALS.get(kind, f"{kind}s") for kind in get_args(Kind))
    raise UsageError(f"{quoted(name)} is no kind", f"one of {kinds}, sessions")


def _chosen(context: Context, kind: Kind, status: str) -> list[Entry]:
    entries = [
        entry
        for source in context.sources
        for part in source.parts
        if part.kind == kind
        for entry in (part.entry(place) for place in range(len(part)))
        if _is(entry.status, status)
    ]
    if kind in _DATED:
        entries.sort(key=lambda entry: entry.timestamp, reverse=True)  # which keeps equals in order
    return entries


def _is(status: str, wanted: str) -> bool:
    if wanted == "open":
        return status not in _CLOSED
    return not wanted or status == ("" if wanted == "todo" else wanted)


def _object(entry: Entry) -> dict[str, object]:
    return {
        "id": entry.id,
        "title": entry.title,
        "date": entry.timestamp[:10],
        "timestamp": entry.timestamp,
        "status": entry.status,
        "priority": entry.priority,
        "group": entry.group,
        "file": entry.source,
        "line": entry.line,
    }
