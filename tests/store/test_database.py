"""Disposable SQLite files: opened, made anew or done without, and nobody else's touched."""

import os
import shutil
import sqlite3
import stat
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ctx.store import database as store
from ctx.store.database import FAILURES, connect, discard, is_damage, mark_of, open_to_read

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, modes and pipes of POSIX")
SCHEMA = ("CREATE TABLE t (a TEXT)", "CREATE VIRTUAL TABLE f USING fts5(a)")
MARK = mark_of("1.2.3", 1)


def _open(path: Path, mark: int = MARK) -> sqlite3.Connection | None:
    return connect(str(path), mark, "t")


def _rows(path: Path, mark: int = MARK) -> list[str] | None:
    """Return what the file holds, None where it cannot be opened."""
    database = _open(path, mark)
    if database is None:
        return None
    with closing(database):
        return [text for (text,) in database.execute("SELECT a FROM t")]


@pytest.fixture(autouse=True)
def _schema(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "statements", lambda _schema: SCHEMA)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "store" / "a.db"
    place.parent.mkdir()
    database = _open(place)
    assert database
    with closing(database):
        database.execute("INSERT INTO t VALUES ('kept')")
    return place


def test_a_file_is_written_ahead_and_never_waited_for(path: Path) -> None:
    database = _open(path)
    assert database
    with closing(database):
        asked = ("journal_mode", "synchronous", "page_size", "busy_timeout")
        found = [database.execute(f"PRAGMA {name}").fetchone()[0] for name in asked]
    assert found == ["wal", 0, store.PAGE, store.WAIT * 1000]


def test_releases_and_forms_have_marks_of_their_own() -> None:
    marks = {mark_of(release, form) for release in ("", "1.2.3", "1.2.4") for form in range(3)}
    assert len(marks) == 9
    assert all(0 < mark < 2**31 for mark in marks)  # 0 is that of a file nobody marked
    assert mark_of("1.2.3", 1) == mark_of("1.2.3", 1)


