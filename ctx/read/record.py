"""A file parsed into the columns that are remembered of it."""

import json
import zlib
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from ctx.digest import blake2b
from ctx.model import Front, Kept, Kind
from ctx.read import frontmatter
from ctx.read.card import Card, Parser
from ctx.read.columns import Columns, pack
from ctx.read.files import decode
from ctx.read.markdown.blocks import Chunk, chunks, left_open, normalise, shorten_lines
from ctx.read.markdown.nested import nested
from ctx.read.redaction import Held, hold, warning
from ctx.text.secrets import Secret
from ctx.text.tokens import estimate
from ctx.text.visible import visible
from ctx.text.words import term_ids

STEP = 2_000
"""Chunks that are parsed together."""
_LEVEL = 1
"""Of compression: a half of the size for a tenth of the time that parsing takes."""
_CHUNK_DIGEST = 12  # bytes: tells apart far more chunks than a directory can hold


class Row(NamedTuple):
    """One entry as it is remembered, lines counted from 0 within its chunk."""

    anchor: str
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
    modality: str
    speaker: str
    bundle: str
    confidence: float | None
    covers: int
    size: int
    title_size: int


class Piece(NamedTuple):
    """What one chunk holds."""

    digest: str
    rows: tuple[Row, ...]
    bodies: tuple[str, ...]
    terms: tuple[Sequence[int], ...]


class Cut(NamedTuple):
    """A chunk, and what stands for its text."""

    digest: str
    chunk: Chunk


class Record(NamedTuple):
    """A parsed file, ready to be remembered."""

    pieces: list[Piece]
    starts: list[int]
    """The line, counted from 0, where each piece begins."""
    front: Front
    warnings: tuple[str, ...]

    def kept(self, digest: bytes, kind: Kind) -> tuple[Kept, bytes]:
        """Return what the store keeps of this file: the columns, and all bodies as UTF-8."""
        rows = _placed(self.pieces, self.starts)
        bodies = [body.encode() for piece in self.pieces for body in piece.bodies]
        names = sorted({row.speaker for row in rows})
        number = {name: at for at, name in enumerate(names)}
        ranked = {
            "kind": kind,
            "front": self.front._replace(extra=dict(self.front.extra)),
            "warnings": self.warnings,
            "timestamps": [row.timestamp for row in rows],
            "sizes": [row.size for row in rows],
            "names": names,
            "speakers": [number[row.speaker] for row in rows] if any(names) else [],
            "confidences": [row.confidence for row in rows] if kind == "summary" else [],
            "supersedes": _sparse(rows, "supersedes"),
            "instructing": [place for place, row in enumerate(rows) if row.tier != "variant"],
            "gone": [place for place, row in enumerate(rows) if row.status == "superseded"],
        }
        told = {
            "bodies": list(accumulate((len(body) for body in bodies), initial=0)),
            "columns": {name: [getattr(row, name) for row in rows] for name in DENSE},
            "sparse": {name: _sparse(rows, name) for name in SPARSE},
        }
        pieces = [[piece.digest, len(piece.rows)] for piece in self.pieces]
        kept = Kept(
            digest,
            json.dumps({"pieces": pieces, "starts": self.starts}),
            _text(ranked),
            zlib.compress(_text(told).encode(), _LEVEL),
            pack([terms for piece in self.pieces for terms in piece.terms]),
        )
        return kept, b"".join(bodies)


DENSE = ("anchor", "title", "line", "end_line", "title_size")
"""Columns that have something to say of nearly every entry."""
SPARSE = ("tier", "status", "priority", "group", "lead", "modality", "bundle", "covers")
"""Columns that say nothing of most entries."""
_PLAIN: dict[str, object] = {"tier": "variant", "priority": 0, "covers": 1}
"""What the other columns say of most entries, where it is not the empty text."""


def _sparse(rows: Sequence[Row], name: str) -> dict[str, object]:
    """Return a column by place, where it says something out of the ordinary."""
    plain = _PLAIN.get(name, "")
    values = ((str(place), getattr(row, name)) for place, row in enumerate(rows))
    return {place: value for place, value in values if value != plain}


