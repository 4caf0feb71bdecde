"""How well ctx finds the required rules of documents written for any agent.

    python -m benchmarks.required --data CORPORA [--half dev held fresh] [--misread] [--json]

``required.json`` beside this script names blocks (list items of the first level, paragraphs, block
quotes) of such documents by file, line and digest, with a label that two readings gave: required,
guideline, background, or placeholder (of an unfilled template; nothing). Printed are, for each
half, precision, recall and F1 of *required*, and how many blocks of each label ctx gives each tier.
With ``--misread`` also each block that is required and not found, or found and not required: look
at those of ``dev`` alone. Exit code 1 where precision or recall of a half is below ``GOAL``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypedDict, cast

from ctx.read.authored.document import Document, document

OWN = Path(__file__).with_name("required.json")
GOAL = 0.9
HALVES = ("dev", "held", "fresh")
LABELS = ("required", "guideline", "background", "placeholder")
TIERS = {"hard": "required", "soft": "guideline", "variant": "background"}
NO_NODE = "nothing"
"""What a block is read as that no node holds, or one without a tier."""


class Block(TypedDict):
    """One labelled block; of two readings that differ, ``disagreement`` gives the reason."""

    document: str
    line: int
    """The first one, counted from 1."""
    lines: int
    text: str
    """The first 80 characters."""
    sha256: str
    """The first 16 digits, of the whole block without its last line end."""
    first: str
    second: str
    label: str
    half: str


class Figures(NamedTuple):
    """How well the required rules of one half were found."""

    half: str
    documents: int
    blocks: int
    precision: float
    recall: float
    f1: float
    table: dict[str, dict[str, int]]
    """By label and by what ctx reads, the number of blocks."""
    misread: list[str]


def main() -> int:
    """Measure each half and print it; return 1 where one misses the goal."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder of the corpora")
    parser.add_argument("--half", nargs="+", default=["dev", "held"], choices=HALVES)
    parser.add_argument("--misread", action="store_true", help="print each block that is misread")
    parser.add_argument("--json", action="store_true", help="print one JSON object a half")
    options = parser.parse_args()
    labelled = cast("list[Block]", json.loads(OWN.read_text("utf-8")))
    measured = []
    for half in options.half:
        blocks = [block for block in labelled if block["half"] == half]
        try:
            measured.append(measure(half, blocks, options.data))
        except (OSError, ValueError) as error:
            print(f"required.py: {error}", file=sys.stderr)
            return 2
    for figures in measured:
        shown = figures if options.misread else figures._replace(misread=[])
        print(json.dumps(shown._asdict()) if options.json else _shown(shown))
    return int(any(min(figures.precision, figures.recall) < GOAL for figures in measured))


def measure(half: str, blocks: list[Block], corpora: Path) -> Figures:
    """Read the documents of ``blocks`` and compare; ValueError where a block has changed."""

    @cache
    def read(name: str) -> tuple[Document, list[str]]:
        data = (corpora / name).read_bytes()
        return document(name, data), data.decode("utf-8").replace("\r\n", "\n").split("\n")

    counts: Counter[tuple[str, str]] = Counter()
    misread = []
    for block in blocks:
        parsed, lines = read(block["document"])
        where = f"{block['document']}:{block['line']}"
        if not _is_there(block, lines):
            raise ValueError(f"{where} is not the block that was labelled")
        tier = next(
            (
                TIERS.get(leaf.node.tier, NO_NODE)
                for leaf in parsed.leaves
                if leaf.node.start < block["line"] <= leaf.node.end
            ),
            NO_NODE,
        )
        counts[block["label"], tier] += 1
        if (tier == "required") != (block["label"] == "required"):
            text = " ".join(block["text"].split())
            misread.append(f"{block['label']}, read as {tier}  {where}: {text}")
    hits = counts["required", "required"]
    found = sum(counts[label, "required"] for label in LABELS)
    wanted = sum(number for (label, _), number in counts.items() if label == "required")
    precision, recall, f1 = (
        _share(hits, found),
        _share(hits, wanted),
        _share(2 * hits, found + wanted),
    )
    columns = (*TIERS.values(), NO_NODE)
    table = {label: {tier: counts[label, tier] for tier in columns} for label in LABELS}
    names = {block["document"] for block in blocks}
    return Figures(half, len(names), len(blocks), precision, recall, f1, table, misread)


def _is_there(block: Block, lines: list[str]) -> bool:
    """Return whether ``block`` is still in its lines."""
    text = "\n".join(lines[block["line"] - 1 :][: block["lines"]])
    return hashlib.sha256(text.encode()).hexdigest().startswith(block["sha256"])


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _shown(figures: Figures) -> str:
    columns = (*TIERS.values(), NO_NODE)
    shares = f"{figures.precision:.3f}, recall {figures.recall:.3f}, F1 {figures.f1:.3f}"
    rows = [
        f"{figures.half}: {figures.blocks} blocks of {figures.documents} documents",
        f"required: precision {shares}",
        "label, read as  " + "".join(f"{tier:>12}" for tier in columns),
        *(
            f"{label:16}{''.join(f'{number:12}' for number in row.values())}"
            for label, row in figures.table.items()
        ),
        *figures.misread,
    ]
    return "\n".join(rows)


if __name__ == "__main__":
    raise SystemExit(main())
