"""Whether what a question needs is found: evidence recall on public data, by ctx's own path.

    python benchmarks/recall.py --set locomo|beam|beam-500k|specs|relevance|work --data PATH
                                [--ranker R] [--embedder E] [--as-of DATE] [--tokens N …]
                                [--packets] [--planner P] [--without PART] [--dear N]
                                [--authority SHARE] [--json]

Writes the data into a context directory of its own, imports and indexes it with the commands
that people use, and asks every question of ``ctx search``. Recall at T tokens is the mean over
questions of the share of evidence among the ranked list, packed greedily into T tokens at 4
characters a token of the item's own text, passing over what does not fit. ``--packets`` makes
``ctx agent --query`` pack instead, and counts rendered tokens; there ``--planner top-k`` is the
baseline: what the ranker finds, whole, best first by score alone, passing over what does not
fit, without the rest of a packet. Last come the processor seconds of importing and indexing a
case and of asking a question, the means over all, and the peak memory of this process when both
are done. ``docs/benchmarks.md`` says where to get the data.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from math import inf
from pathlib import Path
from typing import NamedTuple

from ctx.model import Entry, Library, Packet, ParseCache, Request, Scored

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
PLANNERS = (*fit.PLANNERS, TOP_K)

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
    parser.add_argument("--without", choices=PARTS, help="a part of the ranker to leave out")
    parser.add_argument("--authority", type=float, help="share of a score that it decides")
    parser.add_argument("--json", action="store_true", help="write one JSON object")
    options = parser.parse_args()
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
    scores: list[Score] = []
    costs: list[Cost] = []
    for case in SETS[options.set](options.data):
        case.budgets = tuple(options.tokens) or case.budgets
        with tempfile.TemporaryDirectory() as folder:
            begun = time.process_time()
            root = index(case, Path(folder), options.embedder)
            indexed, peak = time.process_time(), _peak()
            scores += (_packed if options.packets else ranked)(case, root, options)
            asking = (time.process_time() - indexed) / max(len(case.questions), 1)
            costs.append(Cost(indexed - begun, asking, peak, _peak()))
    _print(options, scores, costs)
    return 0


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
        return [
            score
            for question in case.questions
            for score in _judged(
                case,
                question.category,
                question.gold,
                _asked(
                    request._replace(query=question.text),
                    shelf,
                    library,
                    whole=not case.ranks,
                ),
            )
        ]

    return workspace.walk(walk, request)


def _asked(request: Request, shelf: ParseCache, library: Library, *, whole: bool) -> list[Scored]:
    found = packet.find(SearchRequest(request, None, whole), shelf, library)
    if found.scored and any("words alone" in warning for warning in found.warnings):
        raise SystemExit(f"recall: {found.warnings[-1]}")  # the figure would not be the embedder's
    return found.scored


def _judged(
    case: Case, category: str, gold: frozenset[str], ranked: Iterable[Scored]
) -> Iterator[Score]:
    names = list(dict.fromkeys(case.item(one.entry) for one in ranked))
    if case.ranks:
        for rank in case.ranks:
            yield Score(category, f"R@{rank}", len(gold & set(names[:rank])) / len(gold))
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


def _packed(case: Case, root: Path, options: argparse.Namespace) -> Iterator[Score]:
    """Ask ``ctx agent`` for a packet for every question; look at what it says whole."""
    top = options.planner == TOP_K
    for tokens in case.budgets:
        given = PacketOptions(
            ranker=options.ranker,
            embedder=options.embedder,
            budget=str(tokens),
            planner=fit.PLANNERS[0] if top else options.planner,
            as_of=options.as_of or None,
        )
        for question in case.questions:
            workspace = patient(given.replace(query=question.text), root)
            pack = _top if top else _packet
            said = {case.item(one) for one in pack(workspace)}
            recall = len(question.gold & said) / len(question.gold)
            yield Score(question.category, f"{tokens:,}", recall)


def _packet(workspace: Workspace) -> list[Entry]:
    """Return what a packet says whole."""
    request, counting = workspace.request(), counter(workspace.settings.tokenizer)

    def walk(shelf: ParseCache, library: Library) -> Packet:
        return packet.assemble(request, counting, shelf, library)

    made = workspace.walk(walk, request)
    if made.tokens > request.budget:
        raise SystemExit(f"recall: a packet of {made.tokens} tokens is over {request.budget}")
    return [
        one.entry
        for section in made.selection.sections
        for one in section.included
        if one.level == "full"
    ]


def _top(workspace: Workspace) -> list[Entry]:
    """Return the best entries by their score alone, as many as fit the budget whole."""
    request = workspace.request()
    costs = render.Costs(request, counter(workspace.settings.tokenizer))

    def walk(shelf: ParseCache, library: Library) -> list[Entry]:
        scored = _asked(request, shelf, library, whole=False)
        chosen = fit.greedy(scored, lambda one: costs.unit(Included(one, "full")), request.budget)
        return [one.entry for one in chosen]

    return workspace.walk(walk, request)


def _print(options: argparse.Namespace, scores: list[Score], costs: list[Cost]) -> None:
    count = max(len(costs), 1)
    cost = Cost(
        sum(each.indexing for each in costs) / count,
        sum(each.asking for each in costs) / count,
        max((each.indexed for each in costs), default=0.0),
        max((each.asked for each in costs), default=0.0),
    )
    means: dict[str, dict[str, float]] = {}
    counts: dict[str, int] = {}
    for category in ["all", *sorted({score.category for score in scores})]:
        by_at: dict[str, list[float]] = defaultdict(list)
        for score in scores:
            if category in ("all", score.category):
                by_at[score.at].append(score.recall)
        means[category] = {at: sum(found) / len(found) for at, found in by_at.items()}
        counts[category] = max(map(len, by_at.values()), default=0)
    if options.json:
        figures = {
            "set": options.set, "ranker": options.ranker, "embedder": options.embedder,
            "packets": options.packets, "planner": options.planner,
            "as_of": options.as_of or World().today,
            "questions": counts,
            "cost": {name: round(value, 3) for name, value in cost._asdict().items()},
            "recall": {c: {at: round(v, 4) for at, v in row.items()} for c, row in means.items()},
        }  # fmt: skip
        print(json.dumps(figures, indent=1))
        return
    how = f"packets, planner {options.planner}" if options.packets else "ranked list"
    print(f"{options.set}, {how}, ranker {options.ranker}, embedder {options.embedder}")
    print(f"{'':26}{'questions':>10}" + "".join(f"{at:>9}" for at in means["all"]))
    for category, row in means.items():
        figures_ = "".join(f"{value:9.3f}" for value in row.values())
        print(f"{category:26}{counts[category]:10}{figures_}")
    print(
        f"indexing {cost.indexing:.2f} s, peak {cost.indexed:.0f} MiB;"
        f" asking {cost.asking:.3f} s a question, peak {cost.asked:.0f} MiB"
    )


if __name__ == "__main__":
    sys.exit(main())
