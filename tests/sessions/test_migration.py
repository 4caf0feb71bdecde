"""Moving what older versions kept in the repository: nothing is lost, nothing overwritten."""

import errno
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from ctx.read import stored
from ctx.sessions.migration import take
from tests.deaths import check as check_deaths
from tests.sessions.migrating import IGNORE, TEXTS, files, prepare

posix = pytest.mark.skipif(os.name != "posix", reason="links, pipes and modes of POSIX")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    root = tmp_path / ".context"
    prepare(root)
    return root


@pytest.fixture
def state(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir(mode=0o700)
    return tmp_path / "state"


def _take(old: Path, state: Path) -> dict[str, str]:
    return dict(take(str(old), str(state), stored.foreign(str(old))))


def _texts(*but: str) -> Mapping[str, bytes]:
    return {name: data for name, data in TEXTS.items() if name not in but}


def test_all_of_it_moves_as_it_is(old: Path, state: Path) -> None:
    assert _take(old, state) == dict.fromkeys(TEXTS, "")
    assert files(state) == TEXTS
    assert os.listdir(old) == []
    assert stored.foreign(str(old)) == []
    assert _take(old, state) == {}
    assert files(state) == TEXTS


def test_what_is_not_of_ctx_stays(old: Path, state: Path) -> None:
    for name in ("notes.md", "aside/mine.md", ".hidden.jsonl"):
        (old / "sessions" / name).write_text("mine")
    _take(old, state)
    left = {"sessions/notes.md", "sessions/aside/mine.md", "sessions/.hidden.jsonl"}
    assert files(old) == {**dict.fromkeys(left, b"mine"), "sessions/.gitignore": IGNORE}


@pytest.mark.parametrize("other", [b"", b"other\n", TEXTS["sessions/a.jsonl"][:-1]])
def test_another_session_of_that_name_stays_as_it_is(old: Path, state: Path, other: bytes) -> None:
    (state / "sessions").mkdir()
    (state / "sessions" / "a.jsonl").write_bytes(other)
    found = _take(old, state)
    assert found.pop("sessions/a.jsonl").startswith("something else is stored under that name")
    assert found.pop("sessions/summaries/a.jsonl").endswith("sums up has not been moved")
    assert set(found.values()) == {""}
    both = ("sessions/a.jsonl", "sessions/summaries/a.jsonl")
    assert files(state) == {**_texts(*both), "sessions/a.jsonl": other}
    assert files(old) == {**{name: TEXTS[name] for name in both}, "sessions/.gitignore": IGNORE}


@pytest.mark.parametrize("more", [b"", b'{"role": "user", "text": "more"}\n'])
def test_a_session_that_was_imported_again_holds_the_old_one(
    old: Path, state: Path, more: bytes
) -> None:
    (state / "sessions").mkdir()
    (state / "sessions" / "a.jsonl").write_bytes(TEXTS["sessions/a.jsonl"] + more)
    assert set(_take(old, state).values()) == {""}
    assert files(state)["sessions/a.jsonl"] == TEXTS["sessions/a.jsonl"] + more
    assert os.listdir(old) == []


def test_half_a_line_is_not_the_beginning_of_another(old: Path, state: Path) -> None:
    (old / "sessions" / "a.jsonl").write_bytes(b'{"role": "us')
    (state / "sessions").mkdir()
    (state / "sessions" / "a.jsonl").write_bytes(TEXTS["sessions/a.jsonl"])
    assert "something else" in _take(old, state)["sessions/a.jsonl"]
    assert (old / "sessions" / "a.jsonl").exists()


@posix
def test_links_and_pipes_stay(old: Path, state: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (old / "sessions" / "b.jsonl").unlink()
    (old / "sessions" / "b.jsonl").symlink_to(tmp_path / "secret")
    os.mkfifo(old / "sessions" / "c.jsonl")
    found = _take(old, state)
    assert {path for path, why in found.items() if why == "is not a regular file"} == {
        "sessions/b.jsonl", "sessions/c.jsonl",
    }  # fmt: skip
    assert files(state) == _texts("sessions/b.jsonl")
    assert (tmp_path / "secret").read_text() == "secret"


@posix
@pytest.mark.parametrize("name", ["sessions", "sessions/summaries"])
def test_a_folder_that_is_a_link_is_not_looked_into(old: Path, state: Path, name: str) -> None:
    (old / name).rename(old / "elsewhere")
    (old / name).symlink_to(old / "elsewhere")
    assert not any(path.startswith(name) for path in _take(old, state))
    assert any((old / "elsewhere").iterdir())


def test_a_full_disk_loses_nothing(old: Path, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = files(old)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        found = _take(old, state)
    for path in ("sessions/a.jsonl", "sessions/b.jsonl"):
        assert found[path] == f"{state / path}: cannot be written: No space left on device"
    assert files(old) == before
    assert files(state) == {}
    assert set(_take(old, state).values()) == {""}
    assert files(state) == TEXTS


@posix
@pytest.mark.parametrize("way", ["calls", "bytes", "full"])
def test_a_move_that_dies_is_completed_by_the_next(tmp_path: Path, way: str) -> None:
    check_deaths("tests.sessions.migrating", tmp_path, way, least=15 if way == "calls" else 5)
