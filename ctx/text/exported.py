"""The marked blocks that ``ctx export`` writes into files of other tools, and readers skip."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ctx.digest import blake2b

MARK = "<!-- ctx export "
"""What a mark begins with, which has a line of its own."""
_MARK = re.compile(rf"{MARK}(begin|end)\b([^>]*)-->\s*")
_DIGEST = re.compile(r" ([0-9a-f]{12})\b")


class Block(NamedTuple):
    """A block between two marks."""

    first: int
    """The line of its first mark, counted from 0."""
    last: int
    """The line of its last mark."""
    is_own: bool
    """Whether it is as ctx wrote it; False where somebody has changed it since."""


class BrokenError(Exception):
    """A mark without its counterpart; the text is ``LINE: what``."""


def marked(lines: Sequence[str], note: str) -> list[str]:
    """Return ``lines`` between marks, the first of which holds their digest and a ``note``."""
    return [f"{MARK}begin {digest_of(lines)} {note} -->", *lines, f"{MARK}end -->"]


def marked_blocks(lines: Sequence[str]) -> list[Block]:
    """Return the blocks in ``lines``; BrokenError for marks that do not come in pairs."""
    found: list[Block] = []
    begin: tuple[int, str] | None = None
    for number, line in enumerate(lines):
        mark = _MARK.fullmatch(line) if line.startswith(MARK) else None
        if mark is None:
            continue
        if (mark[1] == "begin") == (begin is not None):
            raise BrokenError(f"{number + 1}: a mark of `ctx export` without its counterpart")
        if begin is None:
            digest = _DIGEST.match(mark[2])
            begin = number, digest[1] if digest else ""
        else:
            first, digest_then = begin
            is_own = digest_then == digest_of(lines[first + 1 : number])
            found.append(Block(first, number, is_own))
            begin = None
    if begin:
        raise BrokenError(f"{begin[0] + 1}: a mark of `ctx export` without its counterpart")
    return found


def without_blocks(lines: Sequence[str]) -> Sequence[str]:
    """Return ``lines`` with those of blocks blank; all of them where a mark is broken."""
    try:
        spans = marked_blocks(lines)
    except BrokenError:
        return lines
    kept = list(lines)
    for block in spans:
        kept[block.first : block.last + 1] = [""] * (block.last + 1 - block.first)
    return kept


def digest_of(lines: Sequence[str]) -> str:
    """Return a digest of ``lines``, white space at their ends aside, to tell who changed them."""
    # Editors take white space from the ends of lines.
    return blake2b(
        "\n".join(map(str.rstrip, lines)).encode("utf-8", "replace"), digest_size=6
    ).hexdigest()
