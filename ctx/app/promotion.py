"""Promotion: which stored turns deserve to become entries, and adding those that are accepted.

    sessions --read--> turns --promote--> candidates --(a person)--> write

Source: ``compaction.md``, section Promotion. Turns are read a block at a time: nothing here grows
with a session but the candidates, and of those the best ``MOST_PROPOSED`` are kept.
"""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from heapq import nlargest
from typing import Literal, NamedTuple

from ctx.edit.entries import Check, New, Target, add, block
from ctx.errors import FileError
from ctx.model import Entry, Turn, VectorSpace
from ctx.read import files
from ctx.read.card import parser_of
from ctx.read.columns import Columns, mark_superseded
from ctx.read.directory import READERS, Reader
from ctx.read.record import record
from ctx.read.sessions import FOLDER
from ctx.read.transcripts import stored as kept
from ctx.read.transcripts.own import moment
from ctx.sessions.promotion.gate import Parts, may_pass, of_cosines, of_text, passes, score
from ctx.sessions.promotion.near_duplicates import Entries, NearDuplicates
from ctx.sessions.promotion.prose import MOST_CHARS
from ctx.sessions.promotion.wording import propose
from ctx.text.secrets import mask
from ctx.text.similarity import COMPARED

PromotedKind = Literal["decision", "learning"]

BLOCK = 2_000
"""Turns that are held at once. Of a longer session a turn is compared with those of its block."""
MOST_PROPOSED = 10_000
"""Candidates that are kept, the best ones; accept some, and the next run finds the others."""

_ROLES = ("user", "assistant")
_KINDS = ("decisions", "learnings", "conventions")
_FILE = {"decision": "DECISIONS.md", "learning": "LEARNINGS.md"}
_PARSER = {"decision": "decisions", "learning": "learnings"}
_SAYS = {"decision": "Decision", "learning": "Lesson"}
_SOURCE = re.compile(r"^\*\*Source\*\*:[ \t]*(\S+)[ \t]*$", re.MULTILINE)
_ASIDE = re.compile(r"\*\*(?:Context|Source|Status|Supersedes)\*\*[ \t]*:", re.IGNORECASE)
_LABEL = re.compile(r"^\*\*[\w ]{1,40}\*\*:[ \t]*", re.MULTILINE)
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""No turn is older."""
_ODD = re.compile(r"[^\w.~:@+-]")


class Durable(NamedTuple):
    """An entry that memory holds."""

    id: str
    title: str
    text: str
    """What it says, without labels, context and citation; its title where that is all."""


class Memory(NamedTuple):
    """What a directory holds for good: decisions, learnings and conventions."""

    durable: tuple[Durable, ...]
    """Those that are not superseded."""
    cited: frozenset[str]
    """The turns that entries cite, superseded ones included."""
    files: dict[str, str]
    """By kind the file that takes new entries, as it is written there."""
    warnings: tuple[str, ...]
    """One line each, about what could not be read."""


class Candidate(NamedTuple):
    """A turn that is proposed."""

    source: str
    """``sessions/<file>#<turn>``: the citation of its entry."""
    session: str
    turn: str
    role: str
    speaker: str
    ts: str
    parts: Parts
    score: float
    """G, in [0, 1]."""
    kind: PromotedKind
    title: str
    text: str


class Sessions(NamedTuple):
    """The turns that are looked at."""

    state: str
    """The folder whose ``sessions/`` they lie in."""
    names: Iterable[str]
    """Files there."""
    allow_secrets: bool = False
    """Whether secrets in turns are proposed with them."""


class Listener(NamedTuple):
    """Who is told how a long scan goes."""

    done: Callable[[int], None] = lambda _bytes: None
    """Hears how many bytes of the sessions were looked at."""
    refused: Callable[[str], None] = lambda _why: None
    """Hears one line for each session that cannot be read."""


SILENT = Listener()


# --- what memory holds --------------------------------------------------------------------


def memory(root: str, limits: files.Limits) -> Memory:
    """Return what the context directory ``root`` holds for good.

    What cannot be read becomes a warning. FileError where the directory cannot be listed.
    """
    read: list[Columns] = []
    held: dict[str, str] = {}
    warnings: list[str] = []
    try:
        names = files.names(root)
        readers = [reader for reader in READERS if reader.kind in _KINDS]
        paths = [(path, reader.kind) for reader in readers for path in _paths(root, reader, names)]
    except OSError as error:
        raise FileError(f"{root}: cannot be read: {error.strerror}") from error
    for path, kind in paths:
        if "/" not in path:
            held.setdefault(kind.removesuffix("s"), path)
        try:
            opened = files.load(root, path, _checked(root, path, limits))
            read.append(_parsed(path, opened.data, kind, redact_secrets=not limits.allow_secrets))
        except files.RefusedError as refused:
            warnings.append(str(refused))
    mark_superseded([one for one in read if one.kind != "convention"])
    entries = [(one.entry(at), at in one.superseded) for one in read for at in range(len(one))]
    return Memory(
        tuple(_durable(entry) for entry, gone in entries if not gone),
        frozenset(cited for entry, _ in entries for cited in _SOURCE.findall(entry.body)),
        {kind: held.get(kind, name) for kind, name in _FILE.items()},
        tuple(warnings),
    )


