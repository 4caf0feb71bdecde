"""A remembered file, opened: its entries, and their bodies and terms on demand.

Columns instead of rows, and bodies and terms by offset, so that 50,000 remembered
entries load in a fraction of a second and the text of those not said is never touched.
This module is all that an unchanged file needs; parsing is in ``record``.
"""

from __future__ import annotations

import json
from array import array
from typing import TYPE_CHECKING

from ctx.model import Entry, ForgottenError, Front

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctx.model import Kept

_GONE = ("superseded", "deprecated")


class Columns:
    """The entries of one file, and where their bodies and terms are."""

    def __init__(self, path: str, kept: Kept, text: Callable[[], str]) -> None:
        """Open ``kept``; ``text`` fetches all bodies when the first one is asked for.

        Raises ValueError, KeyError, TypeError or IndexError where ``kept`` is not of this form.
        """
        self.path = path
        self.digest = kept.digest
        self.chunks = kept.chunks
        self._load = text
        self._loaded: str | None = None
        cards = json.loads(kept.cards)
        self.columns: list[list[object]] = cards["columns"]
        self._bodies: list[int] = cards["bodies"]
        self._term_ends: list[int] = cards["terms"]
        self._terms = array("Q", kept.terms)
        self.warnings: tuple[str, ...] = tuple(cards["warnings"])
        self.front = _front(cards["front"])
        self._check()

    def _check(self) -> None:
        rows = len(self.columns[0]) if self.columns else 0
        shape = {len(column) for column in self.columns} - {rows}
        ends = (len(self._bodies), len(self._term_ends))
        if shape or ends != (rows + 1, rows + 1) or self._term_ends[-1] != len(self._terms):
            raise ValueError(f"{self.path}: remembered columns do not fit together")

    def body(self, place: int) -> str:
        """Return the body of the entry at ``place``; ForgottenError where it is lost."""
        if self._loaded is None:
            self._loaded = self._load()
            if len(self._loaded) != self._bodies[-1]:
                raise ForgottenError(f"{self.path}: remembered text does not fit its offsets")
        return self._loaded[self._bodies[place] : self._bodies[place + 1]]

    def terms(self, place: int) -> Sequence[int]:
        """Return the hashed terms of the entry at ``place``."""
        return self._terms[self._term_ends[place] : self._term_ends[place + 1]]

    def entries(self) -> tuple[Entry, ...]:
        """Return the file's entries in file order."""
        path, front = self.path, self.front
        gone = front.status in _GONE
        # The order of the columns is that of ``record.Row``.
        return tuple(
            Entry(
                f"{path}#{anchor}", kind, tier, title, path, line + 1, end_line + 1, timestamp,
                "superseded" if gone else status, priority, group, lead,
                supersedes, size, title_size, front, self, place,
            )
            for place, (
                anchor, kind, tier, title, line, end_line, timestamp,
                status, priority, group, lead, supersedes, size, title_size,
            ) in enumerate(zip(*self.columns, strict=True))
        )  # fmt: skip


def _front(fields: list[object]) -> Front:
    front = Front._make(fields)
    return front._replace(
        tags=tuple(front.tags), aliases=tuple(front.aliases), related=tuple(front.related)
    )
