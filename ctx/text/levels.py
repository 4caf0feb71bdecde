"""The text of an entry at each level of detail: ranking and rendering use the same lines."""

from ctx.model import Entry, Included, Level, digest_of
from ctx.text.checkbox import BOX, CLOSED, ITEM, STATUS, check_mark
from ctx.text.regex import regex
from ctx.text.structure import stands_alone

_LABEL = regex(r"(?:\*\*|__)([A-Za-z][\w ]{0,40}?)(?:[:.](?:\*\*|__)|(?:\*\*|__)[ \t]*:)")
_PARAGRAPHS = regex(r"\n[ \t]*\n")
_SENTENCE = regex(r"[.!?](?=\s|$)")
_ENDED = regex(r"[.!?:;][*_)\"”’]*\s*$")
_WHOLE = ("decision", "decision outcome", "lesson")
_FIRST_SENTENCE = ("rationale",)
_ITEM = regex(rf"{ITEM}[ \t]|{BOX}")
_METADATA = regex(  # lines that state nothing of their entry
    r"(?i)\s*$|#{1,6}\s|\W*(?:status|date|consolidated from|supersedes|superseded by|tags?|author"
    r"|owner|deciders|source|session|related|updated|created|id|priority)\b\W*:"
)
_OPEN_BOX = regex(rf"(?m)^([ \t]*+{ITEM}[ \t]++)\[ ?\][ \t]++(?=\S)")
_PROVENANCE = regex(
    r"(?i)(?:^|(?<![ \t])[ \t]++)`?#(?:added|started|session|branch|commit|file)"
    r"(?::[^\s`]*+)?`?(?=\s|$)"
)  # labels that name where a task came from: of use to tools, not to who does the task


def key_lines(entry: Entry) -> str:
    """Return the decisive lines of an entry: Decision, Lesson, the first sentence of Rationale.

    Without labels the first paragraph or item that is more than a heading or metadata. Empty where
    that is the whole body, or the title, or means something else alone: half of a code block.
    """
    body = entry.body.strip()
    parts = _parts(body)
    key = [text for label, text in parts if label in _WHOLE]
    key += [_first_sentence(text) for label, text in parts if label in _FIRST_SENTENCE]
    if not any(key):
        key = [_first_statement(body)]
    text = "\n\n".join(filter(None, key))
    is_title = text.strip() == entry.title.rstrip(" …")
    return text if len(text) < len(body) and stands_alone(text) and not is_title else ""


def _first_statement(body: str) -> str:
    for paragraph in _PARAGRAPHS.split(body):
        lines = paragraph.split("\n")
        if stated := [number for number, line in enumerate(lines) if not _METADATA.match(line)]:
            rest = lines[stated[0] :]
            listed = _ITEM.match(rest[0])
            items = (number for number, line in enumerate(rest) if number and _ITEM.match(line))
            return "\n".join(rest[: next(items, len(rest))] if listed else rest)
    return ""


def _parts(body: str) -> list[tuple[str, str]]:
    """Return the labelled parts of a body, each up to the next label, with its label."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for line in body.split("\n"):
        if found := _LABEL.match(line):
            parts.append((found[1].strip().lower(), []))
        parts[-1][1].append(line)
    return [(label, "\n".join(lines).strip()) for label, lines in parts]


def _first_sentence(text: str) -> str:
    """Return whole lines up to the end of the first sentence, ``…`` where another begins there.

    Empty where the text only announces a list: ``three reasons:``.
    """
    paragraph = _PARAGRAPHS.split(text, maxsplit=1)[0]
    lines = paragraph.split("\n")
    for count, line in enumerate(lines, 1):
        if _SENTENCE.search(line):
            goes_on = count < len(lines) and not _ENDED.search(line)
            return "\n".join(lines[:count]) + (" …" if goes_on else "")
    return "" if paragraph.rstrip(" *_").endswith(":") else paragraph


def dated_title(entry: Entry, *, place: bool = False) -> str:
    """Return the title after its date, marked by its status; background names its file."""
    date = f"[{entry.timestamp[:10]}] " if entry.timestamp else ""
    status = f" ({entry.status})" if entry.status in ("superseded", "blocked") else ""
    # Headings of authored documents tell little without the name of the document.
    is_named = entry.kind == "lore" and not place
    file = f"{entry.source.rpartition('/')[2]}: " if is_named else ""
    return f"{date}{file}{entry.title}{status}"


def short_id(id_: str, digits: int = 9) -> str:
    """Return a lasting number of ``digits``, 18 at most, for an id; longer ones begin with it."""
    return f"{int(digest_of(id_), 16) % 10**18:018}"[:digits]


def is_prose(entry: Entry) -> bool:
    """Return whether an entry is a paragraph or a whole section, not a list item."""
    return not _ITEM.match(entry.body)


def body_at(included: Included) -> str:
    """Return the body at ``full`` or ``key``, without what only tools use, unless it has code."""
    entry = included.entry
    body = entry.body if included.level == "full" else key_lines(entry)
    if ("[" not in body and "#" not in body) or "```" in body or "~~~" in body:
        return body
    if entry.kind == "task":
        shorter = _to_do(body, waits=entry.status == "blocked")
    elif entry.kind in ("rule", "convention"):
        shorter = _OPEN_BOX.sub(r"\1", body)  # which would look like an open task
    else:
        return body
    return shorter if shorter == body or stands_alone(shorter) else body


_BLOCKED = regex(r"(?i)(?<![\w`])#blocked\b")


def _to_do(body: str, *, waits: bool) -> str:
    """Return a task without its finished sub-items and provenance."""
    if waits and not _BLOCKED.search(body):
        first, end, rest = body.partition("\n")
        body = f"{first} #blocked{end}{rest}"
    kept: list[str] = []
    closed = -1  # indentation of the finished item that the line may belong to; -1 for none
    for line in body.split("\n"):
        text = line.lstrip()
        indent = len(line) - len(text)
        if text and not 0 <= closed < indent:
            mark = check_mark(text) if kept else None
            closed = indent if mark is not None and STATUS[mark] in CLOSED else -1
        if closed < 0:
            bare = _PROVENANCE.sub("", text).lstrip() if "#" in text else text
            kept += [line[:indent] + bare] if bare or not text else []
    return "\n".join(kept).rstrip()


def digest_at(entry: Entry, level: Level) -> str:
    """Return the digest of an entry at ``level`` (``model.digest_of``); empty without key lines."""
    if level == "title":
        return digest_of(f"{entry.section}\n{dated_title(entry)}")
    body = entry.body if level == "full" else key_lines(entry)
    if level == "key" and not body:
        return ""
    # The text above an item may reverse its meaning; a rule may become a convention; a task that
    # waited may be free.
    parts = (entry.section, entry.group, entry.lead, dated_title(entry), body)
    return digest_of("\n".join(parts))
