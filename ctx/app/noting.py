"""Standing instructions that an agent noted: the file ``noted`` beside the sessions.

A page may have steered an agent. So a note is sent in its own session alone, marked, until the user
confirms it. A session is known by a code that its own packets hold and no tool of ctx shows: it is
made with a random key, so that nobody who is steered can name the session of another.
"""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from ctx.app.sessions import state_of
from ctx.edit import atomic
from ctx.errors import CtxError, FileError, UsageError
from ctx.model import session_file
from ctx.read import stored
from ctx.read.files import RefusedError
from ctx.read.turns import plain
from ctx.text.secrets import mask

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctx.app.workspace import Workspace
    from ctx.model import JsonObject
    from ctx.world import World

NAME = "noted"
LONGEST = 300  # characters of a note: what is longer is more than one instruction
MOST, MOST_OF_SESSION, MOST_SENT = 500, 20, 3  # notes that wait, those of one session, and sent
BY_AGENT = "Noted by the agent in this session, not said by the user in any stored turn: "
IN_WORDS = "Noted by the agent in this session, in words of the user: "
HOW = (
    "What the user wants beyond this task, note in their words with the MCP tool `remember`"
    ' (session "{}"), if you have it.'
)
_RECENT = 30 * 86_400  # seconds in which an agent has called a tool where that line is sent


class Note(NamedTuple):
    """A note; ``code`` is that of its session, empty where the agent gave none."""

    id: str
    code: str
    ts: str  # when it was noted, ISO 8601
    scope: str  # ``project``, or ``session`` for what never holds beyond it
    text: str  # one line


def remember(workspace: Workspace, text: str, scope: str, code: str) -> JsonObject:
    """Keep what an agent notes, without secrets, once a session; return what became of it.

    Raises UsageError for a text that is empty or too long, for what is no code, and where enough
    wait; FileError where it cannot be kept.
    """
    text = " ".join(plain(text if workspace.settings.allow_secrets else mask(text)).split())
    if not 0 < len(text) <= LONGEST:
        wrong = f"{len(text):,} characters are over the limit of {LONGEST}" if text else "is empty"
        raise UsageError(f"text: {wrong}", "note one instruction, in the user's words")
    if not re.fullmatch("(?:[0-9a-f]{12})?", code):
        raise UsageError("session: is no code of a packet", "leave it out where no packet gives it")
    now = datetime.fromtimestamp(workspace.world.now_ns / 1e9, UTC).isoformat(timespec="seconds")
    made = Note(
        sha256(f"{code}\n{_folded(text)}".encode()).hexdigest()[:12], code, now, scope, text
    )
    is_new = False

    def adding(held: list[Note]) -> list[Note]:
        nonlocal is_new
        is_new = made.id not in (one.id for one in held)
        if is_new and sum(one.code == code for one in held) >= MOST_OF_SESSION:
            raise UsageError(
                f"{MOST_OF_SESSION} notes of this session wait for the user already",
                "ask the user to run `ctx session promote`",
            )
        return [*held, made][-MOST:] if is_new else held

    _change(state_of(workspace.root, workspace.world, make=True), adding)
    return {
        "noted": text, "new": is_new, "by": "agent",
        "sent": "in this session only" if code else "in no session: no code was given",
        "until": "the session ends" if scope == "session" else "`ctx session promote` confirms it",
    }  # fmt: skip


def notes(state: str) -> list[Note]:
    """Return what waits for the user, oldest first; FileError for a file that cannot be read."""
    return _kept(state)[1]


def code_of(state: str, session: str) -> str:
    """Return the code of a session; empty where no agent has called a tool yet."""
    key = _kept(state)[0]
    digest = sha256(f"{key}\n{session}".encode("utf-8", "surrogatepass")).hexdigest()
    return digest[:12] if key else ""


def called(root: str, world: World) -> None:
    """Note that an agent calls tools of MCP here, where ctx keeps anything. Raises FileError."""
    state = state_of(root, world)
    if os.path.exists(os.path.join(state, NAME)):
        os.utime(os.path.join(state, NAME))
    elif os.path.isdir(state):
        _change(state, list)


def lines_of(state: str, session: str, now: float, *, redact: bool) -> tuple[str, ...]:
    """Return lines on the last notes of a session, and on how to note more where tools are called.

    None where that cannot be read.
    """
    try:
        code = code_of(state, session)
        own = [one for one in notes(state) if code and one.code == code][-MOST_SENT:]
        is_used = code and now - os.stat(os.path.join(state, NAME)).st_mtime < _RECENT
    except (CtxError, OSError):
        return ()
    lines = [HOW.format(code)] if is_used else []
    for one in own:
        who = IN_WORDS if said_in(state, session_file(session), one.text) else BY_AGENT
        text = (mask(one.text) if redact else one.text).replace('"', "'")  # it ends no quotation
        lines.insert(0, f'{who}"{text}"')
    return tuple(lines)


def drop(state: str, which: Callable[[Note], bool]) -> None:
    """Remove notes; FileError where that cannot be written."""
    if any(map(which, notes(state))):
        _change(state, lambda held: [one for one in held if not which(one)])


def said_in(state: str, name: str, text: str) -> str:
    """Return the id of the turn of a stored session in which its user said ``text``, or nothing.

    A turn that was taken back does not count.
    """
    wanted = _folded(text).rstrip(".!")
    try:
        back, turns = stored.back(state, name), (one.turn for one in stored.turns(state, name))
        own = (turn for turn in turns if turn.role == "user" and turn.id not in back)
        return next((turn.id for turn in own if wanted in _folded(turn.text)), "")
    except (RefusedError, OSError):
        return ""  # it is not stored yet


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _kept(state: str) -> tuple[str, list[Note]]:
    path = os.path.join(state, NAME)
    try:
        kept = json.loads(atomic.read(path) or b'{"key": "", "notes": []}')
        return str(kept["key"]), [Note(*map(str, row)) for row in kept["notes"]]
    except (ValueError, KeyError, TypeError) as error:
        raise FileError(f"{path}: is damaged", "move it away: it is made anew") from error


def _change(state: str, change: Callable[[list[Note]], Sequence[Note]]) -> None:
    """Write what ``change`` makes of the notes, whole or not at all."""
    path = os.path.join(state, NAME)
    with atomic.lock(path):
        key, held = _kept(state)
        data = json.dumps({"key": key or os.urandom(16).hex(), "notes": change(held)})
        atomic.write(path, data.encode(), mode=0o600)
