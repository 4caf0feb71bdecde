"""Which entries of a file hold which terms: sorted terms, and the places of each.

Stored as three runs of numbers, so that loading copies memory and looking a term up is a
binary search; nothing is built for terms that nobody asks for.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NONE: Sequence[int] = ()
_COUNT_BYTES = 8


def pack(entries: Iterable[Iterable[int]]) -> bytes:
    """Return the postings of entries, given the terms of each in order of place."""
    places: dict[int, list[int]] = {}
    for place, terms in enumerate(entries):
        for term in terms:
            places.setdefault(term, []).append(place)
    terms = array("Q", sorted(places))
    ends = array("I")
    listed = array("I")
    for term in terms:
        listed.extend(places[term])
        ends.append(len(listed))
    return b"".join(
        (len(terms).to_bytes(_COUNT_BYTES, "little"), *map(_bytes, (terms, ends, listed)))
    )


def _bytes(numbers: array[int]) -> bytes:
    if sys.byteorder == "big":
        numbers = array(numbers.typecode, numbers)
        numbers.byteswap()
    return numbers.tobytes()


class Postings:
    """The packed postings of one file, opened."""

    def __init__(self, packed: bytes) -> None:
        """Open what ``pack`` returned; ValueError where it is not of that form."""
        count = int.from_bytes(packed[:_COUNT_BYTES], "little")
        at = _COUNT_BYTES + count * 8
        self._terms = _numbers("Q", packed[_COUNT_BYTES:at])
        self._ends = _numbers("I", packed[at : at + count * 4])
        self._places = _numbers("I", packed[at + count * 4 :])
        last = self._ends[-1] if self._ends else 0
        if len(self._terms) != count or len(self._ends) != count or last != len(self._places):
            raise ValueError("remembered postings do not fit together")

    def holding(self, term: int) -> Sequence[int]:
        """Return the places of entries that hold ``term``, in order."""
        terms = self._terms
        at = bisect_left(terms, term)
        if at == len(terms) or terms[at] != term:
            return _NONE
        return self._places[self._ends[at - 1] if at else 0 : self._ends[at]]

    def by_place(self, entries: int) -> list[list[int]]:
        """Return the terms of each of ``entries`` entries."""
        found: list[list[int]] = [[] for _ in range(entries)]
        start = 0
        for term, end in zip(self._terms, self._ends, strict=True):
            for place in self._places[start:end]:
                found[place].append(term)
            start = end
        return found


def _numbers(typecode: str, data: bytes) -> array[int]:
    numbers = array(typecode, data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
