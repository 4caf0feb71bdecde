"""``ctx tiers``: how an authored document is partitioned, and what each tier of it costs."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ctx.app.find import find
from ctx.app.settings import load
from ctx.cli.here import here
from ctx.errors import OK, FileError, NoDirectoryError
from ctx.read.authored.document import TIERS, document
from ctx.streams import (
    complain,
    read_in,
    safe,
    safe_json,
    write_out,
)
from ctx.text.tokens import counter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ctx.config import Settings
    from ctx.model import Tier
    from ctx.read.authored.document import Document, Leaf
    from ctx.world import World

_MB = 1024 * 1024
STYLES: dict[Tier, str] = {"hard": "bold red", "soft": "yellow", "variant": "dim"}
_TITLE = 72
"""Characters of a node that a line of the table shows."""


class Report(NamedTuple):
    """What is shown."""

    path: str
    document: Document
    tokens: list[int]
    """Of each node, in order."""
    settings: Settings

    def total(self, tier: Tier) -> int:
        """Return the tokens of all nodes of a tier."""
        leaves = zip(self.document.leaves, self.tokens, strict=True)
        return sum(tokens for leaf, tokens in leaves if leaf.node.tier == tier)

    @property
    def always(self) -> int:
        """Tokens that every packet says: the hard tier, and what its rules announce."""
        hard = {leaf.node.start + 1 for leaf in self.document.leaves if leaf.node.tier == "hard"}
        leaves = zip(self.document.leaves, self.tokens, strict=True)
        announced = sum(tokens for leaf, tokens in leaves if leaf.said_with in hard)
        return self.total("hard") + announced

    @property
    def limit(self) -> int:
        """Tokens over which a packet is degraded."""
        return int(self.settings.hard_share * self.settings.budget)


class Listing(NamedTuple):
    """Lists under one heading that instruct nothing."""

    heading: str
    line: int
    """Of the heading, or of the first item without one; counted from 1."""
    tokens: int


def run(path: str, flags: Mapping[str, object], world: World, *, as_json: bool) -> int:
    """Show the partition of the file at ``path``; return the exit code."""
    root = _root(world)
    settings = load(root, world, flags).settings
    path = _place(path, root, world)
    found = document(path, _text(path, settings.max_file_mb * _MB))
    count = counter(settings.tokenizer).count
    tokens = [count(leaf.text) for leaf in found.leaves]
    report = Report(path, found, tokens, settings)
    for warning in found.warnings:
        complain(warning)
    if as_json:
        text = json.dumps(_object(report), ensure_ascii=False, indent=1)
        write_out(f"{safe_json(text)}\n".encode())
    elif world.draws():
        _draw(report)
    else:
        text = "".join(f"{line}\n" for line in _lines(report))
        write_out(safe(text).encode())
    return OK


def _root(world: World) -> str:
    """Return the context directory that is found from here, for settings; empty without one."""
    try:
        return find("", world)
    except NoDirectoryError:
        return ""


def _place(path: str, root: str, world: World) -> str:
    """Return ``path``, or that of the file in the directory ``root`` where there is none here."""
    inside = os.path.join(root, path)
    is_inside = root and path != "-" and not os.path.lexists(path) and _is_file(inside)
    return here(root, path, world.cwd) if is_inside else path


def _is_file(path: str) -> bool:
    try:
        return os.path.isfile(path)
    except ValueError:
        return False  # no file can be called so


def _text(path: str, most: int) -> bytes:
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


def _object(report: Report) -> dict[str, object]:
    budget = report.settings.budget
    return {
        "file": report.path,
        "tokenizer": report.settings.tokenizer,
        "tokens": {tier: report.total(tier) for tier in TIERS},
        "always": report.always,
        "hard_limit": report.limit,
        "budget": budget,
        "nodes": [
            _row(leaf, tokens)
            for leaf, tokens in zip(report.document.leaves, report.tokens, strict=True)
        ],
        "conflicts": [conflict._asdict() for conflict in report.document.conflicts],
        "warnings": report.document.warnings,
    }


def _row(leaf: Leaf, tokens: int) -> dict[str, object]:
    node = leaf.node
    return {
        "tier": node.tier,
        "kind": node.kind,
        "line": node.start + 1,
        "end_line": node.end,
        "offset": leaf.offset,
        "end": leaf.end,
        "tokens": tokens,
        "modality": node.modality or None,
        "said_with": leaf.said_with or None,
        "heading": node.group,
        "text": leaf.text,
    }


def _lines(report: Report) -> Iterator[str]:
    """Yield the partition as plain lines under a header, and what it comes to."""
    yield f"{'tier':<8}{'kind':<12}{'lines':<10}{'tokens':>7}  {'modality':<11}first line"
    for leaf, tokens in zip(report.document.leaves, report.tokens, strict=True):
        node = leaf.node
        span = f"{node.start + 1}-{node.end}"
        yield (
            f"{node.tier:<8}{node.kind:<12}{span:<10}{tokens:>7,}  "
            f"{_remark(leaf) or '-':<11}{_first_line(leaf)}"
        )
    yield from _summary(report)


def _remark(leaf: Leaf) -> str:
    """Return the rule that a node is said with, or its modality: of prose, items all instruct."""
    if leaf.said_with:
        return f"with {leaf.said_with}"
    return "" if leaf.node.kind == "item" else str(leaf.node.modality)


def _first_line(leaf: Leaf) -> str:
    return _shown(leaf.text.strip().split("\n", 1)[0])


def _shown(line: str) -> str:
    line = " ".join(line.split())
    shown = safe(line)
    return shown if len(shown) <= _TITLE else f"{shown[: _TITLE - 1]}…"


def _totals(report: Report) -> Iterator[str]:
    whole = sum(report.tokens)
    for tier in TIERS:
        tokens = report.total(tier)
        yield f"{tier:<8}{tokens:>7,} tokens of {whole:,}"
    passes = "over" if report.always > report.limit else "within"
    yield (
        f"always  {report.always:>7,} tokens with what rules announce: "
        f"{passes} the limit of {_limit(report)}"
    )


def _limit(report: Report) -> str:
    budget, share = report.settings.budget, report.settings.hard_share
    return f"{report.limit:,} tokens ({share:.0%} of {budget:,})"


def _summary(report: Report) -> Iterator[str]:
    yield from _totals(report)
    if report.always > report.limit:
        yield (
            f"the hard tier passes {_limit(report)}: shorten it, "
            "or put <!-- ctx:soft --> or <!-- ctx:variant --> before lists that only enumerate"
        )
    for listing in _listings(report):
        what = f"under {_shown(listing.heading)!r} " if listing.heading else ""
        where = "the heading" if listing.heading else "the list"
        yield (
            f"line {listing.line}: the items {what}cost {listing.tokens:,} tokens and none "
            f"instructs: <!-- ctx:variant --> before {where} lets them give way"
        )
    for conflict in report.document.conflicts:
        yield (
            f"conflict at line {conflict.line}: {_one_line(conflict.obliges)!r} "
            f"against {_one_line(conflict.forbids)!r}"
        )


def _listings(report: Report) -> Iterator[Listing]:
    """Yield the lists that cost much and instruct nothing, one for each heading."""
    leaves = list(zip(report.document.leaves, report.tokens, strict=True))
    for section in _sections(leaves):
        items = [one for one in section if one[0].node.kind == "item"]
        hard = [(leaf, tokens) for leaf, tokens in items if leaf.node.tier == "hard"]
        cost = sum(tokens for _, tokens in hard)
        if cost * 10 <= report.settings.budget or any(leaf.node.modality for leaf, _ in items):
            continue
        head = section[0][0].node
        line = head.start if head.kind == "heading" else hard[0][0].node.start
        yield Listing(head.group, line + 1, cost)


def _sections(leaves: list[tuple[Leaf, int]]) -> Iterator[list[tuple[Leaf, int]]]:
    """Yield the nodes from each heading to the next; first those before any heading."""
    starts = [at for at, (leaf, _) in enumerate(leaves) if leaf.node.kind == "heading"]
    for start, end in pairwise([0, *starts, len(leaves)]):
        if start < end:
            yield leaves[start:end]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _draw(report: Report) -> None:
    """Draw the document for a person at a terminal, each tier in its colour."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for line in _totals(report):
        console.print(Text(line))
    for leaf, tokens in zip(report.document.leaves, report.tokens, strict=True):
        node = leaf.node
        gutter = f"{node.tier:<8}{tokens:>6,} {_remark(leaf):<10}"
        for number, line in enumerate(leaf.text.split("\n")):
            shown = safe(line)
            first = gutter if not number else f"{'':<25}"
            head = f"{first}{node.start + number + 1:>5} │ "
            console.print(Text.assemble((head, "dim"), (shown, STYLES[node.tier])))
    for line in _summary(report):
        console.print(Text(line))
