"""``ctx tiers``: how an authored document is partitioned, and what each tier of it costs."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple

from ctx.cli.find import find
from ctx.cli.settings import load
from ctx.cli.world import complain, write_out
from ctx.errors import OK, FileError, NoDirectoryError, UsageError
from ctx.read.document import document
from ctx.tokens import counter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ctx.cli.world import World
    from ctx.config import Settings
    from ctx.model import Tier
    from ctx.read.document import Document, Leaf

_MB = 1024 * 1024
TIERS: tuple[Tier, ...] = ("hard", "soft", "variant")
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


def run(path: str, flags: Mapping[str, object], world: World, *, as_json: bool) -> int:
    """Show the partition of the file at ``path``; return the exit code."""
    settings = _settings(flags, world)
    found = document(path, _read(path, settings.max_file_mb * _MB))
    count = counter(settings.tokenizer).count
    tokens = [count(leaf.text) for leaf in found.leaves]
    report = Report(path, found, tokens, settings)
    for warning in found.warnings:
        complain(warning)
    if as_json:
        text = json.dumps(_object(report), ensure_ascii=False, indent=1)
        # A name that is no text holds halves of characters: as escapes they are JSON.
        write_out(f"{text}\n".encode("utf-8", "backslashreplace"))
    elif world.draws():
        _draw(report)
    else:
        text = "".join(f"{line}\n" for line in _lines(report))
        write_out(text.encode("utf-8", "replace"))
    return OK


def _settings(flags: Mapping[str, object], world: World) -> Settings:
    """Return the settings of the directory that is found from here; the user's without one."""
    try:
        root = find("", world)
    except NoDirectoryError:
        root = ""
    return load(root, world, flags).settings


def _read(path: str, most: int) -> bytes:
    if os.path.isdir(path):
        raise UsageError(f"{path}: is a directory", "name a Markdown file in it")
    try:
        if not os.path.isfile(path) and os.path.exists(path):
            raise UsageError(f"{path}: is not a regular file")
        with open(path, "rb") as file:
            data = file.read(most + 1)
    except FileNotFoundError:
        raise UsageError(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"{path}: cannot be read: {reason}") from error
    if len(data) > most:
        raise FileError(
            f"{path}: over {most:,} bytes", "max_file_mb in config.toml raises the limit"
        )
    return data


def _object(report: Report) -> dict[str, object]:
    budget = report.settings.budget
    return {
        "file": report.path,
        "tokenizer": report.settings.tokenizer,
        "tokens": {tier: report.total(tier) for tier in TIERS},
        "hard_limit": int(report.settings.hard_share * budget),
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
        "heading": node.group,
        "text": leaf.text,
    }


def _lines(report: Report) -> Iterator[str]:
    """Yield the partition as plain lines: tier, kind, lines, tokens, modality, first line."""
    for leaf, tokens in zip(report.document.leaves, report.tokens, strict=True):
        node = leaf.node
        span = f"{node.start + 1}-{node.end}"
        yield (
            f"{node.tier:<8}{node.kind:<12}{span:<10}{tokens:>7,}  "
            f"{node.modality or '-':<11}{_first_line(leaf)}"
        )
    yield from _summary(report)


def _first_line(leaf: Leaf) -> str:
    line = " ".join(leaf.text.strip().split("\n", 1)[0].split())
    shown = "".join(char if char.isprintable() else "\ufffd" for char in line)
    return shown if len(shown) <= _TITLE else f"{shown[: _TITLE - 1]}…"


def _summary(report: Report) -> Iterator[str]:
    whole = sum(report.tokens)
    for tier in TIERS:
        tokens = report.total(tier)
        yield f"{tier:<8}{tokens:>7,} tokens of {whole:,}"
    budget, share = report.settings.budget, report.settings.hard_share
    limit = int(share * budget)
    if report.total("hard") > limit:
        yield (
            f"the hard tier passes {limit:,} tokens ({share:.0%} of {budget:,}): shorten it, "
            "or put <!-- ctx:soft --> or <!-- ctx:variant --> before lists that only enumerate"
        )
    for conflict in report.document.conflicts:
        yield (
            f"conflict at line {conflict.line}: {_one_line(conflict.obliges)!r} "
            f"against {_one_line(conflict.forbids)!r}"
        )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _draw(report: Report) -> None:
    """Draw the document for a person at a terminal, each tier in its colour."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for leaf, tokens in zip(report.document.leaves, report.tokens, strict=True):
        node = leaf.node
        gutter = f"{node.tier:<8}{tokens:>6,} │ "
        for number, line in enumerate(leaf.text.split("\n")):
            shown = "".join(
                char if char.isprintable() or char == "\t" else "\ufffd" for char in line
            )
            head = gutter if not number else f"{'':<14} │ "
            console.print(Text.assemble((head, "dim"), (shown, STYLES[node.tier])))
    for line in _summary(report):
        console.print(Text(line))
