"""Whether the turns that would be promoted are those that questions need, on public data.

    python benchmarks/promotion.py --set locomo|beam --data PATH [--embedder E] [--json]

Imports each conversation into a context directory of its own with the command that people use,
and takes what ``ctx session promote`` proposes there, on an empty memory. Precision is the share
of proposed turns that are evidence for some question; the base rate is that of all turns.
``longest first`` takes as many turns, the longest. ``docs/benchmarks.md`` says where to get the
data. Exit code 1 where the ratio to the base rate is below 2.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.datasets import SETS, Chat
from ctx.app.options import PacketOptions
from ctx.cli.main import main as ctx
from ctx.cli.session.promote import Options, run
from ctx.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST_RATIO = 2.0
"""Precision over base rate that promotion is meant to reach."""


class Count(NamedTuple):
    """What was counted in one conversation, or in several."""

    turns: int = 0
    gold: int = 0
    promoted: int = 0
    hits: int = 0
    """Promoted turns that are evidence."""
    longest: int = 0
    """Turns that are evidence, among as many of the longest."""


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--set", choices=("beam", "locomo"), required=True, help="which data")
    parser.add_argument("--data", type=Path, required=True, help="where it is")
    parser.add_argument("--embedder", default="none", help="as ctx session promote takes it")
    parser.add_argument("--json", action="store_true", help="write one JSON object")
    options = parser.parse_args()
    counts = []
    for case in SETS[options.set](options.data):
        if isinstance(case, Chat):
            with tempfile.TemporaryDirectory() as folder:
                counts.append(count(case, Path(folder), options.embedder))
    return report(f"{options.set}, embedder {options.embedder}", counts, as_json=options.json)


def count(case: Chat, folder: Path, embedder: str) -> Count:
    """Return the counts of one conversation."""
    promoted = proposed(case, folder, embedder)
    gold = frozenset(name for question in case.questions for name in question.gold)
    by_length = sorted(case.costs, key=lambda name: -case.costs[name])
    return Count(
        len(case.costs),
        len(gold),
        len(promoted),
        len(gold & promoted),
        len(gold.intersection(by_length[: len(promoted)])),
    )


def proposed(case: Chat, folder: Path, embedder: str) -> frozenset[str]:
    """Return the ids of the turns that are proposed."""
    root = folder / ".context"
    root.mkdir()
    case.write(root)
    given = PacketOptions(dir=str(root), embedder=embedder)
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stderr(nowhere):
        with contextlib.redirect_stdout(nowhere):
            ctx(["session", "import", str(folder / "chat.jsonl"), "--dir", str(root)])
        with _captured() as said:
            run(str(root), Options(as_json=True), given, World())
    return frozenset(one["turn"] for one in json.loads(said.getvalue())["proposed"])


@contextlib.contextmanager
def _captured() -> Iterator[io.BytesIO]:
    held = io.BytesIO()
    stream = io.TextIOWrapper(held, encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(stream):
        yield held
    stream.detach()


def report(name: str, counts: list[Count], *, as_json: bool) -> int:
    """Print the table; return the exit code."""
    total = Count(*map(sum, zip(*counts, strict=True)))
    base = total.gold / total.turns
    precision = total.hits / max(total.promoted, 1)
    longest = total.longest / max(total.promoted, 1)
    figures = {
        "turns": total.turns,
        "promoted": total.promoted,
        "share": round(total.promoted / total.turns, 4),
        "base rate": round(base, 4),
        "precision": round(precision, 4),
        "ratio": round(precision / base, 2),
        "longest first": round(longest, 4),
    }
    if as_json:
        print(json.dumps({"set": name, **figures}, indent=1))
    else:
        print(name)
        print("".join(f"{figure:>15}" for figure in figures))
        print("".join(f"{value:>15,}" for value in figures.values()))
    return 0 if precision >= LEAST_RATIO * base else 1


if __name__ == "__main__":
    sys.exit(main())
