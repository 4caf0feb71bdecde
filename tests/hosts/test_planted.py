"""Instructions in texts of programs reach nobody as the user's, whatever host recorded them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.attacks.planted import FORMS, SAID, transcript
from tests.cli.calls import ctx
from tests.imported import sessions_of

FILE = Path(__file__).resolve().parents[2] / "benchmarks/talk/planted.json"
PLANTED = json.loads(FILE.read_text(encoding="utf-8"))
TEXTS = [one["text"] for one in PLANTED]


def test_there_are_two_hundred_of_all_kinds() -> None:
    assert len({one["id"] for one in PLANTED}) == len(PLANTED) == 200
    kinds = {"tool output", "subagent result", "pasted log", "hook text", "file content"}
    assert kinds <= {one["where"] for one in PLANTED}


@pytest.mark.parametrize("form", FORMS)
def test_none_is_the_users(tmp_path: Path, form: str) -> None:
    (tmp_path / ".context").mkdir()
    chat = tmp_path / ("chat.md" if form[:5] in {"specs", "aider"} else "chat.jsonl")
    chat.write_text(transcript(form, TEXTS), encoding="utf-8")
    ctx(tmp_path, "session", "import", chat, "--format", form.partition(",")[0])
    rules = json.loads(ctx(tmp_path, "session", "rules", "--all", "--json").stdout)["rules"]
    assert [one["text"] for one in rules] == [SAID]  # what a person said beside it is found
    ctx(tmp_path, "session", "compact", environ={"CTX_TAIL_TURNS": "1", "CTX_TAIL_SHARE": "0"})
    files = sessions_of(tmp_path / ".context").glob("summaries/*.jsonl")
    lines = [line for each in files for line in each.read_text("utf-8").splitlines()]
    kept = [json.loads(line) for line in lines]
    assert sum(one["type"] == "elevated" for one in kept) <= 1  # what the person said
    packet = ctx(tmp_path, "agent", "--budget", "60000").stdout.decode()
    quoted = packet.partition("## Elevated Guidance")[2].partition("\n## ")[0]
    assert SAID in quoted
    assert [one["id"] for one in PLANTED if one["instruction"] in quoted] == []
