"""Imported conversations in packets: the base tail is whole, or the packet says it is not."""

import json
import os
from collections.abc import Iterator
from datetime import date, datetime
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from ctx.app.walk import assemble
from ctx.model import Entry, Format, Packet, Request
from ctx.model.boundaries import Boundaries, base_start
from ctx.store.no_cache import NoCache, WordsInMemory
from ctx.text.tokens import counter
from tests.forked import forked
from tests.sampling import sampled

LOCOMO = Path(__file__).resolve().parents[2] / "shared" / "bench" / "locomo" / "locomo-dev.json"
BUDGETS = (0, 100, 150, 200, 300, 600, 1000, 4000, 32_000)
CONTEXT = {
    "CONSTITUTION.md": "- Answer in the words of the people who spoke\n",
    "TASKS.md": "- [ ] Find out when they met\n",
}


class Talk(NamedTuple):
    """A conversation as its turns, in ctx's own form."""

    name: str
    turns: list[dict[str, str]]


def _spoken() -> Iterator[Talk]:
    """Yield the conversations of LoCoMo; a question and the answer to it are one bundle."""
    for one in json.loads(LOCOMO.read_text("utf-8")):
        said = one["conversation"]
        turns: list[dict[str, str]] = []
        for number in range(1, 100):
            when = said.get(f"session_{number}_date_time")
            for turn in said.get(f"session_{number}", ()):
                ts = datetime.strptime(f"{when} Z", "%I:%M %p on %d %B, %Y %z").isoformat()
                turns.append(
                    _turn(one["sample_id"], turn["dia_id"], ts, turn["speaker"], turn["text"])
                )
        yield Talk(one["sample_id"], _bundled(turns))


def _made() -> Iterator[Talk]:
    """Yield a conversation in their manner, for machines without theirs."""
    turns = [
        _turn(
            "made", f"D1:{n}", f"2026-01-{1 + n // 20:02}T10:{n % 60:02}:00", ("Ann", "Ben")[n % 2],
            f"Did you see number {n}?" if n % 3 else f'Yes, `{n}` was "there". ' * (n % 7 + 1),
        )
        for n in range(90)
    ]  # fmt: skip
    yield Talk("made", _bundled(turns))


def _turn(session: str, id_: str, ts: str, speaker: str, text: str) -> dict[str, str]:
    said = {"speaker": speaker, "text": text}
    return {"id": id_, "session": session, "ts": ts, "role": "user", **said}


def _bundled(turns: list[dict[str, str]]) -> list[dict[str, str]]:
    for number, (one, after) in enumerate(pairwise(turns)):
        if one["text"].rstrip().endswith("?") and "bundle" not in one:
            one["bundle"] = after["bundle"] = f"question-{number}"
    return turns


def _talks() -> list[Talk]:
    return [*_made(), *(_spoken() if LOCOMO.exists() else ())]


@pytest.fixture(scope="module", params=_talks(), ids=lambda talk: talk.name)
def imported(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Talk]:
    """Import a conversation as a person would; return the context directory."""
    talk: Talk = request.param
    folder = tmp_path_factory.mktemp("talk")
    root = folder / ".context"
    root.mkdir()
    for name, text in CONTEXT.items():
        (root / name).write_text(text)
    lines = (json.dumps(turn, ensure_ascii=False) for turn in talk.turns)
    (folder / "talk.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    environ = {**os.environ, "CTX_STATE_DIR": str(folder / "state")}
    ran = forked(["session", "import", "talk.jsonl"], folder, environ)
    assert f"{len(talk.turns)} turns added" in ran.out.decode()
    return str(root), talk


def _packed(root: str, talk: Talk, budget: int, form: Format) -> Packet:
    (folder,) = (Path(root).parent / "state").glob("*/sessions")
    state = str(folder.parent)
    asked = Request(root, date(2026, 1, 31), budget, form, session=talk.name, state=state)
    return assemble(asked, counter("heuristic"), NoCache(), WordsInMemory())


@pytest.mark.parametrize("form", ["md", "json"])
def test_the_base_tail_is_whole_or_the_packet_says_so(
    imported: tuple[str, Talk], form: Format
) -> None:
    root, talk = imported
    bundles = [(at, one["bundle"]) for at, one in enumerate(talk.turns) if "bundle" in one]
    boundaries = Boundaries(bundles)
    budgets = sampled(BUDGETS, 4) if form == "md" else sampled(BUDGETS, 3, 2)
    whole = [
        _checked(_packed(root, talk, budget, form), talk, budget, boundaries) for budget in budgets
    ]
    # Where it fits once it fits in every larger budget, and here it does in the end.
    assert whole == sorted(whole)
    assert whole[-1]


def _checked(packet: Packet, talk: Talk, budget: int, boundaries: Boundaries) -> bool:
    """Check the tail of one packet; return whether its base is whole."""
    said = [
        one.entry
        for section in packet.selection.sections
        if section.name == "tail"
        for one in section.included
    ]
    start = len(talk.turns) - len(said)
    assert [entry.body for entry in said] == [turn["text"] for turn in talk.turns[start:]]
    assert boundaries.back(start) == start, "a bundle is split"
    if packet.request.format == "json":
        told = json.loads(packet.text or "{}").get("recent_turns", [])
        assert [turn["text"] for turn in told] == [entry.body for entry in said]
    else:
        assert all(f"\n{entry.body}\n" in packet.text for entry in said)
    base = base_start(_Length(talk.turns), packet.request.settings.tail_turns, boundaries)
    if start > base:
        assert packet.selection.degraded
    assert packet.tokens <= budget
    return start <= base


class _Length:
    """A thread of which only its length is asked."""

    def __init__(self, turns: list[dict[str, str]]) -> None:
        self._turns = turns

    def __len__(self) -> int:
        return len(self._turns)

    def turn(self, index: int) -> Entry:
        raise AssertionError(index)

    def bundles(self) -> list[tuple[int, str]]:
        return []
