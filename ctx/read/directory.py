"""A context directory as entries: which files there are, what each holds, in what order."""

import os
from functools import partial
from typing import NamedTuple

from ctx.model import Context, SectionName, Shelf, Source, section_of
from ctx.read import files
from ctx.read.columns import Columns


class Reader(NamedTuple):
    """Which files hold one kind of entry."""

    name: str
    """The root file; matched without regard to case."""
    folder: str
    """The themed folder, empty for kinds without one."""
    kind: str
    """What parses it, by its name in ``parsers``: loaded when a file must be parsed."""


# The order is the order of reading and of precedence. A new kind is a line here.
READERS = (
    Reader("CONSTITUTION.md", "", "rules"),
    Reader("TASKS.md", "", "tasks"),
    Reader("CONVENTIONS.md", "conventions", "conventions"),
    Reader("DECISIONS.md", "decisions", "decisions"),
    Reader("LEARNINGS.md", "learnings", "learnings"),
)
READ_FIRST = (
    "CONSTITUTION.md",
    "TASKS.md",
    "CONVENTIONS.md",
    "ARCHITECTURE.md",
    "DECISIONS.md",
    "LEARNINGS.md",
    "GLOSSARY.md",
    "AGENT_PLAYBOOK.md",
)
"""Read order; other files of the root follow by name."""

_NO_ENTRIES = ("readme.md", "index.md")  # in themed folders these describe the folder


def read(root: str, shelf: Shelf, limits: files.Limits) -> Context:
    """Read the context directory at ``root``.

    Whatever cannot be read becomes a warning with file and reason; nothing is raised for
    the content or the state of a file. Raises OSError where ``root`` itself cannot be
    listed, and ForgottenError as the shelf does.
    """
    seen = {path: files.look(root, path) for path in ("", *_FOLDERS)}
    names = files.markdown_names(root)
    warnings: list[str] = []
    sources: list[Source] = []
    opened: list[Columns] = []
    for reader in READERS:
        for path in _paths(root, reader, names, warnings):
            seen[path] = files.look(root, path)
            try:
                size, file = _open(root, path, reader.kind, shelf, limits)
            except files.RefusedError as refused:
                warnings.append(str(refused))
                continue
            opened.append(file)
            sources.append(Source(file.path, size, file, file.warnings))
    claiming = [file for file in opened if file.kind in _DATED]
    if any(file.claims() for file in claiming):
        from ctx.read.supersession import mark_superseded

        mark_superseded(claiming)
    warnings += [warning for source in sources for warning in source.warnings]
    return Context(root, tuple(sources), _read_order(names), tuple(warnings), seen)


_DATED = ("decision", "learning")
_FOLDERS = tuple(reader.folder for reader in READERS if reader.folder)


def _paths(root: str, reader: Reader, names: list[str], warnings: list[str]) -> list[str]:
    """Return the files of one kind: the root file first, then the themed ones by name."""
    paths = [name for name in names if name.lower() == reader.name.lower()]
    if not reader.folder:
        return paths
    try:
        themed = files.markdown_names(os.path.join(root, reader.folder))
    except OSError as error:
        warnings.append(f"{reader.folder}/: cannot be read: {error.strerror}")
        return paths
    return paths + [f"{reader.folder}/{n}" for n in themed if n.lower() not in _NO_ENTRIES]


def usual(context: Context) -> int:
    """Return how many names of the read order are the usual ones, which come first."""
    known = {name.lower() for name in READ_FIRST}
    return sum(name.lower() in known for name in context.read_order)


def places(context: Context) -> dict[SectionName, str]:
    """Return where the entries of each section stand: ``DECISIONS.md, decisions/``."""
    named: dict[SectionName, dict[str, None]] = {}
    for source in context.sources:
        folder, slash, _ = source.path.rpartition("/")
        for section in _sections(source):
            named.setdefault(section, {})[folder + slash or source.path] = None
    return {section: ", ".join(paths) for section, paths in named.items()}


def _sections(source: Source) -> set[SectionName]:
    if not len(source.part):
        return set()
    if source.part.kind == "rule":  # its items are hard, its paragraphs soft
        return {entry.section for entry in source.entries}
    return {section_of(source.part.kind, "variant")}


def _read_order(names: list[str]) -> tuple[str, ...]:
    first = {name.lower(): rank for rank, name in enumerate(READ_FIRST)}
    ordered = sorted(names, key=lambda name: (first.get(name.lower(), len(first)), name))
    return tuple(map(files.shown, ordered))


def _open(
    root: str, path: str, kind: str, shelf: Shelf, limits: files.Limits
) -> tuple[int, Columns]:
    """Return a file's size and its entries; RefusedError where it must be left out."""
    status = files.inspect(root, path, limits)
    if shelf.signature(path) == files.signature(status):
        columns = _remembered(path, shelf)
        if columns:
            return status.st_size, columns
    opened = files.load(root, path, limits)
    return len(opened.data), _columns(path, opened, kind, shelf)


def _remembered(path: str, shelf: Shelf) -> Columns | None:
    """Return what the shelf keeps of ``path``; None where it keeps nothing of use."""
    kept = shelf.get(path)
    if kept is None:
        return None
    try:
        return Columns(files.shown(path), kept, partial(shelf.text, path))
    except (ValueError, KeyError, TypeError, IndexError):
        return None  # of another form than this version's: parsed again, and replaced


def _columns(path: str, opened: files.Opened, kind: str, shelf: Shelf) -> Columns:
    """Return the file's columns: remembered where its bytes are the same, else parsed."""
    from ctx.read.record import digest_of, record  # and with them all that parsing needs

    known = _remembered(path, shelf)
    if known and known.digest == digest_of(opened.data):
        shelf.touch(path, opened.signature)
        return known
    from ctx.read.parsers import PARSERS

    kept, text = record(files.shown(path), opened.data, PARSERS[kind], known)
    shelf.put(path, opened.signature, kept, text)
    return Columns(files.shown(path), kept, lambda: text)
