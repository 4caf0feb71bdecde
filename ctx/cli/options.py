"""Options that several commands have, as typer knows them."""

from __future__ import annotations

import typer

DIR = typer.Option(
    "--dir", metavar="DIR", help="Context directory or its project; else .context/ here or above.",
)  # fmt: skip
EMBEDDER = typer.Option(
    metavar="NAME",
    help="Find by meaning, too: static, openai:MODEL@URL, local:PATH (default: none).",
)  # fmt: skip
PLANNER = typer.Option(
    metavar="NAME", help="tiered (default), or acs: by benefit and cost.",
)  # fmt: skip
FOCUS = typer.Option(
    metavar="PATH", help="A file that is being worked on; again for more; git: all changed ones.",
)  # fmt: skip
TOKENIZER = typer.Option(
    metavar="NAME", help="Count by heuristic (default), o200k, cl100k or a tokenizer.json file.",
)  # fmt: skip
BUDGET = typer.Option(metavar="TOKENS", help="Most tokens the packet may cost (default: 8000).")
QUERY = typer.Option(metavar="TEXT", help="What the work is about; - reads standard input.")
AS_OF = typer.Option(metavar="DATE", help="Day that ages are counted from (default: today).")
SESSION = typer.Option(
    metavar="ID", help="Session whose last turns are said, by its whole id.",
)  # fmt: skip
RANKER = typer.Option(
    metavar="NAME",
    help="brackets, lexical, hybrid or discovery (default: brackets without a query).",
)
OVERSHOOT = typer.Option(
    "--allow-overshoot", help="Let one entry that is worth it pass the budget (planner acs).",
)  # fmt: skip
CONTEXT_LENGTH = typer.Option(
    metavar="TOKENS", help="The agent's window: say only what it has room for.",
)  # fmt: skip
USED_TOKENS = typer.Option(metavar="TOKENS", help="How much of the window is used.")
THRESHOLD_TOKENS = typer.Option(metavar="TOKENS", help="Where the host compacts its window.")
JSON = typer.Option("--json", help="Write one JSON object.")
