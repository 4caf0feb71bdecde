"""What a session has received, so that a later call need not send it again."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

from collections.abc import Mapping
from typing import NamedTuple

from ctx.digest import blake2b
from ctx.model.entries import LEVELS, Level


class Delivered(NamedTuple):
    """One entry that was sent to a session, and its level then.

    A session that received an entry in full has received its key lines and its title, too. Their
    digests are kept beside that of the full text: an edit of one may leave the others as they are.
    """

    id: str
    """``Entry.id``."""
    level: Level
    digest: str
    """16 hex digits of the text at that level (``digest_of``)."""
    size: int
    """Tokens that it cost, 0 or more."""
    benefit: float
    """The last known, in [0, 1]."""
    sent: float
    """When it was last sent or asked for, in seconds since the epoch."""
    uses: int = 1
    """Packets that included it, 1 or more."""
    pinned: bool = False
    """Whether it must stay, beyond the limit if need be."""
    key_digest: str = ""
    """Of the text at ``key``, where it was sent at ``full``; empty where it was not computed: then
    the entry is sent once more."""
    title_digest: str = ""
    """Of its title, where it was sent at ``full`` or ``key``; empty likewise."""

    def digest_at(self, level: Level) -> str:
        """Return the digest of what the session has received at ``level``; empty for nothing."""
        if level == self.level:
            return self.digest
        if LEVELS.index(level) < LEVELS.index(self.level):
            return ""  # less than that was sent
        return self.key_digest if level == "key" else self.title_digest


NEVER = "0" * 16
"""The digest of what a session does not have (any more), though its uses are recorded."""


class Memory(NamedTuple):
    """What one session has received."""

    session: str
    items: Mapping[str, Delivered] = {}
    """By entry id."""
    evictions: int = 0
    """Items forgotten since the session began."""
    secrets: bool = False
    """Whether secrets were sent: then an id may hold one."""


class Revoked(NamedTuple):
    """An entry that a session received and that does not hold any more."""

    id: str
    title: str
    """With its date; empty where no file holds it any more."""
    why: str
    """``removed``, ``done``, ``skipped``, ``superseded`` or ``changed``."""


class KVPolicy(NamedTuple):
    """What the session may do with what it received: ids of entries, each in one list at most."""

    pin: tuple[str, ...] = ()
    """To be kept in memory."""
    compress: tuple[str, ...] = ()
    """May be shortened: long, and of medium benefit."""
    evict: tuple[str, ...] = ()
    """May be forgotten."""


def digest_of(text: str) -> str:
    """Return a digest of ``text``, 16 hex digits, the same on every machine."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
