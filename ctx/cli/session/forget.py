"""``ctx session forget``: remove stored sessions, and what was made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ctx.app import capture
from ctx.app.options import PacketOptions
from ctx.app.promotion import source_of
from ctx.app.sessions import named
from ctx.app.workspace import Workspace
from ctx.cli.options import taking
from ctx.cli.session import complain_of_none, each, locate, readable
from ctx.config import day
from ctx.errors import UsageError
from ctx.read import stored
from ctx.read.files import RefusedError
from ctx.read.sessions import FOLDER
from ctx.sessions.forgetting import forget as remove
from ctx.sessions.forgetting import forget_rest
from ctx.store import Store
from ctx.store.sweep import clear, family
from ctx.streams import complain, counted, write_json, write_lines
from ctx.text.names import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from ctx.model import Context


@taking("dir", "json")
def forget(  # noqa: PLR0913 - one parameter an option is typer's way
    options: PacketOptions,
    sessions: Annotated[
        list[str] | None, typer.Argument(metavar="ID...", help="Sessions, or how their ids begin.")
    ] = None,
    *,
    older_than: Annotated[
        str | None,
        typer.Option(metavar="DAY", help="All whose last turn is older, as 90d or 2026-11-20."),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="All sessions of this directory.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be done; write nothing.")
    ] = False,
    json: bool = False,
) -> int:
    """Remove stored sessions: turns, summaries, rejected lines, and what agents received of them.

    The caches of the repository go with them, since they hold their words and vectors; they are
    made again when they are needed. Entries that were promoted from a session stay, and are named:
    they are yours. So does the transcript of the host; of what it holds now hooks store nothing
    again. Exit codes: 0 done, also where no session is
    that old, 2 usage or no such session, 4 no context directory, 6 a file that cannot be read or
    removed.
    """
    if (bool(sessions), older_than is not None, all_).count(True) != 1:
        raise UsageError(
            "which sessions?", "name them, or take --older-than DAYS, or --all, and one of these"
        )
    world, root, state = locate(options)
    with readable(state):
        names = stored.names(state)
        chosen = [named(state, session) for session in sessions or ()] or names
        if older_than is not None:
            chosen = [*_older(state, names, day("--older-than", older_than, world.today))]
        ids = {name: stored.identity(state, name) for name in dict.fromkeys(chosen)}
    if not names:
        complain_of_none(root)
    kept = Workspace(options, world, root=root).read(lambda context: _promoted(context, ids))
    store, gone = world.store(root), list[str]()

    def do(name: str) -> None:
        if not dry_run:
            remove(state, name)
            capture.forget(state, ids[name])
            _empty(store, ids[name])
        gone.append(name)

    code = each([*ids], do)
    if not dry_run:
        _forget_rest(state, store, gone, every=all_)
    rows = [{"id": shown(ids[name]), "file": shown(name)} for name in gone]
    if json:
        write_json({"dry_run": dry_run, "forgotten": rows, "promoted": kept}, ascii_only=True)
        return code
    write_lines([f"{'would forget' if dry_run else 'forgot'} {row['id']}" for row in rows])
    if kept:
        verb = "stays" if len(kept) == 1 else "stay"
        complain(f"{counted(len(kept), 'promoted entry')} {verb}: {', '.join(kept)}")
    return code


def _empty(store: Store, session: str) -> None:
    """Forget what ``session`` received in any context directory of the repository."""
    for folder in family(store.state):
        for mark in ("", "#start ", "#same "):  # as hooks note their packets
            Store(state=folder).empty(session, mark + session)


def _forget_rest(state: str, store: Store, gone: list[str], *, every: bool) -> None:
    """Remove what is not of one session: the caches, and what belongs to no session."""
    if every:
        forget_rest(state)
    for folder in family(store.cache) if gone else ():
        clear(folder)


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
    sources = tuple(source_of(name, "") for name in ids)
    return [
        shown(entry.id)
        for source in context.sources
        if not source.path.startswith(f"{FOLDER}/")
        for entry in source.entries
        if any(cited in entry.body for cited in sources)
    ]
