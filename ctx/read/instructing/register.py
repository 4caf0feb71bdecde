"""The register of standing instructions: which hold, and which were replaced or taken back."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ctx.model import Entry
from ctx.read.columns import Columns

_USING = ("use", "include")  # actions that forbid each other: what must not be used is not included
SUPERSEDED, PARTLY = "superseded", "partly superseded"


class Clause(NamedTuple):
    """What one verb of an instructing sentence is about; all words are stems."""

    action: str  # what is done: ``start``, ``write in``; actions that mean the same have one name
    about: str  # class of things it is done with (``function name``); empty if an undo names none
    value: str  # how (``x_``, ``snake_case``): a later one replaces it; empty if none is excluded
    scope: str  # what it is limited to (``only for tests``); empty for no limit
    mode: str  # ``do``, ``avoid`` where it forbids, or ``undo`` where it takes an earlier one back
    instead: str = ""  # what it takes the place of ("not in red"): an earlier one held that


class Given:
    """A sentence of a turn that instructs, and what became of its instructions."""

    def __init__(self, part: Columns, place: int, number: int, row: Sequence[Any]) -> None:
        """Take the ``number``-th row, counted from 0, of the turn at ``place`` of ``part``."""
        self.part = part
        self.place = place
        self.number = number
        self.text, self.weight, clauses, self.echoes, self.is_whole = row
        self.clauses = [Clause(*clause) for clause in clauses]
        self.order = 0  # its place among all, by time
        self.replaced: dict[int, Given] = {}  # by place in ``clauses``, what replaced or ended it
        self.repeated: dict[int, Given] = {}  # the same for those that a later sentence repeats
        self.replaces: list[Given] = []  # sentences that it replaces, takes back or repeats in part

    @property
    def speaker(self) -> str:
        """Who said it."""
        return self.part.speakers[self.place] if self.part.speakers else ""

    @property
    def status(self) -> str:
        """``superseded``, ``partly superseded``, ``done`` if it only takes back, else empty."""
        if all(clause.mode == "undo" for clause in self.clauses):
            return "done"
        if len(self.replaced) + len(self.repeated) >= len(self.clauses):
            return SUPERSEDED
        return PARTLY if self.replaced else ""

    @property
    def id(self) -> str:
        """The id of its entry: that of the turn, with a number where it is only a part of it."""
        turn = self.part.id_of(self.place)
        return turn if self.is_whole else f"{turn}/{self.number + 1}"

    def entry(self) -> Entry:
        """Return the sentence as an entry, which quotes its turn."""
        turn = self.part.entry(self.place)
        quote = _Quote(self.text)
        return turn._replace(
            id=self.id, tier="soft", title=self.text, status=self.status,
            supersedes="\n".join(old.id for old in self.replaces),
            priority=self.weight, covers=int(self.is_whole),
            size=len(self.text) // 4, title_size=len(self.text) // 4, content=quote, place=0,
            modality="obligatory" if self.clauses[0].mode == "do" else "forbidden", ancestors=(),
        )  # fmt: skip


class _Quote(NamedTuple):
    text: str

    def body(self, place: int) -> str:  # noqa: ARG002 - there is one
        return self.text

    def terms(self, place: int) -> Sequence[int]:  # noqa: ARG002 - as above
        from ctx.text.words import term_ids

        return term_ids(self.text)


def register(sessions: Sequence[Sequence[Columns]]) -> list[Given]:
    """Return instructions, oldest first; turns with replaced ones are in ``Columns.outdated``."""
    every = list(_in_order(sessions))
    live = _Live()
    for given in every:
        for number, clause in enumerate(given.clauses):
            if clause.mode == "undo":
                live.take_back(given, {*clause.about.split(), clause.action} - {*_USING}, set())
            else:
                live.add(given, number, clause)
    for given in every:
        if given.replaced:
            given.part.outdated.update((given.place, *given.echoes))
    return every


class _Live:
    """What holds, found by what it is about and by its words: a look does not go through all."""

    def __init__(self) -> None:
        self._held: defaultdict[tuple[str, ...], dict[str, tuple[Given, int]]] = defaultdict(dict)
        self._naming: defaultdict[tuple[str, str], dict[tuple[int, int], Given]] = defaultdict(dict)
        """By speaker and word, oldest first, what has the word."""

    def add(self, given: Given, number: int, clause: Clause) -> None:
        actions = _USING if clause.action in _USING and not clause.value else (clause.action,)
        for action in actions:
            for old, place in self._against(given.speaker, clause._replace(action=action)):
                before = old.clauses[place]
                if before == clause:
                    self._remove(old, place, given, old.repeated)
                elif before.mode != clause.mode or before.action == clause.action:
                    self._remove(old, place, given, old.replaced)
        if clause.instead:
            self.take_back(given, {*clause.instead.split()}, {*" ".join(clause[:2]).split()})
        elif clause.mode == "avoid" and not given.replaces:
            self.take_back(given, {*" ".join(clause[1:3]).split()}, set())
        self._held[_key(given.speaker, clause)][clause.instead] = given, number
        for word in _words(clause):
            self._naming[given.speaker, word][given.order, number] = given

    def take_back(self, given: Given, wanted: set[str], related: set[str]) -> None:
        """Remove the latest instruction that names all ``wanted`` words, and a ``related`` one."""
        naming = [self._naming.get((given.speaker, word), {}) for word in wanted]
        for (_, place), old in reversed(min(naming, key=len, default={}).items()):
            words = _words(old.clauses[place])
            if wanted <= words and (related & words or not related):
                self._remove(old, place, given, old.replaced)
                return

    def _against(self, speaker: str, clause: Clause) -> list[tuple[Given, int]]:
        """Return what may not hold beside ``clause``, oldest first."""
        others = clause._replace(mode="do" if clause.mode == "avoid" else "avoid")
        same, other = (self._held.get(_key(speaker, one), {}) for one in (clause, others))
        if clause.mode == "avoid":  # many things may be forbidden
            found = [same[clause.instead]] if clause.instead in same else []
            found += [(old, at) for old, at in other.values() if old.clauses[at][2] == clause.value]
        else:
            found = [*same.values(), *other.values()]
        return sorted(found, key=lambda one: (one[0].order, one[1]))

    def _remove(self, old: Given, place: int, given: Given, into: "dict[int, Given]") -> None:
        """Hold no longer what ``given`` replaces, takes back or repeats; note it in ``into``."""
        clause = old.clauses[place]
        del self._held[_key(old.speaker, clause)][clause.instead]
        for word in _words(clause):
            del self._naming[old.speaker, word][old.order, place]
        into[place] = given
        given.replaces.append(old)


def _key(speaker: str, clause: Clause) -> tuple[str, ...]:
    """Return the key under which one instruction replaces another, by value if it forbids."""
    value = clause.value if clause.mode == "avoid" else ""
    return speaker, clause.action, clause.about, clause.scope, clause.mode, value


def _words(clause: Clause) -> set[str]:
    return {*" ".join(clause[:3]).split()}


def _in_order(sessions: Sequence[Sequence[Columns]]) -> Iterator[Given]:
    """Yield all rows by day; within a session in its order, also where its clock runs back."""
    found: list[tuple[str, Given]] = []
    for parts in sessions:
        latest = ""
        for part in parts:
            for name, rows in part.standing.items():
                place = int(name)
                latest = max(latest, part.timestamps[place])
                found += [
                    (latest, Given(part, place, number, row)) for number, row in enumerate(rows)
                ]
    found.sort(key=lambda one: one[0])
    for order, (_, given) in enumerate(found):
        given.order = order
        yield given
