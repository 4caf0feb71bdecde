"""Public data to measure retrieval with, as context directories and questions.

None of it is part of this project: each set has its own licence, and ``docs/benchmarks.md``
says where to get it.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from benchmarks.work_sessions import Session, sessions_of_work, transcript
from ctx.model import Entry


class Question(NamedTuple):
    """One question and the items that its answer is in."""

    text: str
    category: str
    gold: frozenset[str]


class Case(Protocol):
    """One conversation or collection."""

    questions: list[Question]
    costs: dict[str, int]
    """Characters of each item's own text."""
    texts: list[str]
    """Each item's own text."""
    budgets: tuple[int, ...]
    """Tokens that recall is counted at."""
    ranks: tuple[int, ...]
    """Ranks that recall is counted at, where items are whole documents; else none."""

    def write(self, root: Path) -> None:
        """Write what belongs into the context directory ``root``, transcripts beside it."""
        ...

    def item(self, entry: Entry) -> str:
        """Return the item that ``entry`` is, or is part of."""
        ...


class Turn(NamedTuple):
    """A turn as a data set tells it."""

    id: str
    session: str
    ts: str
    role: str
    speaker: str
    text: str
    own: str
    """The text by which its cost is counted."""


class Chat:
    """A conversation of turns."""

    ranks: tuple[int, ...] = ()

    def __init__(
        self, turns: list[Turn], questions: list[Question], budgets: tuple[int, ...]
    ) -> None:
        """Take the conversation; of the questions those that name evidence that is there."""
        self._turns = turns
        self.costs = {turn.id: len(turn.own) for turn in turns}
        self.texts = [turn.text for turn in turns]
        known = frozenset(self.costs)
        kept = (one._replace(gold=one.gold & known) for one in questions)
        self.questions = [one for one in kept if one.gold]
        self.budgets = budgets

    def write(self, root: Path) -> None:
        """Write the transcript."""
        (root.parent / "chat.jsonl").write_text(self.transcript(), encoding="utf-8")

    def transcript(self) -> str:
        """Return the transcript."""
        lines = []
        for turn in self._turns:
            fields = turn._asdict()
            fields.pop("own")
            lines.append(json.dumps({name: value for name, value in fields.items() if value}))
        return "\n".join(lines) + "\n"

    def joined(self, session: str) -> Chat:
        """Return the conversation as one session of that name."""
        turns = [turn._replace(session=session) for turn in self._turns]
        return Chat(turns, self.questions, self.budgets)

    def item(self, entry: Entry) -> str:
        """Return the turn's id."""
        return entry.id.partition("#")[2]


class Collection:
    """Documents, and commits that each carry one out."""

    budgets: tuple[int, ...] = ()
    ranks: tuple[int, ...] = (1, 5, 10)

    def __init__(self, documents: dict[str, str], questions: list[Question]) -> None:
        """Take documents by path."""
        self._documents = documents
        self.costs = {path: len(text) for path, text in documents.items()}
        self.texts = list(documents.values())
        self.questions = questions

    def write(self, root: Path) -> None:
        """Write the documents as they are."""
        for path, text in self._documents.items():
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")

    def item(self, entry: Entry) -> str:
        """Return the document."""
        return entry.source


def _locomo(data: Path) -> Iterator[Case]:
    file = data if data.is_file() else next(iter(sorted(data.glob("locomo*.json"))))
    names = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop", 5: "adversarial"}
    for one in json.loads(file.read_text(encoding="utf-8")):
        turns = list(_locomo_turns(one["conversation"]))
        questions = [
            Question(
                asked["question"],
                f"{asked['category']} {names[asked['category']]}",
                frozenset(
                    f"D{session}:{turn}"
                    for evidence in asked.get("evidence") or ()
                    for session, turn in re.findall(r"D:?(\d+):(\d+)", evidence)
                ),
            )
            for asked in one["qa"]
        ]
        yield Chat(turns, questions, (1_000, 2_000, 4_000))


def _locomo_turns(talk: dict[str, object]) -> Iterator[Turn]:
    number = 1
    for number in range(1, 1 + sum(re.fullmatch(r"session_\d+", key) is not None for key in talk)):
        written = str(talk[f"session_{number}_date_time"])
        ts = datetime.strptime(written, "%I:%M %p on %d %B, %Y").isoformat()  # noqa: DTZ007
        said = talk[f"session_{number}"]
        assert isinstance(said, list)  # noqa: S101 - the form of the data
        for one in said:
            caption = f" [image: {one['blip_caption']}]" if one.get("blip_caption") else ""
            text, who = f"{one['text']}{caption}", one["speaker"]
            yield Turn(
                one["dia_id"], f"session-{number}", ts, "user", who, text,
                f"{written} {who}: {text}",
            )  # fmt: skip


def _beam(data: Path) -> Iterator[Case]:
    for file in sorted(data.glob("*.json"), key=lambda path: (len(path.name), path.name)):
        chat = json.loads(file.read_text(encoding="utf-8"))
        turns = [_beam_turn(one) for one in chat["turns"]]
        questions = [
            Question(one["question"], one["category"], frozenset(map(_beam_id, one["gold"])))
            for one in chat["questions"]
        ]
        yield Chat(turns, questions, (4_000, 8_000))


def _beam_id(number: object) -> str:
    return f"t{number}"


