"""``ctx search``: the entries and turns that a query is about."""

import os

from ctx.app.find import find, located
from ctx.app.options import SearchOptions
from ctx.app.search import find_entries
from ctx.app.workspace import Workspace
from ctx.cli.agent import query_of
from ctx.cli.options import taking
from ctx.cli.terminal import Screen, screen_of
from ctx.model import SearchResults
from ctx.render.results import heading
from ctx.streams import complain, safe, write_out
from ctx.world import World


@taking(
    "limit", "budget", "kind", "status", "since", "min-relevance", "named", "all", "archive",
    "shared", "repo", "explain", "json", "ranker", "embedder", "rerank", "dir", "tokenizer",
    "as-of",
    many=("dir",),
)  # fmt: skip
def search(
    options: SearchOptions,
    query: str,
    *,
    dir_: list[str],
    json: bool = False,
) -> None:
    """Find entries and turns, best first, with id, source line and a snippet.

    Entries that the query names by title or alias come first. A word that no entry holds is taken
    for one that differs in a letter. What is done, skipped, superseded or archived is found where
    it is asked for. With --shared the team's server is asked at the same time; where it does not
    answer in time, the directory's results are shown. Exit codes: 0 success, also where nothing is
    found, 2 usage, 4 no context directory, 6 unreadable directory.
    """
    world = World()
    root, roots = "", dict[str, str]()
    for name in dir_ or [""]:  # before standard input is read
        root = find(name, world)
        roots.setdefault(os.path.realpath(root), root)
    options = options.replace(query=query_of(query, "QUERY"), format="json" if json else "md")
    answer = find_entries(
        options, *(Workspace(options, world, root=root) for root in roots.values())
    )
    for warning in answer.warnings:
        complain(located(warning, root, world.cwd) if len(roots) == 1 else warning)
    if not json and (screen := screen_of(world)):
        _draw(screen, answer)
    else:
        write_out(safe(answer.text, json=json).encode("utf-8", "replace"))


def _draw(screen: Screen, answer: SearchResults) -> None:
    text = screen.text(safe(answer.text))
    start = 0
    for number, hit in enumerate(answer.hits, 1):
        title = safe(heading(hit, number))
        start = text.plain.index(title, start)
        text.stylize("bold", start, start + len(title))
        start += len(title)
    screen.print(text, end="", soft_wrap=True)
