"""``ctx export``: the required rules, as a marked block in the file of another tool."""

import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from ctx.app.workspace import Workspace
from ctx.edit.change import Target, change
from ctx.edit.lines import Lines
from ctx.errors import FileError, UsageError
from ctx.hosts.sources import REGISTRY
from ctx.model import Context, Entry, Included, Scored
from ctx.read.markdown.blocks import left_open
from ctx.render import layout, markdown
from ctx.text.exported import MARK, marked, marked_blocks
from ctx.text.nearest import meant
from ctx.text.scopes import applies
from ctx.text.structure import as_heading

TO = {origin.name: origin for origin in REGISTRY if origin.export}
"""The sources into whose files rules can be written."""
EDITED = "move your lines out of the block and delete the block, then export again"
"""What to do about a block that was edited by hand."""


class Exported(NamedTuple):
    """What became of the block."""

    tool: str
    file: str
    rules: int
    state: str  # ``current``: nothing was to do; else what it was: ``missing``, ``outdated``…


def export(workspace: Workspace, name: str, *, check: bool) -> Exported:
    """Write the required rules of the project into the file of the tool ``name``.

    Only the block changes. With ``check`` nothing is written. Raises UsageError for another tool
    and where there are no rules, FileError where the file cannot be read or written, has several
    blocks or a broken mark, or where the block was edited by hand (not with ``check``).
    """
    if name not in TO:
        raise UsageError(f"TOOL: unknown tool {name!r}", meant(name, list(TO)))
    project = os.path.dirname(workspace.root)
    target = Target(project, TO[name].export, "", workspace.links)
    rules, lines = workspace.read(partial(_rules, name, os.path.realpath(target.path)), own=True)
    if any(line.startswith(MARK) for line in lines):
        raise FileError(f"{target.path}: nothing was written: a rule holds a mark of a block")
    note = f"by `ctx export {name}`: edit the rules at their sources, not this block"
    wanted = marked(lines, note)
    states: list[str] = []

    def make(data: bytes | None) -> bytes | None:
        state, after = _written(target, data, wanted if rules else [], TO[name].export_head)
        states[:] = [state]
        if state == "edited" and not check:
            why = f"{target.path}: the block of `ctx export` was edited by hand"
            raise FileError(why, EDITED)
        return after

    change(target, make, dry_run=check)
    return Exported(name, target.name, rules, states[0])


def _written(
    target: Target, data: bytes | None, wanted: list[str], head: Sequence[str]
) -> tuple[str, bytes | None]:
    """Return the state of the block in ``data``, and the new file; None where it is to stay.

    ``head`` is what a file begins with that held nothing.
    """
    file = Lines(data or b"")
    blocks = marked_blocks(file.texts)
    if broken := next((block for block in blocks if not block.end), None):
        why = f"{target.path}:{broken.first + 1}: a mark of `ctx export` without its counterpart"
        raise FileError(why, "delete the mark or put back the other one, then try again")
    if len(blocks) > 1:
        why = f"{target.path}:{blocks[1].first + 1}: a second block of `ctx export`"
        raise FileError(why, "delete one")
    if not blocks:
        if not wanted:
            hint = "`ctx add rule` writes one into .context/CONSTITUTION.md"
            raise UsageError("nothing to export: there are no required rules", hint)
        opened = left_open("\n".join(file.texts))
        if opened is not None:
            why = f"{target.path}:{opened + 1}: a code fence, comment or HTML block is not closed"
            raise FileError(why, "close it, then try again")
        if file.text:
            head = [""] if file.texts[-1].strip() else []
        return "missing", file.inserted(len(file.texts), [*head, *wanted])
    first, end, is_own = blocks[0]
    if not is_own:
        return "edited", None
    same = file.texts[first:end] == wanted
    return ("current", None) if same else ("outdated", file.spliced(first, end, wanted))


def _rules(tool: str, taken: str, context: Context) -> tuple[int, list[str]]:
    """Return how many required rules there are, and their lines, but for files ``tool`` loads."""
    loaded = {
        origin.name
        for origin in REGISTRY
        if any(loads.host == tool and not loads.condition for loads in origin.loads)
    }
    rules = [
        entry
        for source in context.sources
        if source.origin not in loaded and applies(source.scope, ())
        if os.path.realpath(os.path.join(context.root, source.path)) != taken
        for entry in source.entries
        if entry.section == "rules" and entry.is_current
    ]
    text = "".join(_shown(rules)).strip("\n")
    return len(rules), ["", *(line.rstrip() for line in text.split("\n")), ""]


def _shown(rules: Sequence[Entry]) -> Iterator[str]:
    yield "## Required Rules\n\n"
    included = [Included(Scored(rule, 0.0, ()), "full") for rule in rules]
    for (_, group), runs in layout.grouped(included).items():
        if group and group.title() not in layout.HEADINGS.values():
            yield f"### {as_heading(group)}\n\n"
        for run in runs.values():
            above, below = markdown.around_run(run[0].entry)
            yield from (above, *map(markdown.unit, run), below)
