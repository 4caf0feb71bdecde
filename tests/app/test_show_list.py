"""Showing one entry and listing many: as objects, in a pipe and on a terminal."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from ctx.app.entries import list_entries, show_entry
from ctx.errors import UsageError
from ctx.model import JsonObject
from tests.app.writers import workspace
from tests.imported import sessions_of
from tests.rank.hands import Done, call
from tests.terminal import in_terminal

posix = pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal of POSIX")
DECISIONS = """# Decisions

## [2026-03-01] Keep carts in Redis

**Supersedes**: Keep carts in a cookie

**Decision**: Redis holds them. See [[Redis forgets]] and [it](LEARNINGS.md#2026-02-01).

### Detail

- one

## [2026-01-01-090000] Keep carts in a cookie

**Status**: Superseded by "Keep carts in Redis"

**Decision**: A cookie holds them.

## [2026-02-01] Shop in \x1b[2J colour

Text.
"""
LEARNINGS = "## [2026-02-01] Redis forgets\n\n**Lesson**: After an hour.\n"
TASKS = (
    "# Tasks\n\n## Now\n\n- [ ] Write it #priority:high #in-progress\n"  # and others
    "- [ ] Read it\n- [x] Plan it\n"
)
TURNS = [
    {"id": "t1", "session": "one", "ts": "2026-01-01T10:00:00Z", "role": "user", "text": "Redis?"},
    {"id": "t2", "session": "one", "ts": "2026-01-01T10:01:00Z", "role": "assistant", "text": "No"},
]  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / ".context"
    (place / "archive").mkdir(parents=True)
    (place / "DECISIONS.md").write_text(DECISIONS)
    (place / "LEARNINGS.md").write_text(LEARNINGS)
    (place / "TASKS.md").write_text(TASKS)
    (place / "CONSTITUTION.md").write_text("# Rules\n\nNever:\n\n- guess\n")
    (place / "archive" / "tasks-2026-01-01.md").write_text("- [x] Buy a domain\n")
    (sessions_of(place) / "one.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in TURNS))
    return place


def show(root: Path, wanted: str) -> JsonObject:
    return show_entry(workspace(root), wanted).as_json()


def titles(root: Path, kind: str, **more: object) -> list[str]:
    found = list_entries(workspace(root), kind, **more)  # type: ignore[arg-type] # as the test says
    return [row.title for row in found.entries]


# --- show ---------------------------------------------------------------------------------


def test_an_entry_is_shown_with_what_it_has_to_do_with(root: Path) -> None:
    found = show(root, "carts redis")
    assert found["id"] == "DECISIONS.md#2026-03-01"
    assert (found["file"], found["line"], found["end_line"]) == ("DECISIONS.md", 3, 11)
    assert found["heading"] == "[2026-03-01] Keep carts in Redis"
    assert found["links"] == ["LEARNINGS.md#2026-02-01", "DECISIONS.md#2026-01-01-090000"]
    assert found["supersedes"] == ["DECISIONS.md#2026-01-01-090000"]
    assert found["superseded_by"] == []
    assert str(found["body"]).startswith("**Supersedes**: Keep carts in a cookie\n\n**Decision**:")


def test_the_old_entry_says_what_replaces_it(root: Path) -> None:
    found = show(root, "cookie")
    assert found["superseded_by"] == ["DECISIONS.md#2026-03-01"]
    assert (found["supersedes"], found["status"]) == ([], "superseded")


def test_a_task_a_rule_and_a_turn_are_shown(root: Path) -> None:
    task = show(root, "write it")
    assert (task["kind"], task["status"], task["priority"], task["group"]) == (
        "task", "in-progress", 3, "Now"
    )  # fmt: skip
    rule = show(root, "guess")
    assert (rule["kind"], rule["tier"], rule["lead"]) == ("rule", "hard", "Never:")
    turn = show(root, "t2")
    assert (turn["id"], turn["speaker"]) == ("sessions/one.jsonl#t2", "assistant")
    assert turn["body"] == "No"


def test_entries_come_before_turns_and_the_archive_comes_last(root: Path) -> None:
    assert show(root, "redis forgets")["kind"] == "learning"
    assert show(root, "user redis")["kind"] == "turn"
    assert show(root, "domain")["id"] == "archive/tasks-2026-01-01.md#buy-a-domain"


def test_a_summary_and_what_it_stands_for_name_each_other(root: Path) -> None:
    turns = [
        {"id": f"m{n}", "session": "two", "ts": f"2026-01-01T10:{n:02}:00Z", "role": "user",
         "text": f"We keep the number {n} of the cart store in mind, since it fails at {n} a.m."}
        for n in range(40)
    ]  # fmt: skip
    (sessions_of(root) / "two.jsonl").write_text("".join(f"{json.dumps(t)}\n" for t in turns))
    ctx(root, "session", "compact", "--session", "two", "--budget", "400")
    turn = show(root, "sessions/two.jsonl#m0")
    assert isinstance(turn["summaries"], list)
    summary = str(turn["summaries"][0])
    assert summary in titles_and_ids(root, "summaries")
    assert show(root, summary)["covers"] != 1


def titles_and_ids(root: Path, kind: str) -> list[str]:
    return [row.id for row in list_entries(workspace(root), kind).entries]


def test_what_is_not_clear_is_refused(root: Path) -> None:
    for wanted, says in (("nothing such", "no entry matches"), ("", "no entry is named")):
        with pytest.raises(UsageError, match=says):
            show(root, wanted)
    assert ctx(root, "show", "it", code=2).err == (
        "ctx: 'it' may be any of 3 (name one by its id)\n"
        "  TASKS.md#write-it  Write it\n  TASKS.md#read-it  Read it\n  TASKS.md#plan-it  Plan it\n"
    )


# --- list ---------------------------------------------------------------------------------


def test_kinds_are_listed_as_they_are_or_newest_first(root: Path) -> None:
    assert titles(root, "decisions") == [
        "Keep carts in Redis", r"Shop in \x1b[2J colour", "Keep carts in a cookie"
    ]  # fmt: skip
    assert titles(root, "Task") == ["Write it", "Read it", "Plan it"]
    assert titles(root, "turns") == ["assistant: No", "user: Redis?"]
    assert titles(root, "rule") == ["guess"]
    assert titles(root, "summaries") == titles(root, "summary") == titles(root, "lore") == []


def test_a_status_can_be_asked_for(root: Path) -> None:
    for kind, status, expected in (
        ("tasks", "open", ["Write it", "Read it"]),
        ("tasks", "todo", ["Read it"]),
        ("tasks", "in-progress", ["Write it"]),
        ("tasks", "done", ["Plan it"]),
        ("tasks", "blocked", []),
        ("decisions", "superseded", ["Keep carts in a cookie"]),
        ("decisions", "open", ["Keep carts in Redis", r"Shop in \x1b[2J colour"]),
    ):
        assert titles(root, kind, status=status) == expected


def test_a_limit_says_how_many_there_are(root: Path) -> None:
    found = list_entries(workspace(root), "tasks", limit=1).as_json()
    assert (found["kind"], found["total"], found["entries"]) == (
        "task", 3,
        [{"id": "TASKS.md#write-it", "title": "Write it", "date": "", "timestamp": "",
          "status": "in-progress", "priority": 3, "group": "Now", "file": "TASKS.md", "line": 5}],
    )  # fmt: skip


# --- in a pipe and on a terminal ----------------------------------------------------------


def ctx(root: Path, *arguments: str, code: int = 0) -> Done:
    done = call(*arguments, "--dir", str(root), environ={"CTX_NO_CACHE": "1"})
    assert done.code == code, done.err
    return done


def drawn(root: Path, *arguments: str, columns: str = "100", term: str = "xterm") -> str:
    options = ("--dir", str(root))
    return in_terminal(*arguments, *options, CTX_NO_CACHE="1", COLUMNS=columns, TERM=term)


def test_in_a_pipe_a_list_is_columns(root: Path) -> None:
    assert ctx(root, "list", "tasks").text == (
        "TASKS.md#write-it  in-progress  Write it\n"
        "TASKS.md#read-it                Read it\n"
        "TASKS.md#plan-it   done         Plan it\n"
    )
    done = ctx(root, "list", "tasks", "--status", "open", "--limit", "1")
    assert (done.text, done.err) == (
        "TASKS.md#write-it  in-progress  Write it\n", "ctx: 1 of 2 (--limit)\n"
    )  # fmt: skip
    assert ctx(root, "list", "lore").err == "ctx: no lore is there\n"
    found = json.loads(ctx(root, "list", "tasks", "--json").out)
    assert found == list_entries(workspace(root), "tasks").as_json()


def test_sessions_can_be_listed_and_a_limit_is_a_number(root: Path) -> None:
    assert ctx(root, "list", "sessions").out == ctx(root, "session", "list").out != b""
    assert "--limit: 'x' is not a whole" in ctx(root, "list", "tasks", "--limit", "x", code=2).err


@posix
@pytest.mark.parametrize(
    "arguments", [("show", "colour"), ("list", "decisions"), ("show", "colour", "--json")]
)
def test_on_a_terminal_nothing_of_a_file_is_obeyed(root: Path, arguments: tuple[str, ...]) -> None:
    told = drawn(root, *arguments)
    assert "colour" in told
    assert "\x1b[2J" not in told
    if "--json" in arguments:
        json.loads(told)


@posix
def test_no_id_is_broken_however_narrow_a_terminal_is(root: Path) -> None:
    title = "Move the cart from the session cookie to the database, whole and at once"
    with (root / "TASKS.md").open("a") as file:
        file.write(f"- [ ] {title} #blocked\n")
    ids = titles_and_ids(root, "tasks")
    assert ids[-1] == "TASKS.md#move-the-cart-from-the-session-cookie-to"
    for columns in ("40", "200"):
        told = drawn(root, "list", "tasks", columns=columns)
        plain = re.sub(r"\x1b\[[\d;]*m", "", told).split("\n")
        for id_ in ids:
            assert [line.split()[0] for line in plain if line].count(id_) == 1
        assert (f"  blocked  {title}"[:39] + "…" in plain) is (columns == "40")
        assert any(title in line for line in plain) is (columns == "200")


@posix
def test_a_terminal_that_cannot_be_drawn_on_gets_plain_text(root: Path) -> None:
    assert "title" in drawn(root, "list", "tasks")
    plain = drawn(root, "list", "tasks", term="dumb")
    assert plain == ctx(root, "list", "tasks").text
