"""``ctx rules``: the files of rules that apply to the files at hand."""

from ctx.app.find import located
from ctx.app.options import PacketOptions
from ctx.app.rules import lines, rules_for, text_of
from ctx.app.workspace import focused
from ctx.cli.options import taking
from ctx.streams import complain, write_json, write_lines
from ctx.world import World


@taking("dir", "json")
def rules(
    options: PacketOptions,
    path: list[str] | None = None,
    *,
    json: bool = False,
) -> None:
    """List the rules that apply to files: source, dialect, pattern that matched, title.

    Without a path all rules with their scopes, those too that have to be asked for. Rules that
    always apply are listed as `always`. Exit codes: 0 success, also where there are none, 2 usage,
    4 nothing to read, 6 unreadable directory.
    """
    world = World()
    workspace = focused(options.replace(focus=path or None), world, complain)
    found = rules_for(workspace)
    for warning in found.warnings:
        complain(located(warning, workspace.root, world.cwd))
    if json:
        rows = [{**rule.as_json(), "text": text_of(workspace, rule.path)} for rule in found.rules]
        write_json({"rules": rows})
    else:
        write_lines(lines(found.rules))
    if not found.rules:
        complain("no rules apply" if path else "no file holds rules")
