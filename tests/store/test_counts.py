"""How often entries were said: exact, however many count, and never what must be right."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx.store import counts
from ctx.store.counts import NAME, before, note
from tests import hostile
from tests.store.parts import DAY, REPOSITORY, TOMORROW

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, modes and signals of POSIX")
IDS = [
    "TASKS.md#one", "日本語.md#größe", "odd\udcff\n.md#\ud800", "a\0b", "", "'); DROP TABLE said",
]  # fmt: skip


def _raw(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / NAME, isolation_level=None)


@pytest.fixture
def full(tmp_path: Path) -> Path:
    folder = tmp_path / "full"
    folder.mkdir()
    assert note(str(folder), IDS, DAY)
    return folder


def test_what_was_said_is_counted_from_the_next_day_on(tmp_path: Path) -> None:
    store = str(tmp_path)
    assert before(store, DAY) == {}
    assert os.listdir(store) == []
    for _ in range(3):
        assert note(store, IDS, DAY)
        assert before(store, DAY) == {}
    assert note(store, IDS[:2], TOMORROW)
    assert before(store, DAY) == {}
    assert before(store, TOMORROW) == dict.fromkeys(IDS, 3)
    later = dict.fromkeys(IDS, 3) | dict.fromkeys(IDS[:2], 4)
    assert before(store, TOMORROW + timedelta(1)) == later


@given(
    told=st.lists(
        st.tuples(st.integers(0, 400), st.lists(st.text(max_size=3) | st.sampled_from(IDS))),
        max_size=8,
    ),
    asked=st.integers(0, 500),
)
@settings(max_examples=40)
def test_totals_are_right_on_any_day_within_the_days_that_are_told_apart(
    tmp_path_factory: pytest.TempPathFactory, told: list[tuple[int, list[str]]], asked: int
) -> None:
    store = str(tmp_path_factory.mktemp("store"))
    told = sorted(told, key=lambda one: one[0])
    for day, ids in told:
        assert note(store, ids, DAY + timedelta(day))
    newest = max((day for day, ids in told if ids), default=0)
    asked = max(asked, newest - counts.KEEP_DAYS + 1)
    expected: dict[str, int] = {}
    for day, ids in told:
        for one in ids if day < asked else []:
            expected[one] = expected.get(one, 0) + 1
    assert before(store, DAY + timedelta(asked)) == expected


def test_days_that_are_long_ago_are_added_up(tmp_path: Path) -> None:
    store = str(tmp_path)
    for day in range(300):
        assert note(store, ["a", "b"][: 1 + day % 2], DAY + timedelta(day))
    with closing(_raw(tmp_path)) as database:
        (rows,) = database.execute("SELECT count(*) FROM said WHERE entry = x'61'").fetchone()
    assert rows == counts.KEEP_DAYS + 2  # today's, and all before those days
    assert before(store, DAY + timedelta(300)) == {"a": 300, "b": 150}
    assert before(store, DAY + timedelta(299)) == {"a": 299, "b": 149}


def test_a_clock_that_goes_back_loses_nothing(tmp_path: Path) -> None:
    store = str(tmp_path)
    for day in (200, 0, 200, 100):
        assert note(store, ["a"], DAY + timedelta(day))
    assert before(store, DAY + timedelta(201)) == {"a": 4}


@pytest.mark.parametrize("day", [date.min, date.max])
def test_the_ends_of_the_calendar_harm_nothing(full: Path, day: date) -> None:
    note(str(full), ["a"], day)
    before(str(full), day)
    assert before(str(full), TOMORROW).items() >= dict.fromkeys(IDS, 1).items()


def _run(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.store.parts", *arguments],
        cwd=REPOSITORY,
        env=hostile.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_six_processes_lose_no_count(tmp_path: Path) -> None:
    running = [_run("counting", str(tmp_path), "25") for _ in range(6)]
    ended = [one.communicate(timeout=hostile.HANGS) for one in running]
    assert [err for _, err in ended] == [b""] * 6
    assert [json.loads(out) for out, _ in ended] == [25] * 6
    assert before(str(tmp_path), TOMORROW) == {"one": 150, "other": 150}
