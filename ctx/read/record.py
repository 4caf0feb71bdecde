"""A file parsed into the columns that the parse cache holds of it."""

import json
import zlib
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import accumulate

from ctx.digest import blake2b
from ctx.model import CachedFile, Frontmatter, JsonObject, Kind
from ctx.read import frontmatter
from ctx.read.card import Card, Parser
from ctx.read.columns import Columns, pack
from ctx.read.files import decode, digest_of
from ctx.read.markdown.blocks import Chunk, chunks, left_open, normalise, shorten_lines
from ctx.read.markdown.nested import nested
from ctx.read.redaction import Redacted, redact, warning
from ctx.text.placeholders import is_placeholder
from ctx.text.secrets import REDACTED
from ctx.text.tokens import estimate
from ctx.text.visible import visible
from ctx.text.words import term_ids
from ctx.typed import Any, NamedTuple

STEP = 2_000  # chunks that are parsed together
_LEVEL = 1  # of compression: a half of the size for a tenth of the time that parsing takes
_CHUNK_DIGEST = 12  # bytes: enough for far more chunks than a directory can hold


class Piece(NamedTuple):
    """What one chunk holds: cards without their bodies, bodies and terms, by place."""

    digest: str
    rows: tuple[Card, ...]
    bodies: tuple[str, ...]
    terms: tuple[Sequence[int], ...]


class Cut(NamedTuple):
    """A chunk, and the digest of its text."""

    digest: str
    chunk: Chunk


class Record(NamedTuple):
    """A parsed file, as the cache takes it."""

    pieces: list[Piece]
    starts: list[int]  # the line, counted from 0, where each piece begins
    front: Frontmatter
    warnings: tuple[str, ...]
    imports: tuple[tuple[int, str, bool], ...] = ()  # as ``Columns.imports``

    def cached(self, digest: bytes, kind: Kind) -> tuple[CachedFile, bytes]:
        """Return what the cache stores of this file: the columns, and all bodies as UTF-8."""
        rows = _placed(self.pieces, self.starts)
        bodies = [body.encode() for piece in self.pieces for body in piece.bodies]
        names = sorted({row.speaker for row in rows})
        number = {name: place for place, name in enumerate(names)}
        ranked = {
            "kind": kind,
            "front": self.front._replace(extra=dict(self.front.extra)),
            "warnings": self.warnings,
            "imports": self.imports,
            "digests": [_digest(row, body) for row, body in zip(rows, bodies, strict=True)]
            if kind == "rule"
            else [],
            "timestamps": [row.timestamp for row in rows],
            "sizes": [row.size for row in rows],
            "names": names,
            "speakers": [number[row.speaker] for row in rows] if any(names) else [],
            "confidences": [row.confidence for row in rows] if kind == "summary" else [],
            "supersedes": _sparse(rows, "supersedes"),
            "steps": [place for place, row in enumerate(rows) if row.is_step],
            "standing": {place: row.standing for place, row in enumerate(rows) if row.standing},
            "instructing": [place for place, row in enumerate(rows) if row.tier != "variant"],
            "gone": [place for place, row in enumerate(rows) if row.status == "superseded"],
        }
        heads = {
            "bodies": list(accumulate((len(body) for body in bodies), initial=0)),
            "columns": {name: [getattr(row, name) for row in rows] for name in DENSE},
            "sparse": {name: _sparse(rows, name) for name in SPARSE},
        }
        pieces = [[piece.digest, len(piece.rows)] for piece in self.pieces]
        cached = CachedFile(
            digest,
            json.dumps({"pieces": pieces, "starts": self.starts}),
            _text(ranked),
            zlib.compress(_text(heads).encode(), _LEVEL),
            pack([terms for piece in self.pieces for terms in piece.terms]),
        )
        return cached, b"".join(bodies)


