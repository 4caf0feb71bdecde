"""One authored document on its own: its nodes with their text and their place in the file."""

from __future__ import annotations

import re
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from ctx.read import deontic
from ctx.read.blocks import normalise
from ctx.read.decode import decode
from ctx.read.partition import partition, strange_marks

if TYPE_CHECKING:
    from ctx.read.partition import Node

_LINE_ENDS = re.compile(r"\r\n|\r|\n")
_LINE_END_BYTES = re.compile(rb"\r\n|\r|\n")
_UTF_16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class Leaf(NamedTuple):
    """A node, and where it is."""

    node: Node
    offset: int
    """Of its first byte in the file; a mark of the byte order belongs to the first line."""
    end: int
    """Of the byte after its last one, its line end not included."""
    text: str


class Conflict(NamedTuple):
    """Two sentences of one paragraph that oblige to the same action and forbid it."""

    line: int
    """First line of the paragraph, counted from 1."""
    obliges: str
    forbids: str


class Document(NamedTuple):
    """An authored document, partitioned."""

    leaves: tuple[Leaf, ...]
    """In source order; together all that is not white space."""
    conflicts: tuple[Conflict, ...]
    warnings: tuple[str, ...]


def document(path: str, data: bytes) -> Document:
    """Return the partition of the file ``path`` (for messages) that holds ``data``."""
    raw, warnings = decode(path, data)
    text = normalise(raw)
    lines = text.split("\n")
    starts = line_starts(data, raw)
    ends = _ends(data, starts)
    leaves = tuple(
        Leaf(node, starts[node.start], ends[node.end - 1], "\n".join(lines[node.start : node.end]))
        for node in partition(text)
    )
    warnings += [f"{path}:{line}: ctx:{word} names no tier" for line, word in strange_marks(text)]
    return Document(leaves, tuple(_conflicts(leaves)), tuple(warnings))


def _conflicts(leaves: tuple[Leaf, ...]) -> list[Conflict]:
    return [
        Conflict(leaf.node.start + 1, *(leaf.text[one.start : one.end] for one in pair))
        for leaf in leaves
        if leaf.node.modality
        for pair in deontic.read(leaf.text).conflicts
    ]


def line_starts(data: bytes, text: str) -> list[int]:
    r"""Return the offset of each line in ``data``, and last of its end.

    ``text`` is ``data`` decoded. Lines end in ``\r\n``, ``\r`` or ``\n``, as in
    ``blocks.normalise``. A mark of the byte order belongs to the first line.
    """
    codec = _UTF_16.get(data[:2])
    if codec is None:
        return [0, *(end.end() for end in _LINE_END_BYTES.finditer(data)), len(data)]
    cuts = [0, *(end.end() for end in _LINE_ENDS.finditer(text)), len(text)]
    sizes = [len(text[one:two].encode(codec, "replace")) for one, two in pairwise(cuts)]
    mark = len(data[:2])  # decoding took it off
    return [0, *(mark + size for size in accumulate(sizes))]


def _ends(data: bytes, starts: list[int]) -> list[int]:
    """Return where the text of each line ends in ``data``."""
    wide = data[:2] in _UTF_16
    found = []
    for start, end in pairwise(starts):
        line = data[start:end]
        kept = line.rstrip(b"\r\n\0") if wide else line.rstrip(b"\r\n")
        if wide and len(kept) % 2:
            kept += b"\0"
        found.append(start + len(kept))
    return found
