"""What packets of real repositories hold, and whether a greater budget ever takes something away.

    python -m benchmarks.packet_contents --data path/to/corpora [--corpus NAME …] [--budget N …]
                                         [--no-sweep] [--step N] [--falls] [--json]
    python -m benchmarks.packet_contents --data path/to/corpora --questions
                                         [--corpus NAME …] [--step N] [--every N] [--falls] [--json]

For each corpus, without a query and with the one of ``CORPORA``, and for each budget: the entries
and the tokens of each section by level of detail, the overhead (headings of sections and lists, and
the rest: name, notices, counts of what is omitted) as a share of the packet, and apart from it the
tokens of ids and source lines of entries, and of the files that are named to be read or searched.
The authors' headings, which give rules their meaning, are text like the titles of decisions. Then
the sweep: how often an entry is at a lower level, or gone, at the next of all budgets from 100 to
12,000 in steps of 50, as a share of the steps of an entry that is included before the step, and the
same without required rules. Exit code 1 where either is over ``FALLS``, or overhead over
``OVERHEAD``.

The folders of ``interop`` have no context directory, with which ``ctx agent`` ends in exit code 4.
They get one here: an empty ``.context/`` beside their AGENTS.md or CLAUDE.md, with the files of
``Corpus.files`` copied to the names that ctx reads.

``--questions`` asks those of ``first-hits.txt`` of ``ctx search`` and of ``ctx agent --query``:
whether the first hit is in the packet with its answering sentence, which is the sentence of the
entry, its title among them, with the rarest words of the question; how often the next of all
budgets (in steps of 25 for all, of ``COARSE`` by default) lowers the form of one of the first
three hits, or omits it; and the share of the budget that packets use which lack the answering
sentence of a hit: first of those where that sentence with its heading would fit into what is left.
Exit code 1 where any of them misses its goal.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import log
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from ctx.app.options import PacketOptions
from ctx.app.walk import directory, find, pack
from ctx.app.workspace import Workspace
from ctx.model import (
    SECTIONS,
    Entry,
    Included,
    Library,
    Packet,
    ParseCache,
    Part,
    SearchRequest,
)
from ctx.render import Costs, markdown
from ctx.render.layout import WITHOUT_GROUPS
from ctx.text import tokens
from ctx.text.levels import body_at, dated_title, is_prose
from ctx.text.sentences import split
from ctx.text.structure import as_heading, as_item
from ctx.text.words import searched_words
from ctx.world import World

QUESTIONS = Path(__file__).with_name("first-hits.txt")
FIRST_BUDGETS = (1_000, 2_000, 4_000)
"""Where the first hit has to be in the packet."""
LEAST_FIRST = 0.98
COARSE = 400
"""The step between budgets with ``--questions``; all are in steps of 25."""
FIRST = 3
"""Of so many hits no budget lowers the form."""
HITS = 10
LEAST_USED = (0.95, 0.90)
"""Of a budget, what a packet uses that lacks a piece which would fit, else only larger ones."""
RUN, LEAST_RUNS = 3, 0.8
"""The words of a run, and the share of a sentence's runs by which a text has it."""
BUDGETS = (1_000, 2_000, 4_000, 8_000)
SWEEP = (100, 12_000, 50)
"""The least and the greatest budget, and the step between two."""
FALLS = 0.002
OVERHEAD = {4_000: 0.03, 8_000: 0.02}
"""The greatest share of overhead at a budget."""
FIXTURE = Path(__file__).parent.parent / "fixtures" / "webshop"
AS_OF = "2026-09-01"
"""The day from which ages are counted: shortly after the corpora were taken."""
LEVELS = ("full", "key", "title", "out")
"""From the most detailed level to an entry that is omitted."""


class Corpus(NamedTuple):
    """A repository, and what is asked in it."""

    folder: str
    """Below the folder of the corpora, or absolute."""
    query: str
    files: Mapping[str, str] = {}
    """Files and folders that ctx does not read by themselves, with their names in ``.context/``."""