def _paths(root: str, reader: Reader, names: Iterable[str]) -> list[str]:
    found = [name for name in names if name.lower() == reader.name.lower()]
    themed = files.names(f"{root}/{reader.folder}") if reader.folder else []
    others = (name for name in themed if name.lower() not in ("readme.md", "index.md"))
    return found + [f"{reader.folder}/{name}" for name in others]


def _checked(root: str, path: str, limits: files.Limits) -> files.Limits:
    files.inspect(root, path, limits)
    return limits


def _parsed(path: str, data: bytes, kind: str, *, redact_secrets: bool = False) -> Columns:
    found, text = record(
        files.shown(path), data, parser_of(kind), None, redact_secrets=redact_secrets
    )
    return Columns(files.shown(path), path, found, lambda: text)


def _durable(entry: Entry) -> Durable:
    told = [one for one in _PARAGRAPHS.split(entry.body) if not _ASIDE.match(one.strip())]
    text = _LABEL.sub("", "\n\n".join(told)).strip()
    return Durable(entry.id, entry.title, text or entry.title)


# --- candidates ---------------------------------------------------------------------------


class _Heard(NamedTuple):
    """A turn of a block."""

    source: str
    turn: Turn
    text: str
    """As much of it as is looked at."""
    parts: Parts
    wanted: bool
    """Whether it could be proposed."""
    size: int
    """Bytes that it and the turns before it that are never proposed take in their file."""


def candidates(
    sessions: Sessions,
    known: Memory,
    space: VectorSpace,
    most: int = MOST_PROPOSED,
    listener: Listener = SILENT,
) -> list[Candidate]:
    """Return the turns that pass the gate, best first; ``most`` or ``MOST_PROPOSED`` at most.

    All turns of users and assistants are looked at, the tail of a session, too; what a tool said
    never is, nor what an entry cites already. Raises EmbeddingError as ``space`` does.
    """
    found = _passing(_turns(sessions, known.cited, listener), known, space, listener)
    # Of equals the earlier one: a later turn says it again.
    ranked = ((one.score, -place, one) for place, one in enumerate(found))
    return [one for _, _, one in nlargest(min(most, MOST_PROPOSED), ranked)]


def _passing(
    turns: Iterator[_Heard], known: Memory, space: VectorSpace, listener: Listener
) -> Iterator[Candidate]:
    done = 0
    entries = Entries((one.title, one.text) for one in known.durable)
    for held in _blocks(turns):
        yield from _of_block(held, entries, space)
        done += sum(one.size for one in held)
        listener.done(done)


def _blocks(turns: Iterator[_Heard]) -> Iterator[list[_Heard]]:
    held: list[_Heard] = []
    for one in turns:
        held.append(one)
        if len(held) >= BLOCK:
            yield held
            held = []
    if held:
        yield held


def _turns(sessions: Sessions, cited: frozenset[str], listener: Listener) -> Iterator[_Heard]:
    for name in sessions.names:
        size = 0
        try:
            for stored in kept.turns(sessions.state, name):
                size += len(stored.data) + 1
                if stored.turn.role in _ROLES and stored.turn.text.strip():
                    yield _heard(name, _said(stored, sessions), cited, size)
                    size = 0
        except files.RefusedError as error:
            listener.refused(str(error))
        except OSError as error:
            listener.refused(f"{FOLDER}/{files.shown(name)}: cannot be read: {error.strerror}")


def _said(stored: kept.Stored, sessions: Sessions) -> kept.Stored:
    """Return a turn as it may be said: its text and who said it without secrets."""
    if sessions.allow_secrets:
        return stored
    turn = stored.turn
    return stored._replace(
        turn=turn._replace(text=mask(turn.text), speaker=turn.speaker and mask(turn.speaker))
    )


def _heard(name: str, stored: kept.Stored, cited: frozenset[str], size: int) -> _Heard:
    turn = stored.turn
    source = source_of(name, turn.id or f"line-{stored.line}")
    parts = of_text(turn.text)
    wanted = source not in cited and may_pass(parts)
    text = turn.text[: MOST_CHARS if wanted else COMPARED]
    return _Heard(source, turn._replace(text="", extra={}), text, parts, wanted, size)


