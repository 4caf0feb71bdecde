"""``ctx cache``: where things are, how large, and gone when asked."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ctx.app.build import sources
from ctx.store import delivery_log
from ctx.store.places import prepare
from ctx.store.sweep import KEEP, folders, sweep
from tests.hostile import HANGS, REPOSITORY, environment
from tests.keeping import cache, state
from tests.rank.hands import call

DAY = 86_400.0
NOW = 2_000_000_000.0
SETTLE = 0.25
"""Seconds until the times of a new file can show a change, and its packet is remembered."""
EDITED = "ctx/render/markdown.py"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a context directory for which something is kept."""
    root = tmp_path / "shop" / ".context"
    root.mkdir(parents=True)
    (root / "CONSTITUTION.md").write_text("- a rule\n")
    monkeypatch.chdir(root.parent)
    assert call("agent", "--session", "one", "--delta").code == 0
    return root


def _json(*arguments: str) -> dict[str, dict[str, object]]:
    done = call("cache", "--json", *arguments)
    assert done.code == 0
    found = json.loads(done.out)
    assert isinstance(found, dict)
    return found


def test_it_shows_places_and_sizes(shop: Path) -> None:
    told = _json()
    for kind, folder in (("cache", cache(shop)), ("state", state(shop))):
        held = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        assert told[kind] == {"path": str(folder), "bytes": held}
        assert held > 0
    text = call("cache").out.decode()
    assert str(cache(shop)) in text
    assert str(state(shop)) in text
    assert "512 MiB" in text


