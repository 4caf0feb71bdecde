"""What each line of a Markdown file is: text, code, a comment, frontmatter."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ctx.text.outline import extent

TEXT, CODE, COMMENT, FRONT = "t", "c", "x", "f"

_MARKS = re.compile(r"[ \t]*(?:(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))[ \t]*){0,20}")
_QUOTE = re.compile(r"[ \t>]*")
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]|[ \t]")  # a marker, or the indentation
_FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})[ \t]*([\w+-]*)")
_SHELLS = frozenset({"sh", "bash", "zsh", "shell", "console", "shell-session", "terminal"})


class Line(NamedTuple):
    """One line."""

    number: int  # counted from 1
    text: str


class Zoned(NamedTuple):
    """A file's lines and zones."""

    lines: tuple[str, ...]
    zones: str  # a letter for each line
    shell: frozenset[int]  # lines, from 1, of code in fences for a shell

    def of(self, zone: str) -> Iterator[Line]:
        """Yield the lines of one zone."""
        for number, (line, kind) in enumerate(zip(self.lines, self.zones, strict=True), 1):
            if kind == zone:
                yield Line(number, line)


def zoned(text: str) -> Zoned:
    r"""Return the lines of ``text``, separated by ``\n``, and what each is."""
    lines = tuple(text.split("\n"))
    front = extent(lines)
    zones: list[str] = []
    shell: set[int] = set()
    fence, indent = "", 0  # the mark of the open fence, and the columns of the list around it
    is_shell = in_comment = in_list = False
    for number, line in enumerate(lines, 1):
        zone = TEXT
        if number <= front:
            zone = FRONT
        elif fence and not line[:indent].strip(" \t>"):
            zone = CODE
            bare = _QUOTE.sub("", line, count=1).rstrip()
            if bare.startswith(fence) and not bare.strip(fence[0]):
                fence = ""
            elif is_shell:
                shell.add(number)
        elif in_comment:
            zone, in_comment = COMMENT, "-->" not in line
        else:
            marks = _MARKS.match(line)
            at = marks.end() if marks else 0
            opening = _FENCE.match(line, at)
            fence = ""  # it ends with its list
            if opening:
                zone, fence = CODE, opening[1]
                indent = at if in_list or line[:at].strip() else 0
                is_shell = opening[2].lower() in _SHELLS
            elif line.startswith("<!--", at):
                zone, in_comment = COMMENT, "-->" not in line[at + len("<!--") :]
            elif line.strip():
                in_list = _ITEM.match(line) is not None
        zones.append(zone)
    return Zoned(lines, "".join(zones), frozenset(shell))
