"""Whether packets hold the rules of a talk that are current, and not those that were replaced.

    python benchmarks/memorycode.py --data dev.json [--half odd|even] [--oracles] [--tokens N …]
                                    [--dialogues N …] [--misses] [--losses] [--json]

Imports each dialogue of MemoryCode, a session a session, and packs it with ``ctx agent --session``
of its last session, as of the day after it: without a query, and with ``write a <query>`` (the mean
of the first three). Prints the means over dialogues: *current* (share of current instructions that
a packet holds), *updated* (of those that replaced another), *stale* (share of superseded
instructions that it holds without a mark), *misled* (share of updated topics of which it holds a
superseded instruction without a mark, and not the current one), *mixed* (the part of *stale* of
which every turn also gives a current instruction). With ``--oracles`` also those of
packets that choose by the labels. ``--losses`` counts for each packet why current instructions are
missing (no sentence read, weak, wrongly replaced, none of the lines sent) and in which form
superseded ones are held (a line of an instruction, a quoted turn). ``docs/benchmarks.md`` says
where to get the data.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from ctx.app.options import PacketOptions
from ctx.app.packet import make
from ctx.app.workspace import Workspace
from ctx.cli.main import main as ctx
from ctx.model import WEAK, Entry
from ctx.text.tokens import counter
from ctx.world import World

TOKENS = (1_000, 2_000, 4_000)
MOST_QUERIES = 3
ROLES = {"mentor": "user", "mentee": "assistant"}
LENGTHS = (5, 20, 50, 100)
"""Most sessions of the dialogues of each group."""
FIGURES = ("current", "updated", "stale", "misled", "mixed")
ORACLES = ("oracle: turns", "oracle: sentences")


class Instruction(NamedTuple):
    """An instruction as the data labels it."""

    topic: str
    text: str
    spans: tuple[str, ...]
    turns: tuple[str, ...]
    is_current: bool
    updates: int
    """Instructions on its topic that it replaces; 0 for a superseded one."""

    @property
    def key(self) -> re.Pattern[str]:
        """What tells it from others: a quoted text, or its first word in capitals or its noun."""
        if quoted := re.search(r"'([^']+)'", self.text):
            return re.compile(rf"(?<!\w){re.escape(quoted[1])}(?!\w)")
        if written := re.search(r"\w+_case|CamelCase|UPPERCASE", self.text):
            return re.compile(re.escape(written[0]), re.IGNORECASE)
        noun = re.search(r"docstring|annotation|assert|try|comment|digit", self.text)
        return re.compile(rf"\b{noun[0] if noun else re.escape(self.text)}", re.IGNORECASE)

    @property
    def object(self) -> re.Pattern[str]:
        """What it is about; of a module nothing."""
        things = ("argument", "function", "method", "class", "attribute", "variable")
        thing = next((thing for thing in things if thing in self.text), "")
        pattern = rf"\b{thing}(?!\s+argument)" if thing else ""
        return re.compile(pattern, re.IGNORECASE)


class Dialogue(NamedTuple):
    """A dialogue as the data has it."""

    id: int | str
    sessions: list[dict[str, object]]
    instructions: list[Instruction]
    queries: list[str]

    @property
    def number(self) -> int:
        """Its id, without letters before it."""
        return int(re.sub(r"\D", "", str(self.id)))

    @property
    def as_of(self) -> str:
        """The day after the last session."""
        last = date.fromisoformat(str(self.sessions[-1]["date"]))
        return (last + timedelta(days=1)).isoformat()

    def turns(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield the session and the fields of each turn."""
        for session in self.sessions:
            rows = session["turns"]
            assert isinstance(rows, list)  # noqa: S101 - the form of the data
            for name, role, speaker, text in rows:
                yield str(session["id"]), {
                    "id": name, "session": str(session["id"]), "ts": str(session["date"]),
                    "role": ROLES[role], "speaker": speaker, "text": text,
                }  # fmt: skip


