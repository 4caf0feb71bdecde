"""The lines of stored sessions, and of files of their summaries, as entries."""

from codecs import BOM_UTF8
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from ctx.digest import blake2b
from ctx.model import JsonObject, Summary, Turn
from ctx.read import own
from ctx.read.card import Card, title_of
from ctx.read.compactions import Declined, Edge, Elevated, Record, Run, edge, record
from ctx.read.instructing.reader import rows
from ctx.read.record import Piece, piece_of
from ctx.read.redaction import Redacted, redact, summed_up
from ctx.text import encodable
from ctx.text.json_lines import parse
from ctx.text.regex import regex
from ctx.text.secrets import Secret, mask
from ctx.text.visible import visible

_STAMP = regex(r"(?a)(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?")
_SPEAKER_CHARS = 30
_NOT_A_NAME = regex(r"[^\w .'@-]|_(?=_)")
_ID_CHARS = 200
CALLS = ("[tool_use ", "[server_tool_use ", "[mcp_tool_use ")  # as ``format.called`` begins them
BRIEF, MOST_ANNOUNCED = 60, 160  # bytes of a text that announces a call: any, and one worded so
ANNOUNCES = regex(  # how an agent announces a step: what it is about to do is no result
    r"(?i)(?:(?:ok(?:ay)?|now|next|first|then|good|great|right|so|and|nun|jetzt|dann)[,.:!]? )?"
    r"(?:i'll|i will|i'm going to|i am going to|let me|let's (?:see|look|check|start)|i need to"
    r"|i should|i want to|looking|checking|reading|running|searching"
    r"|ich (?:schaue|sehe|prüfe|lese|suche)|je vais|voy a)\b|now (?:the|for)\b"
)
IN_REPOSITORY = " in the repository"
OF_TEAM = " of the team"  # behind the speakers of turns from the repository, and from the server
Read = TypeVar("Read")


class Unread(NamedTuple):
    """Lines that cannot be read."""

    line: int  # the first of them, counted from 1
    why: str  # what is wrong with it
    lines: int  # how many there are


def read_lines(
    data: bytes,
    first: int,
    read: Callable[[JsonObject], Read],
    *,
    skip: Callable[[JsonObject], object] | None = None,
    redact_secrets: bool,
) -> tuple[list[tuple[int, Read]], Unread | None]:
    """Return number and content of each line of JSON that ``read`` takes, and unreadable ones."""
    contents: list[tuple[int, Read]] = []
    unread: Unread | None = None
    for number, line in enumerate(data.split(b"\n")):
        if not line.strip():
            continue
        try:
            fields = parse(line)[0]
            if not (skip and skip(fields)):
                contents.append((number, read(fields)))
        except ValueError as error:
            if unread:
                unread = unread._replace(lines=unread.lines + 1)
            else:
                why = mask(str(error)) if redact_secrets else str(error)
                unread = Unread(first + number + 1, why, 1)
    return contents, unread


def piece(
    data: bytes, first: int, *, redact_secrets: bool = True, of: str | None = None
) -> tuple[Piece, Unread | None, Redacted | None]:
    """Return the turns in ``data``, from line ``first`` of a file, what is unread and redacted."""
    if not first:
        data = data.removeprefix(BOM_UTF8)  # some editors write it
    turns, unread = read_lines(
        data, first, own.turn, redact_secrets=redact_secrets,
        skip=lambda fields: own.title_of(fields) or own.taken_back(fields),
    )  # fmt: skip
    redacted = _redact(turns, first) if redact_secrets else None
    cards = [_card(turn, number, first, of or "") for number, turn in turns]
    cards = [
        card._replace(is_step=_is_step(turn, turns[place + 1 : place + 2]))
        for place, (card, (_, turn)) in enumerate(zip(cards, turns, strict=True))
    ]
    if of is None:  # nobody knows who wrote those
        texts = [card.body for card in cards]
        answered = any(turn.role == "assistant" for _, turn in turns)
        works = any(turn.role == "tool" or turn.text.startswith(CALLS) for _, turn in turns)
        for place, (_, turn) in enumerate(turns):
            # People whom no assistant answers talk to each other.
            if turn.role == "user" and (answered or not turn.speaker):
                told = rows(texts, place, told=bool(turn.speaker) and not works)
                cards[place] = cards[place]._replace(standing=tuple(told))
    digest = blake2b(data, digest_size=12).hexdigest()
    read = piece_of(digest, cards, [f"{card.speaker}\n{card.body}" for card in cards])
    return read, unread, redacted


