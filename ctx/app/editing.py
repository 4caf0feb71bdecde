"""Files that are changed by command: what they hold before and after, as readers of ctx see it."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from ctx.app import init
from ctx.config import Settings
from ctx.edit.atomic import explained
from ctx.edit.change import Target
from ctx.edit.links import Links
from ctx.errors import FileError
from ctx.model import Entry
from ctx.read import files
from ctx.read.card import parser_of
from ctx.read.columns import Columns, mark_superseded
from ctx.read.record import record
from ctx.text.names import shown
from ctx.text.secrets import mask

_MB = 1024 * 1024


class Home(NamedTuple):
    """Where entries of a kind are kept."""

    file: str
    parser: str  # the name of what reads it, as ``read.card.PARSERS`` has it


HOMES = {  # by the kind of an entry
    "decision": Home("DECISIONS.md", "decisions"),
    "learning": Home("LEARNINGS.md", "learnings"),
    "task": Home("TASKS.md", "tasks"),
    "convention": Home("CONVENTIONS.md", "conventions"),
    "rule": Home("CONSTITUTION.md", "constitution"),
}


class Row(NamedTuple):
    """An entry of a file."""

    entry: Entry  # its body can be read as long as this is there
    content: tuple[object, ...]  # all that it says, whatever its place


def limits_of(settings: Settings) -> files.Limits:
    """Return what may be opened."""
    return files.Limits(settings.max_file_mb * _MB, settings.allow_links)


def spellings(root: str, name: str) -> list[str]:
    """Return how ``root`` spells the file ``name``, whatever its case; raises FileError."""
    with explained(root, "read"):
        return [found for found in files.names(root) if found.lower() == name.lower()]


def target_of(root: str, kind: str, settings: Settings, links: Links) -> Target:
    """Return the file that takes entries of ``kind``, as it is spelled; or FileError."""
    name = HOMES[kind].file
    spelled = next(iter(spellings(root, name)), name)
    return named(root, spelled, settings, links, init.form(name))


def named(root: str, name: str, settings: Settings, links: Links, form: str = "") -> Target:
    """Return the file ``name`` of ``root``; raises FileError as ``target_of``."""
    if files.look(root, name):
        try:
            files.inspect(root, name, limits_of(settings))
        except files.RefusedError as refused:
            raise FileError(f"{root}{os.sep}{refused}") from refused
    heading = name.rpartition(".")[0].capitalize()
    return Target(root, name, heading, links, form)


def rows(name: str, parser: str, data: bytes, *, redact_secrets: bool = False) -> list[Row]:
    """Return the entries of a file that holds ``data``, redacted as ctx shows them if asked to."""
    kept, text = record(shown(name), data, parser_of(parser), None, redact_secrets=redact_secrets)
    part = Columns(shown(name), name, kept, lambda: text)
    if part.kind in ("decision", "learning"):
        mark_superseded([part])
    entries = map(part.entry, range(len(part)))
    return [
        Row(
            entry,
            (
                entry.kind, entry.tier, entry.title, entry.body, entry.timestamp, entry.status,
                entry.priority, entry.group, entry.lead, entry.supersedes, entry.modality,
            ),
        )
        for entry in entries
    ]  # fmt: skip


def as_shown(target: Target, parser: str, entry: Entry, settings: Settings) -> Entry:
    """Return an entry of a file with the title and the id that ctx shows: without its secrets."""
    if settings.allow_secrets or mask(entry.title) == entry.title:
        return entry
    data = bytes_of(target, settings)
    safe = (row.entry for row in rows(target.name, parser, data, redact_secrets=True))
    return next((row for row in safe if row.line == entry.line), masked(entry))


def masked(entry: Entry) -> Entry:
    """Return an entry without the secrets of its title and id."""
    return entry._replace(id=mask(entry.id), title=mask(entry.title))


def bytes_of(target: Target, settings: Settings) -> bytes:
    """Return what a file holds. Raises FileError where it is refused."""
    try:
        return files.load(target.root, target.name, limits_of(settings)).data
    except files.RefusedError as refused:
        raise FileError(f"{target.root}/{refused}") from refused


def more(before: Sequence[Row], after: Sequence[Row]) -> Sequence[Row]:
    """Return the run of entries that ``after`` holds beyond ``before``; none where it is not so."""
    old, new = ([row.content for row in rows] for rows in (before, after))
    pairs = enumerate(zip(old, new, strict=False))
    at = next((n for n, (was, now) in pairs if was != now), len(old))
    end = at + len(new) - len(old)
    return after[at:end] if new[end:] == old[at:] else ()


def one_more(before: Sequence[Row], after: Sequence[Row]) -> Row | None:
    """Return the one entry that ``after`` holds beyond ``before``; None where it is not so."""
    return next(iter(more(before, after)), None) if len(after) == len(before) + 1 else None


def only_one_other(before: Sequence[Row], after: Sequence[Row]) -> int | None:
    """Return the place of the one entry that says something else; None where it is not so."""
    if len(after) != len(before):
        return None
    pairs = enumerate(zip(before, after, strict=True))
    other = [place for place, (old, new) in pairs if old.content != new.content]
    return other[0] if len(other) == 1 else None
