"""One authored document by itself: its nodes with their text and their offsets in the file."""

from collections.abc import Iterator
from typing import NamedTuple

from ctx.model import Tier
from ctx.read.authored.deontic import reading as deontic
from ctx.read.authored.partition import Node, announced, audience_of, partition, to_mend
from ctx.read.files import decode
from ctx.read.markdown.blocks import normalise
from ctx.text.regex import regex
from ctx.text.secrets import find, redaction_warning, without
from ctx.text.visible import visible

_LINE_ENDS = regex(r"\r\n|\r|\n")
_LINE_END_BYTES = regex(rb"\r\n|\r|\n")
TIERS: tuple[Tier, ...] = ("hard", "soft", "variant")
_UTF_16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class Leaf(NamedTuple):
    """A node with its text."""

    node: Node
    offset: int  # of its first byte in the file; a mark of the byte order belongs to the first line
    end: int  # of the byte after its last one, its line end not included
    text: str
    included_with: int = 0  # first line, from 1, of the rule that announces and includes it; or 0


class Conflict(NamedTuple):
    """Two sentences of one paragraph that demand and forbid the same action."""

    line: int  # first line of the paragraph, counted from 1
    obliges: str
    forbids: str


class Document(NamedTuple):
    """An authored document, partitioned."""

    leaves: tuple[Leaf, ...]  # in source order; together they hold all that is not white space
    conflicts: tuple[Conflict, ...]
    warnings: tuple[str, ...]


def document(
    path: str, data: bytes, inside: str | None = None, *, redact_secrets: bool = False
) -> Document:
    """Return the partition of ``data``; ``inside`` is the path within the context directory."""
    raw, warnings = decode(path, data)
    text = normalise(raw)
    if redact_secrets and (secrets := find(text)):
        first = secrets[0]
        warnings.append(redaction_warning(path, first.line, first.kind, len(secrets)))
        text = without(text, secrets)
    text = visible(text)
    lines = text.split("\n")
    spans = line_spans(data, raw)
    nodes = partition(text, audience_of(path if inside is None else inside, text))
    # By first line of each announced example, the line, from 1, of the rule that includes it.
    ends = {node.start: node.end for node in nodes}
    starts = {node.end: node.start for node in nodes}
    rules = {
        starts[node.end]: node.start + 1
        for node in announced(lines, nodes)
        if node.end != ends[node.start]
    }
    leaves = tuple(
        Leaf(
            node,
            spans[node.start][0],
            spans[node.end - 1][1],
            "\n".join(lines[node.start : node.end]),
            rules.get(node.start, 0),
        )
        for node in nodes
    )
    warnings += [f"{path}:{line}: {why}" for line, why in to_mend(text, nodes)]
    conflicts = tuple(
        Conflict(leaf.node.start + 1, *(leaf.text[part.start : part.end] for part in pair))
        for leaf in leaves
        if leaf.node.modality
        for pair in deontic.read(leaf.text).conflicts
    )
    return Document(leaves, conflicts, tuple(warnings))


def line_spans(data: bytes, text: str) -> list[tuple[int, int]]:
    """Return start and end of each line of ``data``, which is ``text`` decoded, without its end."""
    if (codec := _UTF_16.get(data[:2])) is None:
        ends = [end.span() for end in _LINE_END_BYTES.finditer(data)]
    else:
        ends = list(_wide_ends(text, codec, len(data)))
    starts = [0, *(end for _, end in ends)]
    return list(zip(starts, [*(start for start, _ in ends), len(data)], strict=True))


def _wide_ends(text: str, codec: str, size: int) -> Iterator[tuple[int, int]]:
    """Yield the offsets of each line end in UTF-16, after the mark of the byte order."""
    last, offset = 0, 2
    for end in _LINE_ENDS.finditer(text):
        # "replace": the replacement of half a character has the width of a whole one.
        start = offset + len(text[last : end.start()].encode(codec, "replace"))
        last, offset = end.end(), start + 2 * len(end[0])
        yield min(start, size), min(offset, size)
