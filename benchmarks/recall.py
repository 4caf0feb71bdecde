"""Whether what a question needs is found: evidence recall on public data, by ctx's own path.

    python benchmarks/recall.py --set locomo|beam|beam-500k|specs|relevance|work|gather|hops
                                --data PATH [--ranker R] [--embedder E] [--as-of DATE]
                                [--tokens N …] [--every N] [--packets] [--planner P]
                                [--against bm25|words] [--folds N] [--without PART] [--dear N]
                                [--authority SHARE] [--json]

Writes the data into a context directory of its own, imports and indexes it with the commands
that people use, and asks every question of ``ctx search``. Recall at T tokens is the mean over
questions of the share of evidence among the ranked list, packed greedily into T tokens at 4
characters a token of the item's own text, passing over what does not fit. ``--packets`` makes
``ctx agent --query`` pack instead, and counts rendered tokens; there ``--planner top-k`` is the
baseline: what the ranker finds, whole, best first by score alone, passing over what does not
fit, without the rest of a packet; ``--planner bm25`` does so by plain BM25, that of SQLite's FTS5
with Porter's stems, of any word of the question, and counts the own text of entries alone. Where
items are whole documents, ``all@N`` is the share of questions whose whole evidence is among the
first N.

``--against`` measures a baseline beside it, BM25 or the same without an embedder, lists the
categories and budgets in which that finds more by over ``MORE``, and ends with exit code 1 where
there are any. ``--folds`` deals the cases into as many folds in turn, and prints the mean over
folds with their spread. ``--every`` asks each Nth question, to have figures in minutes.

Last come the processor seconds of importing and indexing a case and of asking a question, the
means over all, and the peak memory of this process when both are done. ``docs/benchmarks.md`` says
where to get the data.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import sqlite3
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from math import inf
from pathlib import Path
from statistics import fmean, pstdev
from typing import NamedTuple

from ctx.model import (
    BY_WORTH,
    Entry,
    Library,
    Packet,
    ParseCache,
    Part,
    Request,
    Scored,
)

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.datasets import SETS, Case
from ctx import fit, render
from ctx.app import walk as packet
from ctx.app.options import PacketOptions
from ctx.app.workspace import Workspace
from ctx.cli.main import main as ctx
from ctx.fit import preference
from ctx.model import Included, SearchRequest
from ctx.rank import discovery, relevance, stopping
from ctx.rank.temporal import question as about_time
from ctx.text.tokens import counter
from ctx.world import World

CHARS_A_TOKEN = 4
TOP_K = "top-k"
BM25 = "bm25"
PLANNERS = (*fit.PLANNERS, TOP_K, BM25)
WORDS = "words"
MORE = 0.005
"""By how much a baseline has to find more."""
GOALS = {"hops": ("all@5", 0.9)}
"""What a set has to reach at least, and at which rank."""

TIME = "time"
"""The answers to questions about time (``temporal-retrieval`` section 9)."""
CONSTANTS = {"hop": "PARENTS", "authority": "INFLUENCE"}
"""Other parts of the ranker ``discovery``, and the constant that switches each off as 0."""
STOPPING = "stopping"
PARTS = (STOPPING, TIME, *CONSTANTS, *relevance.WEIGHTS, *relevance.FACTORS)


class Score(NamedTuple):
    """What one question found."""

    category: str
    at: str
    recall: float
    case: int = 0
    """The number of the case, from 0."""


class Cost(NamedTuple):
    """What one case cost."""

    indexing: float
    """Processor seconds of importing and indexing it."""
    asking: float
    """Processor seconds of one question, at all budgets."""
    indexed: float
    """Peak memory of the process after indexing it, in MiB."""
    asked: float
    """The same after its last question."""


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--set", choices=sorted(SETS), required=True, help="which data")
    parser.add_argument("--data", type=Path, required=True, help="where it is")
    parser.add_argument("--ranker", default="discovery", help="as ctx search takes it")
    parser.add_argument("--embedder", default="none", help="as ctx search takes it")
    parser.add_argument("--as-of", default="", help="day that ages are counted from")
    parser.add_argument("--packets", action="store_true", help="pack with ctx agent --query")
    parser.add_argument("--planner", choices=PLANNERS, default="tiered", help="of packets")
    parser.add_argument("--dear", type=int, help="tokens that halve a score of the planner acs")
    parser.add_argument("--tokens", type=int, nargs="+", default=(), help="count at these")
    parser.add_argument("--every", type=int, default=1, help="ask each Nth question")
    parser.add_argument("--against", choices=(BM25, WORDS), help="measure this baseline beside it")
    parser.add_argument("--folds", type=int, help="print the mean and the spread of so many folds")
    parser.add_argument("--without", choices=PARTS, help="a part of the ranker to leave out")
    parser.add_argument("--authority", type=float, help="share of a score that it decides")
    parser.add_argument("--json", action="store_true", help="write one JSON object")
    options = parser.parse_args()
    _adjust(options)
    scores: list[Score] = []
    before: list[Score] = []
    costs: list[Cost] = []
    baseline = argparse.Namespace(**vars(options))
    baseline.embedder = "none"
    if options.against == BM25:
        baseline.planner = BM25
    for number, case in enumerate(SETS[options.set](options.data)):
        case.budgets = tuple(options.tokens) or case.budgets
        case.questions = case.questions[:: options.every]
        with tempfile.TemporaryDirectory() as folder:
            begun = time.process_time()
            root = index(case, Path(folder), options.embedder)
            indexed, peak = time.process_time(), _peak()
            measure = _packed if options.packets else ranked
            scores += (each._replace(case=number) for each in measure(case, root, options))
            asking = (time.process_time() - indexed) / max(len(case.questions), 1)
            costs.append(Cost(indexed - begun, asking, peak, _peak()))
            if options.against:
                before += measure(case, root, baseline)
    _print(options, scores, costs, before)
    at, least = GOALS.get(options.set, ("", 0.0))
    reached = [score.recall for score in scores if score.at == at]
    return int(bool(_more(before, scores)) or fmean(reached or [least]) < least)


def _adjust(options: argparse.Namespace) -> None:
    """Switch parts of the ranker off, and set its constants, as the options ask."""
    if options.without in relevance.WEIGHTS:
        relevance.WEIGHTS[options.without] = 0.0
    elif options.without in relevance.FACTORS:
        relevance.FACTORS[options.without] = 1.0
    elif options.without in CONSTANTS:
        setattr(discovery, CONSTANTS[options.without], 0)
    elif options.without == STOPPING:
        for shares in (stopping.RELEVANT, stopping.STOP):
            shares.update(dict.fromkeys(shares, 0.0))
    elif options.without == TIME:
        about_time.THETA_XI = inf
    if options.authority is not None:
        discovery.INFLUENCE = options.authority
    if options.dear:
        preference.DEAR = options.dear


def _more(before: list[Score], scores: list[Score]) -> list[str]:
    """Return where a baseline finds more, a line each."""
    means = _means(scores)
    return [
        f"{category} at {at}: {value:.3f}, here {means[category][at]:.3f}"
        for category, row in _means(before).items()
        for at, value in row.items()
        if value > means[category][at] + MORE
    ]


def _means(scores: list[Score]) -> dict[str, dict[str, float]]:
    """Return the mean recall by category, of all first, and by what it is counted at."""
    means: dict[str, dict[str, float]] = {}
    for category in ["all", *sorted({score.category for score in scores})]:
        by_at: dict[str, list[float]] = defaultdict(list)
        for score in scores:
            if category in ("all", score.category):
                by_at[score.at].append(score.recall)
        means[category] = {at: fmean(found) for at, found in by_at.items()}
    return means


def _peak() -> float:
    """Return the most memory that this process has used so far, in MiB."""
    import resource  # not on Windows

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1024 * 1024 if sys.platform == "darwin" else 1024)


def index(case: Case, folder: Path, embedder: str) -> Path:
    """Write the context directory of a case, import and index it; return it."""
    root = folder / ".context"
    root.mkdir()
    case.write(root)
    with (
        open(os.devnull, "w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(None),
    ):
        for transcript in sorted(folder.glob("*.jsonl")):
            ctx(["session", "import", str(transcript), "--dir", str(root)])
        ctx(["index", "--dir", str(root), "--embedder", embedder])
    return root


def patient(given: PacketOptions, root: Path) -> Workspace:
    """Return the directory with an embedder that may take its time."""
    workspace = Workspace(given, World(), root=str(root))
    return workspace.having(workspace.settings._replace(embed_seconds=3600.0))


def ranked(case: Case, root: Path, options: argparse.Namespace) -> list[Score]:
    """Ask all questions in one walk, so that nothing is read again for each."""
    given = PacketOptions(
        ranker=options.ranker,
        embedder=options.embedder,
        as_of=options.as_of or None,
        query="?",
    )
    workspace = patient(given, root)
    request = workspace.request()

    def walk(shelf: ParseCache, library: Library) -> list[Score]:
        plain = _Plain(packet.directory(request, shelf).parts) if options.planner == BM25 else None

        def found(text: str) -> Iterable[Entry]:
            if plain:
                return plain.ranked(text)
            asked = request._replace(query=text)
            return [each.entry for each in _asked(asked, shelf, library, whole=not case.ranks)]

        return [
            score
            for question in case.questions
            for score in _judged(case, question.category, question.gold, found(question.text))
        ]

    return workspace.walk(walk, request)


class _Plain:
    """The entries that are chosen by worth, searched by BM25 alone."""

    def __init__(self, parts: Iterable[Part]) -> None:
        self._entries = [
            part.entry(place)
            for part in parts
            for place in range(len(part))
            if part.entry(place).section in (*BY_WORTH, "elevated")
        ]
        self._database = sqlite3.connect(":memory:")
        self._database.execute(
            "CREATE VIRTUAL TABLE entries USING fts5(text, tokenize='porter unicode61')"
        )
        self._database.executemany(
            "INSERT INTO entries(rowid, text) VALUES (?, ?)",
            enumerate(map(self.text, self._entries)),
        )

    @staticmethod
    def text(entry: Entry) -> str:
        """Return what is searched of an entry, and counted in a packet of this baseline."""
        return f"{entry.speaker or entry.title}\n{entry.body}\n"

    def ranked(self, question: str) -> list[Entry]:
        """Return the entries that have any word of ``question``, best first."""
        words = dict.fromkeys(re.findall(r"\w+", question.casefold()))
        rows = self._database.execute(
            "SELECT rowid FROM entries WHERE entries MATCH ? ORDER BY bm25(entries), rowid",
            (" OR ".join(f'"{word}"' for word in words),),
        )
        return [self._entries[rowid] for (rowid,) in rows]


def _asked(request: Request, shelf: ParseCache, library: Library, *, whole: bool) -> list[Scored]:
    found = packet.find(SearchRequest(request, None, whole), shelf, library)
    if found.scored and any("words alone" in warning for warning in found.warnings):
        raise SystemExit(f"recall: {found.warnings[-1]}")  # the figure would not be the embedder's
    return found.scored


def _judged(
    case: Case, category: str, gold: frozenset[str], ranked: Iterable[Entry]
) -> Iterator[Score]:
    names = list(dict.fromkeys(map(case.item, ranked)))
    if case.ranks:
        for rank in case.ranks:
            yield Score(category, f"R@{rank}", len(gold & set(names[:rank])) / len(gold))
            yield Score(category, f"all@{rank}", float(gold <= set(names[:rank])))
        return
    for tokens in case.budgets:
        held = _pack(names, lambda name: case.costs[name] / CHARS_A_TOKEN, tokens)
        yield Score(category, f"{tokens:,}", len(gold & held) / len(gold))


def _pack(names: Iterable[str], cost: Callable[[str], float], tokens: float) -> set[str]:
    held = set()
    for name in names:
        if cost(name) <= tokens:
            tokens -= cost(name)
            held.add(name)
    return held


def _packed(case: Case, root: Path, options: argparse.Namespace) -> list[Score]:
    """Ask ``ctx agent`` for packets, all in one walk; look at what they include in full."""
    is_plain = options.planner in (TOP_K, BM25)
    given = PacketOptions(
        ranker=options.ranker,
        embedder=options.embedder,
        query="?",
        planner=fit.PLANNERS[0] if is_plain else options.planner,
        as_of=options.as_of or None,
    )
    workspace = patient(given, root)
    asked, counting = workspace.request(), counter(workspace.settings.tokenizer)
    costs = render.Costs(asked, counting)

    def own(one: Scored) -> int:
        return counting.count(_Plain.text(one.entry))

    def rendered(one: Scored) -> int:
        return costs.unit(Included(one, "full"))

    def walk(shelf: ParseCache, library: Library) -> list[Score]:
        context = packet.directory(asked, shelf)
        plain = _Plain(context.parts) if options.planner == BM25 else None
        scores = []
        for tokens in case.budgets:
            for question in case.questions:
                request = asked._replace(query=question.text, budget=tokens)
                if plain:
                    ranked = [Scored(entry, 0.0, ()) for entry in plain.ranked(question.text)]
                    full = _greedy(ranked, tokens, own)
                elif is_plain:
                    found = _asked(request, shelf, library, whole=False)
                    full = _greedy(found, tokens, rendered)
                else:
                    full = _in_full(packet.pack(context, request, counting, library))
                right = question.gold & set(map(case.item, full))
                share = len(right) / len(question.gold)
                scores.append(Score(question.category, f"{tokens:,}", share))
        return scores

    return workspace.walk(walk, asked)


def _in_full(made: Packet) -> list[Entry]:
    """Return the entries that a packet includes in full."""
    if made.tokens > made.request.budget:
        raise SystemExit(f"recall: a packet of {made.tokens} tokens is over {made.request.budget}")
    if any("words alone" in warning for warning in made.warnings):
        raise SystemExit(f"recall: {made.warnings[-1]}")  # the figure would not be the embedder's
    return [
        one.entry
        for section in made.selection.sections
        for one in section.included
        if one.level == "full"
    ]


def _greedy(ranked: Iterable[Scored], budget: int, cost: Callable[[Scored], int]) -> list[Entry]:
    """Return the best entries by their place alone, as many as fit the budget whole."""
    return [one.entry for one in fit.greedy(ranked, cost, budget)]


def _print(
    options: argparse.Namespace, scores: list[Score], costs: list[Cost], before: list[Score]
) -> None:
    count = max(len(costs), 1)
    cost = Cost(
        sum(each.indexing for each in costs) / count,
        sum(each.asking for each in costs) / count,
        max((each.indexed for each in costs), default=0.0),
        max((each.asked for each in costs), default=0.0),
    )
    means = _means(scores)
    first = next(iter(means["all"]), "")
    counts = {
        category: sum(score.at == first and category in ("all", score.category) for score in scores)
        for category in means
    }
    folds = _folds(scores, options.folds) if options.folds else {}
    if options.json:
        figures = {
            "set": options.set, "ranker": options.ranker, "embedder": options.embedder,
            "packets": options.packets, "planner": options.planner,
            "as_of": options.as_of or World().today,
            "questions": counts,
            "cost": {name: round(value, 3) for name, value in cost._asdict().items()},
            "recall": _rounded(means), "folds": folds, "against": _rounded(_means(before)),
            "more": _more(before, scores),
        }  # fmt: skip
        print(json.dumps(figures, indent=1))
        return
    how = f"packets, planner {options.planner}" if options.packets else "ranked list"
    print(f"{options.set}, {how}, ranker {options.ranker}, embedder {options.embedder}")
    baseline = _means(before)
    named = f"   {options.against}" if before else ""
    print(f"{'':26}{'questions':>10}" + "".join(f"{at:>9}" for at in means["all"]) + named)
    for category, row in means.items():
        rows = [row, *filter(None, (baseline.get(category),))]
        cells = ["".join(f"{value:9.3f}" for value in each.values()) for each in rows]
        print(f"{category:26}{counts[category]:10}{'  |'.join(cells)}")
    for at, (mean, spread, *each) in folds.items():
        shown = " ".join(f"{value:.3f}" for value in each)
        print(f"folds at {at}: mean {mean:.3f}, standard deviation {spread:.3f} ({shown})")
    if before:
        more = _more(before, scores)
        print(f"{options.against} finds more by over {MORE:g} in {len(more)}:")
        print("".join(f"  {line}\n" for line in more), end="")
    print(
        f"indexing {cost.indexing:.2f} s, peak {cost.indexed:.0f} MiB;"
        f" asking {cost.asking:.3f} s a question, peak {cost.asked:.0f} MiB"
    )


def _rounded(means: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    return {c: {at: round(value, 4) for at, value in row.items()} for c, row in means.items()}


def _folds(scores: list[Score], folds: int) -> dict[str, list[float]]:
    """Return the mean, the standard deviation and the means of all folds, by budget or rank."""
    found: dict[str, list[float]] = {}
    for at in dict.fromkeys(score.at for score in scores):
        dealt = [
            [score.recall for score in scores if score.at == at and score.case % folds == fold]
            for fold in range(folds)
        ]
        means = [round(fmean(each), 4) for each in dealt if each]
        found[at] = [round(fmean(means), 4), round(pstdev(means), 4), *means]
    return found


if __name__ == "__main__":
    sys.exit(main())
