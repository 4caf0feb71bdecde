"""What a session has been told, so that a later call need not say it again."""

# No `from __future__ import annotations` here: see ``nouns``.

from collections.abc import Mapping
from typing import NamedTuple

from ctx.model.entries import LEVELS, Level


class Known(NamedTuple):
    """One entry that a session was told, at the level it was told at.

    Whoever heard an entry whole has heard its key lines and its title, too. The digests of
    those are kept beside that of the whole, since an edit of the one may leave the other true.
    """

    id: str
    """``Entry.id``."""
    level: Level
    digest: str
    """16 hex digits of what was said at that level (``digest_of``)."""
    size: int
    """Tokens that it cost, 0 or more."""
    benefit: float
    """The last known, in [0, 1]."""
    told: float
    """When it was last said or asked for, in seconds since the epoch."""
    uses: int = 1
    """Packets that held it, 1 or more."""
    pinned: bool = False
    """Whether it must stay, beyond the limit if need be."""
    key_digest: str = ""
    """Of what would have been said at ``key``, where it was said at ``full``; empty where
    nobody worked it out, which costs a repetition."""
    title_digest: str = ""
    """Of its title, where it was said at ``full`` or ``key``; empty likewise."""

    def digest_at(self, level: Level) -> str:
        """Return the digest of what the session knows at ``level``; empty where nothing."""
        if level == self.level:
            return self.digest
        if LEVELS.index(level) < LEVELS.index(self.level):
            return ""  # it was told less than that
        return self.key_digest if level == "key" else self.title_digest


NEVER = "0" * 16
"""The digest of what a session does not know (any more), though its uses are remembered."""


class Memory(NamedTuple):
    """What one session knows."""

    session: str
    items: Mapping[str, Known] = {}
    """By entry id."""
    evictions: int = 0
    """Items forgotten so far, since the session began."""
    secrets: bool = False
    """Whether secrets were said: then an id may hold one."""


class Gone(NamedTuple):
    """What a session was told and is not so any more."""

    id: str
    """Of the entry."""
    title: str
    """With its date; empty where no file says it any more."""
    why: str
    """``removed``, ``done``, ``skipped``, ``superseded`` or ``changed``."""


class KVPolicy(NamedTuple):
    """What to do with what was said: entry ids, each in one of the lists at most."""

    pin: tuple[str, ...] = ()
    """To be kept in memory."""
    compress: tuple[str, ...] = ()
    """May be said shorter: long, and of medium benefit."""
    evict: tuple[str, ...] = ()
    """May be forgotten."""


def digest_of(text: str) -> str:
    """Return 16 hex digits that stand for ``text``, in every process and on every machine."""
    from ctx.digest import blake2b

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
