"""The lines of a file of summaries as entries, and what they cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.digest import blake2b
from ctx.model import Summary
from ctx.read.card import Card, title_of
from ctx.read.compactions import Declined, Elevated, Run, record
from ctx.read.record import Piece, piece_of
from ctx.read.redaction import Redacted, redact, summed_up
from ctx.read.turns import Unread, named, plain, read_lines, stamp

if TYPE_CHECKING:
    from ctx.read.compactions import Edge, Record
    from ctx.text.secrets import Secret


def piece(
    data: bytes, first: int, *, held_back: bool = True
) -> tuple[Piece, list[Edge], Unread | None, Redacted | None]:
    """Return summaries in the lines of ``data``, edges, what is unread, and what was redacted.

    ``first`` is the line of the file, counted from 0, where ``data`` begins. Secrets in names of
    turns are redacted as in the session.
    """
    cards: list[Card] = []
    edges: list[Edge] = []
    redacted: list[Redacted] = []
    records, unread = read_lines(data, first, record, held_back=held_back)
    for number, original in records:
        entry, found = _without_secrets(original) if held_back else (original, [])
        redacted += [
            Redacted(first + number + 1, secrets[0].kind, len(secrets)) for _, secrets in found
        ]
        edges.append(_edge(entry))
        if isinstance(entry, Summary):
            cards.append(_card(entry, number))
    digest = blake2b(data, digest_size=12).hexdigest()
    read = piece_of(digest, cards, [card.body for card in cards])
    return read, edges, unread, summed_up(redacted)


def _without_secrets(entry: Record) -> tuple[Record, list[tuple[int, list[Secret]]]]:
    """Return a record without its secrets, and the secrets."""
    match entry:
        case Run():
            return entry, []
        case Elevated():
            texts = [entry.turn]
            found = redact(texts)
            return entry._replace(turn=texts[0]), found
        case Declined():
            texts = list(entry.sources)
            found = redact(texts)
            return entry._replace(sources=tuple(texts)), found
        case _:
            texts = [entry.text, *entry.sources]
            found = redact(texts)
            return entry._replace(text=texts[0], sources=tuple(texts[1:])), found


def _card(summary: Summary, number: int) -> Card:
    text = plain(summary.text)
    return Card(
        summary.id, "variant",
        f"{summary.turns:,} turn{'' if summary.turns == 1 else 's'} in short: "
        f"{title_of(text.strip())}", number, number, text,
        timestamp=stamp(summary.latest), confidence=summary.confidence, covers=summary.turns,
    )  # fmt: skip


def _edge(entry: Record) -> Edge:
    """Return what a record covers; the last turn stands for all turns of a summary."""
    match entry:
        case Run():
            return ["run", entry.start, entry.end]
        case Elevated():
            return ["elevated", entry.line, named(entry.turn) or f"line-{entry.line}"]
        case Declined():
            return ["declined", entry.level, entry.lines, entry.sources, entry.turns]
        case _:
            fits = entry.level > 1 or len(entry.sources) == entry.turns
            sources = entry.sources if entry.level > 1 else [named(entry.sources[-1])]
            turns = entry.turns if fits else 0
            return ["summary", entry.id, entry.level, entry.lines, sources, turns]
