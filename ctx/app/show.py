"""One entry with all that is known of it: its links, its status, what supersedes it."""

from collections.abc import Iterator

from ctx.app.lookup import lookup, one
from ctx.app.workspace import Workspace
from ctx.model import FOREIGN, Context, Entry, Kind
from ctx.rank.corpus import Corpus
from ctx.rank.links import Links
from ctx.text.levels import dated_title
from ctx.text.supersedes import is_date, readings

_SAID = frozenset[Kind]({"turn", "summary"})
"""Kinds whose titles are what somebody happened to begin with: looked through last."""


_DATED = frozenset[Kind]({"decision", "learning"})


def shown(workspace: Workspace, wanted: str) -> dict[str, object]:
    """Return the entry that ``wanted`` names, with all that is known of it.

    Entries are looked through first, then turns and summaries, then turns that came with the
    repository, then the archive. ``links``,
    ``supersedes`` and ``superseded_by`` are ids of entries, ``summaries`` those of the summaries
    that stand for it, the nearest first. Raises UsageError where nothing or more than one matches.
    """
    found = workspace.read(lambda context: _found(context, wanted))
    if found is None:
        found = workspace.read(
            lambda context: _object(context, one(wanted, context.entries)), archive=True
        )
    return found


def _found(context: Context, wanted: str) -> dict[str, object] | None:
    """Return what of the directory ``wanted`` names; None where nothing does."""
    parts = [part for source in context.sources for part in source.parts]
    for late in range(3):
        entries = [
            part.entry(place)
            for part in parts
            if (part.kind in _SAID) + part.source.startswith(FOREIGN) == late
            for place in range(len(part))
        ]
        if lookup(wanted, entries):
            return _object(context, one(wanted, entries))
    return None


def _object(context: Context, entry: Entry) -> dict[str, object]:
    succession = _Succession(context)
    return {
        "id": entry.id,
        "kind": entry.kind,
        "tier": entry.tier,
        "title": entry.title,
        "file": entry.source,
        "line": entry.line,
        "end_line": entry.end_line,
        "timestamp": entry.timestamp,
        "status": entry.status,
        "priority": entry.priority,
        "group": entry.group,
        "lead": entry.lead,
        "speaker": entry.speaker,
        "bundle": entry.bundle,
        "covers": entry.covers,
        "confidence": entry.confidence,
        "links": _links(context, entry),
        "supersedes": succession.of(entry),
        "superseded_by": succession.over(entry),
        "summaries": list(entry.ancestors),
        "heading": dated_title(entry),
        "body": entry.body,
    }


def _links(context: Context, entry: Entry) -> list[str]:
    """Return the ids of the entries that one points to."""
    corpus = Corpus([part for source in context.sources for part in source.parts])
    position = next(at for at in range(len(corpus)) if _is_at(corpus, at, entry))
    return [corpus.entry(at).id for at in Links(corpus).of(position)]


def _is_at(corpus: Corpus, position: int, entry: Entry) -> bool:
    part = corpus.part(position)
    return part.source == entry.source and corpus.entry(position).id == entry.id


class _Succession:
    """What says that it supersedes what, as readers of the files see it."""

    def __init__(self, context: Context) -> None:
        self._entries = [
            part.entry(place)
            for source in context.sources
            for part in source.parts
            if part.kind in _DATED
            for place in range(len(part))
        ]
        self._named: dict[str, list[Entry]] = {}
        if any(entry.supersedes for entry in self._entries):
            for entry in self._entries:
                for name in {entry.title.casefold(), entry.timestamp, entry.id.casefold()}:
                    self._named.setdefault(name, []).append(entry)

    def of(self, entry: Entry) -> list[str]:
        """Return the ids of the entries that one says it supersedes."""
        return list(dict.fromkeys(old.id for old in self._claimed(entry)))

    def over(self, entry: Entry) -> list[str]:
        """Return the ids of the entries that say they supersede one."""
        return [
            new.id
            for new in self._entries
            if new.supersedes and any(old.id == entry.id for old in self._claimed(new))
        ]

    def _claimed(self, claimer: Entry) -> Iterator[Entry]:
        for claim in filter(None, claimer.supersedes.split("\n")):
            for name in readings(claim):
                named = self._named.get(name, ())
                if len(named) == 1 or not is_date(name):
                    yield from (old for old in named if old.id != claimer.id)
