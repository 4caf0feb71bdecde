"""``ctx agent``, ``plan``, ``explain``, ``check`` and ``strategy``, as typer knows them."""

from __future__ import annotations

from typing import Annotated

import typer

from ctx.app.options import OPTIONS, PacketOptions
from ctx.cli import options
from ctx.cli.options import JSON, taking
from ctx.world import World


@taking(*(option.name for option in OPTIONS))
def agent(options: PacketOptions) -> int:
    """Print the packet an agent starts from, within its token budget.

    The packet goes to standard output, warnings to standard error. Exit codes: 0 success,
    2 usage, 4 no context directory, 5 degraded under --strict, 6 unreadable directory.
    """
    from ctx.cli.agent import run

    return run(options, World())


@taking(
    "budget", "query", "planner", "focus", "allow-overshoot", "session", "context-length",
    "used-tokens", "threshold-tokens", "dir", "tokenizer", "as-of",
    helps={"planner": "acs (default) or tiered."},
)  # fmt: skip
def plan(options: PacketOptions, *, json: Annotated[bool, JSON] = False) -> int:
    """Show what a packet would include of what matters now, with benefits, costs and figures.

    Changes neither the delivery log nor the counts. Exit codes: 0 success, 2 usage, 4 no context
    directory, 6 unreadable directory.
    """
    from ctx.cli.plan import run

    return run(options, World(), as_json=json)


@taking(
    "budget", "query", "dir", "tokenizer", "as-of", "ranker", "embedder", "planner", "focus",
    "allow-overshoot", "session", "delta", "context-length", "used-tokens", "threshold-tokens",
    helps={"delta": "Explain only what the session has not received yet."},
)  # fmt: skip
def explain(
    options: PacketOptions,
    entry: Annotated[
        str, typer.Argument(metavar="[ID]", help="One entry: its id, its title or words of it.")
    ] = "",
    *,
    html: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write a page to look around in; - for standard output."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="List every entry, not only those that come in next.")
    ] = False,
    json: Annotated[bool, JSON] = False,
) -> int:
    """Explain why each entry is included, a title only, or omitted, and what budget it needs.

    An entry needs the smallest budget that includes it, as a title and in full: the packet is
    made at many budgets, up to 4 times its own, and for one entry to the token. Changes neither
    the delivery log nor the counts. Exit codes: 0 success, 2 usage, also where ID names no
    entry or several, 4 no context directory, 6 a file that cannot be read or written.
    """
    from ctx.cli.explain import run

    return run(options, World(), wanted=entry, html=html, everything=everything, as_json=json)


def strategy(  # noqa: PLR0913 - one parameter an option is typer's way
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="What is asked; - reads standard input.")
    ],
    *,
    path: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="A file or folder of the content; again for more."),
    ] = None,
    chars: Annotated[
        str | None, typer.Option(metavar="N", help="Characters of the content, if known.")
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(metavar="WORD", help="tiny, small, medium, large, huge or massive."),
    ] = None,
    context_length: Annotated[
        str | None,
        typer.Option(metavar="TOKENS", help="What the model can take in (default: 128000)."),
    ] = None,
    used_tokens: Annotated[
        str | None, typer.Option(metavar="TOKENS", help="What of it is taken (default: 0).")
    ] = None,
    tool: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A tool at hand to look things up; again for more."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Write one JSON object.")] = False,
) -> int:  # fmt: skip
    """Advise whether to give a model all of some content, a part, or only what is looked up.

    Prints the figures, a budget, and steps that can be run as they are. Exit codes:
    0 success, 2 usage, 6 a path is not there.
    """
    from ctx.app.strategy import Options
    from ctx.cli.strategy import run as run_strategy

    asked = Options(
        query, path or (), chars, size or "", context_length, used_tokens, tool or (), as_json=json
    )
    return run_strategy(asked, World())


def check(
    *,
    rule: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Ask this rule only; again for more (--json names all)."),
    ] = None,
    severity: Annotated[
        str,
        typer.Option(metavar="KIND", help="Look for nothing milder: error, or warning for all."),
    ] = "warning",
    dir_: Annotated[str | None, options.DIR] = None,
    as_of: Annotated[str | None, options.AS_OF] = None,
    json: Annotated[bool, options.JSON] = False,
) -> int:  # fmt: skip
    """Find what is wrong in the directory: file, line, rule and remedy.

    Changes nothing. Exit codes: 0 nothing found, 1 something was, 2 usage, 4 no context
    directory, 6 unreadable directory.
    """
    from ctx.cli.check import run

    return run(
        PacketOptions(dir=dir_, as_of=as_of), rule or (), World(), severity=severity, as_json=json
    )
