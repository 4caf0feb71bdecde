"""Promotion: which stored turns deserve to become entries, and adding those that are accepted.

    sessions --read--> turns --promote--> candidates --(a person)--> write

Standing instructions in force are proposed as conventions, whatever their turns score.

Source: ``compaction.md``, section Promotion. Turns are read a block at a time: nothing here grows
with a session but the candidates, and of those the best ``MOST_PROPOSED`` are kept.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from heapq import nlargest
from itertools import islice
from typing import Literal, NamedTuple, get_args

from ctx.app import noting
from ctx.app.add import add_item, marked, superseded
from ctx.app.addable import Adding
from ctx.app.editing import HOMES, more, rows
from ctx.edit import atomic
from ctx.edit.change import change
from ctx.edit.entries import Amend, Check, New, Target, add_all, block
from ctx.edit.links import STRICT, Links
from ctx.errors import FileError
from ctx.model import WEAK, Context, Entry, Turn, VectorSpace
from ctx.read import files, stored
from ctx.read.card import parser_of
from ctx.read.columns import Columns, mark_superseded
from ctx.read.directory import READERS, paths_of
from ctx.read.instructing import reader
from ctx.read.instructing.own import own
from ctx.read.record import record
from ctx.read.sessions import FOLDER
from ctx.read.turns import CALLS
from ctx.sessions.promotion.gate import Parts, may_pass, of_text, passes, worth
from ctx.sessions.promotion.near_duplicates import Entries, NearDuplicates
from ctx.sessions.promotion.prose import MOST_CHARS, replaced
from ctx.sessions.promotion.wording import is_about_something, propose, stands_alone
from ctx.text.names import shown
from ctx.text.secrets import mask, mask_path
from ctx.text.similarity import COMPARED, stems
from ctx.text.times import moment

PromotedKind = Literal["decision", "learning", "convention"]

BLOCK = 2_000  # turns that are read at once, and compared with each other
MOST_PROPOSED = 10_000  # candidates that are kept, the best ones; the next run finds the others

_ROLES = ("user", "assistant")
_KINDS = ("decisions", "learnings", "conventions")
_SAYS = {"decision": "Decision", "learning": "Lesson"}
_SOURCE = re.compile(r"^[ \t]*\*\*Source\*\*:[ \t]*(\S+)[ \t]*$", re.MULTILINE)
_ABOUT = re.compile(r"\*\*(?:Context|Source|Status|Supersedes)\*\*[ \t]*:", re.IGNORECASE)
_LABEL = re.compile(r"^\*\*[\w ]{1,40}\*\*:[ \t]*", re.MULTILINE)
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)  # no turn is older
_ODD = re.compile(r"[^\w.~:@+-]")
_SKIPPED = "skipped"  # the file beside the sessions with the skipped turns, one source a line
UNSAID = "noted by an agent, in no stored turn of the user"  # who speaks in such a note
_CLEAREST = 3  # highest weight of a standing instruction
_UNSURE = 2  # weight up to which one that was said once, and not of all cases, is mostly a task
_GENERAL = frozenset({"m always", "m duty", "m general", "m lasting"})


class Durable(NamedTuple):
    """An entry that memory holds."""

    id: str
    title: str
    text: str  # what it says, without labels, context and citation; its title where that is all


class Memory(NamedTuple):
    """What a directory holds for good: decisions, learnings and conventions."""

    durable: tuple[Durable, ...]  # those that are not superseded
    cited: frozenset[str]  # the turns that entries cite, superseded ones included
    dated: tuple[tuple[Entry, str], ...]  # all decisions and learnings, each with its file
    files: dict[str, str]  # by kind the file that takes new entries, as it is written there
    warnings: tuple[str, ...]  # one line each, about what could not be read
    links: Links = STRICT  # which links are followed where entries are added


class Candidate(NamedTuple):
    """A turn that is proposed."""

    source: str  # ``sessions/<file>#<turn>``: the citation of its entry
    session: str
    turn: str
    role: str
    speaker: str
    ts: str
    parts: Parts
    score: float  # g, in [0, 1]; of a convention how clearly it is to hold from then on
    kind: PromotedKind
    title: str
    text: str
    supersedes: str = ""  # the id of the decision or learning that it reverses; empty for none
    note: str = ""  # the id of the note of an agent that it is; empty for a turn

    @property
    def is_weak(self) -> bool:
        """Whether it is an instruction that no packet sends: said once, and not as clearly."""
        return self.kind == "convention" and self.score * _CLEAREST <= WEAK and not self.note


class Sessions(NamedTuple):
    """The turns that are looked at."""

    state: str  # the folder whose ``sessions/`` they are in
    names: Sequence[str]  # files there
    allow_secrets: bool = False  # whether secrets in turns are proposed with them
    is_all: bool = True  # whether these are all that are stored


def memory(root: str, limits: files.Limits) -> Memory:
    """Return what the directory ``root`` holds for good; unreadable files become warnings.

    Raises FileError where it cannot be listed.
    """
    parts: list[Columns] = []
    homes: dict[str, str] = {}
    warnings: list[str] = []
    with atomic.explained(root, "read"):
        names = files.names(root)
        readers = [reader for reader in READERS if reader.kind in _KINDS]
        paths = [
            (path, reader.kind) for reader in readers for path in paths_of(root, reader, names)
        ]
    for path, kind in paths:
        if "/" not in path:
            homes.setdefault(kind.removesuffix("s"), path)
        try:
            data = files.checked(root, path, limits)
            parts.append(_parsed(path, data, kind, redact_secrets=not limits.allow_secrets))
        except files.RefusedError as refused:
            warnings.append(str(refused))
    mark_superseded([part for part in parts if part.kind != "convention"])
    every = [(part.entry(place), part, place) for part in parts for place in range(len(part))]
    return Memory(
        tuple(_durable(entry) for entry, part, place in every if place not in part.superseded),
        frozenset(cited for entry, _, _ in every for cited in _SOURCE.findall(entry.body)),
        tuple((entry, part.name) for entry, part, _ in every if part.kind != "convention"),
        {kind: homes.get(kind, HOMES[kind].file) for kind in get_args(PromotedKind)},
        tuple(warnings),
    )


def _parsed(path: str, data: bytes, kind: str, *, redact_secrets: bool = False) -> Columns:
    cached, text = record(shown(path), data, parser_of(kind), None, redact_secrets=redact_secrets)
    return Columns(shown(path), path, cached, lambda: text)


def _durable(entry: Entry) -> Durable:
    paragraphs = (
        paragraph
        for paragraph in _PARAGRAPHS.split(entry.body)
        if not _ABOUT.match(paragraph.strip())
    )
    text = _LABEL.sub("", "\n\n".join(paragraphs)).strip()
    return Durable(entry.id, entry.title, text or entry.title)


class _Read(NamedTuple):
    source: str
    turn: Turn
    text: str  # as much of it as is looked at
    parts: Parts
    wanted: bool  # whether it could be proposed
    role: str  # who says it, in work with an agent; empty in other talk
    size: int  # bytes that it and the turns before it that are never proposed take in their file


def candidates(  # noqa: PLR0913 - what is looked at, and who looks on
    sessions: Sessions,
    known: Memory,
    space: VectorSpace,
    most: int = MOST_PROPOSED,
    *,
    done: Callable[[int], None] | None = None,
    refused: Callable[[str], object] = lambda _why: None,
) -> list[Candidate]:
    """Return the turns that pass the gate, best first; ``most`` or ``MOST_PROPOSED`` at most.

    What an agent says again, the decisive sentence of a better turn, is left out.

    ``done`` gets the bytes of sessions looked at, ``refused`` a line for each unreadable one.

    All turns of users and assistants are looked at, the tail of a session, too; calls of tools,
    their output, and what an entry cites are not. Raises EmbeddingError as ``space`` does.
    """
    passing = _passing(_turns(sessions, known.cited, refused), known, space, done)
    # Of equals the earlier one: a later turn says it again.
    ranked = ((each.score, -place, each) for place, each in enumerate(passing))
    found = [each for _, _, each in nlargest(min(most, MOST_PROPOSED), ranked)]
    best = {each.title: each.text for each in reversed(found)}
    return [each for each in found if each.role == "user" or best[each.title] == each.text]


def _passing(
    turns: Iterator[_Read], known: Memory, space: VectorSpace, done: Callable[[int], None] | None
) -> Iterator[Candidate]:
    size = 0
    entries = Entries((entry.title, entry.text) for entry in known.durable)
    while block := list(islice(turns, BLOCK)):
        yield from _of_block(block, entries, space)
        size += sum(read.size for read in block)
        if done:
            done(size)


def _turns(
    sessions: Sessions, cited: frozenset[str], refused: Callable[[str], object]
) -> Iterator[_Read]:
    is_work = any(_is_work(sessions.state, name) for name in sessions.names)
    for name in sessions.names:
        size = 0
        try:
            back = stored.back(sessions.state, name)
            for line in stored.turns(sessions.state, name):
                size += len(line.data) + 1
                turn = line.turn
                is_talk = turn.role in _ROLES and not turn.text.startswith(CALLS)
                if turn.id in back or not (is_talk and turn.text.strip()):
                    continue
                if not sessions.allow_secrets:
                    speaker = turn.speaker and mask(turn.speaker)
                    turn = turn._replace(text=mask(turn.text), speaker=speaker)
                source, words = source_of(name, turn.id or f"line-{line.line}"), own_words(turn)
                role = turn.role if is_work and not turn.speaker else ""
                parts = of_text(words)
                wanted = source not in cited and may_pass(parts)
                text = words[: MOST_CHARS if wanted else COMPARED]
                bare = turn._replace(text="", extra={})
                yield _Read(source, bare, text, parts, wanted, role, size)
                size = 0
        except files.RefusedError as error:
            refused(str(error))
        except OSError as error:
            refused(f"{FOLDER}/{shown(name)}: cannot be read: {error.strerror}")


def _is_work(state: str, name: str) -> bool:
    with suppress(files.RefusedError, OSError):  # reported where its turns are read
        return stored.is_work(state, name)
    return False


def own_words(turn: Turn) -> str:
    """Return the text of a turn, of a user's without what was pasted."""
    return own(turn.text) if turn.role == "user" and not turn.speaker else turn.text


