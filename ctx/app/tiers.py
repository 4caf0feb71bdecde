"""The parts of an authored document, with the tier and the cost of each."""

import os
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from ctx.config import Settings
from ctx.errors import FileError
from ctx.model import JsonObject, Tier
from ctx.read.authored.document import TIERS, Document, Leaf
from ctx.text.names import cut, masked, on_one_line
from ctx.world import World

MB = 1024 * 1024
TITLE = 72  # characters of a node that a line of the table shows


class Report(NamedTuple):
    """What is shown."""

    path: str
    document: Document
    tokens: list[int]  # of each node, in order
    settings: Settings

    @property
    def leaves(self) -> list[tuple[Leaf, int]]:
        """The nodes, each with its tokens."""
        return list(zip(self.document.leaves, self.tokens, strict=True))

    def total(self, tier: Tier) -> int:
        """Return the tokens of all nodes of a tier."""
        return sum(tokens for leaf, tokens in self.leaves if leaf.node.tier == tier)

    @property
    def always(self) -> int:
        """Tokens that every packet includes: the hard tier, and what its rules announce."""
        hard = {leaf.node.start + 1 for leaf in self.document.leaves if leaf.node.tier == "hard"}
        announced = sum(tokens for leaf, tokens in self.leaves if leaf.included_with in hard)
        return self.total("hard") + announced

    @property
    def limit(self) -> int:
        """Tokens over which a packet is degraded."""
        return int(self.settings.hard_share * self.settings.budget)

    def as_json(self) -> JsonObject:
        """Return the report as JSON has it."""
        return {
            "file": masked(self.path),
            "tokenizer": self.settings.tokenizer,
            "tokens": {tier: self.total(tier) for tier in TIERS},
            "always": self.always,
            "hard_limit": self.limit,
            "budget": self.settings.budget,
            "nodes": [
                {
                    "tier": leaf.node.tier,
                    "kind": leaf.node.kind,
                    "line": leaf.node.start + 1,
                    "end_line": leaf.node.end,
                    "offset": leaf.offset,
                    "end": leaf.end,
                    "tokens": tokens,
                    "modality": leaf.node.modality or None,
                    "said_with": leaf.included_with or None,
                    "heading": leaf.node.group,
                    "text": leaf.text,
                }
                for leaf, tokens in self.leaves
            ],
            "conflicts": [conflict._asdict() for conflict in self.document.conflicts],
            "warnings": [*self.document.warnings],
        }


def place(path: str, root: str, world: World) -> str:
    """Return ``path``, or that of the file in the directory ``root`` where there is none here."""
    if not root or path == "-" or os.path.lexists(path):
        return path
    found = os.path.join(root, path)
    return os.path.relpath(found, world.cwd) if os.path.isfile(found) else path


def inside(path: str, root: str, world: World) -> str | None:
    """Return ``path`` as from the directory ``root``; None where it is not in there."""
    if not root or path == "-":
        return None
    found = os.path.relpath(os.path.join(world.cwd, path), root)
    return None if found.startswith("..") else found.replace(os.sep, "/")


def text_of(path: str, most: int, read_in: Callable[[int], bytes]) -> bytes:
    """Return a document's bytes, ``most`` at most; ``read_in`` reads ``-``; raises FileError."""
    data = read_in(most + 1) if path == "-" else _read(path, most)
    if len(data) > most:
        raise FileError(
            f"{path}: over {most:,} bytes", "max_file_mb in ~/.config/ctx/config.toml raises it"
        )
    if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):  # UTF-16 holds them
        raise FileError(f"{path}: is no text: it holds NUL bytes", "name a Markdown file")
    return data


def _read(path: str, most: int) -> bytes:
    if os.path.isdir(path):
        raise FileError(f"{path}: is a directory", "name a Markdown file in it")
    try:
        if not os.path.isfile(path) and os.path.exists(path):
            raise FileError(f"{path}: is not a regular file", "- reads standard input")
        with open(path, "rb") as file:
            return file.read(most + 1)
    except FileNotFoundError:
        raise FileError(
            f"{path}: there is no such file", "name a Markdown file; - reads standard input"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"{path}: cannot be read: {reason}") from error


def remark(leaf: Leaf) -> str:
    """Return the rule that a node goes with, or its modality: of prose, items all instruct."""
    if leaf.included_with:
        return f"with {leaf.included_with}"
    return "" if leaf.node.kind == "item" else str(leaf.node.modality)


def totals(report: Report) -> Iterator[str]:
    """Return the tokens of each tier."""
    whole = sum(report.tokens)
    for tier in TIERS:
        tokens = report.total(tier)
        yield f"{tier:<8}{tokens:>7,} tokens of {whole:,}"
    passes = "over" if report.always > report.limit else "within"
    yield (
        f"always  {report.always:>7,} tokens with what rules announce: "
        f"{passes} the limit of {limit_line(report)}"
    )


def limit_line(report: Report) -> str:
    """Return the limit of the required rules as a line has it."""
    budget, share = report.settings.budget, report.settings.hard_share
    return f"{report.limit:,} tokens ({share:.0%} of {budget:,})"


def listings(report: Report) -> Iterator[tuple[str, int, int]]:
    """Yield heading, line and tokens of the lists that cost much and instruct nothing.

    One for each heading; the line, counted from 1, is that of the first item without one.
    """
    leaves = report.leaves
    # From each heading to the next; first what is before any heading.
    starts = [at for at, (leaf, _) in enumerate(leaves) if leaf.node.kind == "heading"]
    for start, end in pairwise([0, *starts, len(leaves)]):
        items = [(leaf, tokens) for leaf, tokens in leaves[start:end] if leaf.node.kind == "item"]
        hard = [(leaf, tokens) for leaf, tokens in items if leaf.node.tier == "hard"]
        cost = sum(tokens for _, tokens in hard)
        if cost * 10 <= report.settings.budget or any(leaf.node.modality for leaf, _ in items):
            continue
        head = leaves[start][0].node
        line = head.start if head.kind == "heading" else hard[0][0].node.start
        yield head.group, line + 1, cost


def one_line(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def brief(line: str) -> str:
    """Return a line as a terminal may show it."""
    return cut(on_one_line(one_line(line)), TITLE)
