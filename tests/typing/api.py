"""A typed sample of the public API: mypy checks it, nothing runs it."""

from __future__ import annotations

from datetime import date
from typing import assert_type

from ctx.app.walk import assemble
from ctx.model import Counter, Library, Packet, ParseCache, Request, Verdict


class Words:
    """A counter of one's own: it only has to look like one."""

    name = "words"

    def count(self, text: str) -> int:
        """Count words."""
        return len(text.split())


def pack(counter: Counter, shelf: ParseCache, library: Library) -> str:
    """Ask for a packet with options of every type and read the answer."""
    request = Request(
        root="/project/.context",
        as_of=date(2026, 1, 31),
        budget=2000,
        format="json",
        explain=True,
    )
    packet = assemble(request, counter, shelf, library)
    assert_type(packet, Packet)
    assert_type(packet.tokens, int)
    assert_type(packet.verdicts, tuple[Verdict, ...])
    for verdict in packet.verdicts:
        assert_type(verdict.scored.entry.title, str)
        assert_type(verdict.scored.score, float)
    return packet.text


def pack_in_words(shelf: ParseCache, library: Library) -> str:
    """Hand in a counter that knows nothing of ctx."""
    return pack(Words(), shelf, library)
