"""``ctx import``: files of other tools as entries of one's own."""

import os
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

from ctx.app.find import here
from ctx.app.importing import Imported, imported
from ctx.app.options import PacketOptions
from ctx.app.workspace import Workspace
from ctx.cli.options import taking
from ctx.cli.terminal import write_answer
from ctx.hosts.sources import REGISTRY
from ctx.model import Json
from ctx.streams import counted
from ctx.text.names import shown
from ctx.world import World

MOST_NAMED = 5  # files that one line names


_EDITORS = dict.fromkeys(each.tool for each in REGISTRY if each.imported and not each.knows)


@taking("dir", "json", words={"editors": ", ".join(_EDITORS)})
def import_(
    options: PacketOptions,
    paths: list[str] | None = None,
    *,
    dry_run: bool = False,
    json: bool = False,
) -> None:
    """Copy files of other tools into the context directory, every line accounted for.

    Decision records go to decisions/, rules of editors ({editors})
    to steering/ with the files that they are for, other documents to specs/. A copy names its
    source, which ctx does not read any more; sources stay as they are. A second call brings
    copies up to date and leaves those that were edited. Other files that ctx reads are copied
    where a PATH names them. Exit codes: 0 done, 2 usage, 4 no context directory, 6 a
    file that cannot be read or written.
    """
    workspace = Workspace(options, World())
    done = imported(workspace, paths or [], dry_run=dry_run)
    files: Json = [one.as_json() for one in done]
    lines = map(shown, _lines(done, workspace, dry_run=dry_run))
    write_answer({"dry_run": dry_run, "files": files}, lines, as_json=json, ascii_only=True)


def _lines(done: list[Imported], workspace: Workspace, *, dry_run: bool) -> Iterator[str]:
    root, cwd = workspace.root, workspace.world.cwd
    for one in done:
        if one.state != "left":
            source, target = here(root, f"../{one.source}", cwd), here(root, one.target, cwd)
            yield f"{source}: {one.state}: {target}, {counted(one.moved, 'line')}"
        for why, lines in one.left.items() if one.state != "current" else ():
            named = ", ".join(map(str, lines))
            yield f"  left: line{'s' if len(lines) > 1 else ''} {named}: {why}"
    left = [one for one in done if one.state == "left"]
    for why, group in groupby(sorted(left, key=attrgetter("why")), attrgetter("why")):
        names = [here(root, f"../{one.source}", cwd) for one in group]
        more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
        first, space, rest = why.partition(" ")  # it may begin with the file that is in the way
        if os.path.isfile(os.path.join(root, first)):
            why = f"{here(root, first, cwd)}{space}{rest}"  # noqa: PLW2901
        yield f"left: {', '.join(names[:MOST_NAMED])}{more}: {why}"
    copied = sum(one.state in ("new", "updated") for one in done)
    as_before = sum(one.state == "current" for one in done)
    would = "would be copied" if dry_run else "copied"
    yield f"{counted(copied, 'file')} {would}, {as_before:,} as before, {len(left):,} left"
