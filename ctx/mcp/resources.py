"""What a client can read by address: files of the context directory, and single entries."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote

from ctx.app.editing import limits_of
from ctx.app.options import PacketOptions
from ctx.app.workspace import Workspace
from ctx.config.kinds import is_digits
from ctx.errors import FileError, UsageError
from ctx.mcp import ENTRY, FILE
from ctx.model import Included, Scored
from ctx.read.files import RefusedError, decode, inspect, load
from ctx.text.levels import dated_title
from ctx.text.names import shown
from ctx.text.secrets import mask
from ctx.text.structure import as_heading
from ctx.text.visible import visible
from ctx.world import World

if TYPE_CHECKING:
    from ctx.model import Context, Entry
    from ctx.read.files import Limits

PAGE = 50  # files that are listed at once


class File(NamedTuple):
    """One file that can be read."""

    name: str  # relative to the context directory, with forward slashes
    size: int  # bytes

    @property
    def uri(self) -> str:
        """Its address."""
        return FILE + quote(self.name, errors="replace")


class Page(NamedTuple):
    """Some of the files."""

    files: tuple[File, ...]
    cursor: str  # where the next ones begin; empty after the last


def page(cursor: str, dir_: str) -> Page:
    """Return the files from ``cursor`` on; UsageError for a cursor that no page gave."""
    if cursor and not (is_digits(cursor) and len(cursor) < len("1000000")):
        raise UsageError(f"cursor: {cursor[:20]!r} was given by no page", "list without one")

    world = World()
    workspace = _workspace(dir_, world)
    root = workspace.root
    names = workspace.read(_names)
    start = int(cursor or 0)
    limits = limits_of(workspace.settings)
    found = [_file(root, name, limits) for name in names[start : start + PAGE]]
    end = start + PAGE
    return Page(tuple(filter(None, found)), str(end) if end < len(names) else "")


def _names(context: Context) -> list[str]:
    order = context.read_order
    shown = [name for name in order if os.path.exists(os.path.join(context.root, name))]
    below = [one.path for one in context.sources if "/" in one.path]
    return [*shown, *(name for name in below if _is_inside(name))]


def _file(root: str, name: str, limits: Limits) -> File | None:
    try:
        return File(name, inspect(root, name, limits).st_size)
    except RefusedError:
        return None


def text(uri: str, dir_: str) -> str:
    """Return the text at ``uri``, secrets redacted unless the user allows them.

    Raises UsageError for an address of another form and for an entry that is not there,
    FileError for a file that cannot or must not be read, and NoDirectoryError.
    """
    world = World()
    if uri.startswith(FILE):
        return _text_of(unquote(uri.removeprefix(FILE)), dir_, world)
    if uri.startswith(ENTRY):
        look = partial(_entry, unquote(uri.removeprefix(ENTRY)))
        return _workspace(dir_, world).read(look)
    raise UsageError(f"unknown resource {uri[:100]!r}", f"{FILE}DECISIONS.md, or {ENTRY}ID")


def _text_of(path: str, dir_: str, world: World) -> str:
    if not _is_inside(path):
        raise FileError(
            f"{shown(path)[:200]}: is no Markdown file of the context directory",
            "the resource list names those that are",
        )
    workspace = _workspace(dir_, world)
    root, limits = workspace.root, limits_of(workspace.settings)
    try:
        inspect(root, path, limits)
        data = load(root, path, limits).data
    except RefusedError as refused:
        raise FileError(str(refused)) from refused
    text = visible(decode(path, data)[0].replace("\r\n", "\n").removeprefix("\ufeff"))
    return text if workspace.settings.allow_secrets else mask(text)


def _is_inside(path: str) -> bool:
    steps = path.split("/")
    plain = all(step and step[0] != "." for step in steps)
    return plain and path.lower().endswith(".md") and not set(path) & set("\\:\0")


def _workspace(dir_: str, world: World) -> Workspace:
    return Workspace(PacketOptions(dir=dir_ or None), world)


def _entry(id_: str, context: Context) -> str:
    parts = (
        part
        for source in context.sources
        if id_.startswith(f"{source.path}#")  # no entry of another file is made for it
        for part in source.parts
    )
    for part in parts:
        for entry in map(part.entry, range(len(part))):
            if entry.id == id_:
                return _markdown(entry)
    raise UsageError(f"no entry {id_[:200]!r}", "the tool search names ids")


def _markdown(entry: Entry) -> str:
    from ctx.render import markdown  # which lists of files do without

    if entry.kind in ("turn", "summary"):
        return markdown.unit(Included(Scored(entry, 0.0, ()), "full"))
    lead = f"{entry.lead}\n\n" if entry.lead else ""
    return f"### {as_heading(dated_title(entry))}\n\n{lead}{entry.body}".rstrip() + "\n"
