"""What packets of real repositories hold, and whether a greater budget ever takes something away.

    python -m benchmarks.packet_contents --data path/to/corpora [--corpus NAME …] [--budget N …]
                                         [--no-sweep] [--step N] [--falls] [--json]

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
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from ctx.app.options import PacketOptions
from ctx.app.walk import directory, pack
from ctx.app.workspace import Workspace
from ctx.model import SECTIONS, Included, Library, Packet, ParseCache
from ctx.render import Costs, markdown
from ctx.render.layout import WITHOUT_GROUPS
from ctx.text import tokens
from ctx.text.levels import body_at, dated_title, is_prose
from ctx.text.structure import as_heading, as_item
from ctx.world import World

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
    parser.add_argument("--corpus", nargs="+", default=list(CORPORA), choices=list(CORPORA))
    parser.add_argument("--budget", type=int, nargs="+", default=list(BUDGETS))
    parser.add_argument("--no-sweep", action="store_true", help="only the budgets of --budget")
    parser.add_argument("--step", type=int, default=SWEEP[2], help="of the sweep, in tokens")
    parser.add_argument("--falls", action="store_true", help="print examples of falls")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    missed = False
    found: dict[str, dict[str, dict[str, object]]] = {}
    for name in options.corpus:
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
    project = folder / Path(corpus.folder).name
    shutil.copytree(options.data / corpus.folder, project, copy_function=shutil.copyfile)
    root = project / ".context"
    root.mkdir(exist_ok=True)
    for source, name in corpus.files.items():
        copy = shutil.copytree if (project / source).is_dir() else shutil.copyfile
        copy(project / source, root / name)
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