def _digest(row: Card, body: bytes) -> str:
    """Return a digest of a rule's letters and digits; empty if secrets in it are redacted."""
    text = f"{row.lead} {body.decode()}"
    words = "" if REDACTED in text else "".join(filter(str.isalnum, text.casefold()))
    return blake2b(words.encode(), digest_size=8).hexdigest() if words else ""


DENSE = ("anchor", "title", "line", "end_line", "title_size")  # columns with a value nearly always
SPARSE = ("tier", "status", "priority", "group", "lead", "modality", "bundle", "covers")
"""Columns in which most entries have the default."""
_DEFAULTS = {"tier": "variant", "priority": 0, "covers": 1}  # other defaults than the empty text


def _sparse(rows: Sequence[Card], name: str) -> JsonObject:
    default = _DEFAULTS.get(name, "")
    values = ((str(place), getattr(row, name)) for place, row in enumerate(rows))
    return {place: value for place, value in values if value != default}


def _text(columns: Mapping[str, Any]) -> str:
    """Return ``columns`` as JSON that can be encoded, whatever names and frontmatter hold."""
    text = json.dumps(columns, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(columns)  # lone surrogates: half a character, or a name that is no text
    return text


def record(  # noqa: PLR0913 - a file, its parser, and what the cache holds of it
    path: str,
    data: bytes,
    parser: Parser,
    before: Columns | None,
    *,
    redact_secrets: bool = False,
    keep: Callable[[CachedFile, bytes], None] | None = None,
) -> tuple[CachedFile, bytes]:
    """Parse a file; return what the cache stores of it, and all its bodies as UTF-8.

    Chunks that are the same in ``before`` are taken from there. ``keep`` is called with the
    beginning of a long file now and then, under another digest, so that a parse that is cut short
    goes on from there. Secrets are redacted unless an edit of the file needs it as it is.
    """
    text, warnings = decode(path, data)
    text, long_lines = shorten_lines(normalise(text))
    warnings += [
        f"{path}:{line}: a line of {length:,} characters is left out" for line, length in long_lines
    ]
    parser = parser.of(path)
    known = known_pieces(before) if before else {}
    split = frontmatter.split(text)
    cuts = cut(visible(text if parser.reads_front else split.text), parser.cut_level)
    redacted: list[Redacted] = []
    if redact_secrets and split.text is not text:
        split, redacted = _redact_front(text, split)
        redacted = [] if parser.reads_front else redacted
    pieces: list[Piece] = []
    starts: list[int] = []
    fresh = 0  # chunks that were parsed since ``keep`` was called
    for begin in range(0, len(cuts), STEP):
        step = cuts[begin : begin + STEP]
        fresh += sum(chunk.digest not in known for chunk in step)
        redacted += _redact(step, known) if redact_secrets else []
        pieces += parse(step, parser, known)
        starts += [chunk.start for _, chunk in step]
        if keep and fresh >= max(2 * STEP, len(pieces) // 2) and begin + STEP < len(cuts):
            keep(*Record(pieces, starts, split.front, ()).cached(b"", parser.kind))
            fresh = 0
    warnings += warning(path, redacted)
    if split.warning:
        warnings.append(f"{path}:{split.warning}")
    unclosed = left_open(split.text)
    if unclosed is not None:
        warnings.append(
            f"{path}:{unclosed + 1}: a code fence, comment or HTML block that is not closed; "
            "nothing after it is read as entries"
        )
    if parser.reads_front and "ctx:" in text:
        from ctx.read.authored.partition import partition, to_mend  # only for marks of tiers

        warnings += [f"{path}:{line}: {why}" for line, why in to_mend(text, partition(text))]
    imports: list[tuple[int, str, bool]] = []
    if parser.reads_front:
        from ctx.read.authored.imports import imports_of

        imports = imports_of(text)
    digest = digest_of(data, redact_secrets=redact_secrets)
    whole = Record(pieces, starts, split.front, tuple(warnings), tuple(imports))
    return whole.cached(digest, parser.kind)


def _redact_front(text: str, split: frontmatter.Split) -> tuple[frontmatter.Split, list[Redacted]]:
    head = text[: len(text) - len(split.text.lstrip("\n"))]
    texts = [head]
    redacted = [
        Redacted(secrets[0].line, secrets[0].kind, len(secrets)) for _, secrets in redact(texts)
    ]
    return (frontmatter.split(texts[0] + text[len(head) :]) if redacted else split), redacted


def _redact(cuts: list[Cut], known: Container[str]) -> list[Redacted]:
    """Redact chunks in place; return what was redacted. ``known`` chunks hold no secrets."""
    fresh = [place for place, chunk in enumerate(cuts) if chunk.digest not in known]
    texts = [cuts[place].chunk.text for place in fresh]
    redacted = []
    for number, secrets in redact(texts):
        chunk = cuts[fresh[number]].chunk._replace(text=texts[number])
        cuts[fresh[number]] = _cut(chunk)
        first = secrets[0]
        redacted.append(Redacted(chunk.start + first.line, first.kind, len(secrets)))
    return redacted


def _placed(pieces: Iterable[Piece], starts: Iterable[int]) -> list[Card]:
    """Return all rows with unique anchors, and lines counted from the beginning of the file."""
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


def parse(cuts: Iterable[Cut], parser: Parser, before: dict[str, Piece]) -> list[Piece]:
    """Parse a file chunk by chunk, taking chunks that have not changed from ``before``."""
    return [before.get(digest) or _piece(digest, chunk, parser) for digest, chunk in cuts]


def _piece(digest: str, chunk: Chunk, parser: Parser) -> Piece:
    dated = parser.kind in ("decision", "learning")
    cards = [
        card._replace(body=nested(card.body), lead=nested(card.lead))
        for card in parser(chunk.text)
        if parser.kind == "task" or not is_placeholder(card.title if dated else card.body)
    ]
    return piece_of(digest, cards, [f"{card.title}\n{card.body}" for card in cards])


def piece_of(digest: str, cards: Sequence[Card], searched: Iterable[str]) -> Piece:
    """Return ``cards`` as the cache stores them; ``searched`` are the texts of their terms."""
    return Piece(
        digest,
        tuple(
            card._replace(
                body="",
                size=len(card.body) // CHARS_A_TOKEN,
                title_size=estimate(f"- {card.title}") - 1,
            )
            for card in cards
        ),
        tuple(card.body for card in cards),
        tuple(map(term_ids, searched)),
    )


CHARS_A_TOKEN = 4  # a guess: counting all bodies would cost as much as finding them
_SAME_IN_ENTRIES = set(Card._fields) - {
    "anchor", "line", "end_line", "body", "status", "is_step", "standing",
}  # fmt: skip


def known_pieces(before: Columns) -> dict[str, Piece]:
    """Return the chunks of a remembered file by digest."""
    chunked = json.loads(before.chunks)
    pieces, first = {}, 0
    for (digest, count), start in zip(chunked["pieces"], chunked["starts"], strict=True):
        places = range(first, first + count)
        pieces[digest] = Piece(
            digest,
            tuple(_row_at(before, place, start) for place in places),
            tuple(before.body(place) for place in places),
            tuple(before.terms(place) for place in places),
        )
        first += count
    return pieces


def _row_at(before: Columns, place: int, start: int = 0) -> Card:
    entry = before.entry(place)
    same: dict[str, Any] = {field: getattr(entry, field) for field in _SAME_IN_ENTRIES}
    return Card(
        # Slugs and timestamps hold no tilde: it begins the number of a duplicate.
        anchor=entry.id.rpartition("#")[2].partition("~")[0],
        line=entry.line - 1 - start,
        end_line=entry.end_line - 1 - start,
        body="",
        status=before.own_status(place),
        **same,
    )
