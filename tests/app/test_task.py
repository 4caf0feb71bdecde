"""Marking tasks: one line, the right one, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from ctx.app import task
from ctx.app.editing import named, rows
from ctx.edit.change import change
from ctx.edit.links import STRICT
from ctx.edit.tasks import State
from ctx.errors import UNREADABLE, FileError, UsageError
from ctx.text.levels import short_id
from tests import strategies
from tests.app.writers import files, said, ticked, workspace
from tests.rank.hands import call

posix = pytest.mark.skipif(os.name != "posix", reason="links and devices of POSIX")
STATES: tuple[State, ...] = get_args(State)
TASKS = """# Tasks

## Now

- [ ] Read CSV files #priority:high
- [ ] Reject rows without a date #in-progress
      in any column
  - [ ] Name the line in the message
    - [x] Count lines
  - [ ] Name the file #blocked
- [x] Choose a parser
[] Lean box
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / ".context"
    place.mkdir()
    (place / "TASKS.md").write_bytes(TASKS.encode())
    return place


def changed(root: Path) -> list[tuple[str, str]]:
    """Return the lines of the tasks that differ, before and after."""
    now = (root / "TASKS.md").read_bytes().decode().split("\n")
    before = TASKS.split("\n")
    assert len(now) == len(before)
    return [(old, new) for old, new in zip(before, now, strict=True) if old != new]


ONE = "- [ ] Read CSV files #priority:high"
TWO = "- [ ] Reject rows without a date #in-progress"
MARKED: list[tuple[str, State, str, str]] = [
    ("csv", "done", ONE, "- [x] Read CSV files #priority:high"),
    ("read csv files", "block", ONE, f"{ONE} #blocked"),
    ("reject rows", "done", TWO, "- [x] Reject rows without a date"),
    ("parser", "todo", "- [x] Choose a parser", "- [ ] Choose a parser"),
    ("parser", "start", "- [x] Choose a parser", "- [ ] Choose a parser #in-progress"),
    ("lean", "skip", "[] Lean box", "[-] Lean box"),
    ("name line", "done", "  - [ ] Name the line in the message",
     "  - [x] Name the line in the message"),
    ("count lines", "todo", "    - [x] Count lines", "    - [ ] Count lines"),
    ("TASKS.md:10", "done", "  - [ ] Name the file #blocked", "  - [x] Name the file"),
    ("TASKS.md:5", "skip", ONE, "- [-] Read CSV files #priority:high"),
]  # fmt: skip


def test_one_line_changes(root: Path) -> None:
    for wanted, state, before, after in MARKED:
        (root / "TASKS.md").write_bytes(TASKS.encode())
        found = ticked(root, wanted, state)
        assert changed(root) == [(before, after)]
        assert (found["before"], found["after"], found["changed"]) == (before, after, True)
        assert found["line"] == TASKS.split("\n").index(before) + 1
        assert found["status"] == task.STATUS[state]


def test_what_is_so_already_is_said_and_not_written(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task, "change", None)
    so: dict[str, State] = {"csv": "todo", "reject rows": "start", "parser": "done"}
    so |= {"count lines": "done", "name file": "block"}
    for wanted, state in so.items():
        found = ticked(root, wanted, state)
        assert found["changed"] is False
        assert found["before"] == found["after"] != ""
    assert changed(root) == []
    assert os.listdir(root) == ["TASKS.md"]


