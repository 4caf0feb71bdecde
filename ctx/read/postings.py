"""Which entries of a file hold which terms: sorted terms, and the places of each.

Stored as three runs of numbers, so that opening them copies nothing and looking a term up
is a binary search; nothing is built for terms that nobody asks for.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_COUNT_BYTES = 8
_Typecode = Literal["Q", "I", "H"]
_SHORT: _Typecode = "H"
_LONG: _Typecode = "I"
"""Numbers of places, by how many entries there are."""
_SHORT_LIMIT = 1 << 16


def pack(entries: Sequence[Iterable[int]]) -> bytes:
    """Return the postings of entries, given the terms of each in order of place."""
    places: dict[int, list[int]] = {}
    for place, terms in enumerate(entries):
        for term in terms:
            places.setdefault(term, []).append(place)
    terms = array("Q", sorted(places))
    ends = array("I")
    listed = array(_typecode(len(entries)))
    for term in terms:
        listed.extend(places[term])
        ends.append(len(listed))
    counts = (len(counted).to_bytes(_COUNT_BYTES, "little") for counted in (terms, entries))
    return b"".join((*counts, *map(_bytes, (terms, ends, listed))))


def _typecode(entries: int) -> _Typecode:
    return _SHORT if entries < _SHORT_LIMIT else _LONG


def _bytes(numbers: array[int]) -> bytes:
    if sys.byteorder == "big":
        numbers = array(numbers.typecode, numbers)
        numbers.byteswap()
    return numbers.tobytes()


class Postings:
    """The packed postings of one file, opened."""

    def __init__(self, packed: bytes) -> None:
        """Open what ``pack`` returned; ValueError or TypeError where it is not of that form."""
        count = int.from_bytes(packed[:_COUNT_BYTES], "little")
        self.entries = int.from_bytes(packed[_COUNT_BYTES : 2 * _COUNT_BYTES], "little")
        at = 2 * _COUNT_BYTES + count * 8
        data = memoryview(packed)
        self._terms = _numbers("Q", data[2 * _COUNT_BYTES : at])
        self._ends = _numbers("I", data[at : at + count * 4])
        self._places = _numbers(_typecode(self.entries), data[at + count * 4 :])
        last = self._ends[-1] if count else 0
        if len(self._terms) != count or len(self._ends) != count or last != len(self._places):
            raise ValueError("remembered postings do not fit together")

    def holding(self, wanted: Iterable[int]) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield each of the ``wanted`` terms that is held, and the places of its entries."""
        terms, ends, places, count = self._terms, self._ends, self._places, len(self._terms)
        for term in wanted:
            at = bisect_left(terms, term)
            if at < count and terms[at] == term:
                yield term, places[ends[at - 1] if at else 0 : ends[at]]

    def by_place(self) -> list[list[int]]:
        """Return the terms of each entry."""
        found: list[list[int]] = [[] for _ in range(self.entries)]
        start = 0
        for term, end in zip(self._terms, self._ends, strict=True):
            for place in self._places[start:end]:
                found[place].append(term)
            start = end
        return found


def _numbers(typecode: _Typecode, data: memoryview) -> Sequence[int]:
    if sys.byteorder == "little":
        return data.cast(typecode)
    numbers = array(typecode, data.tobytes())
    numbers.byteswap()
    return numbers
