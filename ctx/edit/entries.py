"""Add a dated entry to DECISIONS.md or LEARNINGS.md, or a line below an entry's heading."""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from ctx.edit import atomic
from ctx.edit.change import TRIES, Target, change
from ctx.edit.lines import Lines
from ctx.edit.prose import line, paragraphs
from ctx.errors import FileError, UsageError
from ctx.text.aliases import LABEL
from ctx.text.outline import extent, structure

__all__ = ["STAMP", "TRIES", "Amend", "Check", "New", "Target", "add_all", "block", "free"]

STAMP = "%Y-%m-%d-%H%M%S"
Check = Callable[[bytes, bytes], str]  # returns why a change is wrong, by both bytes; or nothing
Amend = Callable[[bytes], bytes]  # takes a file's bytes; returns them with changes of the same step

_TAKEN = re.compile(r"\[?(\d{4}-\d{2}-\d{2})[-T ](\d{2}):?(\d{2}):?(\d{2})")
_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_STATUS = re.compile(
    r"(\*\*Status\*\*:|\*\*Status:\*\*|__Status__:|__Status:__)[ \t]*", re.IGNORECASE
)
_FENCE_START = re.compile(r" {0,3}(?:```|~~~)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_HEADING = re.compile(r"(#{1,6})(?![^ \t])[ \t]*+(.*)")
_DATED = re.compile(r"\[\d{4}([-/])\d{1,2}\1\d")
_INDEXES = ("themes", "index")  # plain headings of lists, which are no entries; as ctx reads them
_ENTRY_LEVEL = 2


def with_status(data: bytes, first: int, last: int, status: str) -> bytes:
    """Return a file with another status in lines ``first`` to ``last``, behind it the old one."""
    lines = Lines(data)
    for number in range(first + 1, min(last + 1, len(lines.texts))):
        line = lines.texts[number]
        if _FENCE_START.match(line):
            break  # code has no status
        if label := _STATUS.match(line):
            was = line[label.end() :].strip()
            more = f" (was: {was})" if was else ""
            return lines.replaced(number, f"{label[1]} {status}{more}")
    return data


def below_heading(data: bytes, heading: int, line: str) -> bytes:
    """Return a file with ``line`` as a paragraph below the heading at a line, from 0."""
    lines = Lines(data)
    texts, below = lines.texts, heading + 1
    if not _ATX.match(texts[heading]):
        rest = range(below, len(texts))
        below = next((number + 1 for number in rest if _UNDERLINE.match(texts[number])), below)
    more = ["", line]
    if below < len(texts) and texts[below].strip():
        more.append("")
    return lines.inserted(below, more)


class Placed(NamedTuple):
    """A file, and where a new entry goes."""

    lines: Lines
    number: int = 0  # the line before which it goes; the number of lines at the end
    problem: str = ""  # why there is no place, with the line; empty if there is one

    def with_block(self, block: str) -> bytes:
        r"""Return the file with ``block``, whose lines end in ``\n``, set apart by blank lines."""
        texts, number = self.lines.texts, self.number
        ended = self.lines.is_ended(number)
        apart = not number or (ended and not texts[number - 1].strip(" \t"))
        before = ("" if ended else "\n") + ("" if apart else "\n")
        after = "\n" if any(line.strip() for line in texts[number:]) else ""
        return self.lines.with_text(number, f"{before}{block}{after}")


def place(data: bytes) -> Placed:
    """Return where the next entry goes in a file: before the first heading of an entry.

    Without one behind the file's heading, the comment on its format and its index. ``problem``
    names what never ends, and so leaves no place.
    """
    lines = Lines(data)
    front = extent(lines.texts) if lines.texts else 0
    heads, opened = structure(lines.texts[front:], 6)
    for number in heads:
        if _is_entry(lines.texts[front + number]):
            return Placed(lines, front + number)
    if opened is not None:
        problem = f":{front + opened + 1}: a code fence, comment or HTML block is not closed"
        return Placed(lines, problem=problem)
    return Placed(lines, len(lines.texts))


def _is_entry(line: str) -> bool:
    """Return whether a line is the heading of an entry, or of a group of them."""
    heading = _HEADING.match(line)
    if not heading:
        return False
    text = heading[2].strip()
    closed = text.rstrip("#")
    text = closed.strip() if closed[-1:].isspace() else text
    if _DATED.match(text):
        return True
    return len(heading[1]) == _ENTRY_LEVEL and text.lower() not in _INDEXES


class New(NamedTuple):
    """An entry to add."""

    title: str  # one line; white space is folded
    parts: tuple[tuple[str, str], ...]
    """Labels and texts in their order, such as ``("Context", "…")``; blank texts are left out.
    Texts are prose: what Markdown or ctx would read as structure is escaped."""
    source: str = ""  # what it cites: ``sessions/<file>#<turn>``; empty for none
    supersedes: str = ""  # title, id or timestamp of the entry that it replaces; empty for none
    body: str = ""  # Markdown as a person wrote it, word for word behind the parts; empty for none
    aliases: tuple[str, ...] = ()  # other names of the entry, without commas


def add_all(
    target: Target,
    entries: Sequence[tuple[New, datetime]],
    check: Check,
    *,
    amend: Amend = lambda data: data,
    timeout: float = atomic.TIMEOUT,
) -> list[str]:
    """Add entries, the last one first, in one step; return their timestamps.

    Each is put first, whatever its time, which is also its timestamp, or the next free one.
    ``amend`` changes more in the same step. Raises UsageError for an entry without title or text,
    FileError where that cannot be done, or ``check`` refuses; then the file is as it was.
    """
    for entry, _ in entries:
        texts = (entry.body, *(text for _, text in entry.parts))
        if not line(entry.title) or not any(text.strip() for text in texts):
            raise UsageError("an entry needs a title and a text", "give it both")
    stamps: list[str] = []

    def make(before: bytes | None) -> bytes:
        old = target.fresh if before is None else before
        stamps[:] = free(place(old).lines.text, [when for _, when in entries])
        where = place(amend(old))
        if where.problem:
            raise FileError(f"{target.path}{where.problem}", "mend it, then try again")
        blocks = [block(entry, stamp) for (entry, _), stamp in zip(entries, stamps, strict=True)]
        after = where.with_block("\n".join(reversed(blocks)))
        if problem := check(b"" if before is None else before, after):
            raise FileError(f"{target.path}: nothing was added: {problem}", "add it by hand")
        return after

    change(target, make, timeout=timeout)
    return stamps


def free(text: str, times: Iterable[datetime]) -> list[str]:
    """Return ``times`` as timestamps, each the next second that ``text`` does not name."""
    taken = {f"{day}-{''.join(clock)}" for day, *clock in _TAKEN.findall(text)}
    stamps: list[str] = []
    for when in times:
        later = when
        while (stamp := later.strftime(STAMP)) in taken:
            later += timedelta(seconds=1)
        taken.add(stamp)
        stamps.append(stamp)
    return stamps


def block(entry: New, stamp: str) -> str:
    r"""Return an entry as Markdown, lines ending in ``\n``."""
    parts = [f"## [{stamp}] {line(entry.title)}"]
    if entry.supersedes.strip():
        parts.append(f"**Supersedes**: {line(entry.supersedes)}")
    parts += [f"**{label}**: {paragraphs(text)}" for label, text in entry.parts if text.strip()]
    if entry.body.strip():
        parts.append(entry.body.strip("\n"))
    if entry.aliases:
        parts.append(f"**{LABEL}**: {paragraphs(', '.join(map(line, entry.aliases)))}")
    if entry.source.strip():
        parts.append(f"**Source**: {line(entry.source)}")
    return "\n\n".join(parts) + "\n"