def test_it_does_not_guess(root: Path) -> None:
    two = r"'name' may be any of 2 \(.*\)\n  TASKS.md:8  Name the line in the .*\n  TASKS.md:10"
    for wanted, says in (
        ("name", two), ("write", r"no task matches 'write'"), ("the", "may be any of"),
        (" ", "no task is named"), ("TASKS.md#read-csv-files-priority-high", "no task matches"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=says):
            ticked(root, wanted)
    assert changed(root) == []


def test_a_label_below_is_not_for_this_line_to_take_back(root: Path) -> None:
    ticked(root, "reject rows", "block")
    with pytest.raises(
        FileError, match=r":6: nothing was written: that line alone cannot show 'to"
    ):
        ticked(root, "reject rows", "todo")
    assert changed(root) == [
        ("- [ ] Reject rows without a date #in-progress",
         "- [ ] Reject rows without a date #blocked")
    ]  # fmt: skip


def test_a_change_of_another_task_is_no_mark(root: Path) -> None:
    target = named(str(root), "TASKS.md", workspace(root).settings, STRICT)
    had = task._read(target, TASKS.encode())
    marked = TASKS.replace("[ ] Read CSV", "[x] Read CSV")
    assert task._is_right(had, task._read(target, marked.encode()), had.tasks[0], "done")
    other = marked.replace("Choose a parser", "Choose a parser #priority:low")
    assert not task._is_right(had, task._read(target, other.encode()), had.tasks[0], "done")


def test_a_directory_without_tasks_says_how_to_add_one(root: Path) -> None:
    (root / "TASKS.md").unlink()
    with pytest.raises(UsageError) as caught:
        ticked(root, "x")
    assert str(caught.value) == "TASKS.md: holds no task (`ctx add task TITLE` adds one)"


def test_a_task_that_is_gone_meanwhile_is_not_another_one(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = change

    def late(*arguments: object) -> None:
        (root / "TASKS.md").write_text("- [ ] Something else\n")
        real(*arguments)  # type: ignore[arg-type] # as they came

    monkeypatch.setattr(task, "change", late)
    with pytest.raises(FileError, match="changed meanwhile: nothing was written"):
        ticked(root, "csv")
    assert (root / "TASKS.md").read_text() == "- [ ] Something else\n"


def test_a_task_that_moved_meanwhile_is_found_where_it_is(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = change

    def late(*arguments: object) -> None:
        (root / "TASKS.md").write_bytes(b"- [ ] new\n" + TASKS.encode())
        real(*arguments)  # type: ignore[arg-type] # as they came

    monkeypatch.setattr(task, "change", late)
    assert ticked(root, "csv")["line"] == 6


@pytest.mark.parametrize(
    ("mark", "codec"), [(b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le")]
)
def test_encoding_and_line_ends_stay(root: Path, mark: bytes, codec: str) -> None:
    text = "# Größe\r\n\r\n- [ ] Maß\r- [ ] b"
    (root / "TASKS.md").write_bytes(mark + text.encode(codec))
    ticked(root, "maß")
    assert (root / "TASKS.md").read_bytes() == mark + text.replace("[ ] M", "[x] M").encode(codec)


@posix
def test_links_out_devices_and_read_only_files_are_refused(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, outside = root / "TASKS.md", root.parent / "outside.md"
    outside.write_text(TASKS)
    path.unlink()
    path.symlink_to(outside)
    with pytest.raises(FileError, match="is a link out of the context directory") as caught:
        ticked(root, "csv")
    assert caught.value.exit_code == UNREADABLE
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(FileError, match="is not a regular file"):
        ticked(root, "csv")
    path.unlink()
    path.write_text(TASKS)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(FileError, match="the file is read-only"):
        ticked(root, "csv")
    assert outside.read_text() == path.read_text() == TASKS


_LINES = st.lists(
    st.sampled_from(
        ["- [ ] alpha", "- [x] beta #in-progress", "  - [ ] gamma", "* [-] delta #blocked", "",
         "## Now", "text", "    - [/] epsilon", "[] zeta", "1. [ ] eta `#blocked`", "- plain",
         "  #in-progress", "```", "- [ ] #priority:high theta", "\t- [ ] iota", "<!-- c -->"]
    ),
    max_size=14,
)  # fmt: skip


@settings(max_examples=30)
@given(
    lines=_LINES,
    eol=st.sampled_from(["\n", "\r\n", "\r"]),
    state=st.sampled_from(STATES),
    data=st.data(),
)
def test_of_any_list_one_line_changes_and_one_task_is_read_otherwise(
    tmp_path: Path, lines: list[str], eol: str, state: State, data: st.DataObject
) -> None:
    root = tmp_path / "any"
    root.mkdir(exist_ok=True)
    before = eol.join(f"{line} {number}" if line[-1:].isalpha() and line[0] != "#" else line
                      for number, line in enumerate(lines)).encode()  # fmt: skip
    (root / "TASKS.md").write_bytes(before)
    _one_is_marked(root, before, state, data)


@settings(max_examples=15)
@given(drawn=strategies.directories(), state=st.sampled_from(STATES), data=st.data())
def test_of_any_directory_one_line_changes(
    tmp_path: Path, drawn: strategies.Directory, state: State, data: st.DataObject
) -> None:
    root = tmp_path / "any"
    shutil.rmtree(root, ignore_errors=True)
    drawn.write(root)
    before = files(root)
    name = next((one for one in before if one.lower() == "tasks.md"), "")
    if name:
        _one_is_marked(root, before[name], state, data, name)
        assert {one: held for one, held in files(root).items() if one != name} == {
            one: held for one, held in before.items() if one != name
        }


def _one_is_marked(
    root: Path, before: bytes, state: State, data: st.DataObject, name: str = "TASKS.md"
) -> None:
    had = [row.entry for row in rows(name, "tasks", before)]
    if not had:
        event("no task")
        return
    wanted = data.draw(st.sampled_from(had))
    was = said(root)
    try:
        found = ticked(root, wanted.id, state)
    except (FileError, UsageError) as error:
        event(f"refused: {type(error).__name__}")
        assert (root / name).read_bytes() == before
        return
    after = (root / name).read_bytes()
    event("marked" if found["changed"] else "so already")
    assert (after != before) == found["changed"]
    now, old = after.splitlines(keepends=True), before.splitlines(keepends=True)
    differ = [n for n, (one, two) in enumerate(zip(old, now, strict=True)) if one != two]
    assert len(differ) == found["changed"]
    gone, more = (
        list((one - two).elements()) for one, two in ((was, said(root)), (said(root), was))
    )
    assert len(gone) == len(more) == found["changed"]
    for one, two in zip(gone, more, strict=True):
        assert (one[0], one[1], one[3], one[7:]) == (two[0], two[1], two[3], two[7:])
        assert two[6] == task.STATUS[state]


# --- secrets ------------------------------------------------------------------------------

KEY = "sk_live_aZ3kQ9mW7xB2vN5tR8yL1cD4"


def test_no_answer_shows_a_secret(tmp_path: Path) -> None:
    root = tmp_path / ".context"
    root.mkdir()
    tasks = root / "TASKS.md"
    tasks.write_text(f"# Tasks\n\n- [ ] Rotate {KEY} today\n- [ ] Rotate {KEY} tomorrow\n")
    rivals = call("task", "done", "Rotate", "--dir", str(root))
    assert rivals.code == 2
    done = call("task", "done", "today", "--dir", str(root))
    added = call("add", "task", f"Use {KEY} once", "--dir", str(root), "--json")
    listed = call("list", "tasks", "--dir", str(root), "--json")
    assert (done.code, added.code) == (0, 0)
    assert json.loads(added.text)["id"] in listed.text
    repeated = call("add", "task", f"Use {KEY} once", "--dir", str(root))
    assert repeated.code == 2
    for answer in (rivals, done, added, repeated):
        assert KEY not in f"{answer.text}{answer.err}"
        assert KEY.lower() not in f"{answer.text}{answer.err}"
    assert f"- [x] Rotate {KEY} today" in tasks.read_text()


NEEDS = """# Tasks

## Now

- [ ] Ship labels #needs:buy-a-printer #priority:high
- [ ] Buy a printer #added:2026-01-02
      needs: Choose a printer
- [ ] Choose a printer #blocked #added:2026-01-01
- [ ] Paint #in-progress
- [ ] Wash #priority:medium #needs:paint-long-ago,nothing
- [ ] Turn #needs:turn-back
- [ ] Turn back #needs:turn
"""


def _work(root: Path, name: str) -> dict[object, object]:
    return {each["title"]: each["why"] for each in task.work(workspace(root))[name]}


def test_a_task_is_ready_when_what_it_needs_is_closed(root: Path) -> None:
    (root / "TASKS.md").write_text(NEEDS)
    assert [*_work(root, "ready").items()] == [
        ("Paint", "in progress"), ("Wash", "medium priority")
    ]  # fmt: skip
    assert _work(root, "blocked") == {
        "Ship labels": "needs “Buy a printer”", "Buy a printer": "needs “Choose a printer”",
        "Choose a printer": "is marked as blocked", "Turn": "needs “Turn back”",
        "Turn back": "needs “Turn”",
    }  # fmt: skip
    shown = call("task", "next", "--dir", str(root))
    line = f"{short_id('TASKS.md#paint')}  Paint (TASKS.md:9): in progress\n"
    assert (shown.code, shown.text) == (0, line)
    assert ticked(root, "choose a printer", "todo")["ready"] == ()
    # As urgent as what needs it in the end.
    assert [*_work(root, "ready").items()][:2] == [
        ("Paint", "in progress"), ("Choose a printer", "needed by “Buy a printer”")
    ]  # fmt: skip
    assert ticked(root, "choose a printer")["ready"] == ("TASKS.md#buy-a-printer",)
    assert ticked(root, "choose a printer")["ready"] == ()  # it was so already
    assert _work(root, "ready")["Buy a printer"] == (
        "needed by “Ship labels”, what it needs is closed"
    )


def test_thousands_of_tasks_that_need_each_other_end(root: Path) -> None:
    tasks = "".join(f"- [ ] T{n} Go #needs:T{n + 1}\n" for n in range(3_000))
    path = root / "TASKS.md"
    path.write_text(f"# Tasks\n\n{tasks}- [ ] T3000 Go\n- [ ] Top #priority:high\n")
    assert [*_work(root, "ready")] == ["Top", "T3000 Go"]
    path.write_text(f"# Tasks\n\n{tasks}- [ ] T3000 Go #needs:T0 #priority:low\n")
    assert (len(_work(root, "ready")), len(_work(root, "blocked"))) == (0, 3_001)


def test_a_packet_marks_what_waits_and_puts_it_behind_its_equals(root: Path) -> None:
    (root / "TASKS.md").write_text(
        "# Tasks\n\n- [ ] Ship #needs:buy #added:2026-01-02\n- [ ] Buy #added:2026-01-01\n"
        "- [ ] Send #needs:sent\n- [x] Sent\n"
    )
    text = call("agent", "--dir", str(root)).text
    assert "- [ ] Buy\n- [ ] Send #needs:sent\n- [ ] Ship #needs:buy #blocked\n" in text
    ticked(root, "buy")
    assert (
        "- [ ] Ship #needs:buy\n- [ ] Send #needs:sent\n" in call("agent", "--dir", str(root)).text
    )
