"""A turn of a session, as transcripts tell it and as it is stored."""

# No `from __future__ import annotations` here: see ``nouns``.

from collections.abc import Mapping
from typing import NamedTuple


class Turn(NamedTuple):
    """One message of a session, as it is stored: a line of JSON."""

    id: str
    """Unique within its session."""
    session: str
    ts: str
    """ISO 8601 as written, empty where the transcript does not say."""
    role: str
    """``user``, ``assistant`` or ``tool``."""
    text: str
    speaker: str = ""
    """A name, where more than one person has the same role."""
    bundle: str = ""
    """Turns of a session that share this name belong together."""
    extra: Mapping[str, object] = {}
    """Fields that ctx does not know, kept as they were."""
