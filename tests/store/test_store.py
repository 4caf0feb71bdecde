"""The door of the store: a store without folders keeps nothing, and reads nothing."""

import os
from datetime import date
from pathlib import Path

import pytest

from ctx.model import Memory
from ctx.store import Record, Store, open_store

SESSION, PACKET, NOW = "s", b"packet", 1e9


def test_a_store_without_folders_keeps_and_reads_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What lies in the working directory is never taken for the store's own.
    here = Store(str(tmp_path), str(tmp_path))
    os.chmod(tmp_path, 0o700)
    here.note_packet(SESSION, PACKET, NOW)
    here.remember("key", Record(PACKET, b"", 0, "", 0), {}, 0)
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path)
    store = Store()
    assert here.seconds_since(SESSION, PACKET, NOW) == 0
    assert store.seconds_since(SESSION, PACKET, NOW) is None
    assert here.recall("key") is not None
    assert store.recall("key") is None
    assert store.received(SESSION) == Memory(SESSION)
    assert not store.note_received(Memory(SESSION))
    assert store.log_of(SESSION) == store.folder("any") == ""
    assert store.counts(date(2026, 1, 2)) == {}
    store.note_packet(SESSION, PACKET, NOW)
    store.forget_packet(SESSION)
    store.forget_received(SESSION)
    store.count(["a"], date(2026, 1, 1))
    assert (store.index_files(), store.is_ready()) == ([], False)
    with store.parse_cache("", 0) as cache:
        assert cache.get("TASKS.md") is None
    assert sorted(tmp_path.rglob("*")) == before


def test_opening_makes_folders_only_when_asked(tmp_path: Path) -> None:
    root = tmp_path / "shop" / ".context"
    root.mkdir(parents=True)
    environ = {"CTX_CACHE_DIR": str(tmp_path / "c"), "CTX_STATE_DIR": str(tmp_path / "s")}
    assert not open_store(str(root), environ, str(tmp_path)).is_ready()
    made = open_store(str(root), environ, str(tmp_path), make=True)
    assert made.is_ready()
    made.count(["a", "a"], date(2026, 1, 1))
    assert made.counts(date(2026, 1, 2)) == {"a": 2}
