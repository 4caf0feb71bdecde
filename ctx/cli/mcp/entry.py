"""One entry as a resource: its Markdown, a turn in the fence that packets put it in."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ctx.cli.directory import in_directory
from ctx.errors import UsageError
from ctx.model import Said, Scored
from ctx.render import markdown
from ctx.text.levels import dated_title
from ctx.text.structure import as_heading

if TYPE_CHECKING:
    from ctx.cli.settings import Loaded
    from ctx.cli.world import World
    from ctx.model import Context, Entry


def said(id_: str, root: str, loaded: Loaded, world: World) -> str:
    """Return the entry with this id. UsageError where there is none."""
    return in_directory(partial(_said, id_), root, loaded, world)


def _said(id_: str, context: Context) -> str:
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
    if entry.kind in ("turn", "summary"):
        return markdown.unit(Said(Scored(entry, 0.0, ()), "full"))
    lead = f"{entry.lead}\n\n" if entry.lead else ""
    return f"### {as_heading(dated_title(entry))}\n\n{lead}{entry.body}".rstrip() + "\n"
