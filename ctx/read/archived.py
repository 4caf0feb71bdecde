"""The files of ``archive/`` as entries: superseded, and still found by searches."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctx.read.columns import Excerpt

if TYPE_CHECKING:
    from ctx.model import Entry, Part

KINDS = ("tasks", "decisions", "learnings")
"""Kinds of files from which entries are archived."""
_BY_CTX = re.compile(r"archive/(?:decisions|learnings)-\d{4}-\d{2}-\d{2}\.md")
"""Archives that ``ctx archive`` writes: all entries in them are superseded."""


def kind_of(name: str) -> str:
    """Return the one of ``KINDS`` that the file ``name`` of an archive holds; empty for others."""
    stem = name.lower().removesuffix(".md")
    return next((kind for kind in KINDS if stem == kind or stem.startswith(f"{kind}-")), "")


class Archived(Excerpt):
    """The entries of an archive: superseded, and still found by searches."""

    def __init__(self, part: Part) -> None:
        """Show all entries of ``part``."""
        super().__init__(part, range(len(part)), part.kind)

    @property
    def superseded(self) -> set[int]:
        """Empty: searches of an archive want superseded entries."""
        return set()

    def entry(self, place: int) -> Entry:
        """Return the entry at ``place``, with its status where it is superseded."""
        entry = super().entry(place)
        gone = place in self._part.superseded or _BY_CTX.fullmatch(self.source)
        return entry._replace(status="superseded") if gone else entry
