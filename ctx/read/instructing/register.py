"""The register of standing instructions: which hold, which were replaced, how strong they are."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Any, NamedTuple

from ctx.model import WEAK, Entry, Modality
from ctx.read.columns import Columns
from ctx.read.instructing.topic import names_form

LEAST = 1.0  # logit from which a sentence is an instruction by itself
STRONG = 1.5  # logit from which one is sent without being asked for
TOLD = 2.0  # how much more than that is clear where one person tells another; ``AGAIN`` elsewhere
AGAIN = 0.8  # what it counts that one was said again; and again, harsher
HALF_LIFE = 730  # days after which an instruction that was not said again is half as strong
_MODALITIES: dict[str, Modality] = {"avoid": "forbidden", "undo": "permitted"}
SUPERSEDED, PARTLY = "superseded", "partly superseded"
_SAME, _CLOSE, _MOSTLY, _NEAR, _FEW = 0.9, 0.8, 0.75, 0.5, 2
"""What repeats an instruction: its share of the words of both; shares of the words of the shorter
one that make it about the same; and words that two have to share."""
_HEAD, _SHARED = 2, 5  # first words, which name the subject, and letters that tell one from others
_MOST = 40  # instructions that share a word and are compared, the newest first


class Said(NamedTuple):
    """A sentence of a turn that instructs, as the parse cache holds it."""

    text: str
    score: float  # how much speaks for it: the logit of the model
    mode: str  # ``do``, ``avoid`` where it forbids, or ``undo`` where it takes an earlier one back
    changes: bool  # whether it says that something is different from now on
    terms: Sequence[str]  # stems of what it is about
    values: Sequence[str]  # how it is done
    echoes: Sequence[int]  # places of turns that repeat it
    is_whole: bool  # whether it is all that the turn says
    shapes: Mapping[str, str] = {}  # how names are to begin and end (``topic.shapes_of``)
    is_told: bool = False  # whether one person tells another, and no program works


class Given:
    """An instruction of a user, and what became of it."""

    def __init__(self, part: Columns, place: int, number: int, row: Sequence[Any]) -> None:
        """Take the ``number``-th row, counted from 0, of the turn at ``place`` of ``part``."""
        self.part = part
        self.place = place
        self.number = number
        self.said = Said(*row)
        self.order = 0  # its place among all, by time
        self.times = 1  # how often it was said
        self.days = 0  # how long ago, counted from the last turn that is stored
        self.by: Given | None = None  # what replaced it, took it back or says it again
        self.is_replaced = False  # whether that one says something else
        self.shapes = dict(self.said.shapes)  # those that hold
        self.replaces: list[Given] = []

    @property
    def speaker(self) -> str:
        """Who said it."""
        return self.part.speakers[self.place] if self.part.speakers else ""

    @property
    def status(self) -> str:
        """``superseded``, also in part, ``done`` if it only takes something back, else empty."""
        if self.said.mode == "undo" and not self.is_strong:
            return "done"
        if self.by or len(self.shapes) == len(self.said.shapes):
            return SUPERSEDED if self.by else ""
        return PARTLY if self.shapes else SUPERSEDED

    @property
    def strength(self) -> float:
        """How surely it holds: the logit, more where it was said again, less the longer ago."""
        score = float(self.said.score)
        if self.replaces and self.said.is_told:  # spoken of more than once
            score = max(score, STRONG + TOLD)
        score += AGAIN * (self.times - 1)
        return score * 0.5 ** (self.days / HALF_LIFE) if score > 0 else score

    @property
    def is_strong(self) -> bool:
        """Whether it is sent without being asked for."""
        return self.strength >= STRONG

    @property
    def id(self) -> str:
        """The id of its entry: that of the turn, with a number where it is only a part of it."""
        turn = self.part.id_of(self.place)
        return turn if self.said.is_whole else f"{turn}/{self.number + 1}"

    def is_copy_of(self, old: "Given") -> bool:
        """Whether it is in the same turn: of a session stored twice, or of a prompt that is kept.

        Only what is clear by itself is said again in the same words.
        """
        if self.said.text != old.said.text or self.said.score >= STRONG:
            return False
        return self.part.entry(self.place).body == old.part.entry(old.place).body

    def entry(self) -> Entry:
        """Return the sentence as an entry, which quotes its turn; priority 1 is a weak one."""
        text, turn = self.said.text, self.part.entry(self.place)
        clear = STRONG + (TOLD if self.said.is_told else AGAIN)
        level = WEAK if not self.is_strong else 2 if self.strength < clear else 3
        return turn._replace(
            id=self.id, tier="soft", title=text, status=self.status,
            supersedes="\n".join(old.id for old in self.replaces),
            priority=level, covers=int(self.said.is_whole),
            size=len(text) // 4, title_size=len(text) // 4, content=_Quote(text), place=0,
            modality=_MODALITIES.get(self.said.mode, "obligatory"), ancestors=(),
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
    last = max((max(part.timestamps, default="") for one in sessions for part in one), default="")
    naming: defaultdict[tuple[str, str], list[Given]] = defaultdict(list)
    taken: list[Given] = []
    for given in every:
        _settle(given, _against(given, naming))
        if given.said.score < LEAST and not given.replaces and given.said.mode != "undo":
            continue  # it only counts where it bears on another
        taken.append(given)
        if given.said.mode != "undo":
            for term in (*given.said.terms, *given.said.values, *given.shapes):
                naming[given.speaker, term].append(given)
    for given in taken:
        given.days = _days(given.part.timestamps[given.place], last)
        if given.is_replaced:
            given.part.outdated.update((given.place, *given.said.echoes))
    return taken


def _days(since: str, until: str) -> int:
    with suppress(ValueError):  # of a turn without a time nobody knows
        return max(0, (date.fromisoformat(until[:10]) - date.fromisoformat(since[:10])).days)
    return 0


def _settle(given: Given, held: Sequence[Given]) -> None:
    """Note what an instruction repeats or replaces of what is ``held``, the newest first."""
    for old in held:
        if old.shapes and given.shapes:
            same = old.shapes.keys() & given.shapes.keys() - {""}
            differ = [key for key in sorted(same) if old.shapes.pop(key) != given.shapes[key]]
            old.is_replaced = old.is_replaced or bool(differ)
            given.replaces += [old] if same else []
            continue
        of_names = given.said.mode != "undo" and (old.said.shapes or given.said.shapes)
        relation = "" if of_names else _relation(old.said, given.said)
        if relation:
            old.by, old.is_replaced = given, relation != "again"
            given.replaces.append(old)
        if relation == "again":  # within a session it may be the same prompt
            given.times += old.times - (old.part is given.part or given.is_copy_of(old))
        elif relation and given.said.mode == "undo":
            return


def _against(given: Given, naming: "dict[tuple[str, str], list[Given]]") -> list[Given]:
    """Return what holds and shares a word with an instruction, the newest first."""
    found: dict[int, Given] = {}
    for term in given.shapes or (*given.said.terms, *given.said.values):
        held = naming[given.speaker, term]
        held[:] = [old for old in held[-_MOST:] if old.status != SUPERSEDED]
        found.update((old.order, old) for old in held)
    return [found[order] for order in sorted(found, reverse=True)]


def _relation(before: Said, now: Said) -> str:  # noqa: PLR0911 - one for each case
    """Return how a later instruction stands to an earlier one: ``again``, ``other`` or empty."""
    old, new = {*before.terms}, {*now.terms}
    shared, least = len(old & new), min(len(old), len(new))
    of_form = names_form((*before.terms, *now.terms))
    is_told = now.is_told and not of_form
    first, later = ({term[:_SHARED] for term in said.terms[:_HEAD]} for said in (before, now))
    if is_told and now.changes and first & later:
        return "other"
    if now.mode == "undo":
        names = {*now.values} & {*before.values}
        is_most = shared * 2 >= len(new) or (is_told and shared >= _FEW and shared * 3 >= len(new))
        return "other" if names or (new and is_most) else ""
    if not least or now.score < min(before.score, STRONG):
        return ""  # what is less sure replaces nothing that is surer
    is_alike = before.mode == now.mode and [*before.values] == [*now.values]
    whole = shared / len(old | new)
    if whole >= _SAME:
        if is_alike:
            return "again"
        # Many things may be forbidden, and many modules imported.
        is_list = before.mode == now.mode and (now.mode == "avoid" or of_form)
        return "" if is_list and before.values and now.values else "other"
    share = shared / least
    if shared < _FEW or share < _NEAR or now.score < LEAST:
        return ""
    if of_form and (whole < _MOSTLY or before.mode == now.mode):
        return ""  # one may annotate functions and methods, and name both
    if before.values and now.values and whole < _CLOSE:
        return ""  # "start function names with …" says nothing of argument names
    if now.changes or (before.mode != now.mode and share >= _MOSTLY):
        return "other"
    return "again" if is_alike and (whole if is_told else share) >= _MOSTLY else ""


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
