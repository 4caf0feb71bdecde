"""Where the sessions of a context directory are kept, and what is in the repository instead."""

import os
from collections.abc import Callable, Mapping
from datetime import datetime
from difflib import get_close_matches

from ctx.config import Settings
from ctx.errors import FileError, UsageError
from ctx.model import session_file
from ctx.read import stored
from ctx.read.files import RefusedError
from ctx.read.sessions import FOLDER
from ctx.sessions.compaction import Tail
from ctx.store import open_store, state_home
from ctx.text.names import few, masked, shown
from ctx.text.secrets import mask
from ctx.text.times import moment
from ctx.world import World

MOST_NAMED = 5  # sessions that a message names


def state_of(root: str, world: World, *, make: bool = False) -> str:
    """Return the folder that its sessions lie below, made if asked to; raises FileError."""
    store = open_store(root, world.environ, world.home, make=make)
    if store.state != store.shared and os.path.isdir(os.path.join(store.state, FOLDER)):
        store = open_store(root, world.environ, world.home, make=True)  # which moves those there
    state = store.shared
    if not state:
        home = state_home(world.environ, world.home) or "the state directory"
        raise FileError(
            f"{home}: sessions cannot be kept there: it cannot be made, or is not yours alone",
            "CTX_STATE_DIR names another place",
        )
    return state


def foreign(root: str) -> str:
    """Return a line on the sessions that lie in the repository itself; empty where none do."""
    try:
        count = len(stored.foreign(root))
    except OSError:
        return ""
    if not count:
        return ""
    return (
        f"{root}/{FOLDER}: {count:,} {'file lies' if count == 1 else 'files lie'} in the "
        "repository, and so may be anybody's: quoted at most (`ctx session import FILE` adds the "
        "turns of a session that you trust)"
    )


def summaries(state: str, refuse: Callable[[str], object]) -> list[stored.Summary]:
    """Return the stored sessions, newest first, redacted; ``refuse`` gets what cannot be read."""
    found = []
    for name in stored.names(state):
        try:
            row = stored.summary(state, name)
            found.append(row._replace(title=mask(row.title)))
        except RefusedError as error:
            refuse(str(error))
    return sorted(found, key=_age)


def _age(row: stored.Summary) -> tuple[float, str]:
    """Sort newest first, what has no time last, and by id what is left."""
    time = moment(row.last)
    return (-time.timestamp() if time else float("inf"), row.id)


def named(state: str, session: str) -> str:
    """Return the file of a session by its id, as shown, too, a beginning or name; or UsageError."""
    name = session_file(session)
    if os.path.lexists(os.path.join(state, FOLDER, name)):
        return name
    names = stored.names(state)
    if f"{session}.jsonl" in names:
        return f"{session}.jsonl"
    every = {stored.identity(state, name): name for name in names}
    begun = [id_ for id_ in every if session and id_.startswith(session)]
    begun = begun or [id_ for id_ in every if session in (shown(id_), masked(id_))]
    if len(begun) == 1:
        return every[begun[0]]
    if begun:
        some = few(begun, MOST_NAMED)
        raise UsageError(f"{shown(session)}: begins more than one session: {some}")
    close = get_close_matches(session[:200], every, n=MOST_NAMED, cutoff=0.4)
    hint = f"close to it: {few(close, MOST_NAMED)}" if close else "`ctx session list` lists all"
    raise UsageError(f"no session {shown(session)!r} is stored here", hint)


def tails(state: str, settings: Settings) -> Mapping[str, Tail]:
    """Return what compaction leaves alone at the end of each stored session, by its file's name.

    Of the newest one, and of those that do not tell their time, as many turns as a packet may
    include word for word: somebody may go on there. Of older ones only the last ``tail_turns``.
    Raises FileError where the folder cannot be read.
    """
    from ctx.text.tokens import counter

    def ended(name: str) -> datetime | None:
        try:
            return stored.ended(state, name)
        except (RefusedError, OSError):
            return None  # `ctx session compact` reports the reason

    try:
        ends = {name: ended(name) for name in stored.names(state)}
    except OSError as error:
        raise FileError(f"{state}/{FOLDER}: cannot be read: {error.strerror}") from error
    last = max(filter(None, ends.values()), default=None)
    whole = int(settings.tail_share * settings.budget)
    counting = counter(settings.tokenizer)
    return {
        name: Tail(settings.tail_turns, whole if end in (None, last) else 0, counting)
        for name, end in ends.items()
    }
