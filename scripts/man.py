"""The manual page ``ctx.1``, written in the macros of man(7) from the program's own records.

Every character stands for itself: what roff would obey is escaped, hyphens are those of options,
and what is not ASCII is named by its number, so that no formatter needs to know the encoding.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scripts.generate import Command

_ESCAPES = {
    "\\": r"\e",
    "-": r"\-",
    "'": r"\(aq",
    "`": r"\(ga",
    '"': r"\(dq",
    "^": r"\(ha",
    "~": r"\(ti",
}
_SPECIAL = re.compile(r"[\\\-'`\"^~]|[^\x00-\x7f]")
_CODE = re.compile(r"`([^`\n]+)`")
_RELEASED = re.compile(r"^## \[(?P<version>[^\]]+)\] - (?P<date>\d{4}-\d{2}-\d{2})$", re.MULTILINE)


class Item(NamedTuple):
    """A term and what is said of it."""

    term: str
    told: str


class Manual(NamedTuple):
    """All that the page says."""

    version: str
    date: str
    """Of the release, ``YYYY-MM-DD``; empty before there is one."""
    summary: str
    """One sentence without a final stop."""
    description: str
    commands: Sequence[Command]
    """``ctx`` itself first."""
    settings: Sequence[Item]
    variables: Sequence[Item]
    files: Sequence[Item]
    codes: Sequence[Item]
    examples: Sequence[Item]
    """What a call is for, and the call."""
    see_also: str


def released(changelog: str, version: str) -> str:
    """Return the day on which ``version`` was released, as a changelog says; empty for none."""
    return next(
        (one["date"] for one in _RELEASED.finditer(changelog) if one["version"] == version), ""
    )


def page(manual: Manual) -> str:
    """Return the manual page."""
    return "".join(f"{line}\n" for line in _lines(manual))


def _lines(manual: Manual) -> Iterator[str]:
    main, *commands = manual.commands
    yield '.\\" Generated from the program by python3 scripts/dev.py docs: do not edit.'
    yield f'.TH CTX 1 "{escaped(manual.date)}" "ctx {escaped(manual.version)}" "User Commands"'
    yield ".SH NAME"
    yield f"ctx \\- {escaped(manual.summary)}"
    yield ".SH SYNOPSIS"
    yield from _synopsis(manual.commands)
    yield ".SH DESCRIPTION"
    yield from _paragraphs(manual.description)
    yield ".SH OPTIONS"
    yield from _items(Item(*one) for one in main.options)
    yield ".SH COMMANDS"
    for command in commands:
        yield from _command(command)
    for title, items in (
        ("SETTINGS", manual.settings),
        ("ENVIRONMENT", manual.variables),
        ("FILES", manual.files),
        ("EXIT STATUS", manual.codes),
    ):
        yield f".SH {title}"
        yield from _items(items)
    yield ".SH EXAMPLES"
    for at, one in enumerate(manual.examples):
        if at:
            yield ".PP"
        yield prose(one.told)
        yield from _example(one.term)
    yield ".SH SEE ALSO"
    yield from _paragraphs(manual.see_also)


def _synopsis(commands: Sequence[Command]) -> Iterator[str]:
    for at, command in enumerate(commands):
        if at:
            yield ".br"
        name = escaped(command.name)
        rest = escaped(command.usage.removeprefix(command.name).strip())
        yield f"\\fB{name}\\fR {rest}".rstrip()


def _command(command: Command) -> Iterator[str]:
    yield f".SS {escaped(command.name)}"
    usage = command.usage.removeprefix(command.name).strip()
    yield f"\\fB{escaped(command.name)}\\fR {escaped(usage)}"
    yield ".PP"
    yield from _paragraphs(command.help)
    yield from _items(Item(*one) for one in command.options)
    yield ".PP"
    yield "Example:"
    yield from _example(command.example)


def _paragraphs(text: str) -> Iterator[str]:
    for at, paragraph in enumerate(re.split(r"\n\s*\n", text.strip())):
        if at:
            yield ".PP"
        yield prose(paragraph)


def _items(items: Iterator[Item] | Sequence[Item]) -> Iterator[str]:
    for one in items:
        yield ".TP"
        yield f"\\fB{escaped(one.term)}\\fR"
        yield prose(one.told)


def _example(command: str) -> Iterator[str]:
    yield ".PP"
    yield ".RS 4"
    yield ".EX"
    yield _guarded(escaped(command))
    yield ".EE"
    yield ".RE"


def prose(text: str) -> str:
    """Return a paragraph, what stands in backticks in bold, as one line of roff."""
    parts = _CODE.split(" ".join(text.split()))
    said = "".join(
        f"\\fB{escaped(part)}\\fR" if at % 2 else escaped(part) for at, part in enumerate(parts)
    )
    return _guarded(said)


def escaped(text: str) -> str:
    """Return ``text`` with all that roff would take for an escape as itself."""
    return _SPECIAL.sub(lambda found: _ESCAPES.get(found[0]) or f"\\[u{ord(found[0]):04X}]", text)


def _guarded(line: str) -> str:
    """Return an escaped line that is no request, whatever it begins with."""
    return f"\\&{line}" if line.startswith(".") else line
