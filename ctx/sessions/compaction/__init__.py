"""Compaction: the turns of a session become clusters, and each cluster a summary.

    sessions/x.jsonl --look--> run --clusters--> summaries --> sessions/summaries/x.jsonl

Two passes through the session's file, each with a memory that does not grow with it: the first
finds the tail, the rules and the bundles, the second summarises. A run is written before its
clusters and fixes them, so that an interrupted one is continued, not repeated.
"""

from collections.abc import Generator
from typing import NamedTuple

from ctx.model import Summary
from ctx.read.lineage import Declined, Elevated, Lineage
from ctx.read.transcripts import stored
from ctx.sessions.compaction.look import Look, Tail
from ctx.sessions.compaction.making import Dry, Maker, Means, Silenced
from ctx.sessions.compaction.runs import Asked, Began, Event, Work
from ctx.sessions.summaries import Journal, is_torn
from ctx.sessions.survey import Survey

__all__ = [
    "Asked", "Began", "Declined", "Elevated", "Look", "Means", "Mended", "Planned", "Silenced",
    "Summary", "Tail", "compact", "look", "plan",
]  # fmt: skip


class Mended(NamedTuple):
    """The file of summaries was torn by an interruption, and is whole again."""

    what: str


class Planned(NamedTuple):
    """What a compaction would do."""

    look: Look
    turns: int
    """Turns that would be summarised."""
    clusters: int
    elevated: int


def compact(
    state: str, name: str, asked: Asked, means: Means
) -> Generator[Event | Mended, None, None]:
    """Compact the session in the file ``name``, yielding what was found and then each record.

    A record is yielded when it is written. Raises FileError, OSError and RefusedError if a file
    cannot be read or written, or another process compacts this session, EmbeddingError if the
    vector space fails: what was written before stays, and the next call goes on.
    """
    with Survey() as found:
        work = Work(state, name, asked, found)
        seen = work.look()
        yield seen
        if not (seen.melts or work.unfinished or is_torn(state, name)):
            return
    # Files are made only now; changes of another process meanwhile are seen under its lock.
    with Journal(state, name) as journal, Survey() as found:
        yield from map(Mended, journal.remarks)
        work = Work(state, name, asked, found, journal.add)
        session = stored.identity(state, name)
        yield from work.all(Maker(session, work.lineage, means))
        journal.settle()


def plan(state: str, name: str, asked: Asked) -> Planned:
    """Return what ``compact`` would do; raises likewise, and writes nothing."""
    with Survey() as found:
        work = Work(state, name, asked, found)
        seen = work.look()
        turns = pieces = rules = 0
        for record in work.all(Dry()):
            if isinstance(record, Elevated):
                rules += 1
            elif isinstance(record, Declined) and record.level == 1:
                turns, pieces = turns + record.turns, pieces + 1
    return Planned(seen, turns, pieces, rules)


def look(state: str, name: str, asked: Asked) -> tuple[Look, Lineage]:
    """Return the state of a session; rules among new turns count as turns to summarise."""
    with Survey() as found:
        work = Work(state, name, asked, found)
        return work.look(), work.lineage
