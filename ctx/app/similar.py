"""Entries that say already what somebody is about to add."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ctx.errors import UsageError
from ctx.model import Entry
from ctx.sessions.promotion.near_duplicates import Twins
from ctx.text import similarity
from ctx.text.distinguishing_features import differ, particulars
from ctx.text.vector_space import TermSpace


class Held(NamedTuple):
    """An entry that is there."""

    id: str
    title: str
    text: str
    """What it says beside its title; empty for an item of a list."""


class Similar(NamedTuple):
    """An entry that a new one repeats."""

    id: str
    title: str
    how: str
    """``title``, ``words`` or ``meaning``: what is alike."""
    likeness: float
    """In [0, 1]."""


class RepeatsError(UsageError):
    """A new entry that says what others say."""

    def __init__(self, similar: Sequence[Similar]) -> None:
        """Name what is repeated."""
        names = ", ".join(
            f"{one.id} “{one.title}” ({one.how} {one.likeness:.2f})" for one in similar
        )
        super().__init__(f"nothing was added: it repeats {names}", "--force adds it all the same")
        self.similar = tuple(similar)


def similar(title: str, text: str, held: Sequence[Held]) -> list[Similar]:
    """Return what of ``held`` says the same: by title, or by its text where there is one.

    Nothing that differs in what it denies, counts, names or swaps. The most alike first.
    """
    found = {one.id: one for one in same_title(title, held)}
    told = [one for one in held if one.text.strip()]
    if text.strip() and told:
        twins = Twins([(one.id, one.text) for one in told], [text], TermSpace())
        twin = twins.of(0)
        if twin and twin.id not in found:
            name = next(one.title for one in told if one.id == twin.id)
            found[twin.id] = Similar(twin.id, name, twin.how, twin.likeness)
    return sorted(found.values(), key=lambda one: -one.likeness)


def same_title(title: str, held: Iterable[Held]) -> list[Similar]:
    """Return what of ``held`` has the same title, in other words or in another order of them."""
    own = particulars(title)
    found = []
    for one in held:
        likeness = similarity.titles(title, one.title)
        if likeness and (title == one.title or not differ(own, particulars(one.title))):
            found.append(Similar(one.id, one.title, "title", likeness / 100))
    return found


def held_of(entries: Iterable[Entry], old: str = "") -> Iterator[Held]:
    """Yield the entries that can be repeated: all but closed ones and the ``old`` one."""
    for entry in entries:
        if entry.id != old and entry.status not in ("done", "skipped", "superseded"):
            yield Held(
                entry.id,
                entry.title,
                similarity.without_labels(entry.body)
                if entry.kind in ("decision", "learning")
                else "",
            )
