"""The lines of a file of summaries as entries, and what they cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.digest import blake2b
from ctx.model import Summary
from ctx.read.card import Card, title_of
from ctx.read.compactions import Declined, Elevated, Run, record
from ctx.read.record import Piece, row_of
from ctx.read.redaction import Held, hold, summed_up
from ctx.read.transcripts.lines import parse
from ctx.read.turns import Unread, named, plain, stamp
from ctx.text.secrets import mask
from ctx.text.words import term_ids

if TYPE_CHECKING:
    from ctx.read.compactions import Edge, Record
    from ctx.text.secrets import Secret


def piece(
    data: bytes, first: int, *, held_back: bool = True
) -> tuple[Piece, list[Edge], Unread | None, Held | None]:
    """Return summaries in the lines of ``data``, edges, what is unread, and what is held back.

    ``first`` is the line of the file, counted from 0, where ``data`` begins. Names of turns are
    without secrets where those of the turns are.
    """
    cards: list[Card] = []
    edges: list[Edge] = []
    unread: Unread | None = None
    held: list[Held] = []
    for number, line in enumerate(data.split(b"\n")):
        if not line.strip():
            continue
        try:
            one = record(parse(line)[0])
        except ValueError as error:
            new = Unread(first + number + 1, mask(str(error)) if held_back else str(error), 1)
            unread = unread._replace(lines=unread.lines + 1) if unread else new
            continue
        if held_back:
            one, found = _without_secrets(one)
            held += [
                Held(first + number + 1, secrets[0].kind, len(secrets)) for _, secrets in found
            ]
        edges.append(_edge(one))
        if isinstance(one, Summary):
            cards.append(_card(one, number))
    read = Piece(
        blake2b(data, digest_size=12).hexdigest(),
        tuple(map(row_of, cards)),
        tuple(card.body for card in cards),
        tuple(term_ids(card.body) for card in cards),
    )
    return read, edges, unread, summed_up(held)


def _without_secrets(one: Record) -> tuple[Record, list[tuple[int, list[Secret]]]]:
    """Return a record without its secrets, and those that were in it."""
    match one:
        case Run():
            return one, []
        case Elevated():
            texts = [one.turn]
            found = hold(texts)
            return one._replace(turn=texts[0]), found
        case Declined():
            texts = list(one.sources)
            found = hold(texts)
            return one._replace(sources=tuple(texts)), found
        case _:
            texts = [one.text, *one.sources]
            found = hold(texts)
            return one._replace(text=texts[0], sources=tuple(texts[1:])), found


def _card(one: Summary, number: int) -> Card:
    text = plain(one.text)
    return Card(
        one.id, "variant", f"{one.turns:,} turn{'' if one.turns == 1 else 's'} in short: "
        f"{title_of(text.strip())}", number, number, text,
        timestamp=stamp(one.latest), confidence=one.confidence, covers=one.turns,
    )  # fmt: skip


def _edge(one: Record) -> Edge:
    """Return a record as far as it covers, the turns of a summary told by the last of them."""
    match one:
        case Run():
            return ["run", one.start, one.end]
        case Elevated():
            return ["elevated", one.line, named(one.turn) or f"line-{one.line}"]
        case Declined():
            return ["declined", one.level, one.lines, one.sources, one.turns]
        case _:
            fits = one.level > 1 or len(one.sources) == one.turns
            sources = one.sources if one.level > 1 else [named(one.sources[-1])]
            return ["summary", one.id, one.level, one.lines, sources, one.turns if fits else 0]
