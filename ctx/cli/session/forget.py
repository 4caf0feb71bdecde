"""``ctx session forget``: remove stored sessions, and what was made of them."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from ctx.app.options import PacketOptions
from ctx.app.promotion import source_of
from ctx.app.sessions import named
from ctx.app.workspace import Workspace
from ctx.cli.options import taking
from ctx.cli.session import complain_of_none, each, opened, readable
from ctx.config import quoted
from ctx.errors import UsageError
from ctx.read.files import RefusedError, shown
from ctx.read.sessions import FOLDER
from ctx.read.transcripts import stored
from ctx.sessions.forgetting import forget as remove
from ctx.sessions.forgetting import forget_rest
from ctx.store.sweep import clear
from ctx.streams import complain, counted, write_json, write_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ctx.model import Context

_DAYS = re.compile(r"([0-9]{1,6})d?")


@taking("dir", "json")
def forget(  # noqa: PLR0913 - one parameter an option is typer's way
    options: PacketOptions,
    sessions: Annotated[
        list[str] | None, typer.Argument(metavar="ID...", help="Sessions, or how their ids begin.")
    ] = None,
    *,
    older_than: Annotated[
        str | None,
        typer.Option(metavar="DAYS", help="All whose last turn is older, such as 90d."),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="All sessions of this directory.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be done; write nothing.")
    ] = False,
    json: bool = False,
) -> int:
    """Remove stored sessions: turns, summaries, rejected lines, and what agents received of them.

    The cache of the directory goes with them, since it holds their words and vectors; it is made
    again when it is needed. Entries that were promoted from a session stay, and are named: they
    are yours. So does the transcript of the host. Exit codes: 0 done, also where no session is
    that old, 2 usage or no such session, 4 no context directory, 6 a file that cannot be read or
    removed.
    """
    if (bool(sessions), older_than is not None, all_).count(True) != 1:
        raise UsageError(
            "which sessions?", "name them, or take --older-than DAYS, or --all, and one of these"
        )
    world, root, state = opened(options)
    with readable(state):
        names = stored.names(state)
        chosen = [named(state, session) for session in sessions or ()] or names
        if older_than is not None:
            chosen = [*_older(state, names, date.fromisoformat(world.today) - _days(older_than))]
        ids = {name: stored.identity(state, name) for name in dict.fromkeys(chosen)}
    if not names:
        complain_of_none(root)
    kept = Workspace(options, world, root=root).read(lambda context: _promoted(context, ids))
    store, gone = world.store(root), list[str]()

    def do(name: str) -> None:
        if not dry_run:
            remove(state, name)
            store.empty(ids[name], ids[name])
        gone.append(name)

    code = each([*ids], do)
    if all_ and not dry_run:
        forget_rest(state)
    if gone and store.cache and not dry_run:
        clear(store.cache)
    rows = [{"id": shown(ids[name]), "file": shown(name)} for name in gone]
    if json:
        write_json({"dry_run": dry_run, "forgotten": rows, "promoted": kept}, ascii_only=True)
        return code
    write_lines([f"{'would forget' if dry_run else 'forgot'} {row['id']}" for row in rows])
    if kept:
        verb = "stays" if len(kept) == 1 else "stay"
        complain(f"{counted(len(kept), 'promoted entry')} {verb}: {', '.join(kept)}")
    return code


def _days(text: str) -> timedelta:
    found = _DAYS.fullmatch(text)
    if not found:
        raise UsageError(f"--older-than: {quoted(text)} is no number of days", "such as 90d")
    return timedelta(int(found[1]))


def _older(state: str, names: list[str], day: date) -> Iterator[str]:
    """Yield the sessions that ended before ``day``; of one without times nobody knows that."""
    for name in names:
        try:
            ended = stored.ended(state, name)
        except RefusedError as error:
            complain(str(error))
            continue
        if ended is None:
            complain(f"{FOLDER}/{shown(name)}: tells no time: forget it by its id")
        elif ended.date() < day:
            yield name


def _promoted(context: Context, ids: Mapping[str, str]) -> list[str]:
    """Return the ids of entries that cite one of the sessions."""
    sources = tuple(source_of(name, "") for name in ids)
    return [
        shown(entry.id)
        for source in context.sources
        if not source.path.startswith(f"{FOLDER}/")
        for entry in source.entries
        if any(cited in entry.body for cited in sources)
    ]
