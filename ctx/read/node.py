"""What an authored document consists of: nodes of whole lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ctx.model import Modality, Tier


class Node(NamedTuple):
    """A leaf of the document, in source order."""

    tier: Tier
    kind: str
    """``item``, ``paragraph``, ``quote``, ``heading``, ``code``, ``html``, ``table``,
    ``frontmatter``, ``comment``, ``divider`` or ``definition`` (of a link)."""
    start: int
    """First line, counted from 0; not blank."""
    end: int
    """One past the last line that is not blank."""
    group: str = ""
    """The text of the heading it stands under."""
    lead: str = ""
    """An item's introduction, which is a node of its own."""
    modality: Modality | str = ""
    introduces: bool = False
    """Whether it is the introduction of the list that follows, said with each of its items."""
