"""What summaries of coding sessions hold of the work, and what else they hold.

    python -m benchmarks.work [--set fit|held|long-fit|long-held] [--show] [--json]

Each synthetic session of ``work-SET.txt`` has statements that are marked as asked, changed,
decided, failed or open, among announcements, listings and output. It is compacted; a marked
statement is held where a line of a summary, or a turn that is kept whole as a rule, has two thirds
of its words. A sentence of a summary is none of these where less than half of its words are those
of one statement. ``fit`` and ``long-fit`` are the sessions that the rules were made with.

Then the tokens of what ``ctx agent --resume`` quotes of each.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks import sessions_of
from benchmarks.work_sessions import sessions_of_work
from ctx.app.resume import lines_of
from ctx.cli.main import main as ctx
from ctx.model import Turn
from ctx.text.tokens import estimate

HELD, OTHER = 2 / 3, 1 / 2
KINDS = ("asked", "changed", "decided", "failed", "open")
SETS = ("fit", "held", "long-fit", "long-held")


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--set", choices=SETS, default="held", help="which sessions")
    parser.add_argument("--show", action="store_true", help="print what lacks and what is other")
    parser.add_argument("--json", action="store_true", help="write one JSON object")
    options = parser.parse_args()
    planted: Counter[str] = Counter()
    held: Counter[str] = Counter()
    sentences = others = turns = tokens = 0
    ends: list[int] = []
    for title, _, spoken, marked, _ in sessions_of_work(options.set):
        rows = [said.row(title) for said in spoken]
        talk = [Turn(row["id"], title, "", row["role"], row["text"]) for row in rows]
        ends.append(estimate("\n".join(lines_of(talk))))
        made = _summaries(title, rows)
        turns += len(rows)
        tokens += sum(int(row.get("tokens", 0)) for row in made)
        lines = [
            piece.strip()
            for row in made
            if row["type"] == "summary"
            for line in row["text"].splitlines()
            for piece in re.split(r" … |, (?=[\w./-]+(?:,|$))", line.partition(": ")[2])
        ]
        whole = {row["turn"] for row in made if row["type"] == "elevated"}
        kept = [row["text"] for row in rows if row["id"] in whole]
        for kind, text in dict.fromkeys(marked):
            planted[kind] += 1
            found = any(_share(text, line) >= HELD for line in (*lines, *kept))
            held[kind] += found
            if options.show and not found:
                print(f"lacks  {title} {kind}: {text}")
        for line in lines:
            other = all(_share(line, text) < OTHER for _, text in marked)
            sentences, others = sentences + 1, others + other
            if options.show and other:
                print(f"other  {title}: {line}")
    figures = {kind: [held[kind], planted[kind]] for kind in KINDS}
    total = {"held": held.total(), "planted": planted.total(), "sentences": sentences}
    if options.json:
        print(json.dumps({**total, "others": others, "kinds": figures, "tokens": tokens}))
        return 0
    for kind, (got, of) in figures.items():
        print(f"{kind:10}{got:4} of {of}")
    print(f"{'all':10}{total['held']:4} of {total['planted']}")
    print(f"none of these: {others} of {sentences} sentences; {turns} turns, {tokens:,} tokens")
    print(f"where a session ended: {min(ends)} to {max(ends)} tokens")
    return 0


def _share(text: str, of: str) -> float:
    """Return the share of the words of ``text`` that ``of`` has."""
    words = set(re.findall(r"\w+", text.casefold()))
    return len(words & set(re.findall(r"\w+", of.casefold()))) / max(1, len(words))


def _summaries(title: str, rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the records, up to summaries of turns, of a session that is compacted total."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, ".context")
        root.mkdir()
        file = Path(folder, f"{title}.jsonl")
        # What follows a session is its tail, which is not compacted.
        tail = [{"id": f"z{at}", "session": title, "role": "user", "text": "x"} for at in range(4)]
        file.write_text("\n".join(map(json.dumps, rows + tail)), encoding="utf-8")
        with (
            open(os.devnull, "w") as nowhere,
            contextlib.redirect_stdout(nowhere),
            contextlib.redirect_stderr(nowhere),
        ):
            where = ["--dir", str(root)]
            ctx(["session", "import", str(file), *where])
            os.environ["CTX_TAIL_SHARE"] = "0"
            ctx(["session", "compact", *where])
        made = (sessions_of(root) / "summaries" / f"{title}.jsonl").read_text(encoding="utf-8")
        every = map(json.loads, made.splitlines())
        return [row for row in every if row.get("level", 1) == 1]


if __name__ == "__main__":
    raise SystemExit(main())