def conventions(
    context: Context, sessions: Sessions, cited: AbstractSet[str]
) -> tuple[list[Candidate], frozenset[str]]:
    """Return the standing instructions in force, and the turns of clear ones.

    Strong ones come first, then weak ones that have a clear form, each oldest first. One that is
    not quite clear is left out unless it was said again, or says that it holds in all cases.
    """
    found: list[Candidate] = []
    names = {f"{FOLDER}/{shown(name)}": name for name in sessions.names}
    talks = [part for part in context.parts if isinstance(part, Columns)]
    settled = {_cited(part.id_of(place)) for part in talks for place in part.outdated}
    for entry in context.standing:
        turn, source = entry.turn_id, _cited(entry.id)
        if entry.priority > WEAK:  # what is no clear instruction may tell a decision
            settled.add(_cited(turn))
        name = names.get(entry.source)
        if (
            name is None
            or not (stands_alone(entry.title) and is_about_something(entry.title))
            or not entry.is_current
            or entry.modality == "permitted"  # it takes another one back
            or (entry.priority == WEAK and not reader.is_clear(entry.title))
            or not (entry.priority > _UNSURE or entry.supersedes or _is_general(entry))
            or not cited.isdisjoint((source, _cited(turn)))
        ):
            continue
        session = stored.identity(sessions.state, name)
        found.append(
            Candidate(
                source, session, turn.partition("#")[2], "user",
                "" if entry.speaker == "user" else entry.speaker, entry.timestamp, Parts(),
                entry.priority / _CLEAREST, "convention", entry.title, entry.title,
            )
        )  # fmt: skip
    return sorted(found, key=lambda one: one.is_weak), frozenset(settled)