def _beam_turn(one: dict[str, object]) -> Turn:
    anchor, role, text = str(one.get("time_anchor") or ""), str(one["role"]), str(one["content"])
    try:
        ts = datetime.strptime(anchor, "%B-%d-%Y").date().isoformat()  # noqa: DTZ007
    except ValueError:
        ts = ""
    session = f"batch-{one['batch']}"
    return Turn(_beam_id(one["id"]), session, ts, role, "", text, f"{anchor} {role}: {text}")


def _specs(data: Path) -> Iterator[Case]:
    base = data if (data / "specs").is_dir() else data.parent
    documents = {
        path.relative_to(base).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((base / "specs").rglob("*.md"))
    }
    questions = [
        Question(f"{row['query']}\n{row['body']}", "commits", frozenset(row["gold"]))
        for file in sorted(base.glob("queries*.jsonl"))
        for row in map(json.loads, file.read_text(encoding="utf-8").splitlines())
    ]
    yield Collection(documents, [one for one in questions if one.gold])


class Directory(Collection):
    """A context directory as it is, and questions with all entries that bear on them."""

    def __init__(self, root: Path, questions: list[Question]) -> None:
        """Take the directory of the files in ``root``."""
        super().__init__({}, questions)
        self._root = root
        self._labels = sorted({label for one in questions for label in one.gold}, reverse=True)

    def write(self, root: Path) -> None:
        """Copy the directory."""
        shutil.copytree(self._root, root, dirs_exist_ok=True)

    def item(self, entry: Entry) -> str:
        """Return the label of the entry, or of the file where whole files are labelled."""
        # Labels are as written: a file, or its first line of an entry, with its time or without.
        names = (
            f"doc/architecture/{entry.source}",
            f"{entry.source}: {entry.title}",
            f"{entry.source}: [{entry.timestamp}] {entry.title}",
        )
        found = (label for label in self._labels if any(name.startswith(label) for name in names))
        return next(found, entry.id)


def _relevance(data: Path) -> Iterator[Case]:
    here = Path(__file__).parent
    roots = {
        "activememory": data / "activememory" / ".context",
        "adr": data / "interop" / "adr-beis" / "doc" / "architecture",
        "webshop": here.parent / "fixtures" / "webshop" / ".context",
    }
    rows = json.loads((here / "relevance.json").read_text(encoding="utf-8"))
    for corpus, root in roots.items():
        yield Directory(
            root,
            [
                Question(row["question"], corpus, frozenset(row["entries"]))
                for row in rows
                # The other half is for the last look alone.
                if row["corpus"] == corpus and row["half"] == "dev" and row["entries"]
            ],
        )


class Work(Chat):
    """Coding sessions in the forms of their hosts, all of one project."""

    def __init__(self, sessions: list[Session], form: str) -> None:
        """Take sessions; ``form`` is that of all of them, where it is not empty."""
        turns = [
            Turn(said.id, one.title, "", said.role, "", said.text, said.text or str(said.given))
            for one in sessions
            for said in one.turns
        ]
        asked = [
            Question(each.text, each.kind or one.title, each.gold)
            for one in sessions
            for each in one.questions
        ]
        gathers = any(each.kind for one in sessions for each in one.questions)
        super().__init__(turns, asked, (1_000, 2_000, 4_000) if gathers else (1_000, 2_000))
        self._sessions, self._form = sessions, form

    def write(self, root: Path) -> None:
        """Write a transcript for each session."""
        for one in self._sessions:
            place = root.parent / f"{one.title}.jsonl"
            place.write_text(transcript(one, self._form), encoding="utf-8")


def _work(data: Path, form: str = "") -> Iterator[Case]:
    yield Work(list(sessions_of_work(data.stem.removeprefix("work-"))), form)


class Hops(Collection):
    """Decisions and learnings of a made project, and questions that take two of them."""

    def item(self, entry: Entry) -> str:
        """Return the title, by which a question names its entries."""
        return entry.title


def _hops(data: Path) -> Iterator[Case]:
    """Yield the projects of ``hops.txt``, each a directory, then all of them as one."""
    every: list[str] = []
    for text in data.read_text(encoding="utf-8").split("== ")[1:]:
        name, *lines = text.splitlines()
        every += lines
        yield _project(name, lines)
    yield _project("together", every)


def _project(name: str, lines: list[str]) -> Hops:
    """Return the project of ``lines``: a decision, a learning or a question each."""
    files = {"D": "# Decisions\n", "L": "# Learnings\n"}
    asked = []
    for number, line in enumerate(lines):
        mark, (title, body) = line[0], line[2:].split(" | ")
        if mark == "?":
            asked.append(Question(title, name, frozenset(body.split(" && "))))
        else:
            hour, minute = divmod(number, 60)
            stamp = f"2026-03-01-{8 + hour:02}{minute:02}00"
            files[mark] += f"\n## [{stamp}] {title}\n\n{body}\n"
    return Hops({"DECISIONS.md": files["D"], "LEARNINGS.md": files["L"]}, asked)


SETS: dict[str, Callable[[Path], Iterator[Case]]] = {
    "work": _work, "work-claude": partial(_work, form="claude"),
    "locomo": _locomo, "beam": _beam, "beam-500k": _beam, "specs": _specs,
    "relevance": _relevance, "gather": _work, "hops": _hops,
}  # fmt: skip
