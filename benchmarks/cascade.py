"""What the cascade of nested vectors loses and saves, and the thresholds of a model.

    python benchmarks/cascade.py --set locomo --data PATH [--embedder static] [--k N] [--json]

Embeds the items and questions of a data set (``benchmarks/datasets.py``), compares every
question with all items of its case at full length and at each tier of ``retrieval-math``
section 4, and prints how much of the full top k each tier holds, what a comparison costs
against the full one, and the threshold at which ending there keeps 95 %: those that ship
belong to another model.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np

from benchmarks.datasets import SETS
from ctx.llm import embedders
from ctx.store import cascade
from ctx.store.cascade import top

SECONDS = 600.0
REPEATS = 20


class Threshold(NamedTuple):
    """The least θ at which prefixes find enough of what the full vectors find."""

    theta: float
    """In [0, 1]; 1 where the tier should never end a search."""
    exits: float
    """The share of sample queries that would end there, in [0, 1]."""
    kept: float
    """The mean share of the full top k that those keep, in [0, 1]; 1 where none ends there."""


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--set", choices=sorted(SETS), required=True, help="which data")
    parser.add_argument("--data", type=Path, required=True, help="where it is")
    parser.add_argument("--embedder", default="static", help="as the setting has it")
    parser.add_argument("--k", type=int, default=10, help="nearest items that count")
    parser.add_argument("--json", action="store_true", help="write one JSON object")
    options = parser.parse_args()
    model = embedders.embedder(options.embedder, os.environ, SECONDS)
    if model is None or not model.nested:
        raise SystemExit(f"cascade: vectors of {options.embedder} are not nested")
    cases = [
        (model.embed(case.texts), model.embed([one.text for one in case.questions]))
        for case in SETS[options.set](options.data)
    ]
    dim = cases[0][0].shape[1]
    rows = [
        _tier(cases, tier, options.k) for tier in (*cascade.TIERS, cascade.Tier(dim, 1.0))
        if tier.dim <= dim
    ]  # fmt: skip
    if options.json:
        print(json.dumps({"model": model.name, "dim": dim, "k": options.k, "tiers": rows}))
        return 0
    print(f"{model.name}, {dim} components, top {options.k} of {options.set}")
    print(f"{'tier':>6}{'kept':>8}{'cost':>8}{'θ':>8}{'exits':>8}{'kept then':>11}")
    for row in rows:
        print(
            f"{row['dim']:6.0f}{row['kept']:8.3f}{row['cost']:8.2f}{row['theta']:8.3f}"
            f"{row['exits']:8.3f}{row['kept_then']:11.3f}"
        )
    return 0


def _tier(
    cases: list[tuple[cascade.Floats, cascade.Floats]], tier: cascade.Tier, k: int
) -> dict[str, float]:
    kept, seconds, full_seconds = [], 0.0, 0.0
    fulls, prefixes = [], []
    for items, questions in cases:
        short = cascade.derive(items, tier.dim)
        asked = cascade.derive(questions, tier.dim)
        seconds += _timed(short, asked)
        full_seconds += _timed(items, questions)
        full, prefix = questions @ items.T, asked @ short.T
        kept.append(threshold(full, prefix, k, 1e-9).kept)
        width = min(full.shape[1], *(len(other) for other, _ in cases))
        fulls.append(full[:, :width])
        prefixes.append(prefix[:, :width])
    found = threshold(np.concatenate(fulls), np.concatenate(prefixes), k)
    return {
        "dim": tier.dim,
        "kept": float(np.mean(kept)),
        "cost": seconds / full_seconds,
        "theta": found.theta,
        "exits": found.exits,
        "kept_then": found.kept,
    }


def threshold(
    full: cascade.Floats, prefix: cascade.Floats, k: int = 10, keep: float = 0.95
) -> Threshold:
    """Return the least θ at which ending at a tier keeps ``keep`` of the full top ``k``.

    ``full`` and ``prefix`` hold the cosines of sample queries (rows) with documents (columns),
    at full length and at the tier's. Kept is the mean over the queries whose best prefix score
    is over θ, of the share of their full top k that the prefix's top k holds (section 4: each
    model has its own thresholds).

    Raises ValueError where the two differ in shape, for k < 1, or for a ``keep`` that is not
    in (0, 1].
    """
    if full.shape != prefix.shape or full.ndim != 2:
        raise ValueError(f"cosines of {full.shape} and {prefix.shape} are of different samples")
    if k < 1 or not 0 < keep <= 1:
        raise ValueError(f"no share {keep} of the top {k}")
    if not full.size:
        return Threshold(1.0, 0.0, 1.0)
    best = prefix.max(axis=1)
    tops = [
        (set(top(true, k).tolist()), top(short, k).tolist())
        for true, short in zip(full, prefix, strict=True)
    ]
    shares = np.array([len(true.intersection(short)) / len(true) for true, short in tops])
    for theta in [0.0, *np.unique(best[(best > 0) & (best < 1)]).tolist()]:
        ends = best > theta
        if ends.any() and shares[ends].mean() >= keep:
            return Threshold(theta, float(ends.mean()), float(shares[ends].mean()))
    return Threshold(1.0, 0.0, 1.0)


def _timed(items: cascade.Floats, questions: cascade.Floats) -> float:
    """Return the seconds that it takes to compare a question with all items, at the least."""
    least = float("inf")
    for question in questions[:REPEATS]:
        start = time.perf_counter()
        items @ question
        least = min(least, time.perf_counter() - start)
    return least


if __name__ == "__main__":
    sys.exit(main())