class Paragraph(NamedTuple):
    """A paragraph of a packet with the line above it that names its turn."""

    heading: str
    text: str


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="dev.json, or another part")
    parser.add_argument("--half", choices=("odd", "even"), help="only dialogues of such an id")
    parser.add_argument("--dialogues", type=int, nargs="+", help="only these ids")
    parser.add_argument("--tokens", type=int, nargs="+", default=TOKENS, help="budgets")
    parser.add_argument("--oracles", action="store_true", help="choose by the labels, too")
    parser.add_argument("--misses", action="store_true", help="list what is wrong at each budget")
    parser.add_argument("--losses", action="store_true", help="count where they were lost")
    parser.add_argument("--json", action="store_true", help="write one JSON object")
    options = parser.parse_args()
    rows: list[Row] = []
    for dialogue in _read(options.data):
        if options.half and dialogue.number % 2 != (options.half == "odd"):
            continue
        if options.dialogues and dialogue.number not in options.dialogues:
            continue
        with tempfile.TemporaryDirectory() as folder:
            root = _imported(dialogue, Path(folder))
            rows += _measured(dialogue, root, options)
        if options.oracles:
            rows += _chosen_by_labels(dialogue, options.tokens)
    _print(rows, as_json=options.json)
    if options.losses:
        _print_losses()
    return 0


def _read(data: Path) -> Iterator[Dialogue]:
    for one in json.loads(data.read_text(encoding="utf-8"))["dialogues"]:
        instructions = [
            Instruction(
                given["topic"], given["text"], tuple(map(_flat, given["spans"])),
                tuple(given["turns"]), given["status"] == "current", given.get("updates") or 0,
            )
            for given in one["instructions"]
        ]  # fmt: skip
        yield Dialogue(one["id"], one["sessions"], instructions, one["queries"])


