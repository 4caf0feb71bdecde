"""What one pass through a session's file finds."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ctx.digest import blake2b


def digest(*parts: str) -> bytes:
    """Return the digest of these texts in this order, 16 bytes."""
    made = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        made.update(b"%d:" % len(data))
        made.update(data)
    return made.digest()


class Place(NamedTuple):
    """A turn, identified by its line, and the number of turns before it."""

    line: int
    turns: int  # turns of the session before it
    open: int  # of these, the ones that are to be summarised


class _Bundle(NamedTuple):
    first: Place
    last: int  # line of its last turn
    start: int  # line of its first turn that is to be summarised; 0 where none is
    stop: int  # line of the last one


Span = tuple[int, int, Place]  # first and last line, and the place of the first bundle in it


class Survey:
    """Bundles and rules of a session, in the order of its lines."""

    def __init__(self) -> None:
        self.rules: list[int] = []  # lines of turns in which a user gave a rule, rising
        self._bundles: dict[bytes, _Bundle] = {}
        self._spans: list[Span] = []
        self._pending: list[Span] = []

    def bundle(self, name: str, place: Place, *, pending: bool) -> None:
        """Record that a turn, which may be ``pending``, is in a bundle; places rise."""
        key = digest(name)
        first, _, start, stop = self._bundles.get(key, _Bundle(place, 0, 0, 0))
        if pending:
            start, stop = start or place.line, place.line
        self._bundles[key] = _Bundle(first, place.line, start, stop)

    def join(self) -> None:
        """Join bundles that share a turn's place: from now on they are queried as spans.

        A cut before a line splits one if first < line <= last. Those that share a cut act as
        one.
        """
        bundles = self._bundles.values()
        self._spans = _merged((one.first.line, one.last, one.first) for one in bundles)
        self._pending = _merged(sorted((one.start, one.stop, one.first) for one in bundles))
        self._bundles = {}

    def back(self, place: Place) -> Place:
        """Return ``place``, or the nearest one before it where a cut splits no bundle."""
        at = bisect_left(self._spans, (place.line,)) - 1
        is_split = at >= 0 and place.line <= self._spans[at][1]
        return self._spans[at][2] if is_split else place

    def pending(self, first: int, last: int) -> Sequence[Span]:
        """Return the bundles to be summarised that meet these lines, joined as spans, rising."""
        return [span for span in self._pending if span[0] <= last and span[1] >= first]


def _merged(rising: Iterable[Span]) -> list[Span]:
    """Return the spans of more than one line, joined where they meet."""
    spans: list[Span] = []
    for first, last, place in rising:
        if last == first:
            continue
        if spans and first <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], last), spans[-1][2])
        else:
            spans.append((first, last, place))
    return spans
