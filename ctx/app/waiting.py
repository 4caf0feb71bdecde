"""How many turns of stored sessions may be worth an entry: counted as the sessions grow."""

import json
import os
import re
from collections.abc import Iterator

from ctx.app.promotion import own_words, skipped, source_of
from ctx.errors import CtxError
from ctx.read import files, stored
from ctx.read.sessions import FOLDER, LONGEST
from ctx.read.turns import CALLS
from ctx.sessions.promotion.gate import of_text, passes
from ctx.sessions.promotion.wording import propose
from ctx.store.folder import contents, encoded, replace
from ctx.text.json_lines import lines

MOST = 1024 * 1024  # bytes of talk that one call judges; the next one goes on
_NAME = "waiting"  # the file beside the sessions: how far each was read, and what to propose
_OUTPUT = 8  # bytes of calls and output that count as one: they are read, and not judged
_SOURCE = re.compile(rb"^[ \t]*\*\*Source\*\*:[ \t]*(sessions/\S+)", re.MULTILINE)
_FOLDERS = ("", "decisions", "learnings", "conventions")


def waiting(state: str, root: str, most: int = MOST) -> tuple[int, bool]:
    """Return how many turns may be proposed, and whether there is more that no call has read.

    Without what an entry of ``root`` cites and what was skipped.
    Each is judged by its own text, about ``most`` bytes of the newest sessions in a call. What
    cannot be read counts nothing.
    """
    path = os.path.join(state, _NAME)
    try:
        known = {str(name): (int(at), list(found)) for name, (at, found) in _kept(path).items()}
        done = skipped(state) | set(_cited(root))
        folder = os.path.join(state, FOLDER)
        times = {name: os.stat(f"{folder}/{name}").st_mtime_ns for name in stored.names(state)}
        names = sorted(times, key=lambda name: -times[name])
    except (CtxError, OSError, ValueError, TypeError):
        return 0, False
    before, left, is_all = dict(known), most, True
    for name in names:
        at, found = known.get(name, (0, []))
        size = os.path.getsize(os.path.join(state, FOLDER, name))
        at, found = (at, found) if at <= size else (0, [])
        if at < size and left > 0:
            at, left, more = _read(state, name, at, left)
            back = {source_of(name, id_) for id_ in stored.back(state, name)}
            found = [source for source in (*found, *more) if source not in back]
        known[name] = at, found
        is_all = is_all and (left > 0 or at == size)
    known = {name: known[name] for name in names}
    if known != before:
        replace(path, encoded(json.dumps(known)))
    count = sum(source not in done for _, found in known.values() for source in found)
    return count, not is_all


def _read(state: str, name: str, at: int, left: int) -> tuple[int, int, list[str]]:
    """Return how far a session is read then, the bytes that are left, and what may be proposed."""
    found = []
    is_work = stored.is_work(state, name)
    with stored.opened(state, f"{FOLDER}/{name}") as file:
        file.seek(at)
        for line in lines(file, LONGEST):
            if left <= 0 or not line.ended:
                break
            at += line.length + 1
            turn = stored.turn_of(line, name)
            is_talk = turn and turn.role != "tool" and not turn.text.startswith(CALLS)
            left -= line.length if is_talk else line.length // _OUTPUT
            words = own_words(turn) if turn and is_talk and turn.id else ""
            if turn and words and passes(of_text(words)):
                role = turn.role if is_work and not turn.speaker else ""
                is_named = propose(words, role).is_named
                found += [source_of(name, turn.id)] if is_named else []
    return at, left, found


def _kept(path: str) -> dict[str, tuple[int, list[str]]]:
    kept = json.loads(contents(path) or b"{}")
    return kept if isinstance(kept, dict) else {}


def _cited(root: str) -> Iterator[str]:
    for folder in _FOLDERS:
        for name in files.names(os.path.join(root, folder)):
            data = contents(os.path.join(root, folder, name), private=False) or b""
            yield from (source.decode("utf-8", "replace") for source in _SOURCE.findall(data))