def source_of(name: str, turn: str) -> str:
    """Return how an entry cites a turn: ``sessions/<file>#<turn>``, odd characters as ``%2F``."""
    return f"{FOLDER}/{_encoded(name)}#{_encoded(turn)}"


def _encoded(text: str) -> str:
    return _ODD.sub(
        lambda odd: "".join(f"%{byte:02X}" for byte in odd[0].encode("utf-8", "replace")), text
    )


def _of_block(held: Sequence[_Heard], entries: Entries, space: VectorSpace) -> Iterator[Candidate]:
    if not any(one.wanted for one in held):
        return
    durable = entries.texts
    vectors = space.of([*durable, *(one.text[:COMPARED] for one in held)])
    first = len(durable)
    for place, one in enumerate(held):
        if not one.wanted:
            continue
        near = vectors.cosines(first + place)
        others = (
            near[first + at]
            for at, other in enumerate(held)
            if at != place and other.turn.session == one.turn.session
        )
        told = entries.near(one.text, near[:first])
        parts = one.parts.with_novelty(of_cosines(told, others))
        if passes(parts):
            yield _candidate(one, parts)


def _candidate(heard: _Heard, parts: Parts) -> Candidate:
    turn, said = heard.turn, propose(heard.text)
    return Candidate(
        heard.source,
        turn.session,
        turn.id or heard.source.partition("#")[2],
        turn.role,
        turn.speaker,
        turn.ts,
        parts,
        score(parts),
        said.kind,
        said.title,
        said.text,
    )


def twins(known: Memory, proposed: Sequence[Candidate], space: VectorSpace) -> NearDuplicates:
    """Return what tells whether candidates, by their place, repeat an entry."""
    held = [(one.id, one.text) for one in known.durable]
    return NearDuplicates(held, [one.text for one in proposed], space)


# --- adding -------------------------------------------------------------------------------


def accept(
    root: str, candidate: Candidate, known: Memory, limits: files.Limits, now: datetime
) -> str:
    """Add the entry of a candidate, whose title and text may have been edited; return its id.

    It is dated by when its turn was said, so that an old decision does not count as new: in UTC,
    and by ``now`` where the turn tells no time or one that is yet to come.
    Raises UsageError for an empty title or text, FileError where nothing could be added.
    """
    name = known.files[candidate.kind]
    try:
        files.inspect(root, name, limits)
    except files.RefusedError as refused:
        if files.look(root, name):
            raise FileError(str(refused)) from refused
    entry = New(
        candidate.title,
        (("Context", _context(candidate)), (_SAYS[candidate.kind], candidate.text)),
        candidate.source,
    )
    target = Target(root, name, name.rpartition(".")[0].capitalize(), limits.allow_links)
    stamp = add(target, entry, _said_at(candidate.ts, now), checking(name, candidate.kind, entry))
    return f"{files.shown(name)}#{stamp}"


def _said_at(ts: str, now: datetime) -> datetime:
    """Return when a turn was said, in UTC; ``now`` where that cannot be."""
    said = moment(ts)
    if said is None or not _EPOCH <= said <= now.astimezone(UTC):
        return now
    return said.astimezone(UTC)


def _context(candidate: Candidate) -> str:
    who = candidate.speaker or f"the {candidate.role}"
    day = _DAY.match(candidate.ts)
    when = f" on {day[0]}" if day else ""
    return f"Said by {who} in session {candidate.session}{when}."


def checking(name: str, kind: PromotedKind, entry: New) -> Check:
    """Return what holds that a change of the file ``name`` adds ``entry`` and nothing else."""
    return partial(_wrong, name, _PARSER[kind], entry)


def _wrong(name: str, parser: str, entry: New, before: bytes, after: bytes) -> str:
    """Return why ``after`` is not ``before`` with ``entry``; empty where it is."""
    old, new = (_entries(_parsed(name, data, parser)) for data in (before, after))
    ids = {one.id for one in old}
    added = [one for one in new if one.id not in ids]
    if len(new) != len(old) + 1 or len(added) != 1:
        return "the file would not be read as one entry more"
    if [one for one in new if one.id in ids] != old:
        return "other entries would be read otherwise"
    if added[0].body != block(entry, "").partition("\n")[2].strip():
        return "the entry would not be read as it was given"
    return "it would be read as superseded" if added[0].is_superseded else ""


class _Read(NamedTuple):
    """What is read of an entry, but for where it stands."""

    id: str
    title: str
    body: str
    is_superseded: bool


def _entries(found: Columns) -> list[_Read]:
    mark_superseded([found])
    return [
        _Read(one.id, one.title, one.body, at in found.superseded)
        for at, one in ((at, found.entry(at)) for at in range(len(found)))
    ]
