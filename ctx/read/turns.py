"""The lines of a stored session as entries."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from typing import TYPE_CHECKING, NamedTuple

from ctx.digest import blake2b
from ctx.read.card import Card, title_of
from ctx.read.record import Piece, row_of
from ctx.read.redaction import Held, hold, summed_up
from ctx.read.transcripts.lines import parse
from ctx.read.transcripts.own import turn as turn_of
from ctx.text.secrets import mask
from ctx.text.visible import visible
from ctx.text.words import term_ids

if TYPE_CHECKING:
    from ctx.model import Turn

_STAMP = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?", re.ASCII)
_SPEAKER_CHARS = 30
_NO_NAME = re.compile(r"[^\w .'@-]|_(?=_)")
_ID_CHARS = 200
_FOREIGN = " in the repository"


class Unread(NamedTuple):
    """Lines that are no turns."""

    line: int
    """The first of them, counted from 1."""
    why: str
    """What is wrong with it."""
    lines: int
    """How many there are."""


def piece(
    data: bytes, first: int, *, held_back: bool = True, is_foreign: bool = False
) -> tuple[Piece, Unread | None, Held | None]:
    """Return the turns in the lines of ``data``, what cannot be read, and what is held back.

    ``first`` is the line of the file, counted from 0, where ``data`` begins. Terms are those
    of the speaker and the text. Secrets are ``held_back`` before anything is made of a turn. Who
    speaks in a file that ``is_foreign`` is nobody that the reader knows, and is named so.
    """
    if not first:
        data = data.removeprefix(BOM_UTF8)  # as editors write it
    turns: list[tuple[int, Turn]] = []
    unread: Unread | None = None
    for number, line in enumerate(data.split(b"\n")):
        if not line.strip():
            continue
        try:
            fields, _ = parse(line)
            turns.append((number, turn_of(fields)))
        except ValueError as error:
            new = Unread(first + number + 1, mask(str(error)) if held_back else str(error), 1)
            unread = unread._replace(lines=unread.lines + 1) if unread else new
    held = _held(turns, first) if held_back else None
    cards = [_card(turn, number, first, is_foreign=is_foreign) for number, turn in turns]
    read = Piece(
        blake2b(data, digest_size=12).hexdigest(),
        tuple(map(row_of, cards)),
        tuple(card.body for card in cards),
        tuple(term_ids(f"{card.speaker}\n{card.body}") for card in cards),
    )
    return read, unread, held


def _held(turns: list[tuple[int, Turn]], first: int) -> Held | None:
    """Put ``turns`` without the secrets in them; return what is held back."""
    texts = [text for _, turn in turns for text in (turn.text, turn.speaker, turn.id, turn.bundle)]
    found = hold(texts)
    each = len(texts) // len(turns) if turns else 1
    for at in dict.fromkeys(place // each for place, _ in found):
        number, turn = turns[at]
        text, speaker, name, bundle = texts[at * each : (at + 1) * each]
        turns[at] = number, turn._replace(text=text, speaker=speaker, id=name, bundle=bundle)
    return summed_up(
        Held(first + turns[at // each][0] + 1, secrets[0].kind, len(secrets))
        for at, secrets in found
    )


def _card(turn: Turn, number: int, first: int, *, is_foreign: bool) -> Card:
    text = plain(turn.text)
    speaker = f"{_name(turn.speaker) or turn.role}{_FOREIGN if is_foreign else ''}"
    anchor = named(turn.id) or f"line-{first + number + 1}"
    return Card(
        anchor, "variant", f"{speaker}: {title_of(text.strip())}", number, number, text,
        timestamp=stamp(turn.ts), speaker=speaker, bundle=_encodable(turn.bundle),
    )  # fmt: skip


def plain(text: str) -> str:
    """Return what was said as it is shown; lines end in a newline."""
    encodable = _encodable(text).replace("\r\n", "\n").replace("\r", "\n")
    return visible(encodable)


def _encodable(text: str) -> str:
    """Return ``text`` without halves of characters, which no output could take."""
    return text.encode("utf-8", "replace").decode()


def _name(speaker: str) -> str:
    """Return a speaker's name: words of any script, and nothing that Markdown reads as more.

    It stands outside the fence that quotes the turn.
    """
    return _line(_NO_NAME.sub(" ", speaker), _SPEAKER_CHARS)


def named(turn: str) -> str:
    """Return the id of a turn as entries are named by it; empty where it has none."""
    return _line(turn, _ID_CHARS)


def _line(text: str, most: int) -> str:
    """Return a name on one short line, without anything that a terminal would obey."""
    shown = "".join(char if char.isprintable() else " " for char in _encodable(text))
    return " ".join(shown.split())[:most]


def stamp(ts: str) -> str:
    """Return a time as entries have it: ``YYYY-MM-DD-HHMMSS``; empty where it cannot be read."""
    found = _STAMP.match(ts)
    if not found:
        return ""
    clock = "".join(part or "00" for part in found.groups()[1:]) if found[2] else ""
    return f"{found[1]}-{clock}" if clock else found[1]
