"""What a session was answered, until its transcript shows whether it arrived.

A host may drop an answer. So what was printed is kept here with the files that the host should load
by itself. A later event of the session looks at what its transcript holds since: what is missing
there, though the model went on, is forgotten, and so it is sent again.
"""

from __future__ import annotations

import os
import time
from json import dumps, loads

from ctx.digest import blake2b
from ctx.hosts.fields import tail
from ctx.store import UNPROVEN, folder, given
from ctx.text.times import moment

TYPE_CHECKING = False  # this module is on the path of hooks: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ctx.hooks.ask import Ask
    from ctx.store import Store

    Item = list[Any]  # call, time, path and size of the transcript then, digest, files, whose
    State = dict[str, Any]  # ``items``; ``absent``, files that the host did not load; ``lost``

LOADS = "#loads"  # noted of a session whose host reports each file that it loads
TEXT, FILE, ANSWER, EMPTIED = "text", "file", "answer", "emptied"  # the kinds of ``Hooks.seen``
MOST_BYTES = 8 * 1024 * 1024  # of a transcript that are looked at
MOST_LOST = 3  # answers that are missing one after the other: then the host records none


def note(ask: Ask, store: Store, text: str = "", files: Iterable[str] = (), call: str = "") -> None:
    """Keep that a session was answered ``text``, or that its host loads ``files`` now.

    ``call`` is what its notes are under: without it they are of files that are loaded at a start.
    """
    path, transcript = store.unproven(ask.session), ask.event.transcript
    if not (path and transcript and ask.tool.proves):
        return
    state = _state(store.state, ask.session)
    if state["lost"] < MOST_LOST:
        then = [call, time.time(), transcript, _size(transcript)]
        item = [*then, text and _digest(text), [*files], ask.event.files]
        state["items"] = [*state["items"], item][-_MOST:]
        _keep(store, ask.session, state)


def check(ask: Ask, store: Store) -> bool:
    """Forget what did not arrive in the session of ``ask``; return whether anything did not.

    Files to which rules that are missing apply are added to those of the event.
    """
    state, lost, left = _state(store.state, ask.session), False, []
    for item in state["items"]:
        call, *_, files, touched = item
        missing = _missing(item, ask, store)
        if missing is None:
            left.append(item)
        elif not missing:
            state["lost"] = 0
        else:
            lost, state["lost"] = True, state["lost"] + 1
            state["absent"] += [file for file in files if file in missing]
            if call:
                _forget(ask, store, call)
            if call and ask.event.moment == "files":
                ask.event.files = (*ask.event.files, *touched)
    if state["absent"]:
        ask.absent = frozenset(state["absent"])
        ask.key += repr(sorted(ask.absent))
    if len(left) < len(state["items"]):
        state["items"] = left
        _keep(store, ask.session, state)
    return lost


def _missing(item: Item, ask: Ask, store: Store) -> list[str] | None:
    """Return what of an item did not arrive; None as long as nobody knows."""
    call, since, transcript, size, digest, files, _ = item
    at = ask.event.transcript
    seen = [*ask.tool.seen(tail(at, MOST_BYTES, size if transcript == at else 0))]
    if digest:
        arrived = any(kind == TEXT and _digest(text) == digest for kind, text, _ in seen)
        missing = [] if arrived else [digest]
    else:
        there = {loaded(text) for kind, text, _ in seen if kind == FILE}
        names = {loaded(file): file for file in files if loaded(file) not in there}
        own = reports_of(ask.session)
        missing = [names[name] for name in given.unsent(store.state, own, [*names])]
        reports = not given.unsent(store.state, own, [LOADS])
        if not call and len(missing) == len(files) and not reports:
            missing = []  # nobody knows what this host loads at a start
    utc = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(since)) + f"{since % 1:.3f}"[1:]
    answers = {text for kind, text, when in seen if kind == ANSWER and when > utc}
    # While a tool runs, the message that called it may still be written.
    went_on = len(answers) >= (2 if ask.event.moment == "files" else 1)
    return missing if went_on or (not missing and (digest or call)) else None


def _forget(ask: Ask, store: Store, call: str) -> None:
    given.retract(store.state, ask.session, f" {call}")
    store.forget_packet(ask.session)
    sent, memory = int(call.partition("-")[0], 16) / 1e9, store.received(ask.session)
    items = {key: item for key, item in memory.items.items() if item.sent != sent}
    if len(items) < len(memory.items):
        store.note_received(memory._replace(items=items))


def path_of(ask: Ask, name: str) -> str:
    """Return the path of the file of rules whose notes have this name."""
    return os.path.normpath(os.path.join(ask.root, name.rpartition(" [")[0] or name))


def reports_of(session: str) -> str:
    """Return the name of notes of what a host reports: they outlast a start, as it may be first."""
    return f"{session} {LOADS}" if session else ""


def loaded(path: str) -> str:
    """Return the name under which it is noted that a host has loaded a file."""
    return f"#loaded {os.path.realpath(path)}"


def window(ask: Ask) -> tuple[str, set[str]]:
    """Return when the window was emptied last, empty for never, and the real paths loaded since."""
    emptied, found, every = "", set[str](), tail(ask.event.transcript, MOST_BYTES)
    for kind, text, when in ask.tool.seen([line for line in every if b'"assistant"' not in line]):
        if kind == EMPTIED:
            own = b'"uuid":%s' % dumps(text).encode()
            kept = next((line for line in every if text and own in line), b"{}")
            emptied = loads(kept).get("timestamp", when)
            found.clear()
        elif kind == FILE and not _is_lost(ask, when):
            found.add(os.path.realpath(text))
    return emptied, found


def _is_lost(ask: Ask, when: str) -> bool:
    """Whether what came at a time was taken back."""
    until = ask.event.until
    at = None if until is None else moment(when)
    return bool(until is not None and at and until < at.timestamp() <= ask.event.since)


def is_empty(ask: Ask) -> bool:
    """Whether no answer of the model followed the last compaction, as its transcript has it."""
    seen = ask.tool.seen(tail(ask.event.transcript, MOST_BYTES))
    return [kind for kind, *_ in seen if kind in (ANSWER, EMPTIED)][-1:] == [EMPTIED]


def last_answer(ask: Ask) -> str:
    """Return when the model answered last, empty for never: what is older a compaction takes."""
    every = reversed(tail(ask.event.transcript, MOST_BYTES))
    found = (one for line in every for one in ask.tool.seen([line]) if one[0] == ANSWER)
    return next(found, ("", "", ""))[2]


def _size(path: str) -> int:
    return os.path.getsize(path) if os.path.isfile(path) else 0


_MOST = 64  # items that are kept of a session
_RECORDS = folder.Records(UNPROVEN, b"ctx-unproven-1", given.MOST)


def _state(store: str, session: str) -> State:
    state: State = loads(_RECORDS.get(store, session) or b"{}")
    if state.get("session") == session:
        return state
    return {"session": session, "items": [], "absent": [], "lost": 0}


def _keep(store: Store, session: str, state: State) -> None:
    _RECORDS.put(store.state, session, dumps(state).encode())


def _digest(text: str) -> str:
    return blake2b(folder.encoded(text.strip()), digest_size=12).hexdigest()
