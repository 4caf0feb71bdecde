"""What compaction leaves alone at the end of each session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.errors import FileError
from ctx.read.files import RefusedError
from ctx.read.sessions import FOLDER
from ctx.read.transcripts import stored
from ctx.sessions import compaction
from ctx.text import tokens

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from ctx.config import Settings


def tails(state: str, settings: Settings) -> Mapping[str, compaction.Tail]:
    """Return the tail of every stored session by the name of its file.

    Of the newest one, and of those that do not tell their time, as many turns as a packet may
    say word for word: somebody may go on there. Of older ones only the last ``tail_turns``.
    Raises FileError where the folder cannot be read.
    """
    try:
        ends = {name: _ended(state, name) for name in stored.names(state)}
    except OSError as error:
        raise FileError(f"{state}/{FOLDER}: cannot be read: {error.strerror}") from error
    last = max(filter(None, ends.values()), default=None)
    whole = int(settings.tail_share * settings.budget)
    counter = tokens.counter(settings.tokenizer)
    return {
        name: compaction.Tail(settings.tail_turns, whole if end in (None, last) else 0, counter)
        for name, end in ends.items()
    }


def _ended(state: str, name: str) -> datetime | None:
    try:
        return stored.ended(state, name)
    except (RefusedError, OSError):
        return None  # who compacts it is told why
