"""``ctx session forget``: remove stored sessions, and what was made of them."""

from ctx.app.forgetting import forget as remove
from ctx.app.forgetting import forget_rest, older, promoted
from ctx.app.options import PacketOptions
from ctx.app.sessions import named
from ctx.app.workspace import Workspace
from ctx.cli.options import taking
from ctx.cli.session import complain_of_none, each, locate, readable
from ctx.config import day
from ctx.errors import UsageError
from ctx.read import stored
from ctx.streams import complain, counted, write_json, write_lines
from ctx.text.names import shown


@taking("dir", "json")
def forget(  # noqa: PLR0913 - one parameter an option is typer's way
    options: PacketOptions,
    sessions: list[str] | None = None,
    *,
    older_than: str | None = None,
    all_: bool = False,
    dry_run: bool = False,
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
            chosen = [*older(state, names, day("--older-than", older_than, world.today), complain)]
        ids = {name: stored.identity(state, name) for name in dict.fromkeys(chosen)}
    if not names:
        complain_of_none(root)
    kept = Workspace(options, world, root=root).read(lambda context: promoted(context, ids))
    store, gone = world.store(root), list[str]()

    def do(name: str) -> None:
        if not dry_run:
            remove(state, name, ids[name], store)
        gone.append(name)

    code = each([*ids], do)
    if not dry_run and (gone or all_):
        forget_rest(state, store.cache if gone else "", every=all_)
    rows = [{"id": shown(ids[name]), "file": shown(name)} for name in gone]
    if json:
        write_json({"dry_run": dry_run, "forgotten": rows, "promoted": kept}, ascii_only=True)
        return code
    write_lines([f"{'would forget' if dry_run else 'forgot'} {row['id']}" for row in rows])
    if kept:
        verb = "stays" if len(kept) == 1 else "stay"
        complain(f"{counted(len(kept), 'promoted entry')} {verb}: {', '.join(kept)}")
    return code
