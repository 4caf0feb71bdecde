"""What ``ctx check`` takes: files a second, and each rule, on directories of several sizes.

    python benchmarks/check.py [--dir DIRECTORY] [--entries N …] [--rules]

For a copy of the directory, and for synthetic ones: documents, entries, MiB, the processor seconds
of a check without a store, documents a second, and what each entry takes. One synthetic directory
is drawn as that of ``benchmarks/scale.py``; in the other one each entry differs from many others
in a figure, so that as many pairs as there are have to be compared. ``--rules`` adds what each rule
takes. Exit code 1 where ten times the entries take more than ``GROWTH`` times as long.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from ctx.checks.rules import Rule

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.scale import write as drawn
from ctx.app.check import check
from ctx.app.options import PacketOptions
from ctx.app.workspace import Workspace
from ctx.checks.rules import RULES
from ctx.world import World

FIXTURE = Path(__file__).parent.parent / "fixtures" / "webshop" / ".context"
SIZES = (1_000, 10_000)
GROWTH = 20.0
FAMILY = 100
"""Entries that differ in a figure only."""
MB = 1024 * 1024


class Cost(NamedTuple):
    """What one check took."""

    name: str
    entries: int
    seconds: float


def main() -> int:
    """Measure, print, and judge how the cost grows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--dir", type=Path, default=FIXTURE, help="context directory")
    parser.add_argument("--entries", type=int, nargs="+", default=SIZES, help="sizes to measure")
    parser.add_argument("--rules", action="store_true", help="print what each rule takes")
    options = parser.parse_args()
    print(
        f"{'':24}{'documents':>10}{'entries':>9}{'MiB':>7}{'seconds':>9}{'files/s':>9}{'each':>10}"
    )
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder) / ".context"
        shutil.copytree(options.dir, copied, ignore=shutil.ignore_patterns(".ctx"))
        _measure(options.dir.resolve().parent.name, copied, each=options.rules)
    slow = [
        name
        for name, make in (("drawn", drawn), ("alike", alike))
        if _grows([_made(name, make, size, each=options.rules) for size in options.entries])
    ]
    for name in slow:
        print(f"{name}: ten times the entries take over {GROWTH} times as long", file=sys.stderr)
    return 1 if slow else 0


def _grows(costs: Sequence[Cost]) -> bool:
    """Whether the cost grows by more than the number of entries would explain."""
    least, most = costs[0], costs[-1]
    times = most.entries / least.entries
    return times > 1 and most.seconds / least.seconds > GROWTH * times / 10


def _made(name: str, make: Callable[[Path, int], None], size: int, *, each: bool) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / ".context"
        make(root, size)
        return _measure(f"{name} {size:,}", root, each=each)


def alike(root: Path, size: int) -> None:
    """Write ``size`` decisions, of which ``FAMILY`` each differ in a figure only."""
    root.mkdir()
    words = ("cart", "depot", "price", "label", "parcel", "refund", "stock", "index", "mail")
    for start in range(0, size, FAMILY):
        topic = f"{words[start // FAMILY % len(words)]}{start}"
        text = "".join(
            f"## [2026-01-{number % 28 + 1:02}] The {topic} closes after {number}\n\n"
            f"**Decision**: A {topic} waits {number} minutes for the van that fetches it, and an "
            f"hour longer where the depot of the {topic} says so in its answer.\n\n"
            for number in range(min(FAMILY, size - start))
        )
        (root / "decisions").mkdir(exist_ok=True)
        (root / "decisions" / f"{topic}.md").write_text(text, encoding="utf-8")


def _measure(name: str, root: Path, *, each: bool) -> Cost:
    _seconds(root, RULES)  # imports
    seconds, files, entries = _seconds(root, RULES)
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) / MB
    print(
        f"{name:24}{files:10,}{entries:9,}{size:7.1f}{seconds:9.2f}{files / seconds:9,.0f}"
        f"{1e6 * seconds / max(1, entries):7,.0f} µs"
    )
    if each:
        nothing = _seconds(root, ())[0]
        print(f"    {'reading':20}{1000 * nothing:8.0f} ms")
        for rule in RULES:
            print(f"    {rule.name:20}{1000 * (_seconds(root, (rule,))[0] - nothing):8.0f} ms")
    return Cost(name, entries, seconds)


def _seconds(root: Path, rules: Sequence[Rule]) -> tuple[float, int, int]:
    """Return the seconds of a check without a store, its documents and its entries."""
    world = World()
    world.environ = cast("Mapping[str, str]", {"CTX_NO_CACHE": "1"})
    workspace = Workspace(PacketOptions(), world, root=str(root))
    workspace.loaded  # noqa: B018 - read before the clock starts
    begun = time.process_time()
    done = check(workspace, rules)
    return time.process_time() - begun, done.files, done.entries


if __name__ == "__main__":
    sys.exit(main())