def test_it_clears_the_cache_and_no_state(shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / ".context"
    shutil.copytree(shop, other)
    call("agent", "--dir", str(other))
    before = call("agent").out
    done = call("cache", "--clear")
    assert done.out.startswith(b"removed ")
    assert not cache(shop).exists()
    assert cache(other).exists()
    assert delivery_log.recall(str(state(shop)), "one").items
    assert call("agent").out == before
    call("cache", "--clear", "--all")
    assert not cache(other).exists()
    assert not cache(shop).exists()
    assert state(shop).exists()


def test_state_goes_when_it_is_asked_for(shop: Path) -> None:
    call("cache", "--clear", "--state")
    assert not state(shop).exists()
    assert not cache(shop).exists()


@pytest.mark.parametrize("option", ["--all", "--state"])
def test_what_says_what_to_clear_clears_nothing_alone(shop: Path, option: str) -> None:
    assert call("cache", option).code == 2
    assert cache(shop).exists()


def test_without_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert _json()["directory"] is None
    assert call("cache", "--clear").code == 4
    assert call("cache", "--clear", "--all").code == 0
    assert call("cache", "--dir", "nowhere").code == 4


def test_nowhere_to_keep_anything(shop: Path) -> None:
    nowhere = {"CTX_CACHE_DIR": "/dev/null/x", "CTX_STATE_DIR": "/dev/null/y"}
    done = call("agent", environ=nowhere)
    assert (done.code, done.err) == (0, "")
    assert done.out == call("agent", environ={"CTX_NO_CACHE": "1"}).out
    assert b"CTX_CACHE_DIR names one" in call("cache", environ=nowhere).out
    assert shop.is_dir()


# --- what goes by itself ------------------------------------------------------------------


def _made(home: Path, name: str, size: int, used: float) -> str:
    """Make a directory with ``size`` bytes of cache, used at ``used``; return its folder."""
    root = home / "work" / name
    root.mkdir(parents=True)
    environ = {"CTX_CACHE_DIR": str(home / "cache"), "CTX_STATE_DIR": str(home / "state")}
    folder = prepare(str(root), environ, "").cache
    Path(folder, "index.db").write_bytes(b"x" * size)
    os.utime(Path(folder, "where"), (used, used))
    return folder


def test_the_caches_unused_for_the_longest_time_go_first(tmp_path: Path) -> None:
    made = [_made(tmp_path, str(number), 1000, NOW - number * DAY) for number in range(5)]
    sweep(str(tmp_path / "cache"), NOW, most=3500, used=made[4])
    left = {folder.path for folder in folders(str(tmp_path / "cache"))}
    assert left == {made[0], made[1], made[4]}


def test_it_happens_once_a_day(tmp_path: Path) -> None:
    home = str(tmp_path / "cache")
    one = _made(tmp_path, "one", 1000, NOW)
    sweep(home, NOW, most=5000)
    sweep(home, NOW + DAY - 1, most=1)
    assert os.path.isdir(one)
    sweep(home, NOW + DAY, most=1)
    assert not os.path.isdir(one)


def test_what_belongs_to_a_vanished_directory_goes_later(tmp_path: Path) -> None:
    home = str(tmp_path / "cache")
    folder = _made(tmp_path, "one", 10, NOW)
    shutil.rmtree(tmp_path / "work" / "one")
    sweep(home, NOW)
    sweep(home, NOW + KEEP)
    assert os.path.isdir(folder)
    sweep(home, NOW + KEEP + DAY)
    assert not os.path.exists(folder)


def test_a_directory_that_comes_back_keeps_its_own(tmp_path: Path) -> None:
    home = str(tmp_path / "cache")
    folder = _made(tmp_path, "one", 10, NOW)
    os.rename(tmp_path / "work", tmp_path / "away")
    sweep(home, NOW)
    os.rename(tmp_path / "away", tmp_path / "work")
    sweep(home, NOW + KEEP + DAY)
    os.rename(tmp_path / "work", tmp_path / "away")
    sweep(home, NOW + KEEP + 2 * DAY)  # missed anew
    assert os.path.isdir(folder)


def test_a_disk_that_is_not_mounted_is_waited_for(tmp_path: Path) -> None:
    home = str(tmp_path / "cache")
    folder = _made(tmp_path, "one", 10, NOW)
    where = Path(folder, "where")
    device, _, path = where.read_text().partition(" ")
    where.write_text(f"{int(device) + 1} {path}")  # where it was is another disk now
    shutil.rmtree(tmp_path / "work")
    for day in range(0, 400, 40):
        sweep(home, NOW + day * DAY)
    assert os.path.isdir(folder)


def test_nothing_of_somebody_elses_is_swept(tmp_path: Path) -> None:
    home = tmp_path / "cache"
    _made(tmp_path, "one", 1000, NOW)
    (home / "mine").mkdir()
    (home / "mine" / "file").write_bytes(b"x" * 1000)
    (home / ("0" * 32 + "-" + "0" * 16)).symlink_to(tmp_path / "work")
    sweep(str(home), NOW, most=0)
    assert (home / "mine" / "file").exists()
    assert (tmp_path / "work" / "one").is_dir()


# --- which program it was -----------------------------------------------------------------


def test_an_edit_of_the_sources_changes_their_digest(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    file = tmp_path / "a" / "b.py"
    file.write_text("1")
    before = sources(str(tmp_path))
    assert sources(str(tmp_path)) == before
    (tmp_path / "a" / "__pycache__").mkdir()
    assert sources(str(tmp_path)) == before
    file.write_text("22")
    assert sources(str(tmp_path)) != before


def test_an_edit_in_a_checkout_changes_the_answer(shop: Path, tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    shutil.copytree(
        Path(REPOSITORY, "ctx"), lib / "ctx", ignore=shutil.ignore_patterns("__pycache__")
    )

    def answer() -> bytes:
        return subprocess.run(
            [sys.executable, "-m", "ctx", "agent"],
            cwd=shop.parent,
            env=environment(PYTHONPATH=str(lib)),
            check=True,
            capture_output=True,
            timeout=HANGS,
        ).stdout

    time.sleep(SETTLE)
    for _ in range(2):
        assert answer().startswith(b"# ")
    assert list((cache(shop) / "responses").iterdir())
    place = lib / EDITED
    text = place.read_text(encoding="utf-8")
    assert text.count('text = f"# ') == 1
    place.write_text(text.replace('text = f"# ', 'text = f"# Edited '), encoding="utf-8")
    assert answer().startswith(b"# Edited ")


def test_a_sweep_removes_temporary_files_that_nobody_finishes(tmp_path: Path) -> None:
    home = str(tmp_path / "cache")
    folder = Path(home, "path-" + "a" * 32)
    (folder / "packets").mkdir(parents=True, mode=0o700)
    for made in (Path(home), folder):
        made.chmod(0o700)
    old, new = (folder / "packets" / f"0a.{number}-7.tmp" for number in (1, 2))
    for path, moment in ((old, NOW - 2 * DAY), (new, NOW - 60), (folder / "kept", NOW - 2 * DAY)):
        path.touch()
        os.utime(path, (moment, moment))
    sweep(home, NOW)
    assert (old.exists(), new.exists(), (folder / "kept").exists()) == (False, True, True)
