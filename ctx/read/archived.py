"""The files of ``archive/`` as entries: out of date, and found all the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctx.read.excerpt import Excerpt

if TYPE_CHECKING:
    from ctx.model import Entry, Part

KINDS = ("tasks", "decisions", "learnings")
"""Kinds of files from which entries are archived."""
_BY_CTX = re.compile(r"archive/(?:decisions|learnings)-\d{4}-\d{2}-\d{2}\.md")
"""Archives that ``ctx archive`` writes: what is in them is out of date."""


def kind_of(name: str) -> str:
    """Return what the file ``name`` of an archive holds, one of ``KINDS``; empty for others."""
    stem = name.lower().removesuffix(".md")
    return next((kind for kind in KINDS if stem == kind or stem.startswith(f"{kind}-")), "")


class Archived(Excerpt):
    """The entries of an archive: out of date, and found all the same."""

    def __init__(self, part: Part) -> None:
        """Show all entries of ``part``."""
        super().__init__(part, range(len(part)), part.kind)

    @property
    def gone(self) -> set[int]:
        """Nothing: who looks into an archive looks for that."""
        return set()

    def entry(self, place: int) -> Entry:
        """Return the entry at ``place``, which says that it is out of date where it is."""
        entry = super().entry(place)
        gone = place in self._part.gone or _BY_CTX.fullmatch(self.source)
        return entry._replace(status="superseded") if gone else entry
