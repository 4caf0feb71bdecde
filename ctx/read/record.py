"""A parsed file as columns: the form that is remembered, and entries made from it.

Columns instead of rows, and bodies and terms by offset, so that 50,000 remembered
entries load in a fraction of a second and the text of those not said is never touched.
"""

from __future__ import annotations

import json
from array import array
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, cast

from ctx.model import Entry, ForgottenError, Front, Kept
from ctx.read.blocks import Chunk, chunks
from ctx.tokens import estimate
from ctx.words import term_ids, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ctx.model import Kind, Tier
    from ctx.read.card import Card, Parser

_CHUNK_DIGEST = 12  # bytes: tells apart far more chunks than a directory can hold


class Row(NamedTuple):
    """One entry as it is remembered, lines counted from 0 within its chunk."""

    anchor: str
    kind: str
    tier: str
    title: str
    line: int
    end_line: int
    timestamp: str
    status: str
    priority: int
    group: str
    lead: str
    supersedes: str
    size: int
    title_size: int


class Piece(NamedTuple):
    """What one chunk holds."""

    digest: str
    rows: tuple[Row, ...]
    bodies: tuple[str, ...]
    terms: tuple[Sequence[int], ...]


class Record(NamedTuple):
    """A parsed file, ready to be remembered."""

    pieces: list[Piece]
    starts: list[int]
    """The line, counted from 0, where each piece begins."""
    front: Front
    warnings: tuple[str, ...]

    def kept(self, digest: bytes) -> tuple[Kept, str]:
        """Return what the store keeps of this file: the columns, and all bodies as one text."""
        rows = _placed(self.pieces, self.starts)
        bodies = [body for piece in self.pieces for body in piece.bodies]
        terms = [ids for piece in self.pieces for ids in piece.terms]
        cards = {
            "front": self.front._replace(extra=dict(self.front.extra)),
            "warnings": self.warnings,
            "columns": list(zip(*rows, strict=True)),
            "bodies": list(accumulate((len(body) for body in bodies), initial=0)),
            "terms": list(accumulate((len(ids) for ids in terms), initial=0)),
        }
        pieces = [[piece.digest, len(piece.rows)] for piece in self.pieces]
        flat = array("Q", (one for ids in terms for one in ids))
        kept = Kept(
            digest,
            json.dumps({"pieces": pieces, "starts": self.starts}),
            json.dumps(cards, ensure_ascii=False),
            flat.tobytes(),
        )
        return kept, "".join(bodies)


def _placed(pieces: Iterable[Piece], starts: Iterable[int]) -> list[Row]:
    """Return all rows with anchors made unique and lines counted within the file."""
    rows = []
    seen: dict[str, int] = {}
    for piece, start in zip(pieces, starts, strict=True):
        for row in piece.rows:
            count = seen[row.anchor] = seen.get(row.anchor, 0) + 1
            anchor = row.anchor if count == 1 else f"{row.anchor}~{count}"
            line, end = row.line + start, row.end_line + start
            rows.append(row._replace(anchor=anchor, line=line, end_line=end))
    return rows


def parse(text: str, parser: Parser, before: dict[str, Piece]) -> tuple[list[Piece], list[int]]:
    """Parse ``text`` chunk by chunk, taking chunks that have not changed from ``before``."""
    pieces, starts = [], []
    for chunk in chunks(text, parser.cut_level):
        digest = blake2b(chunk.text.encode("utf-8", "surrogatepass"), digest_size=_CHUNK_DIGEST)
        known = before.get(digest.hexdigest())
        pieces.append(known or _piece(digest.hexdigest(), chunk, parser))
        starts.append(chunk.start)
    return pieces, starts


def _piece(digest: str, chunk: Chunk, parser: Callable[[str], list[Card]]) -> Piece:
    cards = parser(chunk.text)
    return Piece(
        digest,
        tuple(_row(card) for card in cards),
        tuple(card.body for card in cards),
        tuple(term_ids(words(f"{card.title}\n{card.body}")) for card in cards),
    )


def _row(card: Card) -> Row:
    fields = card._asdict()
    body = fields.pop("body")
    return Row(**fields, size=estimate(body), title_size=estimate(card.title))


class Columns:
    """A remembered file, opened: its entries, and their bodies and terms on demand."""

    def __init__(self, path: str, kept: Kept, text: Callable[[], str]) -> None:
        """Open ``kept``; ``text`` fetches all bodies when the first one is asked for.

        Raises ValueError, KeyError or TypeError where ``kept`` is not of this form.
        """
        self._path = path
        self._kept = kept
        self.digest = kept.digest
        self._load = text
        cards = json.loads(kept.cards)
        self._columns: list[list[object]] = cards["columns"]
        self._bodies: list[int] = cards["bodies"]
        self._term_ends: list[int] = cards["terms"]
        self._terms = array("Q", kept.terms)
        self.warnings: tuple[str, ...] = tuple(cards["warnings"])
        self.front = _front(cards["front"])
        self._check()

    def _check(self) -> None:
        rows = len(self._columns[0]) if self._columns else 0
        shape = {len(column) for column in self._columns} - {rows}
        ends = (len(self._bodies), len(self._term_ends))
        if shape or ends != (rows + 1, rows + 1) or self._term_ends[-1] != len(self._terms):
            raise ValueError(f"{self._path}: remembered columns do not fit together")

    @cached_property
    def _text(self) -> str:
        text = self._load()
        if len(text) != self._bodies[-1]:
            raise ForgottenError(f"{self._path}: remembered text does not fit its offsets")
        return text

    def body(self, place: int) -> str:
        """Return the body of the entry at ``place``."""
        return self._text[self._bodies[place] : self._bodies[place + 1]]

    def terms(self, place: int) -> Sequence[int]:
        """Return the hashed terms of the entry at ``place``."""
        return self._terms[self._term_ends[place] : self._term_ends[place + 1]]

    def entries(self) -> tuple[Entry, ...]:
        """Return the file's entries in file order."""
        path, front = self._path, self.front
        gone = front.status in ("superseded", "deprecated")
        return tuple(
            Entry(
                f"{path}#{row.anchor}", cast("Kind", row.kind), cast("Tier", row.tier), row.title,
                path, row.line + 1, row.end_line + 1, row.timestamp,
                "superseded" if gone else row.status, row.priority, row.group, row.lead,
                row.supersedes, row.size, row.title_size, front, self, place,
            )
            for place, row in enumerate(self.rows())
        )  # fmt: skip

    def rows(self) -> Iterable[Row]:
        """Return the file's rows in file order."""
        return map(Row._make, zip(*self._columns, strict=True))

    def pieces(self) -> dict[str, Piece]:
        """Return the file's chunks by digest, for the parser to take the unchanged ones from."""
        rows = list(self.rows())
        chunked = json.loads(self._kept.chunks)
        pieces, at = {}, 0
        for (digest, count), start in zip(chunked["pieces"], chunked["starts"], strict=True):
            places = range(at, at + count)
            pieces[digest] = Piece(
                digest,
                tuple(_unplaced(rows[place], start) for place in places),
                tuple(self.body(place) for place in places),
                tuple(self.terms(place) for place in places),
            )
            at += count
        return pieces


def _unplaced(row: Row, start: int) -> Row:
    anchor = row.anchor.partition("~")[0]  # slugs and timestamps hold no tilde
    return row._replace(anchor=anchor, line=row.line - start, end_line=row.end_line - start)


def _front(fields: list[object]) -> Front:
    front = Front._make(fields)
    return front._replace(
        tags=tuple(front.tags), aliases=tuple(front.aliases), related=tuple(front.related)
    )
