"""The marked blocks that ``ctx export`` writes into files of other tools, and readers skip."""

from collections.abc import Sequence

from ctx.digest import blake2b
from ctx.text.regex import regex
from ctx.text.structure import fenced
from ctx.typed import NamedTuple

MARK = "<!-- ctx export "  # what a mark begins with, which has a line of its own
_MARK = regex(rf"{MARK}(begin|end)\b(?: ([0-9a-f]{{12}})\b)?[^>]*-->\s*")


class Block(NamedTuple):
    """A block between two marks."""

    first: int  # the line of its first mark, counted from 0
    end: int  # the line behind its last mark; 0 where a mark has no counterpart
    is_own: bool = False  # whether it is as ctx wrote it; False where somebody has changed it since


def marked(lines: Sequence[str], note: str) -> list[str]:
    """Return ``lines`` between marks, the first of which holds their digest and a ``note``."""
    return [f"{MARK}begin {digest_of(lines)} {note} -->", *lines, f"{MARK}end -->"]


def marked_blocks(lines: Sequence[str]) -> list[Block]:
    """Return the blocks in ``lines``, but no fenced ones, and each mark without a counterpart."""
    found: list[Block] = []
    if not any(line.startswith(MARK) for line in lines):
        return found
    quoted = fenced(lines)
    begin, digest = -1, ""
    for number, line in enumerate(lines):
        is_mark = line.startswith(MARK) and number not in quoted
        mark = _MARK.fullmatch(line) if is_mark else None
        if mark and (mark[1] == "begin") == (begin >= 0):
            found.append(Block(number, 0))
        elif mark and begin < 0:
            begin, digest = number, mark[2] or ""
        elif mark:
            found.append(Block(begin, number + 1, digest == digest_of(lines[begin + 1 : number])))
            begin = -1
    return [*found, Block(begin, 0)] if begin >= 0 else found


def without_blocks(lines: Sequence[str]) -> Sequence[str]:
    """Return ``lines`` with those of blocks blank; all of them where a mark is broken."""
    blocks, kept = marked_blocks(lines), list(lines)
    for block in blocks if all(block.end for block in blocks) else ():
        kept[block.first : block.end] = [""] * (block.end - block.first)
    return kept


def digest_of(lines: Sequence[str]) -> str:
    """Return a digest of ``lines``, white space at their ends aside, by which an edit shows."""
    text = "\n".join(map(str.rstrip, lines))  # editors take it from the ends of lines
    return blake2b(text.encode("utf-8", "replace"), digest_size=6).hexdigest()
