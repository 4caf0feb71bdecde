"""``ctx hook``: what puts ctx in front of an agent. A command's module is imported when it runs.

typer reads it; what a hook runs is in ``ctx/hooks``, which is on the path of every hook.
"""

from __future__ import annotations

from typing import Annotated

import typer

from ctx.cli import options
from ctx.errors import UsageError
from ctx.world import World

app = typer.Typer(
    name="hook",
    help="Let agents ask ctx by themselves, at the start of a session and with each prompt.",
    epilog="Example: ctx hook install claude",
    rich_markup_mode=None,
)

_TOOL = typer.Argument(
    metavar="TOOL", help="claude, cursor, codex, gemini, copilot (CLI and VS Code) or git."
)
_PROJECT = typer.Option("--project", help="In this project's settings, for all who share it.")
_LOCAL = typer.Option("--local", help="In this project, for you alone (claude).")
_GLOBAL = typer.Option("--global", help="In your own settings, for all projects.")
_DRY_RUN = typer.Option("--dry-run", help="Show what would be changed; change nothing.")


@app.command(
    "install",
    short_help="Put hooks of ctx into the settings of an agent",
    epilog="Example: ctx hook install claude --dry-run",
)
def install(  # noqa: PLR0913 - one parameter an option is typer's way
    tool: Annotated[str, _TOOL],
    *,
    project: Annotated[bool, _PROJECT] = False,
    local: Annotated[bool, _LOCAL] = False,
    global_: Annotated[bool, _GLOBAL] = False,
    dry_run: Annotated[bool, _DRY_RUN] = False,
    dir_: Annotated[str | None, options.DIR] = None,
    json: Annotated[bool, options.JSON] = False,
) -> int:
    """Install hooks of ctx in the settings of an agent; all else stays, to the byte.

    Without --global or --local in the settings of the project. A copy of the settings before is
    kept (`ctx cache` shows where). For git: a reminder of decisions that nobody wrote down. Exit
    codes: 0 installed, also where it was, 2 usage or no project, 6 settings that cannot be read
    or written: then nothing was changed.
    """
    from ctx.hooks.install import install as run
    from ctx.hooks.places import Options

    scope = _scope(project=project, local=local, global_=global_)
    return run(Options(tool, scope, dir_ or "", dry_run=dry_run, as_json=json), World())


@app.command(
    "uninstall",
    short_help="Take them out again, and nothing else",
    epilog="Example: ctx hook uninstall claude",
)
def uninstall(  # noqa: PLR0913 - as above
    tool: Annotated[str, _TOOL],
    *,
    project: Annotated[bool, _PROJECT] = False,
    local: Annotated[bool, _LOCAL] = False,
    global_: Annotated[bool, _GLOBAL] = False,
    dry_run: Annotated[bool, _DRY_RUN] = False,
    dir_: Annotated[str | None, options.DIR] = None,
    json: Annotated[bool, options.JSON] = False,
) -> int:
    """Uninstall the hooks: the settings are as they were, to the byte.

    If they were changed since, only the hooks of ctx are removed. Exit codes:
    0 done, also where there were none, 2 usage, 6 settings that cannot be read or written.
    """
    from ctx.hooks.install import uninstall as run
    from ctx.hooks.places import Options

    scope = _scope(project=project, local=local, global_=global_)
    return run(Options(tool, scope, dir_ or "", dry_run=dry_run, as_json=json), World())


@app.command(
    "status",
    short_help="Show which agents call ctx, and what came of it",
    epilog="Example: ctx hook status --json",
)
def status(
    *,
    dir_: Annotated[str | None, options.DIR] = None,
    json: Annotated[bool, options.JSON] = False,
) -> int:
    """Show which agents call ctx, from which settings, the last outcome, and what to do.

    Exit codes: 0 success, 2 usage, 4 --dir names no context directory.
    """
    from ctx.hooks.status import run

    return run(dir_ or "", World(), as_json=json)


@app.command(
    "run",
    short_help="Answer the event of a hook",
    epilog="""Example: echo '{"prompt": "fix it"}' | ctx hook run claude UserPromptSubmit""",
)
def run(  # noqa: PLR0913 - as above
    tool: Annotated[str, _TOOL],
    event: Annotated[str, typer.Argument(metavar="EVENT", help="What happened, as TOOL says it.")],
    *,
    dir_: Annotated[str | None, options.DIR] = None,
    budget: Annotated[
        str | None, typer.Option(metavar="TOKENS", help="Most tokens of an answer.")
    ] = None,
    context_length: Annotated[
        str | None,
        typer.Option(
            metavar="TOKENS", help="The agent's window, if its transcripts do not tell (claude)."
        ),
    ] = None,
    deadline: Annotated[
        str | None, typer.Option(metavar="SECONDS", help="Silence after this time (default: 2).")
    ] = None,
    cooldown: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Silence after an answer (default: 10m)."),
    ] = None,
) -> int:
    """Answer the event of a hook: JSON on standard input, the packet on standard output.

    Installed hooks call this. It never fails its host: an error prints nothing and adds a line to
    hook.log (`ctx cache` shows where). Exit code: 0.
    """
    from ctx.hooks import places

    if places.is_git(tool):
        from ctx.hooks import git

        return git.run(event, dir_ or "", World())
    from ctx.hooks.runner import run as answer

    given = {
        "dir": dir_, "budget": budget, "context-length": context_length,
        "deadline": deadline, "cooldown": cooldown,
    }  # fmt: skip
    flags = [f"--{name}={value}" for name, value in given.items() if value is not None]
    return answer([tool, event, *flags], World())


def _scope(*, project: bool, local: bool, global_: bool) -> str:
    chosen = [
        name
        for name, asked in (("project", project), ("local", local), ("global", global_))
        if asked
    ]
    if len(chosen) > 1:
        raise UsageError(f"--{' and --'.join(chosen)}: choose one")
    return chosen[0] if chosen else ""
