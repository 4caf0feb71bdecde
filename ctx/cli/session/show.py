"""``ctx session show``: the turns of a stored session, for a person or as they are stored."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctx.app.session_state import named
from ctx.errors import OK, FileError, UsageError
from ctx.read.files import RefusedError, shown
from ctx.read.sessions import FOLDER
from ctx.read.transcripts import stored
from ctx.streams import safe, write_out
from ctx.text.visible import escaped_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ctx.model import Turn
    from ctx.read.transcripts.stored import Stored

_BATCH = 64 * 1024


def run(state: str, session: str, turn: str | None, *, as_json: bool) -> int:
    """Show a session, or one turn of it; return the exit code. Raises UsageError for none."""
    try:
        name = named(state, session)
        chosen = (one for one in stored.turns(state, name) if turn is None or one.turn.id == turn)
        if not say(chosen, as_json=as_json) and turn is not None:
            raise UsageError(f"{shown(session)}: has no turn {turn!r}", "show it without --turn")
    except RefusedError as error:
        raise FileError(str(error)) from error
    except BrokenPipeError:
        raise
    except OSError as error:
        raise FileError(f"{state}/{FOLDER}: cannot be read: {error.strerror}") from error
    return OK


def say(turns: Iterable[Stored], *, as_json: bool) -> bool:
    """Print turns as text or as they are stored; return whether there were any."""
    return _written(_json(turns) if as_json else _text(turns))


def _written(texts: Iterable[bytes]) -> bool:
    """Write texts in batches as they come; return whether there were any."""
    any_, held, size = False, list[bytes](), 0
    for text in texts:
        any_ = True
        held.append(text)
        size += len(text)
        if size >= _BATCH:
            write_out(b"".join(held))
            held, size = [], 0
    if held:
        write_out(b"".join(held))
    return any_


def _json(turns: Iterable[Stored]) -> Iterator[bytes]:
    """Yield the lines of turns, losing nothing: what is obeyed or hidden is escaped as in JSON."""
    for one in turns:
        yield f"{escaped_json(one.data.decode())}\n".encode()


def _text(turns: Iterable[Stored]) -> Iterator[bytes]:
    gap = ""
    for one in turns:
        yield f"{gap}{_heading(one.turn)}\n\n{_fenced(safe(one.turn.text))}\n".encode()
        gap = "\n"


def _heading(turn: Turn) -> str:
    who = f"{turn.role} ({turn.speaker})" if turn.speaker else turn.role
    parts = (who, turn.ts, turn.id, turn.bundle and f"bundle {turn.bundle}")
    return shown(f"## {' · '.join(part for part in parts if part)}")


def _fenced(text: str) -> str:
    """Return a text between fences that nothing in it can end."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"
