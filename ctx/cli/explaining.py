"""``ctx explain``, as typer knows it."""

from __future__ import annotations

from typing import Annotated

import typer

from ctx.cli import options
from ctx.world import World


def explain(  # noqa: PLR0913 - one parameter an option is typer's way
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
    budget: Annotated[str | None, options.BUDGET] = None,
    query: Annotated[str | None, options.QUERY] = None,
    dir_: Annotated[str | None, options.DIR] = None,
    tokenizer: Annotated[str | None, options.TOKENIZER] = None,
    as_of: Annotated[str | None, options.AS_OF] = None,
    ranker: Annotated[str | None, options.RANKER] = None,
    embedder: Annotated[str | None, options.EMBEDDER] = None,
    planner: Annotated[str | None, options.PLANNER] = None,
    focus: Annotated[list[str] | None, options.FOCUS] = None,
    allow_overshoot: Annotated[bool, options.OVERSHOOT] = False,
    session: Annotated[str | None, options.SESSION] = None,
    delta: Annotated[
        bool, typer.Option("--delta", help="Explain only what the session was not told before.")
    ] = False,
    context_length: Annotated[str | None, options.CONTEXT_LENGTH] = None,
    used_tokens: Annotated[str | None, options.USED_TOKENS] = None,
    threshold_tokens: Annotated[str | None, options.THRESHOLD_TOKENS] = None,
    json: Annotated[bool, options.JSON] = False,
) -> int:  # fmt: skip
    """Say of every entry why it is in a packet, a title, or out, and what it would take.

    What it takes is the budget from which on an entry is said, at all and whole: the packet is
    made at many budgets, up to 4 times its own. For one entry that is found to the token. Tells
    the session nothing and counts nothing. Exit codes: 0 said, 2 usage, also where ID names no
    entry or several, 4 no context directory, 6 a file that cannot be read or written.
    """
    from ctx.cli.explain import run

    flags: dict[str, object] = {
        "budget": budget, "query": query, "dir": dir_, "tokenizer": tokenizer, "as_of": as_of,
        "ranker": ranker, "embedder": embedder, "planner": planner, "focus": focus or None,
        "allow_overshoot": allow_overshoot, "session": session, "delta": delta,
        "context_length": context_length, "used_tokens": used_tokens,
        "threshold_tokens": threshold_tokens,
    }  # fmt: skip
    return run(
        flags, World(), wanted=entry, html=html, everything=everything, as_json=json
    )  # fmt: skip