CORPORA = {
    "activememory": Corpus("activememory", "hook output that the agent ignores"),
    "activememory-themed": Corpus("activememory-themed", "hook output that the agent ignores"),
    "letta-code": Corpus("interop/letta-code", "import between layers"),
    "spec-kit": Corpus(
        "interop/spec-kit",
        "add an integration for a new agent",
        {".specify/memory/constitution.md": "CONSTITUTION.md"},
    ),
    "kiro": Corpus(
        "interop/kiro-blockchain-runners",
        "cut a release",
        {".kiro/steering": "steering"},
    ),
    "logix": Corpus(
        "interop/logix",
        "EvidencePackage import and export",
        {
            ".specify/memory/constitution.md": "CONSTITUTION.md",
            "specs/005-unify-observability-protocol/tasks.md": "TASKS.md",
        },
    ),
    "awesome-copilot": Corpus("interop/awesome-copilot", "frontmatter of a skill"),
    "webshop": Corpus(str(FIXTURE.resolve()), "refund discount"),
}


ASKED = {
    **CORPORA,
    "adr": Corpus("interop/adr-beis", ""),
    "clerk": Corpus("interop/clerk-javascript", ""),
    "madr": Corpus("interop/madr", ""),
    "openspec": Corpus("interop/openspec", ""),
}
"""Also those of which only the questions of ``first-hits.txt`` are asked."""


class Row(NamedTuple):
    """What one packet holds."""

    budget: int
    tokens: int
    degraded: bool
    sections: dict[str, dict[str, int]]
    """Of each section that has anything: its entries by level, the omitted as ``out``, and the
    tokens of what is included. Required rules are ``rules``, guidelines ``conventions``."""
    headings: int
    """Tokens of headings of sections and of the captions of lists."""
    notices: int
    """Tokens of all else that is no entry: metadata, read order, notices."""
    pointers: int
    """Tokens that entries have beside their text: ids, files, lines."""

    files: int
    """Tokens of the files to read, and of those named beside counts of what is omitted."""

    @property
    def overhead(self) -> float:
        """The share of headings and notices in the packet."""
        return (self.headings + self.notices) / self.tokens


class Sweep(NamedTuple):
    """How entries change from one budget to the next."""

    packets: int
    steps: int
    """Of an entry that is included at the lower of two budgets."""
    without_rules: int
    """The same of entries that are no required rules."""
    falls: int
    by_section: dict[str, int]
    """Falls by the section of the entry."""
    by_change: dict[str, int]
    """Falls by what became of the entry: ``full to title``."""
    spent: float
    """The mean share of the budget that packets use which omit anything but rules; 0 without."""
    examples: list[str]

    @property
    def share(self) -> float:
        """The share of falls in ``steps``."""
        return self.falls / max(1, self.steps)

    @property
    def share_without_rules(self) -> float:
        """The share of falls of other entries in ``without_rules``."""
        return (self.falls - self.by_section.get("rules", 0)) / max(1, self.without_rules)