def taken_back(data: bytes) -> list[str]:
    """Return the anchors of the turns that lines in ``data`` take back."""
    lines = [line for line in data.split(b"\n") if own.BACK.encode() in line]
    rows = read_lines(b"\n".join(lines), 0, own.taken_back, redact_secrets=False)[0]
    return [named(name) for _, names in rows for name in names]


def _redact(turns: list[tuple[int, Turn]], first: int) -> Redacted | None:
    texts = [text for _, turn in turns for text in (turn.text, turn.speaker, turn.id, turn.bundle)]
    found = redact(texts)
    each = 4  # texts of a turn
    for place in dict.fromkeys(text // each for text, _ in found):
        number, turn = turns[place]
        text, speaker, name, bundle = texts[place * each : (place + 1) * each]
        turns[place] = number, turn._replace(text=text, speaker=speaker, id=name, bundle=bundle)
    return summed_up(
        Redacted(first + turns[text // each][0] + 1, secrets[0].kind, len(secrets))
        for text, secrets in found
    )


def _card(turn: Turn, number: int, first: int, of: str) -> Card:
    text = plain(turn.text)
    # A speaker's name is shown outside the fence around the turn: words of any script, and
    # nothing that Markdown reads as more.
    name = _line(_NOT_A_NAME.sub(" ", turn.speaker), _SPEAKER_CHARS)
    speaker = f"{name or turn.role}{of}"
    anchor = named(turn.id) or f"line-{first + number + 1}"
    return Card(
        anchor, "variant", f"{speaker}: {title_of(text.strip())}", number, number, text,
        timestamp=stamp(turn.ts), speaker=speaker, bundle=encodable(turn.bundle),
    )  # fmt: skip


def _is_step(turn: Turn, following: list[tuple[int, Turn]]) -> bool:
    """Return whether a turn is a call, its output, or few words of the agent before a call."""
    if turn.role != "assistant":
        return turn.role == "tool" and not turn.speaker
    if turn.text.startswith(CALLS):
        return True
    text = turn.text.strip()
    is_worded = text.endswith((":", "：", "…", "...")) or ANNOUNCES.match(text)
    is_short = len(text.encode()) <= (MOST_ANNOUNCED if is_worded else BRIEF) and "\n" not in text
    return is_short and any(next_.text.startswith(CALLS) for _, next_ in following)


def plain(text: str) -> str:
    """Return the text of a turn as it is shown; lines end in a newline."""
    return visible(encodable(text).replace("\r\n", "\n").replace("\r", "\n"))


def named(turn: str) -> str:
    """Return the id of a turn as the anchor of its entry; empty where it has none."""
    return _line(turn, _ID_CHARS)


def _line(text: str, most: int) -> str:
    """Return a name on one line of ``most`` characters, without control characters."""
    shown = "".join(char if char.isprintable() else " " for char in encodable(text))
    return " ".join(shown.split())[:most]


def stamp(ts: str) -> str:
    """Return a time as entries have it: ``YYYY-MM-DD-HHMMSS``; empty where it cannot be read."""
    found = _STAMP.match(ts)
    if not found:
        return ""
    clock = "".join(part or "00" for part in found.groups()[1:]) if found[2] else ""
    return f"{found[1]}-{clock}" if clock else found[1]


def summaries(
    data: bytes, first: int, *, redact_secrets: bool = True
) -> tuple[Piece, list[Edge], Unread | None, Redacted | None]:
    """Return summaries, edges, what is unread and what was redacted; ``first`` as in ``piece``."""
    cards: list[Card] = []
    edges: list[Edge] = []
    redacted: list[Redacted] = []
    records, unread = read_lines(data, first, record, redact_secrets=redact_secrets)
    for number, original in records:
        entry, found = _without_secrets(original) if redact_secrets else (original, [])
        redacted += [
            Redacted(first + number + 1, secrets[0].kind, len(secrets)) for _, secrets in found
        ]
        edges.append(edge(entry, named))
        if isinstance(entry, Summary):
            cards.append(_summary_card(entry, number))
    digest = blake2b(data, digest_size=12).hexdigest()
    read = piece_of(digest, cards, [card.body for card in cards])
    return read, edges, unread, summed_up(redacted)


def _without_secrets(entry: Record) -> tuple[Record, list[tuple[int, list[Secret]]]]:
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


def _summary_card(summary: Summary, number: int) -> Card:
    text = plain(summary.text)
    return Card(
        summary.id, "variant",
        f"{summary.turns:,} turn{'' if summary.turns == 1 else 's'} in short: "
        f"{title_of(text.strip())}", number, number, text,
        timestamp=stamp(summary.latest), confidence=summary.confidence, covers=summary.turns,
    )  # fmt: skip
