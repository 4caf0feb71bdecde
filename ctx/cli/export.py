"""``ctx export``: the required rules in the file of another tool."""

from typing import Annotated

import typer

from ctx.app import export as exporting
from ctx.app.find import here
from ctx.app.options import PacketOptions
from ctx.app.workspace import Workspace
from ctx.cli.options import taking
from ctx.errors import FINDINGS, OK
from ctx.streams import complain, counted, write_json, write_lines
from ctx.world import World

_STATES = {
    "missing": "the rules are not in it",
    "outdated": "the block of rules is out of date",
    "edited": "the block of rules was edited by hand",
}


_NAMES, _FILES = list(exporting.TO), [origin.export for origin in exporting.TO.values()]
_HELP = f"{', '.join(_NAMES[:-1])} or {_NAMES[-1]}."


@taking("dir", "json", words={"files": ", ".join(_FILES)})
def export(
    options: PacketOptions,
    tool: Annotated[str, typer.Argument(metavar="TOOL", help=_HELP)],
    *,
    check: bool = False,
    json: bool = False,
) -> int:
    """Write the required rules as a marked block into the file of another tool.

    The block is added at the end of the file, later updated in place; no other byte changes, and
    ctx never reads the block. One that was edited by hand is refused. Files: {files}.
    Exit codes: 0 up to date now, 1 it is not under --check, 2 usage, or no rules, 4 nothing to
    read, 6 a file that cannot be read or written, with broken marks or an edited block.
    """
    workspace = Workspace(options, World())
    done = exporting.export(workspace, tool.strip().lower(), check=check)
    file = here(workspace.root, f"../{done.file}", workspace.world.cwd)
    if json:
        write_json(done._asdict(), ascii_only=True)
    elif done.state == "current":
        write_lines([f"{file} is up to date: {counted(done.rules, 'required rule')}"])
    elif not check:
        write_lines([f"wrote {counted(done.rules, 'required rule')} to {file}"])
    if not check or done.state == "current":
        return OK
    remedy = exporting.EDITED if done.state == "edited" else f"ctx export {done.tool} writes it"
    complain(f"{file}: {_STATES[done.state]} ({remedy})")
    return FINDINGS
