"""Whether the turns that would be promoted are those that questions need, on public data.

    python benchmarks/promotion.py --set locomo|beam --data PATH [--embedder E] [--json]

Imports each conversation into a context directory of its own with the command that people use,
and takes what ``ctx session promote`` proposes there, on an empty memory. Precision is the share
of proposed turns that are evidence for some question; the base rate is that of all turns.
``longest first`` takes as many turns, the longest. ``docs/benchmarks.md`` says where to get the
data. Exit code 1 where the ratio to the base rate is below 2.

    python benchmarks/promotion.py --list 50 --half used|other|later|unseen|fresh --data PATH

prints so many proposals for a person to judge: the best of synthetic sessions and of locomo, beam
and memorycode, which are in folders of ``PATH``, in turn. ``used`` is what rules were made with,
``other``, ``later`` and ``unseen`` were looked at in between, ``fresh`` once, at the end: its
sessions were written before the last rules, with what is worth an entry marked as ``keep``.

    python benchmarks/promotion.py --many 400

adds so many proposals at once, and prints the processor time in starts of ``ctx --version``.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice, zip_longest
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.datasets import SETS, Chat
from benchmarks.memorycode import ROLES
from benchmarks.work_sessions import sessions_of_work, transcript
from ctx.cli.main import main as ctx

HALVES = {"used": (0, 2), "other": (1, 3), "later": (4, 5), "unseen": (6, 7), "fresh": (8, 9)}
"""The conversations of each set, in the order of their files."""
OF_LOCOMO = {**HALVES, "later": (4, 4), "unseen": (4, 4), "fresh": (1, 3)}
"""Those of LoCoMo, which has five."""
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
    parser.add_argument("--set", choices=("beam", "locomo"), help="which data")
    parser.add_argument("--list", type=int, default=0, help="print proposals")
    parser.add_argument("--many", type=int, default=0, help="add so many")
    parser.add_argument("--half", choices=HALVES, default="used", help="of these")
    parser.add_argument("--data", type=Path, default=Path(), help="where it is")
    parser.add_argument("--embedder", default="none", help="as ctx session promote takes it")
    parser.add_argument("--json", action="store_true", help="write one JSON object")
    options = parser.parse_args()
    if options.many:
        print(f"{options.many} proposals are added in {starts(options.many):.0f} bare starts")
        return 0
    if options.list:
        lines = listed(options.data, options.half, options.list)
        print("\n".join(f"{at:3}  {line}" for at, line in enumerate(lines, 1)))
        return 0
    if not options.set:
        parser.error("--set or --list is missing")
    counts = []
    for case in SETS[options.set](options.data):
        if isinstance(case, Chat):
            with tempfile.TemporaryDirectory() as folder:
                counts.append(count(case, Path(folder), options.embedder))
    return report(f"{options.set}, embedder {options.embedder}", counts, as_json=options.json)


def listed(data: Path, half: str, most: int) -> list[str]:
    """Return the best proposals of each source in turn, a line each."""
    queues = [
        roundrobin([_lines_of(project) for project in projects])
        for projects in zip(*_projects(data, half), strict=True)
    ]
    return list(islice(dict.fromkeys(roundrobin(queues)), most))


def starts(many: int) -> float:
    """Return the processor time of ``ctx session promote --yes``, in bare starts."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, ".context")
        root.mkdir()
        texts = (f"We decided that service {at} keeps its {at * 7919} rows." for at in range(many))
        rows = ({"id": f"t{at}", "role": "user", "text": text} for at, text in enumerate(texts))
        file = Path(folder, "talk.jsonl")
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        _run("session", "import", str(file), "--session", "s", "--dir", str(root))
        bare = min(_run("--version") for _ in range(5))
        return _run("session", "promote", "--yes", "--dir", str(root)) / bare


def _run(*arguments: str) -> float:
    import resource  # not on Windows

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "ctx", *arguments], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def roundrobin(queues: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the first of each, then the second, and so on."""
    for row in zip_longest(*queues):
        yield from filter(None, row)


def _projects(data: Path, half: str) -> Iterator[tuple[dict[str, str], ...]]:
    """Yield two rows with a project of each source: transcripts by name."""
    sets = ("fit", "long-fit") if half == "used" else ("held", "long-held")
    work = [list(sessions_of_work(name)) for name in sets]
    if half in ("unseen", "fresh"):
        every = list(sessions_of_work(half))
        work = [every[::2], every[1::2]]
    locomo = list(SETS["locomo"](data / "locomo"))
    beam = [*SETS["beam"](data / "beam"), *SETS["beam"](data / "beam-500k")]
    talks = json.loads((data / "memorycode" / "dev.json").read_text(encoding="utf-8"))["dialogues"]
    for place, other, sessions in zip(HALVES[half], OF_LOCOMO[half], work, strict=True):
        rows = [
            {"id": turn, "session": str(one["id"]), "ts": str(one["date"]), "role": ROLES[role],
             "speaker": speaker, "text": text}
            for one in talks[place]["sessions"] for turn, role, speaker, text in one["turns"]
        ]  # fmt: skip
        chats = (locomo[other], beam[place])
        yield (
            {one.title: transcript(one) for one in sessions},
            *({"chat": case.transcript()} for case in chats if isinstance(case, Chat)),
            {"talk": "".join(f"{json.dumps(row)}\n" for row in rows)},
        )  # fmt: skip


def _lines_of(project: dict[str, str]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, ".context")
        root.mkdir()
        for name, text in project.items():
            Path(folder, f"{name}.jsonl").write_text(text, encoding="utf-8")
            _import(root, Path(folder, f"{name}.jsonl"))
        found = _proposals(root, "none")
    return [f"{float(one['score']):.2f}  {one['kind']:10}  {one['title']}" for one in found]


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
    _import(root, folder / "chat.jsonl")
    return frozenset(one["turn"] for one in _proposals(root, embedder))


def _import(root: Path, file: Path) -> None:
    with (
        open(os.devnull, "w", encoding="utf-8") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        ctx(["session", "import", str(file), "--dir", str(root)])


def _proposals(root: Path, embedder: str) -> list[dict[str, str]]:
    """Return what is proposed in a context directory, best first."""
    with _captured() as said:
        ctx(["session", "promote", "--json", "--dir", str(root), "--embedder", embedder])
    found: list[dict[str, str]] = json.loads(said.getvalue())["proposed"]
    return found


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
