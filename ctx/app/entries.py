"""The entries of a directory: those of one kind, and one with all that is known of it."""

from typing import NamedTuple

from ctx.app.lookup import lookup, one
from ctx.app.workspace import Workspace
from ctx.checks.types import Names
from ctx.config import quoted
from ctx.errors import UsageError
from ctx.model import FOREIGN, PLURALS, STATUSES, Context, Entry, JsonObject, Kind
from ctx.rank.corpus import Corpus
from ctx.rank.links import Links
from ctx.text.levels import dated_title

LISTED = STATUSES[: STATUSES.index("archived")]  # statuses of a list, which has no archive
_DATED = ("decision", "learning", "turn", "summary")  # kinds that are listed newest first
_SPOKEN = ("turn", "summary")  # kinds whose titles are beginnings of talk: looked through last


class Row(NamedTuple):
    """One entry of a list."""

    id: str
    title: str
    date: str
    timestamp: str
    status: str
    priority: int
    group: str
    file: str
    line: int


class Listed(NamedTuple):
    """Entries of one kind."""

    kind: Kind
    total: int  # how many there are; ``entries`` may be fewer
    entries: list[Row]

    def as_json(self) -> JsonObject:
        """Return the list as JSON has it."""
        return {**self._asdict(), "entries": [row._asdict() for row in self.entries]}


def list_entries(
    workspace: Workspace, kind: str, *, status: str = "", limit: int | None = None
) -> Listed:
    """Return the entries of ``kind``, in the singular or plural (``task``, ``tasks``).

    ``status`` is one of ``LISTED``, empty for all; ``limit`` the most that are returned, the
    first ones. Raises UsageError for other names.
    """
    known = kind_of(kind)
    if status and status not in LISTED:
        raise UsageError(
            f"--status: unknown status {quoted(status)}", f"one of {', '.join(LISTED)}"
        )
    rows = workspace.read(lambda context: list(map(row, _chosen(context, known, status))))
    return Listed(known, len(rows), rows[:limit])


def kind_of(name: str, option: str = "") -> Kind:
    """Return the kind that ``name`` means, in the singular or plural; UsageError for none."""
    wanted = name.strip().lower()
    for plural, kind in PLURALS.items():
        if wanted in (kind, plural, f"{kind}s"):
            return kind
    if option:
        raise UsageError(f"{option}: {quoted(name)} is no kind", f"one of {', '.join(PLURALS)}")
    what = f"{quoted(name)} is no kind" if wanted else "KIND: name what to list"
    raise UsageError(what, f"one of {', '.join(PLURALS)}, sessions")


def _chosen(context: Context, kind: Kind, status: str) -> list[Entry]:
    entries = [
        entry
        for part in context.parts
        if part.kind == kind
        for entry in map(part.entry, range(len(part)))
        if entry.has_status(status or "all")
    ]
    if kind in _DATED:
        entries.sort(key=lambda entry: entry.timestamp, reverse=True)  # which keeps equals in order
    return entries


def row(entry: Entry) -> Row:
    """Return an entry as lists show it."""
    return Row(
        entry.id, entry.title, entry.timestamp[:10], entry.timestamp, entry.status, entry.priority,
        entry.group, entry.source, entry.line,
    )  # fmt: skip


_SHOWN = (  # what JSON has of an entry, in this order
    "id", "kind", "tier", "title", "source", "line", "end_line", "timestamp", "status", "priority",
    "group", "lead", "speaker", "bundle", "covers", "confidence",
)  # fmt: skip
_NAMES = {"source": "file"}


class Shown(NamedTuple):
    """One entry with all that is known of it; the others are ids of entries."""

    entry: Entry
    body: str
    links: list[str]
    supersedes: list[str]
    superseded_by: list[str]

    def as_json(self) -> JsonObject:
        """Return the entry as JSON has it; ``summaries`` cover it, the nearest first."""
        entry = self.entry
        return {
            **{_NAMES.get(name, name): getattr(entry, name) for name in _SHOWN},
            "links": [*self.links],
            "supersedes": [*self.supersedes],
            "superseded_by": [*self.superseded_by],
            "summaries": [*entry.ancestors],
            "heading": dated_title(entry),
            "body": self.body,
        }


def show_entry(workspace: Workspace, wanted: str) -> Shown:
    """Return the entry that ``wanted`` names, with all that is known of it.

    Entries are looked through first, then turns and summaries, then turns that came with the
    repository, then the archive. Raises UsageError where nothing or more than one matches.
    """
    return workspace.read(lambda context: _live(context, wanted)) or workspace.read(
        lambda context: _shown(context, one(wanted, context.entries)), archive=True
    )


def _live(context: Context, wanted: str) -> Shown | None:
    for late in range(3):
        entries = [
            entry
            for part in context.parts
            if (part.kind in _SPOKEN) + part.source.startswith(FOREIGN) == late
            for entry in map(part.entry, range(len(part)))
        ]
        if lookup(wanted, entries):
            return _shown(context, one(wanted, entries))
    return None


def _shown(context: Context, entry: Entry) -> Shown:
    corpus = Corpus(context.parts)
    position = next(
        at
        for at in range(len(corpus))
        if corpus.part(at).source == entry.source and corpus.entry(at).id == entry.id
    )
    links = [corpus.entry(at).id for at in Links(corpus).of(position)]
    dated = [each for each in context.entries if each.kind in ("decision", "learning")]
    names = Names(dated, ())

    def superseded(new: Entry) -> list[str]:
        claims = filter(None, new.supersedes.split("\n"))
        olds = (old.id for claim in claims for old in names.entries(claim))
        return list(dict.fromkeys(old for old in olds if old != new.id))

    over = [new.id for new in dated if new.supersedes and entry.id in superseded(new)]
    return Shown(entry, entry.body, links, superseded(entry), over)
