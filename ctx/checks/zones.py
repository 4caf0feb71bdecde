"""What each line of a Markdown file is: text, code, a comment, frontmatter.

Line by line, with fences and comments in lists and quotes.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

TEXT, CODE, COMMENT, FRONT = "t", "c", "x", "f"

_MARKS = re.compile(r"[ \t]*(?:(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))[ \t]*){0,20}")
_QUOTE = re.compile(r"[ \t>]*")
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]|[ \t]")
"""How a list's line begins: with its marker, or the indentation of an item."""
_FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})[ \t]*([\w+-]*)")
_SHELLS = frozenset({"sh", "bash", "zsh", "shell", "console", "shell-session", "terminal"})
_KEY = re.compile(r"[A-Za-z_][\w-]*:(?:\s|$)")
_FRONT_LINES = 200


class Line(NamedTuple):
    """One line."""

    number: int
    """Counted from 1."""
    text: str


class Zoned(NamedTuple):
    """A file's lines and zones."""

    lines: tuple[str, ...]
    zones: str
    """A letter for each line."""
    shell: frozenset[int]
    """Lines, from 1, of code in fences for a shell."""

    def of(self, zone: str) -> Iterator[Line]:
        """Yield the lines of one zone."""
        for number, (line, kind) in enumerate(zip(self.lines, self.zones, strict=True), 1):
            if kind == zone:
                yield Line(number, line)


def zoned(text: str) -> Zoned:
    r"""Return the lines of ``text``, separated by ``\n``, and what each is."""
    lines = tuple(text.split("\n"))
    walk = _Walk(_front_end(lines))
    for number, line in enumerate(lines, 1):
        walk.step(number, line)
    return Zoned(lines, "".join(walk.zones), frozenset(walk.shell))


def _front_end(lines: Sequence[str]) -> int:
    """Return the last line of the frontmatter, counted from 1; 0 without any."""
    if lines[0].rstrip() != "---" or not _KEY.match((*lines[:2], "")[1]):
        return 0
    ends = (n for n, line in enumerate(lines[1:_FRONT_LINES], 2) if line.rstrip() == "---")
    return next(ends, 0)


class _Walk:
    """Classifies lines one after the other."""

    def __init__(self, front: int) -> None:
        self.zones: list[str] = []
        self.shell: set[int] = set()
        self._front = front
        self._fence = ""
        self._indent = 0
        """Columns of the list or quote around the fence."""
        self._is_shell = False
        self._in_comment = False
        self._in_list = False

    def step(self, number: int, line: str) -> None:
        """Classify the next line."""
        if number <= self._front:
            self.zones.append(FRONT)
        elif self._fence and not line[: self._indent].strip(" \t>"):
            self._in_fence(number, line)
        elif self._in_comment:
            self.zones.append(COMMENT)
            self._in_comment = "-->" not in line
        else:
            self._fence = ""  # it ends with its list
            self._open(line)

    def _in_fence(self, number: int, line: str) -> None:
        self.zones.append(CODE)
        bare = _QUOTE.sub("", line, count=1).rstrip()
        if bare.startswith(self._fence) and not bare.strip(self._fence[0]):
            self._fence = ""
        elif self._is_shell:
            self.shell.add(number)

    def _open(self, line: str) -> None:
        marks = _MARKS.match(line)
        at = marks.end() if marks else 0
        fence = _FENCE.match(line, at)
        if fence:
            within = self._in_list or line[:at].strip()
            self._fence, self._indent = fence[1], at if within else 0
            self._is_shell = fence[2].lower() in _SHELLS
            self.zones.append(CODE)
        elif line.startswith("<!--", at):
            self._in_comment = "-->" not in line[at + len("<!--") :]
            self.zones.append(COMMENT)
        else:
            self.zones.append(TEXT)
            if line.strip():
                self._in_list = _ITEM.match(line) is not None