def test_one_of_another_mark_is_made_anew_and_looked_at_by_nobody(path: Path) -> None:
    other = mark_of("1.2.4", 1)
    assert open_to_read(str(path), other) is None
    assert _rows(path) == ["kept"]
    assert _rows(path, other) == []
    assert _rows(path) == []


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE t; CREATE VIEW t AS SELECT 1 AS a",
        "DROP TABLE t; CREATE VIRTUAL TABLE t USING fts5(a, b)",
        'CREATE TABLE "odd ""name""" (b)',
        "CREATE TABLE u (a PRIMARY KEY, b UNIQUE); CREATE INDEX i ON u (a, b)",
        "CREATE TABLE u (a INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO u VALUES (1)",
        "ANALYZE",
    ],
)
def test_tables_of_another_release_are_gone(path: Path, change: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(change)
    other = mark_of("1.2.4", 1)
    _rows(path, other)
    assert _rows(path, other) == []


def test_every_byte_of_the_header_may_be_damaged(path: Path) -> None:
    whole = path.read_bytes()
    sick = []
    for at in range(100):
        for flip in (0x01, 0x02, 0x80, 0xFF):
            discard(str(path))
            spoilt = bytearray(whole)
            spoilt[at] ^= flip
            path.write_bytes(spoilt)
            try:
                _rows(path)
                rows = _rows(path)
            except FAILURES as error:  # whoever uses it discards it
                if not is_damage(error):
                    sick.append((at, flip, repr(error)))
            else:
                if rows is None:
                    sick.append((at, flip, "never made anew"))
    assert sick == []


@posix
def test_a_file_and_its_journal_are_their_owners(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        database = _open(tmp_path / "a.db")
        assert database
        with closing(database):
            database.execute("INSERT INTO t VALUES ('a')")
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(["a.db", "a.db-wal", "a.db-shm"], 0o600)


@posix
def test_what_others_could_read_is_closed(path: Path) -> None:
    path.chmod(0o644)
    (path.parent / "a.db-wal").touch(0o644)
    assert _rows(path) == ["kept"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@posix
@pytest.mark.parametrize("bits", [0o620, 0o602])
def test_what_others_could_write_is_made_anew(path: Path, bits: int) -> None:
    path.chmod(bits)
    assert open_to_read(str(path), MARK) is None
    assert _rows(path) == []
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


FORGED = {
    "a view": "DROP TABLE t; CREATE VIEW t AS SELECT 'forged' AS a",
    "a view without end": "DROP TABLE t; CREATE VIEW t AS WITH RECURSIVE n(a) AS "
    "(SELECT 'forged' UNION ALL SELECT a FROM n) SELECT a FROM n",
    "a trigger": "CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM t; END",
    "a virtual table": "DROP TABLE t; CREATE VIRTUAL TABLE t USING fts5(a)",
    "another table": "CREATE TABLE x (a TEXT)",
    "a column": "ALTER TABLE t ADD COLUMN b TEXT AS ('forged')",
    "an index": "CREATE INDEX x ON t (a)",
    "no table": "DROP TABLE t",
    "a view in place of a shadow": "PRAGMA writable_schema = ON; UPDATE sqlite_master SET "
    "type = 'view', sql = 'CREATE VIEW f_config AS SELECT 1' WHERE name = 'f_config'",
}


@pytest.mark.parametrize("script", FORGED.values(), ids=FORGED)
def test_only_tables_that_ctx_makes_are_read(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(script)
    assert open_to_read(str(path), MARK) is None
    assert _rows(path) == []  # made anew


@posix
@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
@pytest.mark.parametrize("there", [True, False])
def test_no_link_is_followed(path: Path, suffix: str, there: bool) -> None:
    precious = path.parent.parent / "precious"
    if there:
        shutil.copy(path, precious)
        precious.chmod(0o644)
    before = (precious.read_bytes(), precious.stat()) if there else None
    place = path.parent / f"a.db{suffix}"
    place.unlink(missing_ok=True)
    place.symlink_to(precious)
    assert _rows(path) == []
    assert ((precious.read_bytes(), precious.stat()) if there else None) == before
    assert precious.exists() is there
    assert not place.is_symlink()


@posix
@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
def test_a_pipe_is_replaced_and_not_waited_for(path: Path, suffix: str) -> None:
    place = path.parent / f"a.db{suffix}"
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    database = open_to_read(str(path), MARK)
    if database:
        database.close()
    assert _rows(path) == []
    assert _rows(path) == []


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
def test_a_directory_is_left_and_nothing_kept(path: Path, suffix: str) -> None:
    place = path.parent / f"a.db{suffix}"
    place.unlink(missing_ok=True)
    place.mkdir()
    (place / "file").touch()
    assert _rows(path) is None
    assert (place / "file").exists()


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
@pytest.mark.parametrize("mode", ["IMMEDIATE", "EXCLUSIVE"])
def test_one_that_is_locked_can_be_read_and_stays(path: Path, journal: str, mode: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute(f"PRAGMA journal_mode = {journal}")
        holder.execute(f"BEGIN {mode}")
        assert _rows(path) == ["kept"]
        assert _rows(path, mark_of("1.2.4", 1)) is None
        holder.execute("INSERT INTO t VALUES ('more')")
        holder.execute("COMMIT")
    assert _rows(path) == ["kept", "more"]


def test_two_that_make_it_at_once_make_one(tmp_path: Path) -> None:
    one, other = _open(tmp_path / "a.db"), _open(tmp_path / "a.db")
    assert one
    assert other
    with closing(one), closing(other):
        one.execute("INSERT INTO t VALUES ('a')")
        assert other.execute("SELECT a FROM t").fetchall() == [("a",)]


def test_the_mark_is_looked_at_again_once_the_file_is_ours(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Another process may make the tables, and fill them, while this one waits to do so.
    create, other = store._create, mark_of("1.2.4", 1)

    def after_another(*arguments: object) -> None:
        monkeypatch.setattr(store, "_create", create)
        database = _open(path, other)
        assert database
        with closing(database):
            database.execute("INSERT INTO t VALUES ('theirs')")
        create(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "_create", after_another)
    assert _rows(path, other) == ["theirs"]


@pytest.mark.parametrize("name", ["a%41b", "a?b", "a#b", "a b", "日本", "a'b", "a&mode=rw", "a;b"])
def test_a_file_in_a_folder_of_any_name_can_be_looked_at(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    assert _rows(folder / "a.db") == []
    database = open_to_read(str(folder / "a.db"), MARK)
    assert database
    with closing(database):
        assert database.execute("SELECT count(*) FROM t").fetchone() == (0,)
        with pytest.raises(sqlite3.OperationalError):
            database.execute("INSERT INTO t VALUES ('a')")


def _garbage(place: Path) -> None:
    place.write_bytes(b"garbage" * 900)


@pytest.mark.parametrize("make", [None, os.mkdir, _garbage])
def test_what_is_no_store_of_ours_is_not_looked_at(
    tmp_path: Path, make: Callable[[Path], None] | None
) -> None:
    if make:
        make(tmp_path / "a.db")
    before = os.listdir(tmp_path)
    assert open_to_read(str(tmp_path / "a.db"), MARK) is None
    assert os.listdir(tmp_path) == before


def test_looking_changes_nothing(path: Path) -> None:
    whole = path.read_bytes()
    database = open_to_read(str(path), MARK)
    assert database
    with closing(database):
        assert database.execute("SELECT a FROM t").fetchall() == [("kept",)]
    assert path.read_bytes() == whole
    assert os.listdir(path.parent) == ["a.db"]


def test_what_was_written_a_moment_ago_is_seen_by_who_looks(path: Path) -> None:
    writer = _open(path)
    assert writer
    with closing(writer):
        writer.execute("INSERT INTO t VALUES ('now')")
        database = open_to_read(str(path), MARK)
        assert database
        with closing(database):
            assert database.execute("SELECT a FROM t").fetchall() == [("kept",), ("now",)]


def test_what_says_nothing_against_the_file_is_no_damage() -> None:
    for code, damaged in (
        (sqlite3.SQLITE_CORRUPT, True), (sqlite3.SQLITE_NOTADB, True),
        (sqlite3.SQLITE_ERROR, True), (sqlite3.SQLITE_BUSY, False),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, False), (sqlite3.SQLITE_LOCKED, False),
        (sqlite3.SQLITE_FULL, False), (sqlite3.SQLITE_READONLY, False),
        (sqlite3.SQLITE_READONLY_DIRECTORY, False), (sqlite3.SQLITE_CANTOPEN, False),
        (sqlite3.SQLITE_NOMEM, False), (sqlite3.SQLITE_CORRUPT_VTAB, True),
    ):  # fmt: skip
        error = sqlite3.OperationalError("error")
        error.sqlite_errorcode = code
        assert is_damage(error) is damaged, code
