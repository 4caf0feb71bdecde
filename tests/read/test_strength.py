"""How strong an instruction is: said how often, by which form, how long ago."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctx.model import WEAK, Context
from ctx.read import Limits, Wanted, read
from ctx.read.instructing.register import HALF_LIFE
from ctx.store.no_cache import NoCache
from tests.cli.calls import ctx

LIMITS = Limits(1 << 20, allow_links=False, project="", allow_secrets=False)
CLEAR = "From now on write every date as ISO 8601."
UNSURE = "prefiero que las respuestas sean cortas"  # weak; said again on its own it may be more


def talk(folder: Path, **sessions: list[tuple[str, str]]) -> Context:
    """Return a directory with sessions, each of days and texts of a user."""
    state = folder / "state" / "sessions"
    state.mkdir(parents=True, exist_ok=True)
    for name, turns in sessions.items():
        lines = [
            {"id": f"t{at}", "session": name, "ts": day, "role": "user", "text": text}
            for at, (day, text) in enumerate(turns)
        ]
        (state / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", "utf-8")
    (folder / "context").mkdir(exist_ok=True)
    return read(str(folder / "context"), NoCache(), LIMITS, Wanted(state=str(folder / "state")))


def strong(context: Context) -> list[str]:
    return [each.title for each in context.standing if each.is_current and each.priority > WEAK]


@pytest.mark.parametrize(("until", "is_strong"), [("2026-01-20", True), ("2031-01-20", False)])
def test_what_was_not_said_again_for_years_is_weak(
    tmp_path: Path, until: str, is_strong: bool
) -> None:
    turns = [("2026-01-02", CLEAR), (until, "Show me the log.")]
    assert strong(talk(tmp_path, a=turns)) == ([CLEAR] if is_strong else [])


def test_what_is_said_again_counts_from_the_last_time(tmp_path: Path) -> None:
    late = [("2031-01-02", f"Again: {CLEAR.lower()}"), ("2031-02-01", "Show me the log.")]
    assert len(strong(talk(tmp_path, a=[("2026-01-02", CLEAR)], b=late))) == 1
    assert HALF_LIFE == 730


def test_the_same_turn_in_another_session_is_a_copy_or_a_task(tmp_path: Path) -> None:
    once = [("2026-01-02", UNSURE)]
    assert strong(talk(tmp_path, a=once, b=[("2026-01-03", UNSURE)])) == []
    again = talk(tmp_path, a=once, b=[("2026-01-03", f"{UNSURE}. Gracias.")])
    assert [UNSURE[:20] in title for title in strong(again)] == [True]


def test_a_packet_holds_a_handful_each_with_its_day_in_the_users_words(tmp_path: Path) -> None:
    (tmp_path / ".context").mkdir()
    things = (
        "invoices",
        "letters",
        "labels",
        "tables",
        "charts",
        "pages",
        "notes",
        "mails",
        "files",
    )
    said = [f"From now on print all {thing} in blue, never in the colour red." for thing in things]
    rows = [
        {"id": f"t{at}", "session": "s", "ts": f"2026-03-{at + 1:02}T08:00:00Z", "role": "user",
         "text": text}
        for at, text in enumerate(said)
    ]  # fmt: skip
    chat = tmp_path / "chat.jsonl"
    chat.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ctx(tmp_path, "session", "import", chat)
    packet = ctx(tmp_path, "agent", "--budget", "8000").stdout.decode()
    section = packet.partition("## Elevated Guidance")[2].partition("\n## ")[0]
    sent = [at for at, text in enumerate(said) if text in section]
    assert 0 < len(sent) <= 8
    for at in sent:
        assert f"2026-03-{at + 1:02}" in section


@pytest.mark.parametrize("name", ["CONSTITUTION.md", "CONVENTIONS.md"])
def test_what_a_rule_or_a_convention_says_is_not_said_twice(tmp_path: Path, name: str) -> None:
    (tmp_path / ".context").mkdir()
    (tmp_path / ".context" / name).write_text(
        "# Rules\n\n- Write every date as ISO 8601\n", encoding="utf-8"
    )
    row = {"id": "t", "session": "s", "ts": "2026-03-01T08:00:00Z", "role": "user", "text": CLEAR}
    other = {**row, "id": "u", "text": "From now on sign each letter with the name of the clerk."}
    chat = tmp_path / "chat.jsonl"
    chat.write_text(json.dumps(row) + "\n" + json.dumps(other) + "\n", encoding="utf-8")
    ctx(tmp_path, "session", "import", chat)
    packet = ctx(tmp_path, "agent", "--budget", "8000").stdout.decode()
    section = packet.partition("## Elevated Guidance")[2].partition("\n## ")[0]
    assert "the name of the clerk" in section
    assert "ISO 8601" not in section


def test_what_a_rule_says_is_sent_where_the_user_forbids_it(tmp_path: Path) -> None:
    (tmp_path / ".context").mkdir()
    (tmp_path / ".context" / "CONVENTIONS.md").write_text(
        "# C\n\n- Use tabs for indenting the code files\n", encoding="utf-8"
    )
    text = "From now on never use tabs for indenting the code files."
    row = {"id": "t", "session": "s", "ts": "2026-03-01T08:00:00Z", "role": "user", "text": text}
    chat = tmp_path / "chat.jsonl"
    chat.write_text(json.dumps(row) + "\n", encoding="utf-8")
    ctx(tmp_path, "session", "import", chat)
    assert text in ctx(tmp_path, "agent", "--budget", "8000").stdout.decode()