def _is_general(entry: Entry) -> bool:
    """Return whether an instruction to an agent says that it is for all cases; others all are."""
    found = (each.found[0].dense for each in reader.read(entry.title))
    return entry.speaker != "user" or any(not _GENERAL.isdisjoint(each) for each in found)


def noted(sessions: Sessions, cited: AbstractSet[str]) -> list[Candidate]:
    """Return what agents noted for longer than a session, oldest first; raises FileError.

    One that a turn of its session's user contains is proposed as that turn's.
    """
    held = [one for one in noting.notes(sessions.state) if one.scope == "project"]
    of: dict[str, tuple[str, str]] = {}  # file and id of a session by its code
    for name in sessions.names if held else ():
        with suppress(files.RefusedError, OSError):  # reported where its turns are read
            session = stored.identity(sessions.state, name)
            of[noting.code_of(sessions.state, session)] = name, session
    found: dict[str, Candidate] = {}
    for one in held:
        name, session = of.get(one.code, ("", ""))
        turn = noting.said_in(sessions.state, name, one.text) if name else ""
        source = source_of(name, turn) if turn else f"{FOLDER}/noted#{one.id}"
        if (session or sessions.is_all) and source not in cited:
            role, speaker = ("user", "noted by an agent") if turn else ("assistant", UNSAID)
            text = one.text if sessions.allow_secrets else mask(one.text)
            found[text] = Candidate(
                source, session, turn or one.id, role, speaker, one.ts, Parts(),
                0.0, "convention", text, text, note=one.id,
            )  # fmt: skip
    return [*found.values()]


