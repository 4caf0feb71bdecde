"""Where the last session on a branch ended: which one, and what of it a packet includes."""

import json
import os
from datetime import date
from pathlib import Path

import pytest

from ctx.app.resume import TOKENS, lines_of, resumed
from ctx.model import Request, Turn, session_file
from ctx.text.tokens import estimate
from tests.keeping import make_repository

DAY = date(2026, 11, 23)
TALK = [
    ("user", "Please fix the rounding of the totals."),
    ("assistant", '[tool_use Edit] {"file_path": "src/totals.py"}'),
    ("assistant", "I round the sum only, and every test passes."),
    ("assistant", "The CSV export still rounds each line."),
]


def stored(state: Path, name: str, day: str, age: int, **extra: object) -> None:
    """Store a session that ended on a day; its file is ``age`` seconds old."""
    path = state / "sessions" / session_file(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        {"id": f"t{at}", "session": name, "ts": f"{day}T10:00:00Z", "role": role, "text": text}
        for at, (role, text) in enumerate([*TALK[:-1], ("assistant", f"{TALK[-1][1]} {name}")])
    ]
    path.write_text("".join(json.dumps({**row, **extra}) + "\n" for row in rows))
    os.utime(path, (10**9 - age, 10**9 - age))


def request(tmp_path: Path, **given: object) -> Request:
    asked = Request(str(tmp_path / ".context"), DAY, state=str(tmp_path), project=str(tmp_path))
    return asked._replace(**given)  # type: ignore[arg-type]


def text_of(asked: Request) -> str:
    thread = resumed(asked)
    return thread.turn(0).body if thread else ""


def test_it_holds_the_request_the_files_the_state_and_what_is_open(tmp_path: Path) -> None:
    stored(tmp_path, "one", "2026-11-20", 0)
    assert text_of(request(tmp_path)).splitlines() == [
        "asked: Please fix the rounding of the totals.",
        "changed: src/totals.py",
        "state: one",
        "open: The CSV export still rounds each line.",
    ]


def test_the_newest_session_counts_but_not_the_own_one(tmp_path: Path) -> None:
    stored(tmp_path, "older", "2026-11-20", 9)
    stored(tmp_path, "newer", "2026-11-21", 5)
    assert "state: newer" in text_of(request(tmp_path))
    assert "state: older" in text_of(request(tmp_path, session="newer"))


@pytest.mark.parametrize("day", ["2026-11-15", "2026-11-29", ""])
def test_a_session_of_another_week_or_of_no_time_is_not_resumed(tmp_path: Path, day: str) -> None:
    stored(tmp_path, "one", day, 0)
    assert resumed(request(tmp_path)) is None


def test_a_session_of_another_branch_is_passed_over(tmp_path: Path) -> None:
    make_repository(tmp_path)
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/fix/totals\n")
    stored(tmp_path, "one", "2026-11-20", 9, branch="fix/totals")
    stored(tmp_path, "two", "2026-11-20", 5, branch="main")
    assert "state: one" in text_of(request(tmp_path))
    stored(tmp_path, "old", "2026-11-20", 1)  # of a time when no branch was stored
    assert "state: old" in text_of(request(tmp_path))


def test_the_branch_of_a_worktree_is_its_own(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "HEAD").write_text("ref: refs/heads/side\n")
    (tmp_path / ".git").write_text("gitdir: there\n")
    for name in ("objects", "refs"):
        (tmp_path / "there" / name).mkdir(parents=True)
    stored(tmp_path, "one", "2026-11-20", 0, branch="main")
    assert resumed(request(tmp_path)) is None


def test_secrets_are_redacted(tmp_path: Path) -> None:
    stored(tmp_path, "one", "2026-11-20", 0)
    path = tmp_path / "sessions" / "one.jsonl"
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    path.write_text(path.read_text().replace("every test passes", f"the token is {secret}"))
    assert secret not in text_of(request(tmp_path))


def test_five_lines_of_long_sentences_keep_their_tokens() -> None:
    long = "The importer fails because " + "of the encoding of a line " * 8
    turns = [Turn("", "", "", "user", f"Please look at this. {long}")]
    turns += [Turn("", "", "", "assistant", f"{long} Not done yet: {long}")] * 3
    lines = lines_of(turns)
    assert 0 < len(lines) <= len(("asked", "changed", "failed", "state", "open"))
    assert estimate("\n".join(lines)) <= TOKENS


def test_nothing_is_resumed_where_no_session_is_stored(tmp_path: Path) -> None:
    assert resumed(request(tmp_path)) is None
    assert resumed(request(tmp_path, state="")) is None