def _imported(dialogue: Dialogue, folder: Path) -> Path:
    """Return a context directory with the sessions of ``dialogue``."""
    root = folder / "talk" / ".context"  # a name of its own would cost more or less each time
    root.mkdir(parents=True)
    lines = [json.dumps(fields) for _, fields in dialogue.turns()]
    (folder / "talk.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.environ["CTX_STATE_DIR"] = str(folder / "state")
    os.environ["CTX_CACHE_DIR"] = str(folder / "cache")
    with (
        open(os.devnull, "w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(None),
    ):
        ctx(["session", "import", str(folder / "talk.jsonl"), "--dir", str(root)])
    return root


class Row(NamedTuple):
    """The figures of one dialogue in one way of packing."""

    how: str
    tokens: int
    sessions: int
    number: int
    figures: dict[str, float]
    """Without those of which the dialogue has none."""


def _measured(dialogue: Dialogue, root: Path, options: argparse.Namespace) -> Iterator[Row]:
    queries = {
        "without a task": [""],
        "with a task": [f"write a {query}" for query in dialogue.queries[:MOST_QUERIES]],
    }
    last = str(dialogue.sessions[-1]["id"])
    for tokens in options.tokens:
        for how, asked in queries.items():
            judged = []
            for query in asked:
                given = PacketOptions(
                    session=last, budget=str(tokens), as_of=dialogue.as_of, query=query or None
                )
                packet = make(Workspace(given, World(), root=str(root)))
                if packet.tokens > tokens:
                    raise SystemExit(f"memorycode: {packet.tokens} tokens, over {tokens}")
                judged.append(_judged(dialogue, _paragraphs(packet.text)))
                if options.losses:
                    standing = Workspace(given, World(), root=str(root)).read(
                        lambda context: list(context.standing)
                    )
                    _count_losses(dialogue, _paragraphs(packet.text), standing, (tokens, how))
                if options.misses:
                    _list_misses(dialogue, _paragraphs(packet.text), f"{tokens} {how}")
            figures = {name: _mean(one[name] for one in judged) for name in judged[0]}
            yield Row(how, tokens, len(dialogue.sessions), dialogue.number, figures)


def _chosen_by_labels(dialogue: Dialogue, budgets: Iterable[int]) -> Iterator[Row]:
    """Yield the figures of the newest turns, or sentences, of current instructions alone."""
    current = [each for each in dialogue.instructions if each.is_current]
    chosen = {name for each in current for name in each.turns}
    count = counter("heuristic").count
    turns = [
        (fields["id"], fields["ts"], fields["text"], f"**{fields['speaker']}, {fields['ts']}**:")
        for _, fields in dialogue.turns()
        if fields["id"] in chosen
    ]
    for tokens in budgets:
        for how in ORACLES:
            paragraphs, room = [], tokens
            for name, day, text, heading in reversed(turns):
                own = [each.spans[0] for each in current if each.turns[0] == name]
                texts = [text] if how == ORACLES[0] else own
                for each in texts:
                    written = f"{heading}\n\n```\n{each}\n```\n\n"
                    cost = count(written if how == ORACLES[0] else f"- {day}: {each}\n")
                    if cost <= room:
                        room -= cost
                        paragraphs.append(Paragraph(heading, _flat(each)))
            judged = _judged(dialogue, paragraphs)
            yield Row(how, tokens, len(dialogue.sessions), dialogue.number, judged)


# --- what a packet holds ------------------------------------------------------------------

_MARKED = re.compile(r"\b(?:superseded|replaced)\b", re.IGNORECASE)
_DENIES = r"\b(?:instead of|no longer|rather than|not|never|without|drop|remove)\b[^.;,]{0,40}"
_STOP = re.compile(r"(?<=[.!?])[\"')]*\s+|\n+")


def _flat(text: str) -> str:
    return " ".join(text.split())


def _paragraphs(packet: str) -> list[Paragraph]:
    """Return the paragraphs of a packet; each item of a list is one."""
    paragraphs, heading = [], ""
    for block in re.split(r"\n\s*\n", packet):
        if block.startswith(("#", "**")):
            heading = block
        items = re.split(r"\n(?=- )", block)
        paragraphs += [Paragraph(heading, _flat(item.strip("`\n"))) for item in items]
    return paragraphs


def _judged(dialogue: Dialogue, paragraphs: list[Paragraph]) -> dict[str, float]:
    """Return the figures of a packet; none of what the dialogue has no instruction for."""
    held: dict[bool, list[float]] = {True: [], False: []}
    updated: dict[str, bool] = {}
    mixed: list[float] = []
    of_current = {turn for each in dialogue.instructions if each.is_current for turn in each.turns}
    stale: set[str] = set()
    for each in dialogue.instructions:
        is_held = any(holds(each, paragraph) for paragraph in paragraphs)
        if not each.is_current:
            is_held = any(
                holds(each, paragraph) and not marks(each, paragraph) for paragraph in paragraphs
            )
            stale |= {each.topic} if is_held else set()
            mixed.append(is_held and of_current.issuperset(each.turns))
        held[each.is_current].append(is_held)
        if each.updates:
            updated[each.topic] = is_held
    figures = {
        "current": held[True],
        "updated": list(map(float, updated.values())),
        "stale": held[False],
        "mixed": mixed,
        "misled": [float(topic in stale and not is_held) for topic, is_held in updated.items()],
    }
    return {name: _mean(values) for name, values in figures.items() if values}


@cache
def _patterns(instruction: Instruction) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return instruction.key, instruction.object


def holds(instruction: Instruction, paragraph: Paragraph) -> bool:
    """Return whether a paragraph holds an instruction, in its words or by its key and object."""
    if any(span in paragraph.text for span in instruction.spans):
        return True
    return next(_naming(instruction, paragraph), "") != ""


def _naming(instruction: Instruction, paragraph: Paragraph) -> Iterator[str]:
    key, thing = _patterns(instruction)
    if key.search(paragraph.text) and thing.search(paragraph.text):
        for sentence in _STOP.split(paragraph.text):
            if key.search(sentence) and thing.search(sentence):
                yield sentence


def marks(instruction: Instruction, paragraph: Paragraph) -> bool:
    """Return whether what holds a superseded instruction calls it superseded, or denies it."""
    if _MARKED.search(paragraph.text) or _MARKED.search(paragraph.heading):
        return True
    if any(span in paragraph.text for span in instruction.spans):
        return False
    denied = re.compile(_DENIES + instruction.key.pattern, re.IGNORECASE)
    return all(denied.search(sentence) for sentence in _naming(instruction, paragraph))


def _list_misses(dialogue: Dialogue, paragraphs: list[Paragraph], how: str) -> None:
    for each in dialogue.instructions:
        found = [paragraph for paragraph in paragraphs if holds(each, paragraph)]
        if each.is_current and not found:
            print(f"{dialogue.id} {how}: not held: {each.turns} {each.spans}")
        elif not each.is_current and (
            unmarked := [paragraph for paragraph in found if not marks(each, paragraph)]
        ):
            where = f"{unmarked[0].heading[:60]} {unmarked[0].text[:200]}"
            print(f"{dialogue.id} {how}: stale: {each.turns} {each.text}: {where}")


# --- where they are lost ------------------------------------------------------------------

LOST: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
HELD = ("current, held", "current: unread", "current: weak", "current: replaced", "current: unsent",
        "superseded, not held", "superseded: as a line", "superseded: in a turn")  # fmt: skip


def _count_losses(
    dialogue: Dialogue, paragraphs: list[Paragraph], standing: Sequence[Entry], how: tuple[int, str]
) -> None:
    """Count in ``LOST`` what became of each instruction."""
    for each in dialogue.instructions:
        found = [paragraph for paragraph in paragraphs if holds(each, paragraph)]
        if not each.is_current:
            found = [paragraph for paragraph in found if not marks(each, paragraph)]
            is_line = any(re.match(r"- (?:\d|`)", paragraph.text) for paragraph in found)
            why = HELD[5] if not found else HELD[6] if is_line else HELD[7]
        elif found:
            why = HELD[0]
        else:
            read = [
                entry
                for entry in standing
                if entry.turn_id.rpartition("#")[2] in each.turns
                and any(
                    span in _flat(entry.title) or _flat(entry.title) in span for span in each.spans
                )
            ]
            strong = [entry for entry in read if entry.priority > WEAK]
            in_force = [entry for entry in strong if entry.is_current]
            why = HELD[4] if in_force else HELD[3] if strong else HELD[2] if read else HELD[1]
        LOST[how][why] += 1


def _print_losses() -> None:
    print(f"\n{'instructions, in all packets':32}" + "".join(f"{t:>7} {h[:7]}" for t, h in LOST))
    for why in HELD:
        print(f"{why:32}" + "".join(f"{counted[why]:15}" for counted in LOST.values()))


def _mean(values: Iterable[float]) -> float:
    every = list(values)
    return sum(every) / len(every)


def _print(rows: list[Row], *, as_json: bool) -> None:
    groups: dict[tuple[str, str, int], list[Row]] = defaultdict(list)
    for row in rows:
        most = next((most for most in LENGTHS if row.sessions <= most), LENGTHS[-1])
        groups["all", row.how, row.tokens].append(row)
        groups["odd" if row.number % 2 else "even", row.how, row.tokens].append(row)
        groups[f"up to {most} sessions", row.how, row.tokens].append(row)
    table: list[dict[str, Any]] = [
        {
            "dialogues": group, "packet": how, "tokens": tokens, "count": len(members),
            **{
                name: round(_mean(values), 3)
                for name in FIGURES
                if (values := [row.figures[name] for row in members if name in row.figures])
            },
        }
        for (group, how, tokens), members in groups.items()
    ]  # fmt: skip
    order = {"all": 0, "odd": 1, "even": 2, **{f"up to {most} sessions": most for most in LENGTHS}}
    table.sort(key=lambda row: (order[str(row["dialogues"])], str(row["packet"]), row["tokens"]))
    if as_json:
        print(json.dumps(table, indent=1))
        return
    print(f"{'dialogues':20} {'packet':18} {'tokens':>6} " + " ".join(f"{n:>8}" for n in FIGURES))
    for cell in table:
        figures = " ".join(f"{cell.get(name, '-'):>8}" for name in FIGURES)
        print(f"{cell['dialogues']:20} {cell['packet']:18} {cell['tokens']:>6} {figures}")


if __name__ == "__main__":
    sys.exit(main())