def _cited(id_: str) -> str:
    name, _, turn = id_.removeprefix(f"{FOLDER}/").partition("#")
    return source_of(name, turn)


def source_of(name: str, turn: str) -> str:
    """Return how an entry cites a turn: ``sessions/<file>#<turn>``, odd characters as ``%2F``."""

    def encoded(text: str) -> str:
        return _ODD.sub(
            lambda odd: "".join(f"%{byte:02X}" for byte in odd[0].encode("utf-8", "replace")), text
        )

    return f"{FOLDER}/{encoded(mask_path(name))}#{encoded(mask_path(turn))}"


def _of_block(block: Sequence[_Read], entries: Entries, space: VectorSpace) -> Iterator[Candidate]:
    if not any(read.wanted for read in block):
        return
    durable = entries.texts
    vectors = space.of([*durable, *(read.text[:COMPARED] for read in block)])
    first = len(durable)
    for place, read in enumerate(block):
        if not read.wanted:
            continue
        near = vectors.cosines(first + place)
        others = (
            near[first + at]
            for at, other in enumerate(block)
            if at != place and other.turn.session == read.turn.session
        )
        known = entries.near(read.text, near[:first])
        parts = read.parts.with_cosines(known, others)
        if passes(parts):
            turn, proposal = read.turn, propose(read.text, read.role)
            if not proposal.is_named:  # no sentence that is short enough holds what it is about
                continue
            yield Candidate(
                read.source, turn.session, turn.id or read.source.partition("#")[2], turn.role,
                turn.speaker, turn.ts, parts, worth(parts), proposal.kind, proposal.title,
                proposal.text,
            )  # fmt: skip


def reversing(found: Iterable[Candidate], known: Memory) -> list[Candidate]:
    """Return candidates with the entry that each reverses: ``We no longer use X``.

    The decision or learning that names more than half of what is reversed, rare words before
    common ones, and of several the one that shares most with the sentence; none where two do. A
    convention supersedes nothing: one that reverses an entry becomes a decision.
    """
    dated = {entry.id for entry, _ in known.dated}
    texts = [
        (one.id, stems(f"{one.title}\n{one.text}")) for one in known.durable if one.id in dated
    ]
    count = Counter(word for _, words in texts for word in words)

    def weight(words: AbstractSet[str]) -> float:
        return sum(1 / (1 + max(count[word], 1)) for word in sorted(words))

    def reversed_by(candidate: Candidate) -> str:
        sentence, what = replaced(candidate.text) if texts else ("", "")
        gone, about = stems(what), stems(sentence)
        near = sorted(
            (-weight(about & words), id_)
            for id_, words in texts
            if 2 * weight(gone & words) > weight(gone)
        )
        is_clear = near and (len(near) == 1 or near[0][0] < near[1][0])
        return near[0][1] if is_clear else ""

    return [
        each._replace(supersedes=old, kind="decision" if each.kind == "convention" else each.kind)
        if (old := reversed_by(each))
        else each
        for each in found
    ]


def duplicates(known: Memory, proposed: Sequence[Candidate], space: VectorSpace) -> NearDuplicates:
    """Return what tells whether candidates, by their place, repeat an entry."""
    durable = [(entry.id, entry.text) for entry in known.durable]
    return NearDuplicates(durable, [candidate.text for candidate in proposed], space)


def skipped(state: str) -> frozenset[str]:
    """Return the sources that ``skip`` was given; FileError where they cannot be read."""
    listed = (atomic.read(os.path.join(state, _SKIPPED)) or b"").decode()
    return frozenset(filter(None, listed.split("\n")))


def skip(state: str, source: str) -> None:
    """Propose a source no more; FileError where that cannot be written."""
    path = os.path.join(state, _SKIPPED)
    with atomic.lock(path):
        text = "".join(f"{one}\n" for one in sorted({*skipped(state), source}))
        atomic.write(path, text.encode(), mode=0o600)