def _text(cards: Mapping[str, object]) -> str:
    """Return ``cards`` as JSON that can be encoded, whatever names and frontmatter hold."""
    text = json.dumps(cards, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(cards)  # lone surrogates: half a character, or a name that is no text
    return text


def record(  # noqa: PLR0913 - what, by whom, and what is known of it
    path: str,
    data: bytes,
    parser: Parser,
    before: Columns | None,
    *,
    held_back: bool = False,
    keep: Callable[[Kept, bytes], None] | None = None,
) -> tuple[Kept, bytes]:
    """Parse a file; return what to keep of it, and all its bodies as UTF-8.

    ``keep`` is given the beginning of a long file now and then, as what is of other bytes, so
    that a parse that is ended goes on from there.

    Chunks that stand unchanged in ``before`` are taken from there. What others are told is parsed
    with its secrets ``held_back``; who changes the file needs it as it is.
    """
    text, warnings = decode(path, data)
    text, long_lines = shorten_lines(normalise(text))
    warnings += [
        f"{path}:{line}: a line of {length:,} characters is left out" for line, length in long_lines
    ]
    known = known_pieces(before) if before else {}
    split = frontmatter.split(text)
    cuts = cut(visible(text if parser.reads_front else split.text), parser.cut_level)
    held: list[Held] = []
    if held_back:
        split, held = _hold_front(text, split)
        held = [] if parser.reads_front else held
    pieces: list[Piece] = []
    starts: list[int] = []
    fresh = 0
    for begin in range(0, len(cuts), STEP):
        step = cuts[begin : begin + STEP]
        fresh += sum(one.digest not in known for one in step)
        held += _hold(step, known) if held_back else []
        more, where = parse(step, parser, known)
        pieces += more
        starts += where
        if keep and fresh >= max(2 * STEP, len(pieces) // 2) and begin + STEP < len(cuts):
            keep(*Record(pieces, starts, split.front, ()).kept(b"", parser.kind))
            fresh = 0
    warnings += warning(path, held)
    if split.warning:
        warnings.append(f"{path}:{split.warning}")
    swallowing = left_open(split.text)
    if swallowing is not None:
        warnings.append(
            f"{path}:{swallowing + 1}: a code fence, comment or HTML block that is not closed; "
            "nothing after it is read as entries"
        )
    if parser.reads_front:
        warnings += _marks(path, text)
    digest = digest_of(data, held_back=held_back)
    return Record(pieces, starts, split.front, tuple(warnings)).kept(digest, parser.kind)


def _hold_front(text: str, split: frontmatter.Split) -> tuple[frontmatter.Split, list[Held]]:
    """Return ``split``, made of ``text``, without secrets, and what is held back."""
    if split.text is text:
        return split, []  # there is no frontmatter
    head = text[: len(text) - len(split.text.lstrip("\n"))]
    texts = [head]
    held = [_told(0, secrets) for _, secrets in hold(texts)]
    return (frontmatter.split(texts[0] + text[len(head) :]) if held else split), held


def _hold(cuts: list[Cut], known: Container[str]) -> list[Held]:
    """Put chunks without their secrets; return what is held back. What is ``known`` holds none."""
    fresh = [at for at, one in enumerate(cuts) if one.digest not in known]
    texts = [cuts[at].chunk.text for at in fresh]
    held = []
    for at, secrets in hold(texts):
        chunk = cuts[fresh[at]].chunk._replace(text=texts[at])
        cuts[fresh[at]] = _cut(chunk)
        held.append(_told(chunk.start, secrets))
    return held


def _told(start: int, secrets: Sequence[Secret]) -> Held:
    return Held(start + secrets[0].line, secrets[0].kind, len(secrets))


def _marks(path: str, text: str) -> list[str]:
    """Return a warning for each mark of a tier in an authored document that does nothing."""
    if "ctx:" not in text:
        return []
    from ctx.read.authored.partition import partition, to_mend

    return [f"{path}:{line}: {why}" for line, why in to_mend(text, partition(text))]


def digest_of(data: bytes, *, held_back: bool) -> bytes:
    """Return what stands for a file's bytes, and for whether its secrets are ``held_back``."""
    return blake2b(data, digest_size=32, person=b"" if held_back else b"as it is").digest()


def _placed(pieces: Iterable[Piece], starts: Iterable[int]) -> list[Row]:
    """Return all rows with anchors made unique and lines counted within the file."""
    rows = []
    seen: dict[str, int] = {}
    taken: set[str] = set()
    for piece, start in zip(pieces, starts, strict=True):
        for row in piece.rows:
            count = seen.get(row.anchor, 0) + 1
            anchor = row.anchor if count == 1 else f"{row.anchor}~{count}"
            while anchor in taken:  # an id of a turn may look like one that was made here
                count += 1
                anchor = f"{row.anchor}~{count}"
            seen[row.anchor] = count
            taken.add(anchor)
            line, end = row.line + start, row.end_line + start
            rows.append(row._replace(anchor=anchor, line=line, end_line=end))
    return rows


def cut(text: str, level: int) -> list[Cut]:
    """Return ``text`` in chunks that end before headings of ``level`` or higher."""
    return list(map(_cut, chunks(text, level)))


def _cut(chunk: Chunk) -> Cut:
    data = chunk.text.encode("utf-8", "surrogatepass")
    return Cut(blake2b(data, digest_size=_CHUNK_DIGEST).hexdigest(), chunk)


def parse(
    cuts: Iterable[Cut], parser: Parser, before: dict[str, Piece]
) -> tuple[list[Piece], list[int]]:
    """Parse a file chunk by chunk, taking chunks that have not changed from ``before``."""
    pieces, starts = [], []
    for digest, chunk in cuts:
        pieces.append(before.get(digest) or _piece(digest, chunk, parser))
        starts.append(chunk.start)
    return pieces, starts


def _piece(digest: str, chunk: Chunk, parser: Parser) -> Piece:
    cards = [
        card._replace(body=nested(card.body), lead=nested(card.lead)) for card in parser(chunk.text)
    ]
    return Piece(
        digest,
        tuple(row_of(card) for card in cards),
        tuple(card.body for card in cards),
        tuple(term_ids(f"{card.title}\n{card.body}") for card in cards),
    )


def row_of(card: Card) -> Row:
    """Return what is remembered of a card, its body apart."""
    fields = card._asdict()
    size = len(fields.pop("body")) // CHARS_A_TOKEN
    return Row(**fields, size=size, title_size=estimate(f"- {card.title}") - 1)


CHARS_A_TOKEN = 4
"""A guess that costs nothing: counting every body of a new directory would cost as much as
finding them."""


def known_pieces(before: Columns) -> dict[str, Piece]:
    """Return the chunks of a remembered file by digest."""
    rows = [_row_at(before, place) for place in range(len(before))]
    chunked = json.loads(before.chunks)
    pieces, at = {}, 0
    for (digest, count), start in zip(chunked["pieces"], chunked["starts"], strict=True):
        places = range(at, at + count)
        pieces[digest] = Piece(
            digest,
            tuple(_unplaced(rows[place], start) for place in places),
            tuple(before.body(place) for place in places),
            tuple(before.terms(place) for place in places),
        )
        at += count
    return pieces


def _row_at(before: Columns, place: int) -> Row:
    entry = before.entry(place)
    return Row(
        anchor=entry.id.rpartition("#")[2],
        tier=entry.tier,
        title=entry.title,
        line=entry.line - 1,
        end_line=entry.end_line - 1,
        timestamp=entry.timestamp,
        status=before.own_status(place),
        priority=entry.priority,
        group=entry.group,
        lead=entry.lead,
        supersedes=entry.supersedes,
        modality=entry.modality,
        speaker=entry.speaker,
        bundle=entry.bundle,
        confidence=entry.confidence,
        covers=entry.covers,
        size=entry.size,
        title_size=entry.title_size,
    )


def _unplaced(row: Row, start: int) -> Row:
    anchor = row.anchor.partition("~")[0]  # slugs and timestamps hold no tilde
    return row._replace(anchor=anchor, line=row.line - start, end_line=row.end_line - start)
