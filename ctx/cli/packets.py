"""``ctx agent``, ``ctx plan`` and ``ctx strategy``, as typer knows them."""

from __future__ import annotations

from typing import Annotated

import typer

from ctx.cli import options
from ctx.world import World


def agent(  # noqa: PLR0913 - one parameter an option is typer's way
    *,
    budget: Annotated[str | None, options.BUDGET] = None,
    query: Annotated[str | None, options.QUERY] = None,
    format_: Annotated[
        str | None,
        typer.Option("--format", metavar="md|json", help="How to write it (default: md)."),
    ] = None,
    dir_: Annotated[str | None, options.DIR] = None,
    tokenizer: Annotated[str | None, options.TOKENIZER] = None,
    as_of: Annotated[str | None, options.AS_OF] = None,
    ranker: Annotated[str | None, options.RANKER] = None,
    embedder: Annotated[str | None, options.EMBEDDER] = None,
    planner: Annotated[str | None, options.PLANNER] = None,
    focus: Annotated[list[str] | None, options.FOCUS] = None,
    strict: Annotated[
        bool | None,
        typer.Option("--strict/--no-strict", help="Exit 5 when the packet is degraded."),
    ] = None,
    allow_overshoot: Annotated[bool, options.OVERSHOOT] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say of every entry why it is in, a title, or out.")
    ] = False,
    session: Annotated[str | None, options.SESSION] = None,
    delta: Annotated[
        bool, typer.Option("--delta", help="Say only what the session was not told before.")
    ] = False,
    cooldown: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Say nothing if the session was told the same within this time (10m, 90s).",
        ),
    ] = None,
    context_length: Annotated[str | None, options.CONTEXT_LENGTH] = None,
    used_tokens: Annotated[str | None, options.USED_TOKENS] = None,
    threshold_tokens: Annotated[str | None, options.THRESHOLD_TOKENS] = None,
    log_json: Annotated[
        bool,
        typer.Option("--log-json", help="Write figures to standard error, as a line of JSON."),
    ] = False,
    hash_ids: Annotated[
        bool, typer.Option("--hash-ids", help="Hash the ids in that line.")
    ] = False,
) -> int:  # fmt: skip
    """Print the packet an agent starts from, within its token budget.

    The packet goes to standard output, warnings to standard error. Exit codes: 0 said,
    2 usage, 4 no context directory, 5 degraded under --strict, 6 unreadable directory.
    """
    from ctx.cli.agent import run

    flags: dict[str, object] = {
        "budget": budget, "query": query, "format": format_, "dir": dir_, "tokenizer": tokenizer,
        "as_of": as_of, "ranker": ranker, "embedder": embedder, "planner": planner,
        "focus": focus or None, "strict": strict, "allow_overshoot": allow_overshoot,
        "explain": explain, "session": session, "delta": delta, "cooldown": cooldown,
        "context_length": context_length, "used_tokens": used_tokens,
        "threshold_tokens": threshold_tokens, "log_json": log_json, "hash_ids": hash_ids,
    }  # fmt: skip
    return run(flags, World())


def plan(  # noqa: PLR0913 - as above
    *,
    budget: Annotated[str | None, options.BUDGET] = None,
    query: Annotated[str | None, options.QUERY] = None,
    planner: Annotated[
        str | None, typer.Option(metavar="NAME", help="acs (default) or tiered.")
    ] = None,
    focus: Annotated[list[str] | None, options.FOCUS] = None,
    allow_overshoot: Annotated[bool, options.OVERSHOOT] = False,
    session: Annotated[str | None, options.SESSION] = None,
    context_length: Annotated[str | None, options.CONTEXT_LENGTH] = None,
    used_tokens: Annotated[str | None, options.USED_TOKENS] = None,
    threshold_tokens: Annotated[str | None, options.THRESHOLD_TOKENS] = None,
    dir_: Annotated[str | None, options.DIR] = None,
    tokenizer: Annotated[str | None, options.TOKENIZER] = None,
    as_of: Annotated[str | None, options.AS_OF] = None,
    json: Annotated[bool, options.JSON] = False,
) -> int:  # fmt: skip
    """Show what a packet would say of what matters now, with benefits, costs and figures.

    Tells the session nothing and counts nothing. Exit codes: 0 said, 2 usage, 4 no context
    directory, 6 unreadable directory.
    """
    from ctx.cli.plan import run

    flags: dict[str, object] = {
        "budget": budget, "query": query, "planner": planner, "focus": focus or None,
        "allow_overshoot": allow_overshoot, "session": session,
        "context_length": context_length, "used_tokens": used_tokens,
        "threshold_tokens": threshold_tokens, "dir": dir_, "tokenizer": tokenizer, "as_of": as_of,
    }  # fmt: skip
    return run(flags, World(), as_json=json)


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
    """Advise whether to say content whole, a part of it, or only what is looked up.

    With the figures, a budget, and steps that can be run as they are printed. Exit codes:
    0 said, 2 usage, 6 a path is not there.
    """
    from ctx.app.strategy import Options
    from ctx.cli.strategy import run as run_strategy

    asked = Options(
        query, path or (), chars, size or "", context_length, used_tokens, tool or (), as_json=json
    )
    return run_strategy(asked, World())
