"""A file as lines that can be changed one by one, whatever its encoding and its line ends."""

import re
from codecs import BOM_UTF8
from collections.abc import Sequence
from functools import cached_property

_CODECS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|$)")


class Lines:
    """The lines of a file's bytes, counted from 0 as readers of ctx count them."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.codec = _CODECS.get(data[:2], "utf-8")
        self._mark = 2 if data[:2] in _CODECS else len(BOM_UTF8) * data.startswith(BOM_UTF8)
        wide = self.codec != "utf-8"
        size = len(data) - self._mark
        # Half a unit of UTF-16 at the end is no text, and stays where it is.
        self.end = len(data) - size % 2 if wide else len(data)  # where the text ends, in bytes
        self._errors = "surrogatepass" if wide else "surrogateescape"
        self.text = data[self._mark : self.end].decode(self.codec, self._errors)  # without a mark

    @cached_property
    def _ended(self) -> list[tuple[str, str]]:
        found = [(match[1], match[2]) for match in _LINE.finditer(self.text)]
        while found and found[-1] == ("", ""):
            found.pop()
        return found

    @cached_property
    def texts(self) -> Sequence[str]:
        """The lines, without their line ends."""
        return [line for line, _ in self._ended]

    @cached_property
    def eol(self) -> str:
        """The line end of the file: that of its first line."""
        return next((ending for _, ending in self._ended if ending), "\n")

    def is_ended(self, number: int) -> bool:
        """Return whether the line before ``number`` has a line end; True for 0."""
        return number == 0 or bool(self._ended[number - 1][1])

    def offset(self, number: int) -> int:
        """Return where the line ``number`` starts, in bytes; the end if there is no such line."""
        if number >= len(self._ended):
            return self.end
        before = "".join(part for line in self._ended[:number] for part in line)
        return self._mark + len(before.encode(self.codec, self._errors))

    def inserted(self, number: int, more: Sequence[str]) -> bytes:
        """Return the file with ``more`` lines before the line ``number``, ended as others are."""
        ending = "" if self.is_ended(min(number, len(self._ended))) else self.eol
        text = ending + "".join(f"{line}{self.eol}" for line in more)
        return self._with(self.offset(number), text, self.offset(number))

    def spliced(self, first: int, end: int, more: Sequence[str]) -> bytes:
        """Return the file with ``more`` instead of the lines from ``first`` up to ``end``."""
        last = self.eol if more and self.is_ended(end) else ""
        return self._with(self.offset(first), self.eol.join(more) + last, self.offset(end))

    def with_text(self, number: int, text: str) -> bytes:
        r"""Return the file with ``text``, lines ending in ``\n``, before the line ``number``."""
        new = text.replace("\n", self.eol).encode(self.codec, "replace")
        return self._data[: self.offset(number)] + new + self._data[self.offset(number) :]

    def replaced(self, number: int, line: str) -> bytes:
        """Return the file with another text in the line ``number``, with its old line end."""
        start = self.offset(number)
        old = len(self.texts[number].encode(self.codec, self._errors))
        return self._with(start, line, start + old)

    def _with(self, start: int, text: str, end: int) -> bytes:
        # Undecodable bytes are written as they were read; the new text has none.
        return self._data[:start] + text.encode(self.codec, self._errors) + self._data[end:]