def main() -> int:
    """Print what the packets hold; return 1 where a goal is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder of the corpora")
    parser.add_argument("--corpus", nargs="+", choices=list(ASKED))
    parser.add_argument("--budget", type=int, nargs="+", default=list(BUDGETS))
    parser.add_argument("--no-sweep", action="store_true", help="only the budgets of --budget")
    parser.add_argument("--step", type=int, help="of the sweep, in tokens")
    parser.add_argument("--questions", action="store_true", help="measure the first hits instead")
    parser.add_argument("--every", type=int, default=1, help="with --questions: each Nth of them")
    parser.add_argument("--falls", action="store_true", help="print examples of falls")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    if options.questions:
        return _first_hits(options)
    options.step = options.step or SWEEP[2]
    missed = False
    found: dict[str, dict[str, dict[str, object]]] = {}
    for name in options.corpus or CORPORA:
        for query in ("", CORPORA[name].query):
            with tempfile.TemporaryDirectory() as folder:
                rows, sweep = _measure(CORPORA[name], query, Path(folder), options)
            if sweep:
                missed |= max(sweep.share, sweep.share_without_rules) > FALLS
            missed |= any(row.overhead > OVERHEAD.get(row.budget, 1.0) for row in rows)
            shown = sweep and sweep._replace(examples=sweep.examples if options.falls else [])
            if options.json:
                packets = [{**row._asdict(), "overhead": round(row.overhead, 4)} for row in rows]
                found.setdefault(name, {})[query] = {"packets": packets}
                if shown:
                    shares = {
                        "share": round(shown.share, 5),
                        "share_without_rules": round(shown.share_without_rules, 5),
                    }
                    found[name][query]["sweep"] = {**shown._asdict(), **shares}
            else:
                print("\n".join(_shown(name, query, rows, shown)), flush=True)
    if options.json:
        here = {"commit": _commit(), "as_of": AS_OF, "step": options.step}
        print(_json({**here, "corpora": found}, depth=5))
    return int(missed)


def _measure(
    corpus: Corpus, query: str, folder: Path, options: argparse.Namespace
) -> tuple[list[Row], Sweep | None]:
    """Return the rows and the sweep of one corpus, which is copied into ``folder``."""
    root = _written(corpus, folder, options.data)
    workspace = Workspace(PacketOptions(query=query, as_of=AS_OF), World(), root=str(root))
    request = workspace.request()
    counting = tokens.counter("heuristic")

    def work(cache: ParseCache, library: Library) -> tuple[list[Row], Sweep | None]:
        context = directory(request, cache)

        def make(budget: int) -> Packet:
            return pack(context, request._replace(budget=budget), counting, library)

        rows = [_row(make(budget)) for budget in options.budget]
        return rows, None if options.no_sweep else _sweep(make, options.step)

    return workspace.walk(work, request)


def _written(corpus: Corpus, folder: Path, data: Path) -> Path:
    """Copy a corpus into ``folder``; return its context directory."""
    project = folder / Path(corpus.folder).name
    shutil.copytree(data / corpus.folder, project, copy_function=shutil.copyfile)
    root = project / ".context"
    root.mkdir(exist_ok=True)
    for source, name in corpus.files.items():
        copy = shutil.copytree if (project / source).is_dir() else shutil.copyfile
        copy(project / source, root / name)
    return root


def _row(packet: Packet) -> Row:
    costs = Costs(packet.request, tokens.counter("heuristic"))
    count = tokens.counter("heuristic").count
    sections: dict[str, dict[str, int]] = {}
    headings, content, pointers = 0, 0, 0
    listed = False
    for section in packet.selection.sections:
        levels = Counter[str](included.level for included in section.entries)
        units = sum(map(costs.unit, section.entries))
        bare = sum(count(_bare(included)) for included in section.entries)
        if section.name not in WITHOUT_GROUPS:
            entries = [included.entry for included in section.included]
            groups = {(entry.source, entry.group): entry for entry in entries}
            shown = sum(map(costs.group, groups.values()))
            named = (entry.group for entry in groups.values() if entry.group)
            units += shown
            bare += min(shown, sum(count(f"### {as_heading(name)}\n\n") for name in named))
            runs = {(one.source, one.group, one.lead, is_prose(one)): one for one in entries}
            leads = sum(map(costs.run, runs.values()))
            units, bare = units + leads, bare + leads
        is_headed = section.included or (section.name not in WITHOUT_GROUPS and section.titles)
        headings += costs.heading(section.name) if is_headed else 0
        headings += costs.titles(section.name) if section.titles else 0
        listed |= section.name in WITHOUT_GROUPS and bool(section.titles)
        content, pointers = content + bare, pointers + units - bare
        if section.entries or section.omitted:
            by_level = {level: levels[level] for level in LEVELS[:-1]}
            sections[section.name] = {**by_level, "out": section.omitted, "tokens": bare}
    headings += costs.titles_heading() if listed else 0
    selection = packet.selection
    files = count(markdown.read_order(selection.read_order, selection.read_more)) + sum(
        count(f": {section.omitted_files}") for section in selection.sections if section.omitted
    )
    notices = packet.tokens - content - pointers - headings - files
    degraded = bool(packet.selection.degraded)
    budget = packet.request.budget
    return Row(budget, packet.tokens, degraded, sections, headings, notices, pointers, files)


def _bare(included: Included) -> str:
    """Return an entry as Markdown without an id, a place or a fence around it."""
    entry = included.entry
    if included.level == "title":
        return f"- {as_item(dated_title(entry))}\n"
    body = body_at(included)
    if entry.section in WITHOUT_GROUPS:
        return f"### {as_heading(dated_title(entry, place=included.level == 'full'))}\n\n" + (
            f"{body}\n\n" if body else ""
        )
    if is_prose(entry):
        return f"{body}\n\n"
    return f"- {body}\n" if body.startswith("[") else f"{body}\n"


def _sweep(make: Callable[[int], Packet], step: int) -> Sweep:
    least, most, _ = SWEEP
    budgets = range(least, most + 1, step)
    steps: Counter[str] = Counter()
    by_section: Counter[str] = Counter()
    by_change: Counter[str] = Counter()
    examples: list[str] = []
    before: dict[str, tuple[str, str]] = {}
    spent: list[float] = []
    for budget in budgets:
        packet = make(budget)
        now = {
            included.entry.id: (str(included.level), str(section.name))
            for section in packet.selection.sections
            for included in section.entries
        }
        if any(section.omitted or section.titles for section in packet.selection.sections):
            spent.append(min(1.0, packet.tokens / budget))
        for id_, (level, section) in before.items():
            steps[section] += 1
            after = now[id_][0] if id_ in now else "out"
            if LEVELS.index(after) > LEVELS.index(level):
                by_section[section] += 1
                by_change[f"{level} to {after}"] += 1
                examples.append(f"{budget - step} to {budget}: {level} to {after}  {id_}")
        before = now
    total = sum(steps.values())
    falls = sum(by_section.values())
    others = total - steps["rules"]
    mean = round(sum(spent) / max(1, len(spent)), 4)
    changes = dict(by_section), dict(by_change)
    return Sweep(len(budgets), total, others, falls, *changes, mean, examples)


# --- the first hits of search ----------------------------------------------------------------


class FirstHits(NamedTuple):
    """How packets hold what search finds, for the questions of one directory."""

    questions: int
    unanswered: int
    """Questions for which search finds nothing: they count nowhere else."""
    first: dict[int, float]
    """By budget, the share of first hits that are there with their answering sentence."""
    degraded: dict[int, float]
    """By budget, the share of packets in which required rules leave no room."""
    steps: int
    """From a budget to the next, of one of the first three hits that is included before."""
    falls: int
    used: list[float]
    """The share of the budget used by each packet that lacks a piece which would fit."""
    tight: list[float]
    """The same of packets that lack pieces of which none would fit."""
    packets: int
    examples: list[str]

    @property
    def is_missed(self) -> bool:
        """Whether it misses any goal."""
        low = [
            any(share < least for share in shares)
            for shares, least in zip((self.used, self.tight), LEAST_USED, strict=True)
        ]
        return min(self.first.values(), default=1.0) < LEAST_FIRST or self.falls > 0 or any(low)


class Piece(NamedTuple):
    """A hit of a search and its answering sentence."""

    entry: Entry
    sentence: str
    tokens: int
    """Of its heading and the sentence."""


def questions() -> dict[str, list[str]]:
    """Return the questions of ``first-hits.txt`` by directory."""
    found = {}
    for text in QUESTIONS.read_text(encoding="utf-8").split("== ")[1:]:
        name, *lines = text.splitlines()
        found[name] = [line for line in lines if line]
    return found


def _first_hits(options: argparse.Namespace) -> int:
    found = {}
    for name, asked in questions().items():
        if not options.corpus or name in options.corpus:
            with tempfile.TemporaryDirectory() as folder:
                found[name] = _first_hits_of(
                    ASKED[name], asked[:: options.every], Path(folder), options
                )
            if not options.json:
                shown = found[name] if options.falls else found[name]._replace(examples=[])
                print("\n".join(_shown_first(name, shown)), flush=True)
    every = _together(found.values())
    if options.json:
        shown_ = {name: one._asdict() for name, one in {**found, "all": every}.items()}
        print(json.dumps(shown_, indent=1))
    else:
        print("\n".join(_shown_first("all", every._replace(examples=[]))))
    return int(every.is_missed)


def _first_hits_of(
    corpus: Corpus, asked: list[str], folder: Path, options: argparse.Namespace
) -> FirstHits:
    root = _written(corpus, folder, options.data)
    workspace = Workspace(PacketOptions(query="?", as_of=AS_OF), World(), root=str(root))
    request, searched = workspace.request(), workspace.whole()
    counting = tokens.counter("heuristic")
    least, most, _ = SWEEP
    budgets = sorted({*range(least, most + 1, options.step or COARSE), *FIRST_BUDGETS})

    def work(cache: ParseCache, library: Library) -> FirstHits:
        context = directory(request, cache)
        measured = []
        for question in asked:
            search = SearchRequest(searched._replace(query=question, ranker="discovery"), HITS)
            hits = [each.entry for each in find(search, cache, library).scored[:HITS]]
            rarity = _rarity(context.parts, question)
            pieces = [
                Piece(entry, sentence, counting.count(f"### {dated_title(entry)}\n\n{sentence}\n"))
                for entry in hits
                for sentence in (answering(entry, rarity),)
            ]
            packets = (
                pack(context, request._replace(query=question, budget=budget), counting, library)
                for budget in budgets
            )
            measured.append(first_hits(question, pieces, packets))
        return _together(measured)

    return workspace.walk(work, request)


def _rarity(parts: Iterable[Part], question: str) -> dict[str, float]:
    """Return how much each stem of a question says: the rarer among entries, the more."""
    asked = {stem for stem, _ in searched_words(question)}
    texts = [
        {stem for stem, _ in searched_words(f"{entry.title} {entry.body}")}
        for part in parts
        for entry in map(part.entry, range(len(part)))
    ]
    return {
        stem: log((1 + len(texts)) / (1 + sum(stem in text for text in texts))) for stem in asked
    }


def answering(entry: Entry, rarity: Mapping[str, float]) -> str:
    """Return the sentence of an entry, or its title, that has the rarest words, on one line."""
    sentences = [entry.title]
    for line in entry.body.split("\n"):
        sentences += split(line.strip())
    return max(
        (each for each in sentences if any(char.isalnum() for char in each)),
        key=lambda sentence: sum(
            rarity.get(s, 0.0) for s in {w for w, _ in searched_words(sentence)}
        ),
        default=entry.title,
    )


def first_hits(question: str, pieces: list[Piece], packets: Iterable[Packet]) -> FirstHits:
    """Compare packets of growing budgets with what search found, best first."""
    first: dict[int, float] = {}
    degraded: dict[int, float] = {}
    used: list[float] = []
    tight: list[float] = []
    examples: list[str] = []
    before: dict[str, str] = {}
    steps = falls = number = 0
    for packet in packets if pieces else ():
        number += 1
        budget = packet.request.budget
        text = _plain(packet.text)
        lacking = [each for each in pieces if not holds(text, each.sentence)]
        if budget in FIRST_BUDGETS:
            first[budget] = float(pieces[0] not in lacking)
            degraded[budget] = float(bool(packet.selection.degraded))
            if pieces[0] in lacking:
                examples.append(f"{question}: at {budget} without {pieces[0].entry.id}")
        if lacking:
            share = packet.tokens / budget
            would_fit = any(packet.tokens + each.tokens <= budget for each in lacking)
            (used if would_fit else tight).append(min(1.0, share))
        now = {included.entry.id: str(included.level) for included in packet.selection.entries}
        for id_ in (each.entry.id for each in pieces[:FIRST]):
            if id_ in before:
                steps += 1
                after = now.get(id_, "out")
                if LEVELS.index(after) > LEVELS.index(before[id_]):
                    falls += 1
                    examples.append(f"{question}: {before[id_]} to {after} at {budget}  {id_}")
        before = now
    return FirstHits(
        1, int(not pieces), first, degraded, steps, falls, used, tight, number, examples
    )


def holds(text: str, sentence: str) -> bool:
    """Whether a plain text has most runs of ``RUN`` words of a sentence: its marks may differ."""
    words = _plain(sentence).split()
    runs = [" ".join(words[at : at + RUN]) for at in range(max(1, len(words) - RUN + 1))]
    return sum(f" {run} " in text for run in runs) >= LEAST_RUNS * len(runs)


def _plain(text: str) -> str:
    """Return the letters and digits of a text, a space around each word, without tags of tasks."""
    text = re.sub(r"(?<!\S)[#@]\w\S*", " ", text)
    return f" {' '.join(''.join(char if char.isalnum() else ' ' for char in text).split())} "


def _together(measured: Iterable[FirstHits]) -> FirstHits:
    every = list(measured)
    answered = [one for one in every if one.first]
    weights = [one.questions - one.unanswered for one in answered]
    first, degraded = (
        {
            budget: fmean([share[budget] for share in shares], weights)
            for budget in (shares[0] if shares else ())
        }
        for shares in ([one.first for one in answered], [one.degraded for one in answered])
    )
    return FirstHits(
        sum(one.questions for one in every),
        sum(one.unanswered for one in every),
        first,
        degraded,
        sum(one.steps for one in every),
        sum(one.falls for one in every),
        [share for one in every for share in one.used],
        [share for one in every for share in one.tight],
        sum(one.packets for one in every),
        [example for one in every for example in one.examples],
    )


def _shown_first(name: str, found: FirstHits) -> Iterator[str]:
    yield f"# {name}: {found.questions} questions, {found.unanswered} without a hit"
    shares = ", ".join(f"{share:.3f} at {budget:,}" for budget, share in found.first.items())
    yield f"first hit in the packet with its answering sentence: {shares}"
    shares = ", ".join(f"{share:.3f} at {budget:,}" for budget, share in found.degraded.items())
    yield f"degraded, as required rules leave no room: {shares}"
    yield f"one of the first {FIRST} lowered: {found.falls} of {found.steps:,} steps"
    for what, shares_, least in (
        ("would fit", found.used, LEAST_USED[0]),
        ("would not fit", found.tight, LEAST_USED[1]),
    ):
        below = sum(share < least for share in shares_)
        mean = f", mean {fmean(shares_):.3f}, least {min(shares_):.3f}" if shares_ else ""
        yield (
            f"{len(shares_):,} of {found.packets:,} packets lack a piece that {what}:"
            f" budget used under {least} in {below:,}{mean}"
        )
    yield from found.examples
    yield ""


def _shown(name: str, query: str, rows: list[Row], sweep: Sweep | None) -> Iterator[str]:
    yield f"# {name}, {query!r}" if query else f"# {name}, no query"
    names = [section for section in SECTIONS if any(section in row.sections for row in rows)]
    yield "entries in full + key lines + titles / omitted (tokens)"
    heads = f"{'budget':>6}{'tokens':>8}{'overhead':>9}{'headings':>9}{'notices':>8}"
    heads += f"{'ids':>5}{'files':>6}"
    yield heads + "".join(f"{section:>24}" for section in names)
    for row in rows:
        cells = ""
        for section in names:
            has = row.sections.get(section)
            cell = "–"
            if has:
                cell = f"{has['full']}+{has['key']}+{has['title']}/{has['out']}"
                cell += f" ({has['tokens']:,})"
            cells += f"{cell:>24}"
        degraded = "  degraded" if row.degraded else ""
        figures = f"{row.budget:6}{row.tokens:8}{row.overhead:9.1%}{row.headings:9}{row.notices:8}"
        yield f"{figures}{row.pointers:5}{row.files:6}{cells}{degraded}"
    if sweep:
        parts = {**sweep.by_section, **sweep.by_change}
        why = ", ".join(f"{key} {number}" for key, number in parts.items())
        yield f"{sweep.packets} budgets, {sweep.falls} falls in {sweep.steps:,} steps"
        shares = f"{sweep.share:.2%}, without rules {sweep.share_without_rules:.2%}"
        yield f"of included entries: {shares}" + (f" ({why})" if why else "")
        yield f"of the budgets that omit anything {sweep.spent:.1%} are used"
        yield from sweep.examples
    yield ""


def _commit() -> str:
    """Return the last commit that changed the program."""
    done = subprocess.run(
        ["git", "log", "-1", "--format=%h", "--", "ctx"],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def _json(value: object, depth: int) -> str:
    """Return JSON, of which what is deeper than ``depth`` takes one line."""
    if depth and isinstance(value, dict) and value:
        parts = (f"{json.dumps(key)}: {_json(each, depth - 1)}" for key, each in value.items())
        return "{\n" + ",\n".join(parts) + "\n}"
    if depth and isinstance(value, list) and value:
        return "[\n" + ",\n".join(_json(each, depth - 1) for each in value) + "\n]"
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    sys.exit(main())
