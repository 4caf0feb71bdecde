"""``ctx share``: what the administrator of a team's server does, and who sees what there."""

from ctx.app.options import PacketOptions
from ctx.app.sync import connected, repository_of
from ctx.app.workspace import Workspace
from ctx.cli.options import taking
from ctx.errors import UsageError
from ctx.streams import complain, counted, write_json, write_lines
from ctx.world import World


@taking()
def init(
    address: str = "",
) -> None:
    """Make the schema and the roles on a server, or bring them up to date.

    Needs a role that may create roles. Without ADDRESS the server of the settings. Exit codes: 0
    done, also where nothing was to do, 2 usage, 7 the server cannot be used.
    """
    with connected(World(), address) as server:
        done = server.init()
        server.identity()
    write_lines(
        [f"schema: {counted(len(done), 'migration')} applied" if done else "schema: up to date"]
    )


@taking()
def grant(
    who: str,
    repository: str,
    *,
    read_only: bool = False,
) -> None:
    """Let a role see a repository, and push to it.

    Makes the role and the repository where there are none. Exit codes: 0 done, 2 usage, 7 the
    server cannot be used, or refuses.
    """
    with connected(World()) as server:
        made = server.grant(who, repository, writes=not read_only)
    write_lines([f"{who} may {'read' if read_only else 'read and push to'} {repository}"])
    if made:
        complain(f"role {who}: made without a password; its login is your server's matter")


@taking()
def revoke(who: str, repository: str) -> None:
    """Take back what `ctx share grant` gave.

    What was pulled is removed by the next pull there. Exit codes: 0 done, 2 there was no such
    grant, 7 the server cannot be used, or refuses.
    """
    with connected(World()) as server:
        if not server.revoke(who, repository):
            raise UsageError(f"{who} has no grant of {repository}", "`ctx share status` lists them")
    write_lines([f"{who} may no longer see {repository}"])


@taking("repo", "dir")
def forget(
    options: PacketOptions,
    what: str,
    *,
    repo: list[str] | None = None,
) -> None:
    """Erase a session, all of an author, or a repository on the server.

    An administrator erases all of it, anybody else what he wrote himself. It is gone from searches
    at once, and from other machines with their next pull; backups of the server are the
    administrator's matter. What is forgotten is not taken again. Exit codes: 0 done, 2 there is
    nothing of that name, 7 the server cannot be used, or refuses.
    """
    kind, colon, name = what.partition(":")
    world = World()
    is_named = colon and kind in ("author", "repository")
    if not is_named:
        repo = repo or [repository_of(Workspace(options, world))]
    with connected(world) as server:
        if not is_named:
            _, who = server.identity()
            erased = server.forget("session", (what, f"{who}/{what.removesuffix('.jsonl')}"), repo)
        elif kind == "author":
            erased = server.forget("author", (name,), repo)
        else:
            erased = server.forget_repository(name)
    if erased is None:
        where = f" in {', '.join(repo)}" if repo else ""
        raise UsageError(f"the server has nothing of {what!r}{where}", "`ctx share status`")
    write_lines([f"forgot {counted(erased, 'entry')}"])


@taking("json")
def status(*, json: bool = False) -> None:
    """Show the repositories that you may see, and who may see them.

    Where the server has pg_textsearch, those whose words have an index of BM25 are marked. Exit
    codes: 0 success, 2 usage, 7 the server cannot be used.
    """
    with connected(World()) as server:
        _, who = server.identity()
        visible, grants, indexed = server.visible(), server.grants(), server.indexed()
    if json:
        repositories = [
            {
                "name": each.name, "entries": each.entries, "version": each.version,
                "bm25": each.number in indexed,
            }
            for each in visible
        ]  # fmt: skip
        rows = [{"repository": name, "role": role, "writes": can} for name, role, can in grants]
        write_json({"role": who, "repositories": repositories, "grants": rows})
        return
    write_lines([f"{who} sees {counted(len(visible), 'repository')}"])
    for each in visible:
        own = [grant for grant in grants if grant[0] == each.name]
        roles = ", ".join(f"{role}{'' if writes else ' (read)'}" for _, role, writes in own)
        index = ", with an index of BM25" if each.number in indexed else ""
        write_lines([f"{each.name}: {counted(each.entries, 'entry')}{index}; {roles}"])
