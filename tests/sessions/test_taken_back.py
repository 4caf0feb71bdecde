"""What a user took back is no word of theirs: not proposed, not where a session ended, not kept.

And turns of a fork that are stored after those of its origin stand where they were said.
"""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from ctx.app.resume import resumed
from ctx.app.waiting import waiting
from ctx.model import JsonObject, Request
from ctx.read import lineage, stored
from tests.cli.calls import ctx
from tests.imported import sessions_of

RULE = "From now on never publish from a laptop."
DECIDED = "We decided to keep all amounts in cents, because the accountants want it."


def _line(name: str, parent: str | None, text: str, role: str = "user", **more: str) -> str:
    message: JsonObject = {"role": role, "content": text}
    ids: JsonObject = {"uuid": name, "parentUuid": parent, "sessionId": "s", **more}
    time = more.get("timestamp", f"2026-05-01T08:00:{int(name[1:]):02}Z")
    return json.dumps({"type": role, **ids, "timestamp": time, "message": message}) + "\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project with a session in which the user went back to before turn 3."""
    (tmp_path / ".context").mkdir()
    monkeypatch.chdir(tmp_path)
    lines = (
        _line("u1", None, "Where is the release made?"),
        _line("u2", "u1", "In release.py.", "assistant"),
        _line("u3", "u2", RULE),
        _line("u4", "u3", f"{RULE} {DECIDED}", "assistant"),
        _line("u5", "u4", DECIDED),
        _line("u6", "u2", "Show me the file."),
        _line("u7", "u6", "Here it is.", "assistant"),
    )
    (tmp_path / "s.jsonl").write_text("".join(lines), encoding="utf-8")
    ctx(tmp_path, "session", "import", "s.jsonl")
    return tmp_path


def test_it_is_kept_but_proposed_by_nothing(project: Path) -> None:
    assert RULE in ctx(project, "session", "show", "s").stdout.decode()
    found = json.loads(ctx(project, "session", "promote", "--json").stdout)
    assert found["proposed"] == []
    state = str(sessions_of(project / ".context").parent)
    assert waiting(state, str(project / ".context"))[0] == 0
    assert stored.back(state, "s.jsonl") == {"u3", "u4", "u5"}


def test_no_session_ended_with_it(project: Path) -> None:
    state = str(sessions_of(project / ".context").parent)
    request = Request(str(project / ".context"), date(2026, 5, 2), state=state)
    thread = resumed(request)
    assert thread is not None
    told = thread.turn(0).body
    assert "laptop" not in told
    assert "cents" not in told


def test_compaction_keeps_none_of_it(project: Path) -> None:
    ctx(
        project,
        "session",
        "compact",
        "--session",
        "s",
        environ={"CTX_TAIL_TURNS": "1", "CTX_TAIL_SHARE": "0"},
    )
    state = str(sessions_of(project / ".context").parent)
    made = [*lineage.records(state, "s.jsonl")]
    assert made
    assert "laptop" not in str(made)
    assert "cents" not in str(made)
    assert "u3" not in [getattr(record, "turn", "") for record in made]


def _turns(project: Path, session: str) -> list[str]:
    rows = ctx(project, "session", "show", session, "--json").stdout.splitlines()
    return [json.loads(row)["text"] for row in rows]


def _title(project: Path) -> list[tuple[str, str]]:
    rows = json.loads(ctx(project, "session", "list", "--json").stdout)["sessions"]
    return [(row["id"], row["title"]) for row in rows]


@pytest.mark.parametrize("order", ["origin fork origin", "fork origin", "origin fork"])
def test_turns_of_a_fork_stand_in_the_order_of_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    """A fork goes on at 08:10 and its origin at 08:05; which is stored first does not matter."""
    (tmp_path / ".context").mkdir()
    monkeypatch.chdir(tmp_path)
    begun = (_line("u1", None, "Mend the lock."), _line("u2", "u1", "Which one?", "assistant"))
    later = _line("u3", "u2", "The front door.", timestamp="2026-05-01T08:05:00Z")
    fork = [line.replace('"sessionId": "s"', '"sessionId": "f"') for line in begun]
    fork.append(_line("u4", "u2", "The gate.", timestamp="2026-05-01T08:10:00Z", sessionId="f"))
    title = json.dumps({"type": "ai-title", "aiTitle": "Of the fork", "sessionId": "f"}) + "\n"
    named = json.dumps({"type": "ai-title", "aiTitle": "The first's", "sessionId": "s"}) + "\n"
    Path("fork.jsonl").write_text("".join((*fork, title)), encoding="utf-8")
    steps = order.split()
    for at, which in enumerate(steps):
        whole = (
            *begun,
            named,
            *([later] if at == len(steps) - 1 or steps.count(which) == 1 else []),
        )
        Path("origin.jsonl").write_text("".join(whole), encoding="utf-8")
        ctx(tmp_path, "session", "import", f"{which}.jsonl")
    ((session, shown),) = _title(tmp_path)
    assert _turns(tmp_path, session) == [
        "Mend the lock.", "Which one?", "The front door.", "The gate."
    ]  # fmt: skip
    assert shown == ("The first's" if session == "s" else "Of the fork")


def test_a_clock_that_steps_back_a_little_moves_nothing(tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()
    rows = [
        {"id": f"t{at}", "session": "a", "ts": ts, "role": "user", "text": "x"}
        for at, ts in enumerate(("2026-05-01T08:00:30Z", "2026-05-01T08:00:10Z", "", "no time"))
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "sessions" / "a.jsonl").write_text(lines, encoding="utf-8")
    assert [one.line for one in stored.ordered(str(tmp_path), "a.jsonl")] == [1, 2, 3, 4]
    assert [turn.id for turn in stored.last(str(tmp_path), "a.jsonl")] == ["t0", "t1", "t2", "t3"]
