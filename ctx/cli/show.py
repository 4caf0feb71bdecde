"""``ctx show``: one entry as it stands, and what it has to do with others."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ctx.app.directory import in_directory
from ctx.app.lookup import lookup, one
from ctx.app.settings import Loaded, load
from ctx.errors import OK
from ctx.model import FOREIGN, Context, Entry, Kind
from ctx.rank.corpus import Corpus
from ctx.rank.links import Links
from ctx.streams import (
    safe,
    safe_json,
    write_out,
)
from ctx.text.levels import dated_title
from ctx.text.supersedes import is_date, readings
from ctx.world import World

_SAID = frozenset[Kind]({"turn", "summary"})
"""Kinds whose titles are what somebody happened to begin with: looked through last."""
_DATED = frozenset[Kind]({"decision", "learning"})


def shown(root: str, wanted: str, loaded: Loaded, world: World) -> dict[str, object]:
    """Return the entry that ``wanted`` names, with all that is known of it.

    Entries are looked through first, then turns and summaries, then turns that came with the
    repository, then the archive. ``links``,
    ``supersedes`` and ``superseded_by`` are ids of entries, ``summaries`` those of the summaries
    that stand for it, the nearest first. Raises UsageError where nothing or more than one matches.
    """
    found = in_directory(lambda context: _found(context, wanted), root, loaded, world)
    if found is None:
        found = in_directory(
            lambda context: _object(context, one(wanted, context.entries)),
            root, loaded, world, archive=True,
        )  # fmt: skip
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


# --- saying -------------------------------------------------------------------------------


class _Row(NamedTuple):
    name: str
    text: str


def run(root: str, wanted: str, flags: Mapping[str, object], world: World, *, as_json: bool) -> int:
    """Print an entry; return the exit code."""
    found = shown(root, wanted, load(root, world, flags), world)
    if as_json:
        text = f"{json.dumps(found, ensure_ascii=False, indent=1)}\n"
        write_out(safe_json(text).encode("utf-8", "replace"))
    elif world.draws():
        _draw(found)
    else:
        text = safe(f"## {found['heading']}\n\n{_table(_rows(found))}\n\n{found['body']}\n")
        write_out(text.encode("utf-8", "replace"))
    return OK


def _rows(found: Mapping[str, object]) -> Iterator[_Row]:
    """Yield what is known of an entry, where there is something to say."""
    yield _Row("id", str(found["id"]))
    yield _Row("kind", str(found["kind"]))
    yield _Row("source", f"{found['file']}:{found['line']}-{found['end_line']}")
    for name in ("timestamp", "status", "group", "speaker", "bundle"):
        if found[name]:
            yield _Row(name, str(found[name]))
    if found["priority"]:
        yield _Row("priority", ("", "low", "medium", "high")[int(str(found["priority"]))])
    for name in ("supersedes", "superseded_by", "links", "summaries"):
        ids = found[name]
        if isinstance(ids, list) and ids:
            yield _Row(name.replace("_", " "), ", ".join(map(str, ids)))
    if found["kind"] == "summary":
        yield _Row("covers", f"{found['covers']} turns (`ctx session expand` shows them)")
    if found["lead"]:
        yield _Row("under", str(found["lead"]))


def _table(rows: Iterable[_Row]) -> str:
    held: Sequence[_Row] = list(rows)
    width = max(len(row.name) for row in held)
    return "\n".join(f"- {row.name:<{width}}  {' '.join(row.text.split())}" for row in held)


def _draw(found: Mapping[str, object]) -> None:
    """Draw an entry for a person at a terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text(safe(str(found["heading"])), style="bold"))
    table = Table(box=None, show_header=False, pad_edge=False)
    for row in _rows(found):
        table.add_row(Text(row.name, style="dim"), Text(safe(" ".join(row.text.split()))))
    console.print(table)
    console.print()
    console.print(Text(safe(str(found["body"]))))
