"""How often entries were said: exact, however many count, and never what must be right."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
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


@posix
@pytest.mark.parametrize("way", ["calls", "bytes", "full"])
def test_a_run_that_dies_counts_all_or_nothing(tmp_path: Path, way: str) -> None:
    running = _run("dying", "counts", str(tmp_path / "store"), way)
    out, err = running.communicate(timeout=hostile.HANGS)
    found = json.loads(out)
    assert (found["wrong"], err) == ([], b"")
    assert found["died"] == 0 if way == "full" else found["died"] > 5


@pytest.mark.parametrize("mode", ["EXCLUSIVE", "IMMEDIATE"])
def test_a_locked_store_counts_nothing_and_stays(
    full: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "WAIT", 0.01)
    with closing(_raw(full)) as holder:
        holder.execute(f"BEGIN {mode}")
        assert not note(str(full), ["a"], DAY)
        assert before(str(full), TOMORROW) == dict.fromkeys(IDS, 1)
        holder.execute("ROLLBACK")
    assert note(str(full), ["a"], DAY)
    assert before(str(full), TOMORROW) == {**dict.fromkeys(IDS, 1), "a": 1}


def _directory(place: Path) -> None:
    place.mkdir()
    (place / "file").touch()


@posix
@pytest.mark.parametrize("make", [_directory, os.mkfifo])
def test_something_else_in_its_place_raises_nothing(
    full: Path, make: Callable[[Path], None]
) -> None:
    place = full / NAME
    place.unlink()
    make(place)
    for _ in range(2):
        note(str(full), ["a"], DAY)
        assert set(before(str(full), TOMORROW)) <= {"a", *IDS}


def _sound(folder: Path) -> bool:
    """Whether what is found is numbers by ids, and counting goes on."""
    for _ in range(2):
        found = before(str(folder), TOMORROW)
        if not all(type(one) is str and type(times) is int for one, times in found.items()):
            return False
        note(str(folder), ["a"], DAY)
    return True


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE said SET entry = CAST(entry AS TEXT) WHERE times = 1",
        "INSERT INTO said VALUES (7, '2026-11-21', 1)",
        "UPDATE said SET times = 1.5",
        "UPDATE said SET times = 'many'",
        "INSERT INTO said VALUES (x'ff', '2026-11-21', 1)",
        "UPDATE said SET times = 9223372036854775807;INSERT INTO said SELECT entry, 1, 1 FROM said",
        "UPDATE said SET day = 'yesterday'",
        "UPDATE said SET day = x'ff' || entry",
        "UPDATE said SET day = 7",
        "DROP TABLE said",
        "CREATE TRIGGER t BEFORE INSERT ON said BEGIN SELECT RAISE(ABORT, 'no'); END",
    ],
)
def test_a_store_of_another_form_raises_nothing(full: Path, change: str) -> None:
    with closing(_raw(full)) as database:
        database.executescript(change)
    assert _sound(full)


def test_every_byte_may_be_damaged(full: Path) -> None:
    whole = (full / NAME).read_bytes()
    sick = set()
    for at in [at for at, byte in enumerate(whole) if byte]:
        flip = 1 + at % 2
        for name in os.listdir(full):
            (full / name).unlink()
        spoilt = bytearray(whole)
        spoilt[at] ^= flip
        (full / NAME).write_bytes(spoilt)
        try:
            if not _sound(full):
                sick.add((at, flip, "wrong"))
        except Exception as error:  # noqa: BLE001 - to tell which bytes those are
            sick.add((at, flip, repr(error)))
    assert sick == set()
