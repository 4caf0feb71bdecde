"""What links that nobody wrote would add: edges in a directory, and recall with them.

    python benchmarks/links.py --set relevance|specs|beam|locomo --data PATH [--shared FORM …]
                               [--holders N]

Two entries are linked where they share a reference or a name that at most ``--holders`` (3)
entries hold: ``title`` (one holds the other's title), ``entry`` (its timestamp), ``commit``,
``issue``, ``path``, ``link``, ``name``. The rest is ``benchmarks/recall.py``, by ``discovery``.
Prints the edges of each directory, and recall without a hop, with the links that people wrote, and
with these in addition.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

from ctx.model import Entry
from ctx.rank.corpus import Corpus

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import recall
from benchmarks.datasets import SETS
from ctx.rank import discovery, links
from ctx.text.entities import entities
from ctx.text.references import citations

FORMS = ("title", "entry", "commit", "issue", "path", "link", "name")
_STAMP = re.compile(r"\d{4}-\d{2}-\d{2}-\d{4,6}")
_LEAST_TITLE = 3
"""Words of a title that is looked for in other entries."""


class Found:
    """The edges of one corpus by form, made once."""

    def __init__(self, corpus: Corpus, forms: frozenset[str], holders: int) -> None:
        entries = {at: corpus.entry(at) for at in range(len(corpus))}
        by_name: dict[tuple[str, str], list[int]] = defaultdict(list)
        for at, entry in entries.items():
            for name in sorted(_names(entry, forms)):
                by_name[name].append(at)
        if "title" in forms:
            for at, entry in entries.items():
                title = entry.title.casefold()
                if entry.kind != "turn" and len(title.split()) >= _LEAST_TITLE:
                    held = [other for other in entries if title in entries[other].body.casefold()]
                    by_name["title", title] = sorted({at, *held})
        self.of: dict[int, dict[int, str]] = defaultdict(dict)
        for (form, _), places in by_name.items():
            if len(places) <= holders:
                for one, other in permutations(places, 2):
                    self.of[one].setdefault(other, form)
        self.counts = Counter(form for edges in self.of.values() for form in edges.values())


def _names(entry: Entry, forms: frozenset[str]) -> Iterator[tuple[str, str]]:
    text = f"{entry.title}\n{entry.body}"
    for citation in citations(text):
        if citation.kind in forms:
            yield citation.kind, citation.target.casefold()
    if "entry" in forms:
        stamps = {*_STAMP.findall(entry.body), entry.timestamp}
        yield from (("entry", stamp) for stamp in stamps if _STAMP.fullmatch(stamp))
    if "name" in forms:
        yield from (("name", name) for name in entities(text))


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--set", choices=sorted(SETS), required=True, help="which data")
    parser.add_argument("--data", type=Path, required=True, help="where it is")
    parser.add_argument("--shared", choices=FORMS, nargs="+", default=FORMS, help="what links")
    parser.add_argument("--holders", type=int, default=3, help="most entries that share it")
    given = parser.parse_args()
    forms = frozenset(given.shared)
    options = argparse.Namespace(
        ranker="discovery", embedder="none", as_of="", packets=False, json=False,
        planner="tiered", **vars(given),
    )  # fmt: skip
    written, parents = links.Links.of, discovery.PARENTS
    found: dict[tuple[str, ...], Found] = {}

    def added(self: links.Links, position: int) -> list[int]:
        corpus = self._corpus
        key = (*(part.source for part in corpus.parts), str(len(corpus)))
        if key not in found:
            found[key] = Found(corpus, forms, given.holders)
        return list(dict.fromkeys([*written(self, position), *found[key].of.get(position, {})]))

    for name, of, most in (
        ("no hop", written, 0), ("links as written", written, parents),
        ("and shared", added, parents),
    ):  # fmt: skip
        links.Links.of, discovery.PARENTS = of, most  # type: ignore[method-assign]
        scores: list[recall.Score] = []
        for case in SETS[given.set](given.data):
            with tempfile.TemporaryDirectory() as folder:
                scores += recall.ranked(case, recall.index(case, Path(folder), "none"), options)
        at = dict.fromkeys(score.at for score in scores)
        means = {place: [score.recall for score in scores if score.at == place] for place in at}
        print(f"{name:18}" + "".join(f"{p:>7} {sum(v) / len(v):.3f}" for p, v in means.items()))
    for key, edges in found.items():
        counts = ", ".join(f"{form} {count}" for form, count in sorted(edges.counts.items()))
        print(f"{key[-1]:>6} entries, {sum(edges.counts.values())} edges: {counts or 'none'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
