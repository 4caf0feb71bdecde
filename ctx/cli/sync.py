"""``ctx sync``: push what a project shares to the team's server, and pull what others share."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Timer

from ctx.app import sync
from ctx.app.options import PacketOptions
from ctx.app.sessions import state_of
from ctx.app.workspace import Workspace
from ctx.cli.options import taking
from ctx.edit import atomic
from ctx.errors import SERVICE, FileError
from ctx.model import SHARED
from ctx.streams import complain, counted, write_json, write_lines
from ctx.world import World

LIMIT = 300.0  # seconds after which a push in the background ends; the next one goes on


@contextmanager
def _alone(state: str) -> Iterator[None]:
    """End the process after ``LIMIT``; raises FileError where another push is in the background."""
    timer = Timer(LIMIT, os._exit, (SERVICE,))
    timer.daemon = True
    timer.start()
    folder = os.path.join(state, SHARED)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with atomic.lock(os.path.join(folder, "push"), timeout=0):
        yield
    timer.cancel()


@taking("dir", "json")
def push(  # noqa: PLR0913 - its options
    options: PacketOptions,
    *,
    session: list[str] | None = None,
    repo: str = "",
    dry_run: bool = False,
    background: bool = False,
    json: bool = False,
) -> None:
    """Send decisions, learnings and shared sessions that have changed to the team's server.

    Sessions are private unless you share them: by --session, or all by the setting share_sessions.
    Secrets are masked first. What is gone here is taken back there. Exit codes: 0 done, also where
    nothing was to do, 2 usage, 4 no context directory, 6 a file that cannot be read or written, 7
    the server cannot be used: what was sent until then counts, and the next push sends the rest.
    """
    world = World()
    workspace = Workspace(options, world)
    repository = sync.repository_of(workspace, repo)
    address = workspace.settings.share_server
    connect = None if dry_run else lambda: sync.connected(world, address)
    with ExitStack() as stack:
        if background:
            try:
                stack.enter_context(_alone(state_of(workspace.root, world, make=True)))
            except FileError:
                return  # another one runs
        sent = sync.push(workspace, repository, session or (), connect)
    if json:
        write_json({"repository": repository, "dry_run": dry_run, **sent._asdict()})
        return
    verb = "would send" if dry_run else "sent"
    masked = f", {counted(sent.masked, 'secret')} masked" if sent.masked else ""
    gone = f"; {'would take' if dry_run else 'took'} back {sent.gone:,}" if sent.gone else ""
    what = f"{verb} {counted(sent.entries, 'entry')}, {sent.bytes:,} bytes{masked}{gone}"
    write_lines([f"{repository}: {what if sent.sessions or sent.gone else 'nothing to send'}"])
    for name in sent.refused:
        complain(f"{name}: was forgotten on the server; not sent")


@taking("dir", "json")
def pull(options: PacketOptions, *, repo: list[str] | None = None, json: bool = False) -> None:
    """Fetch what others share in this repository, and in those that were pulled before.

    It is quoted in packets and found by searches here, also without the server, and is never a
    rule. What may not be seen any more is removed. Exit codes: 0 done, 2 usage, 4 no context
    directory, 6 a file that cannot be written, 7 the server cannot be used.
    """
    world = World()
    workspace = Workspace(options, world)
    state = state_of(workspace.root, world, make=True)
    names = [*sync.followed(state), *(repo or ())] or [sync.repository_of(workspace)]
    pulled = []
    with sync.connected(world, workspace.settings.share_server) as server:
        for name in dict.fromkeys(names):
            done = sync.pull(workspace, name, server)
            pulled.append(done)
            if not json:
                gone = f", removed {counted(done.gone, 'session')}" if done.gone else ""
                write_lines([f"{name}: pulled {counted(done.entries, 'entry')}{gone}"])
    if json:
        write_json({"pulled": [done._asdict() for done in pulled]})


@taking("dir", "json")
def status(options: PacketOptions, *, json: bool = False) -> None:
    """Show what was pushed and pulled, by repository; asks no server.

    Exit codes: 0 success, 2 usage, 4 no context directory.
    """
    world = World()
    workspace = Workspace(options, world)
    state = state_of(workspace.root, world)
    rows = []
    for name in sync.followed(state):
        cursor = sync.Cursor(state, name)
        shared = [session.removesuffix(".jsonl") for session in cursor.shared]
        figures = {"version": cursor.version, "pushed": len(cursor.pushed)}
        rows.append({"repository": name, **figures, "shared": shared})
    if json:
        write_json({"repositories": rows})
        return
    for row in rows:
        pushed = f"{row['pushed']:,} pushed, pulled up to change {row['version']:,}"
        write_lines([f"{row['repository']}: {pushed}"])
    if not rows:
        complain("nothing was pushed or pulled here (`ctx sync push`, `ctx sync pull`)")
