"""Whether search stops: nothing for questions about other subjects, else just what bears on them.

    python benchmarks/relevance.py [--corpora PATH] [--locomo PATH] [--beam PATH]
                                   [--embedder none|static …] [--half dev|held|second|test …]
                                   [--only off-topic|exact] [--json]
    python benchmarks/relevance.py --corpora PATH --form NAME … [--every N] [--misses [--show-held]]

Asks the 200 questions of ``off-topic.txt``, and the 60 of ``off-topic-near.txt`` that share words
with projects, of every folder of ``--corpora`` and every conversation of ``--locomo`` and
``--beam``, and counts those that are answered with nothing. A folder with a ``.context`` is asked
as it is; of another all Markdown files become background. Then asks the questions of
``relevance.json`` of its six directories, and compares the results (10 at most)
with the set of entries that bear on each: F1 is 1 where a question without any gets no result, 0
where it gets some. *before* is the same search with ``--min-relevance 0``, which stops nowhere.

``--form`` asks the questions of ``relevance.json`` that have entries, of all halves, and those
about other subjects, all of the six directories, in forms of ``forms.txt``: of ``ctx search``, and
of ``ctx agent --query`` with ``--fill none`` at ``BUDGET`` tokens, where an entry is found that is
included with a body. Prints the share of entries found, its ratio to that of the questions as they
are, and the shares answered with nothing. Exit code 1 where a form misses ``LEAST_FOUND`` or
``LEAST_NOTHING``. ``--misses`` lists the entries that a form loses, only of forms and questions
that are not kept aside, unless ``--show-held`` is given. ``--everywhere`` asks those about other
subjects of all directories instead, of ``ctx search`` alone.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from ctx.model import BY_WORTH, Entry, Library, ParseCache, Scored

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.datasets import SETS
from benchmarks.forms import AS_ASKED, FILES, forms, framed
from benchmarks.recall import index, patient
from ctx.app import walk
from ctx.app.options import PacketOptions
from ctx.app.search import DEFAULT_LIMIT
from ctx.model import SearchRequest
from ctx.text.tokens import counter

HERE = Path(__file__).parent
FIXTURE = HERE.parent / "fixtures" / "webshop" / ".context"
HALVES = ("dev", "held", "second", "test")
AS_OF = "2026-11-01"
THEMES = (
    "cli-command-surface",
    "hooks-session-and-telemetry",
    "integrations-and-assets",
    "kb-and-vocabulary",
    "security-and-permissions",
)
KINDS = {"short": "keywords", "question": "question", "prompt": "task", "task": "task"}
OFF_TOPIC = ("off-topic", "off-topic-near")
LABEL = 40
"""Characters of a title by which a label names its entry."""
LEAST_FOUND = 0.95
"""Of the share of entries that a question finds as it is, what it finds in a form."""
LEAST_NOTHING = 0.95
"""The share of questions about other subjects that get nothing, in any form."""
BUDGET = 4_000
"""Tokens of a packet in which entries are looked for."""


class Exact(NamedTuple):
    """How results compare with the sets that bear on the questions."""

    f1: float
    """Over all questions, also those that nothing answers."""
    precision: float
    """Over questions that something answers; 0 for one without results."""
    recall: float
    empty: float
    """The share of questions that nothing answers that get nothing."""


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    for name in ("corpora", "locomo", "beam"):
        parser.add_argument(
            f"--{name}", type=Path, required=name == "corpora", help="where they are"
        )
    parser.add_argument("--embedder", nargs="+", default=["none"], help="as ctx search takes it")
    parser.add_argument("--half", nargs="+", choices=HALVES, help="dev; with --form all")
    parser.add_argument("--form", nargs="+", choices=[*forms()], help="ask in these forms")
    parser.add_argument("--every", type=int, default=1, help="with --form: each Nth question")
    parser.add_argument("--misses", action="store_true", help="with --form: what is lost")
    parser.add_argument("--show-held", action="store_true", help="also of what is kept aside")
    parser.add_argument("--everywhere", action="store_true", help="with --form: all directories")
    parser.add_argument("--only", choices=("off-topic", "exact"), help="measure this alone")
    parser.add_argument("--json", action="store_true", help="write one JSON object")
    options = parser.parse_args()
    if options.form:
        return _in_forms(options)
    options.half = options.half or ["dev"]
    figures: dict[str, object] = {}
    for embedder in options.embedder:
        rejected = dict(_rejected(options, embedder)) if options.only != "exact" else {}
        exact = _exact(options, embedder) if options.only != "off-topic" else {}
        figures[embedder] = {
            "answered with nothing": rejected,
            "exact": {name: one._asdict() for name, one in exact.items()},
        }
        if not options.json:
            _print(embedder, rejected, exact)
    if options.json:
        print(json.dumps(figures, indent=1))
    return 0


# --- questions about other subjects ---------------------------------------------------------


def _rejected(
    options: argparse.Namespace, embedder: str, form: str = AS_ASKED
) -> Iterator[tuple[str, list[float]]]:
    """Yield for each directory the shares of questions that are answered with nothing."""
    sets = [[framed(form, each) for each in _others(name)[:: options.every]] for name in OFF_TOPIC]
    for name, write in _directories(options):
        with tempfile.TemporaryDirectory() as folder:
            answers = iter(_answers(write(Path(folder)), [*chain(*sets)], embedder, limit=1))
            shares = [sum(not next(answers) for _ in asked) / len(asked) for asked in sets]
            print(name, *(f"{share:.3f}" for share in shares), file=sys.stderr, flush=True)
            yield name, shares


def _others(name: str) -> list[str]:
    """Return the questions about other subjects of the set ``name``."""
    return [*filter(None, (HERE / f"{name}.txt").read_text(encoding="utf-8").split("\n"))]


def _directories(
    options: argparse.Namespace,
) -> Iterator[tuple[str, Callable[[Path], Path]]]:
    """Yield the name of each directory, and what writes it into a folder and returns it."""
    corpora: Path = options.corpora
    for base in (corpora, corpora / "authored", corpora / "interop"):
        for folder in sorted(base.iterdir()):
            if folder.is_dir() and folder.name not in ("authored", "interop"):
                yield folder.name, partial(_copied, folder)
    for name in ("locomo", "beam"):
        if getattr(options, name):
            for number, case in enumerate(SETS[name](getattr(options, name)), 1):
                yield f"{name} {number}", partial(index, case, embedder="none")


def _copied(folder: Path, into: Path) -> Path:
    root = into / ".context"
    if (folder / ".context").is_dir():
        shutil.copytree(folder / ".context", root)
        return root
    for path in sorted(folder.rglob("*.md*")):
        target = (root / "specs" / path.relative_to(folder)).with_suffix(".md")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    return root


# --- the exact sets -------------------------------------------------------------------------


def _exact(options: argparse.Namespace, embedder: str) -> dict[str, Exact]:
    labelled = json.loads((HERE / "relevance.json").read_text(encoding="utf-8"))
    labelled = [row for row in labelled if row["half"] in options.half]
    scores: dict[str, list[tuple[int, int, int]]] = {}
    for name in dict.fromkeys(row["corpus"] for row in labelled):
        rows = [row for row in labelled if row["corpus"] == name]
        with tempfile.TemporaryDirectory() as folder:
            root = _labelled(name, options.corpora, Path(folder))
            for when, least in (("before", 0.0), ("now", None)):
                asked = [row["question"] for row in rows]
                answers = _answers(root, asked, embedder, least=least)
                for row, hits in zip(rows, answers, strict=True):
                    kind = KINDS[row["kind"]] if row["entries"] else "none"
                    right = sum(
                        any(_is(label, hit.entry) for hit in hits) for label in row["entries"]
                    )
                    score = (right, len(hits), len(row["entries"]))
                    scores.setdefault(when, []).append(score)
                    if when == "now":
                        scores.setdefault(f"  {kind}", []).append(score)
    return {when: _judged(found) for when, found in scores.items()}


def _labelled(name: str, corpora: Path, into: Path) -> Path:
    """Write the directory of the labelled questions that is called ``name``; return it."""
    root = into / ".context"
    if name == "webshop":
        shutil.copytree(FIXTURE, root)
    elif name == "activememory":
        root.mkdir()
        for file in ("DECISIONS.md", "LEARNINGS.md"):
            shutil.copy(corpora / name / ".context" / file, root / file)
    elif name == "themed":
        root.mkdir()
        folder = corpora / "activememory-themed" / ".context" / "decisions"
        texts = [(folder / f"{file}.md").read_text(encoding="utf-8") for file in THEMES]
        (root / "DECISIONS.md").write_text("\n".join(texts), encoding="utf-8")
    else:
        (root / "decisions").mkdir(parents=True)
        for path in sorted(_records(name, corpora).rglob("0*.md")):
            # A heading deeper: each record is one entry.
            lines = path.read_text(encoding="utf-8").splitlines()
            text = "\n".join(f"#{line}" if line.startswith("#") else line for line in lines)
            (root / "decisions" / path.name).write_text(text, encoding="utf-8")
    return root


def _records(name: str, corpora: Path) -> Path:
    """Return the folder of decision records that is called ``name``."""
    if name == "ctx":
        return HERE.parent / "docs" / "adr"
    return corpora / "interop" / {"adr": "adr-beis", "madr": "madr/docs/decisions"}[name]


def _is(label: str, entry: Entry) -> bool:
    """Whether ``label`` names ``entry``: by its file alone, or with its date and title."""
    file, _, title = label.partition(": ")
    if not title:
        return entry.source.rpartition("/")[2] == file.rpartition("/")[2]
    stamp, _, rest = title.removeprefix("[").partition("] ")
    same = entry.source == file and (not rest or stamp in entry.id)
    return same and entry.title.casefold().startswith((rest or title).casefold()[:LABEL])


def _judged(scores: Sequence[tuple[int, int, int]]) -> Exact:
    f1 = [2 * right / (found + wanted) if found or wanted else 1 for right, found, wanted in scores]
    some = [one for one in scores if one[2]]
    none = [one for one in scores if not one[2]]
    return Exact(
        sum(f1) / len(f1),
        sum(right / max(1, found) for right, found, _ in some) / max(1, len(some)),
        sum(right / wanted for right, _, wanted in some) / max(1, len(some)),
        sum(not found for _, found, _ in none) / max(1, len(none)),
    )


# --- forms ----------------------------------------------------------------------------------


class InForm(NamedTuple):
    """What questions find in one form, by search and by a packet."""

    questions: int
    found: tuple[float, float]
    """The mean share of the entries that bear on a question."""
    nothing: tuple[float, float]
    """The share of these questions that are answered with nothing."""
    others: int
    """Questions about other subjects, times directories."""
    rejected: tuple[float, ...]
    """The share of these that are answered with nothing; none of packets where all are asked."""


def _in_forms(options: argparse.Namespace) -> int:
    """Print what each form finds; return 1 where one misses a goal."""
    rows = json.loads((HERE / "relevance.json").read_text(encoding="utf-8"))
    rows = [row for row in rows if row["entries"] and row["half"] in (options.half or HALVES)]
    rows = rows[:: options.every]
    figures: dict[str, dict[str, object]] = {}
    missed = False
    for embedder in options.embedder:
        measured = {
            form: _in_form(form, rows, options, embedder) for form in (AS_ASKED, *options.form)
        }
        plain = measured[AS_ASKED]
        figures[embedder] = {}
        for form, one in measured.items():
            pairs = zip(one.found, plain.found, strict=True)
            relative = [found / before if before else 1.0 for found, before in pairs]
            is_low = min(relative) < LEAST_FOUND or min(one.rejected, default=1.0) < LEAST_NOTHING
            missed |= is_low
            figures[embedder][form] = {**one._asdict(), "relative": relative, "missed": is_low}
        if not options.json:
            _print_forms(embedder, measured)
    if options.json:
        print(json.dumps(figures, indent=1))
    return int(missed)


def _in_form(
    form: str, rows: Sequence[dict[str, Any]], options: argparse.Namespace, embedder: str
) -> InForm:
    found: list[tuple[float, ...]] = []
    rejected: list[tuple[bool, ...]] = []
    others = [framed(form, each) for name in OFF_TOPIC for each in _others(name)[:: options.every]]
    for name in dict.fromkeys(row["corpus"] for row in rows):
        asked = [row for row in rows if row["corpus"] == name]
        texts = [framed(form, row["question"], FILES[name]) for row in asked]
        with tempfile.TemporaryDirectory() as folder:
            root = _labelled(name, options.corpora, Path(folder))
            if options.only != "exact" and not options.everywhere:
                for hits, packet in _both(root, others, embedder, limit=1):
                    rejected.append((not hits, packet.is_empty))
            if options.only != "off-topic":
                for row, (hits, packet) in zip(asked, _both(root, texts, embedder), strict=True):
                    lost = [_lost(row["entries"], ways) for ways in (hits, packet.entries)]
                    shares = [1 - len(each) / len(row["entries"]) for each in lost]
                    found.append((*shares, not hits, packet.is_empty))
                    if options.misses and (options.show_held or not _is_aside(row, form)):
                        _print_lost(form, row, lost)
    if options.only != "exact" and options.everywhere:
        sizes = [len(_others(name)[:: options.every]) for name in OFF_TOPIC]
        for _, shares in _rejected(options, embedder, form):
            for share, size in zip(shares, sizes, strict=True):
                empty = round(share * size)
                rejected += [(True,)] * empty + [(False,)] * (size - empty)
    means = [fmean(each) for each in zip(*found, strict=True)] or [0.0] * 4
    least = tuple(fmean(each) for each in zip(*rejected, strict=True))
    return InForm(len(found), (means[0], means[1]), (means[2], means[3]), len(rejected), least)


def _both(
    root: Path, asked: Sequence[str], embedder: str, *, limit: int = DEFAULT_LIMIT
) -> Iterator[tuple[list[Entry], Packed]]:
    """Yield for each question what search finds, and what a packet holds."""
    hits = _answers(root, asked, embedder, limit=limit)
    for some, packet in zip(hits, _packets(root, asked, embedder), strict=True):
        yield [hit.entry for hit in some], packet


def _lost(labels: Sequence[str], found: Sequence[Entry]) -> list[str]:
    return [label for label in labels if not any(_is(label, entry) for entry in found)]


def _is_aside(row: dict[str, Any], form: str) -> bool:
    """Whether what a question loses in a form is shown only on demand."""
    return row["half"] in ("held", "test") or (form in forms() and forms()[form].held)


def _print_lost(form: str, row: dict[str, Any], lost: Sequence[Sequence[str]]) -> None:
    if any(lost):
        print(f"{form}, {row['corpus']}: {row['question']}")
    for way, labels in zip(("search", "agent"), lost, strict=True):
        print("".join(f"  {way}: {label}\n" for label in labels), end="")


class Packed(NamedTuple):
    """What a packet holds for a question."""

    entries: list[Entry]
    """All that have a body."""
    is_empty: bool
    """Whether none of them is there for its score: rules and tasks are there without a question."""


def _packets(root: Path, asked: Sequence[str], embedder: str) -> list[Packed]:
    """Return what a packet holds for each question, all made in one walk."""
    given = PacketOptions(
        embedder=embedder, ranker="discovery", query="?", as_of=AS_OF, budget=str(BUDGET),
        fill="none",
    )  # fmt: skip
    workspace = patient(given, root)
    request, counting = workspace.request(), counter(workspace.settings.tokenizer)

    def ask(cache: ParseCache, library: Library) -> list[Packed]:
        context = walk.directory(request, cache)
        packed = []
        for question in asked:
            made = walk.pack(context, request._replace(query=question), counting, library)
            full = [
                (included.entry, section.name in BY_WORTH)
                for section in made.selection.sections
                for included in section.included
                if included.level != "title"
            ]
            packed.append(Packed([entry for entry, _ in full], not any(found for _, found in full)))
        return packed

    return workspace.walk(ask, request)


def _print_forms(embedder: str, measured: dict[str, InForm]) -> None:
    print(f"embedder {embedder}: entries found, by search and in a packet of {BUDGET:,} tokens")
    print(
        f"  {'':10}{'questions':>10}{'found':>14}{'relative':>14}{'nothing':>14}"
        f"{'others':>8}{'get nothing':>14}"
    )
    plain = measured[AS_ASKED]
    for form, one in measured.items():
        relative = [a / b if b else 1.0 for a, b in zip(one.found, plain.found, strict=True)]
        cells = [one.found, relative, one.nothing]
        held = " (held)" if form in forms() and forms()[form].held else ""
        print(
            f"  {form:10}{one.questions:10}"
            + "".join("".join(f"{value:7.3f}" for value in each) for each in cells)
            + f"{one.others:8}"
            + "".join(f"{value:7.3f}" for value in one.rejected)
            + held
        )


# --- asking ---------------------------------------------------------------------------------


def _answers(
    root: Path,
    asked: Sequence[str],
    embedder: str,
    *,
    limit: int = DEFAULT_LIMIT,
    least: float | None = None,
) -> list[list[Scored]]:
    """Return what each question finds, all asked in one walk."""
    given = PacketOptions(embedder=embedder, ranker="discovery", query="?", as_of=AS_OF)
    workspace = patient(given, root)
    request = workspace.request()

    def ask(cache: ParseCache, library: Library) -> list[list[Scored]]:
        found = []
        for question in asked:
            wanted = SearchRequest(request._replace(query=question), limit, least=least)
            found.append(walk.find(wanted, cache, library)[0][:limit])
        return found

    return workspace.walk(ask, request)


def _print(embedder: str, rejected: dict[str, list[float]], exact: dict[str, Exact]) -> None:
    if rejected:
        print(f"embedder {embedder}: answered with nothing, of {' and '.join(OFF_TOPIC)}")
    for name, shares in rejected.items():
        print(f"  {name:28}" + "".join(f"{share:8.3f}" for share in shares))
    for what, of in (("mean", fmean), ("least", min)) if rejected else ():
        print(
            f"  {what:28}"
            + "".join(f"{of(each):8.3f}" for each in zip(*rejected.values(), strict=True))
        )
    if exact:
        print(f"embedder {embedder}: exact sets")
        print(f"  {'':10}{'F1':>8}{'precision':>11}{'recall':>8}{'empty':>8}")
    for when, one in exact.items():
        print(f"  {when:10}{one.f1:8.3f}{one.precision:11.3f}{one.recall:8.3f}{one.empty:8.3f}")


if __name__ == "__main__":
    sys.exit(main())
