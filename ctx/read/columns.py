"""A remembered file, opened: entries by place, their bodies and terms on demand.

Columns instead of rows, and bodies by offset, so that 50,000 remembered entries load in a
fraction of a second and the text of those not said is never touched. This module is all
that an unchanged file needs; parsing is in ``record``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ctx.model import Entry, ForgottenError, Front
from ctx.read.postings import Postings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ctx.model import Kept, Kind

_GONE = ("superseded", "deprecated")


class Columns:
    """The entries of one file, and where their bodies and terms are."""

    def __init__(self, path: str, kept: Kept, text: Callable[[], bytes]) -> None:
        """Open ``kept``; ``text`` fetches all bodies when the first one is asked for.

        Raises ValueError, KeyError, TypeError or IndexError where ``kept`` is not of this form.
        """
        self.path = path
        self.digest = kept.digest
        self.chunks = kept.chunks
        cards: dict[str, Any] = json.loads(kept.cards)
        self.warnings: tuple[str, ...] = tuple(cards["warnings"])
        self.front = _front(cards["front"])
        self.kind: Kind = cards["kind"]
        self._bodies: list[int] = cards["bodies"]
        self._rows = len(self._bodies) - 1
        columns = cards["columns"]
        self._anchors: list[str] = self._whole(columns["anchor"])
        self._lines: list[int] = self._whole(columns["line"])
        self._end_lines: list[int] = self._whole(columns["end_line"])
        self.titles: list[str] = self._whole(columns["title"])
        self.timestamps: list[str] = self._whole(columns["timestamp"])
        self.sizes: list[int] = self._whole(columns["size"])
        self._title_sizes: list[int] = self._whole(columns["title_size"])
        self._sparse: dict[str, dict[str, Any]] = cards["sparse"]
        self.gone: set[int] = {
            int(place) for place, status in self._sparse["status"].items() if status == "superseded"
        }
        if self.front.status in _GONE:
            self.gone.update(range(self._rows))
        self._postings = Postings(kept.terms)
        if self._postings.entries != self._rows:
            raise ValueError(f"{path}: remembered postings are of other entries")
        self._load = text
        self._loaded: bytes | None = None
        self._terms: list[list[int]] | None = None

    def _whole(self, column: list[Any]) -> list[Any]:
        if len(column) != self._rows:
            raise ValueError(f"{self.path}: remembered columns do not fit together")
        return column

    def __len__(self) -> int:
        """Return the number of entries."""
        return self._rows

    def holding(self, terms: Iterable[int]) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield each of ``terms`` that is held, and the places of its entries, in order."""
        return self._postings.holding(terms)

    def body(self, place: int) -> str:
        """Return the body of the entry at ``place``; ForgottenError where it is lost."""
        if self._loaded is None:
            self._loaded = self._load()
            if len(self._loaded) != self._bodies[-1]:
                raise ForgottenError(f"{self.path}: remembered text does not fit its offsets")
        return self._loaded[self._bodies[place] : self._bodies[place + 1]].decode()

    def terms(self, place: int) -> Sequence[int]:
        """Return the hashed terms of the entry at ``place``."""
        if self._terms is None:
            self._terms = self._postings.by_place()
        return self._terms[place]

    def instructing(self) -> list[int]:
        """Return the places of entries that are hard or soft."""
        return sorted(map(int, self._sparse["tier"]))

    def bundles(self) -> dict[int, str]:
        """Return the bundles that turns belong to, by place, where they belong to one."""
        return {int(place): bundle for place, bundle in self._sparse["bundle"].items()}

    def distinguish(self, taken: set[str]) -> None:
        """Tell apart entries of one name, also from ``taken`` names, and add all to those.

        A name that is taken gets the number of its line: one that no growth of the file moves.
        """
        own = set(self._anchors)
        if len(own) == len(self._anchors) and taken.isdisjoint(own):
            taken |= own
            return
        for place, name in enumerate(self._anchors):
            free = name if name not in taken else f"{name}~l{self._lines[place] + 1}"
            while free in taken:
                free += "~"
            taken.add(free)
            self._anchors[place] = free

    def claims(self) -> dict[int, str]:
        """Return what entries say they supersede, by place."""
        return {int(place): text for place, text in self._sparse["supersedes"].items()}

    def id_of(self, place: int) -> str:
        """Return the id of the entry at ``place``."""
        return f"{self.path}#{self._anchors[place]}"

    def own_status(self, place: int) -> str:
        """Return the status that the entry at ``place`` gives itself."""
        status: str = self._sparse["status"].get(str(place), "")
        return status

    def entry(self, place: int) -> Entry:
        """Return the entry at ``place``."""
        key, sparse = str(place), self._sparse
        status = "superseded" if place in self.gone else self.own_status(place)
        tier = sparse["tier"].get(key, "variant")
        return Entry(
            id=self.id_of(place),
            kind="lore" if self.kind == "rule" and tier == "variant" else self.kind,
            tier=tier,
            title=self.titles[place],
            source=self.path,
            line=self._lines[place] + 1,
            end_line=self._end_lines[place] + 1,
            timestamp=self.timestamps[place],
            status=status,
            priority=sparse["priority"].get(key, 0),
            group=sparse["group"].get(key, ""),
            lead=sparse["lead"].get(key, ""),
            supersedes=sparse["supersedes"].get(key, ""),
            size=self.sizes[place],
            title_size=self._title_sizes[place],
            front=self.front,
            content=self,
            place=place,
            modality=sparse["modality"].get(key, ""),
            speaker=sparse["speaker"].get(key, ""),
            bundle=sparse["bundle"].get(key, ""),
        )


def _front(fields: list[Any]) -> Front:
    front = Front._make(fields)
    return front._replace(
        tags=tuple(front.tags), aliases=tuple(front.aliases), related=tuple(front.related)
    )