def accept(
    root: str, candidates: Sequence[Candidate], known: Memory, limits: files.Limits, now: datetime
) -> list[str]:
    """Add the entries of candidates, whose titles and texts may have been edited; return their ids.

    Each is dated by the time of its turn, so that an old decision does not count as new: in UTC,
    and by ``now`` where the turn has no time or one that is yet to come. A convention is an item.
    Those of a kind are written in one step, and what they supersede is marked as superseded.
    Raises UsageError for an empty title or text, FileError where nothing could be added, or
    where the entry that is superseded, in another file, could not be marked.
    """
    names: dict[str, str] = {}
    for kind in dict.fromkeys(candidate.kind for candidate in candidates):
        own = [candidate for candidate in candidates if candidate.kind == kind]
        added = _accepted(root, own, known, limits, now)
        names.update(zip((candidate.source for candidate in own), added, strict=True))
    return [names[candidate.source] for candidate in candidates]


def _accepted(
    root: str, candidates: Sequence[Candidate], known: Memory, limits: files.Limits, now: datetime
) -> list[str]:
    kind = candidates[0].kind
    name = known.files[kind]
    try:
        files.inspect(root, name, limits)
    except files.RefusedError as refused:
        if files.look(root, name):
            raise FileError(str(refused)) from refused
    target = Target(root, name, name.rpartition(".")[0].capitalize(), known.links)
    if kind == "convention":
        return [_item(target, candidate, now) for candidate in candidates]
    olds = {
        candidate.source: superseded(candidate.supersedes, known.dated)
        for candidate in candidates
        if candidate.supersedes
    }
    new = []
    for candidate in candidates:
        old = olds.get(candidate.source)
        parts = (("Context", _context(candidate)), (_SAYS[kind], candidate.text))
        entry = New(candidate.title, parts, candidate.source, old.reference if old else "")
        time = moment(candidate.ts)
        is_known = time is not None and _EPOCH <= time <= now.astimezone(UTC)
        new.append((entry, time.astimezone(UTC) if time and is_known else now))

    def marking(place: Target, data: bytes | None) -> bytes:
        data = data or b""
        for candidate in candidates:
            old = olds.get(candidate.source)
            if old and old.name == place.name:
                data = marked(place, data, old, candidate.title)
        return data

    here = partial(marking, target)
    stamps = add_all(
        target, new, checking(name, kind, [entry for entry, _ in new], here), amend=here
    )
    for other in {old.name for old in olds.values()} - {name}:
        place = Target(root, other, "", known.links)
        change(place, partial(marking, place))
    return [f"{shown(name)}#{stamp}" for stamp in stamps]


def _context(candidate: Candidate) -> str:
    who = candidate.speaker or f"the {candidate.role}"
    day = _DAY.match(candidate.ts)
    where = f"in session {candidate.session}" if candidate.session else "in a session"
    said = "Noted by an agent, confirmed by the user," if candidate.note else f"Said by {who}"
    return f"{said} {where}{f' on {day[0]}' if day else ''}."


def _item(target: Target, candidate: Candidate, now: datetime) -> str:
    text = candidate.title
    if candidate.text != text:  # it was edited
        text = f"{text} {candidate.text}"
    about = (f"**Context**: {_context(candidate)}", f"**Source**: {candidate.source}")
    return add_item(target, Adding("convention", text, about=about), now).id


def checking(
    name: str, kind: PromotedKind, entries: Sequence[New], amend: Amend = lambda data: data
) -> Check:
    """Return the check that a change adds ``entries``, and nothing else but what ``amend`` does."""

    def wrong(before: bytes, after: bytes) -> str:
        """Return why ``after`` is not ``before`` with ``entries``; empty where it is."""
        had, has = (rows(name, HOMES[kind].parser, data) for data in (amend(before), after))
        if len(has) != len(had) + len(entries):
            many = f"{len(entries)} entries" if len(entries) > 1 else "one entry"
            return f"the file would not be read as {many} more"
        if not (added := more(had, has)):
            return "other entries would be read otherwise"
        bodies = [block(entry, "").partition("\n")[2].strip() for entry in reversed(entries)]
        if [row.entry.body for row in added] != bodies:
            return "the entry would not be read as it was given"
        is_old = any(row.entry.status == "superseded" for row in added)
        return "it would be read as superseded" if is_old else ""

    return wrong
