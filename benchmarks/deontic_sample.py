"""Draw paragraphs and list items from instruction files of other tools, to be labelled.

    python -m benchmarks.deontic_sample CORPUS [--seed 15] [--count 300]

CORPUS holds one folder a repository. Units are what the deontic reader is asked about: a paragraph,
or a list item behind the introduction of its list. Equal texts count once; those of more than
``LONGEST`` characters are left out, so that the data can quote what it labels. Strata are
repository by kind of file, each with a share that grows with the root of its size. Order and half
follow a digest of seed and text: the same seed draws the same units. ``--skip FILE`` leaves out the
texts of earlier data. Printed is JSON: objects with ``name``, ``source``, ``half``, ``text``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ctx.read.authored.partition import led, partition
from ctx.read.markdown.blocks import normalise
from ctx.text.checkbox import without_marker

LONGEST = 600  # characters
_KINDS = {"spec": ("spec", "change"), "record": ("adr", "decisions"), "skill": ("skill", "command")}


class Unit(NamedTuple):
    """A text, and where it stands."""

    source: str
    text: str
    key: str
    """What its place in the order is computed from."""


def main() -> int:
    """Print what was drawn; return 0."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--seed", default="15")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--skip", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    seen = {one["text"] for path in options.skip for one in json.loads(path.read_text("utf-8"))}
    strata = _strata(options.corpus, seen)
    print(json.dumps(list(_drawn(strata, options)), ensure_ascii=False, indent=1))
    return 0


def _strata(corpus: Path, seen: set[str]) -> dict[tuple[str, str], list[Unit]]:
    strata: dict[tuple[str, str], list[Unit]] = defaultdict(list)
    for path in sorted(corpus.glob("*/**/*")):
        if not path.is_file() or path.name.startswith(("LICENSE", "SOURCE")):
            continue
        place = path.relative_to(corpus)
        folders = "/".join(place.parts[1:]).casefold()
        kinds = [kind for kind, marks in _KINDS.items() if any(map(folders.count, marks))]
        for unit in _units(path, str(place)):
            if unit.key not in seen and unit.text not in seen:
                seen.add(unit.key)
                strata[place.parts[0], [*kinds, "rules"][0]].append(unit)
    return strata


def _units(path: Path, place: str) -> Iterator[Unit]:
    text = normalise(path.read_text("utf-8"))
    lines = text.split("\n")
    for node in partition(text):
        said = "\n".join(lines[node.start : node.end]).strip()
        if node.kind not in {"item", "paragraph"} or node.introduces:
            continue
        said = without_marker(said) if node.kind == "item" else said
        key = f"{node.lead} {said}" if node.lead else said
        if 0 < len(key) <= LONGEST:
            yield Unit(f"{place}:{node.start + 1}", led(node.lead, said), key)


def _drawn(
    strata: dict[tuple[str, str], list[Unit]], options: argparse.Namespace
) -> Iterator[dict[str, str]]:
    weights = {key: math.sqrt(len(units)) for key, units in strata.items()}
    left, weight = options.count, sum(weights.values())
    for key in sorted(strata):
        share = round(left * weights[key] / weight)
        left, weight = left - share, weight - weights[key]

        def rank(unit: Unit) -> str:
            return hashlib.sha256(f"{options.seed}{unit.key}".encode()).hexdigest()

        for at, unit in enumerate(sorted(strata[key], key=rank)[:share]):
            name = f"{'-'.join(key)}-{rank(unit)[:8]}"
            half = "held-out" if (at + int(rank(strata[key][0])[0], 16)) % 2 else "dev"
            yield {"name": name, "source": unit.source, "half": half, "text": unit.text}


if __name__ == "__main__":
    raise SystemExit(main())
