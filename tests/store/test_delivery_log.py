"""What sessions have been told: whole and true, or nothing at all."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.model import Delivered, Memory
from ctx.store import delivery_log
from ctx.store.delivery_log import note, path, recall

REPOSITORY = Path(__file__).resolve().parents[2]
NOW = 1_790_000_000.5
ONE = Delivered(
    "DECISIONS.md#2026-01-01-120000",
    "full",
    "0123456789abcdef",
    size=640,
    benefit=0.25,
    sent=NOW,
    uses=3,
    pinned=True,
    key_digest="f" * 16,
    title_digest="0" * 16,
)
TOLD = Memory(
    "s",
    {
        one.id: one
        for one in (
            ONE,
            Delivered("日本語.md#größe", "key", "a" * 16, 0, 1.0, NOW, title_digest="b" * 16),
            Delivered("odd\udcff\n\0.md#\ud83d\ude00", "title", "c" * 16, 9, 0.0, -1.5),
            Delivered("", "title", "d" * 16, 2**40, 0.1, 0.0),
        )
    },
    evictions=12,
)
posix = pytest.mark.skipif(sys.platform == "win32", reason="links and modes of POSIX")

texts = st.text(max_size=5) | st.sampled_from(["\udcff", "\ud83d\ude00", "a\0b", "../x"])
digests = st.text("0123456789abcdef", min_size=16, max_size=16)
items = st.builds(
    Delivered,
    id=texts,
    level=st.sampled_from(["full", "key", "title"]),
    digest=digests,
    size=st.integers(0, 10**9),
    benefit=st.floats(0, 1),
    sent=st.floats(-1e10, 1e10),
    uses=st.integers(1, 10**9),
    pinned=st.booleans(),
    key_digest=st.just("") | digests,
    title_digest=st.just("") | digests,
)
memories = st.builds(
    lambda session, found, evictions, secrets: Memory(
        session, {one.id: one for one in found}, evictions, secrets
    ),
    texts,
    st.lists(items, max_size=4),
    st.integers(0, 10**9),
    st.booleans(),
)


@pytest.fixture
def store(tmp_path: Path) -> str:
    folder = tmp_path / ".ctx"
    folder.mkdir()
    return str(folder)


def _read(store: str, session: str = "s") -> bytes:
    with open(path(store, session), "rb") as file:
        return file.read()


def test_what_was_told_is_known(store: str) -> None:
    assert note(store, TOLD)
    assert recall(store, "s") == TOLD
    assert recall(store, "t") == Memory("t")


@given(memories)
def test_any_memory_comes_back(store: str, told: Memory) -> None:
    assert note(store, told)
    assert recall(store, told.session) == told


def test_the_same_memory_makes_the_same_file(store: str) -> None:
    note(store, TOLD)
    first = _read(store)
    note(store, TOLD._replace(items=dict(reversed(list(TOLD.items.items())))))
    assert _read(store) == first


def test_another_session_in_the_same_place_is_not_this_one(store: str) -> None:
    note(store, TOLD)
    os.rename(path(store, "s"), path(store, "t"))
    assert recall(store, "t") == Memory("t")


# What is kept


def test_only_ids_digests_and_figures_are_kept(store: str) -> None:
    note(store, Memory("s", {ONE.id: ONE}, 12))
    _, _, body = _read(store).partition(b"\n")
    assert json.loads(body) == ["s", 12, False, [list(ONE)]]


def test_quiet_sessions_are_forgotten_first(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert delivery_log.RECORDS.keep == 256
    monkeypatch.setattr(delivery_log.RECORDS, "keep", 3)
    for number in range(5):
        note(store, TOLD._replace(session=f"s{number}"))
        os.utime(path(store, f"s{number}"), (number, number))
    assert len(os.listdir(os.path.join(store, delivery_log.FOLDER))) == 3
    assert recall(store, "s4").items == TOLD.items
    assert recall(store, "s0") == Memory("s0")


def test_of_too_many_items_the_pinned_are_kept_newest_first(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert delivery_log.MOST_ITEMS == 10_000
    monkeypatch.setattr(delivery_log, "MOST_ITEMS", 3)
    plain = ONE._replace(pinned=False)
    found = [
        ONE._replace(id="old", sent=NOW - 9),
        plain._replace(id="newest", sent=NOW),
        plain._replace(id="b", sent=NOW - 1),
        ONE._replace(id="older", sent=NOW - 10),
        plain._replace(id="a", sent=NOW - 1),
    ]
    assert note(store, Memory("s", {one.id: one for one in found}, 7))
    assert recall(store, "s") == Memory(
        "s", {one.id: one for one in (found[1], found[0], found[3])}, 7
    )
    monkeypatch.setattr(delivery_log, "MOST_ITEMS", 4)
    note(store, Memory("s", {one.id: one for one in found}))
    assert recall(store, "s").items.keys() == {"old", "older", "newest", "a"}


NOTE_OFTEN = """
import sys
from ctx.model import Delivered, Memory
from ctx.store.delivery_log import note
store, letter = sys.argv[1:]
items = {f"{letter}{n}": Delivered(f"{letter}{n}", "key", "0" * 16, n, .5, 1.0) for n in range(50)}
print("ready", flush=True)
sys.stdin.read()
for _ in range(100):
    assert note(store, Memory("s", items))
"""


@posix
def test_of_two_that_note_at_once_one_stands_whole(store: str) -> None:
    assert note(store, TOLD)
    whole = [set(TOLD.items), *({f"{letter}{n}" for n in range(50)} for letter in "ab")]
    started = [
        subprocess.Popen(
            [sys.executable, "-c", NOTE_OFTEN, store, letter],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for letter in "ab"
    ]
    for one in started:
        assert one.stdout is not None
        assert one.stdout.readline() == b"ready\n"
    for one in started:
        assert one.stdin is not None
        one.stdin.close()
    while any(one.poll() is None for one in started):
        assert recall(store, "s").items.keys() in whole
    for one in started:
        assert one.wait() == 0
        assert one.stdout is not None
        one.stdout.close()
    assert recall(store, "s").items.keys() in whole[1:]


def test_a_session_may_be_forgotten(tmp_path: Path) -> None:
    store = str(tmp_path)
    note(store, TOLD)
    delivery_log.forget(store, "other")
    assert recall(store, "s") == TOLD
    delivery_log.forget(store, "s")
    assert recall(store, "s") == Memory("s")
    delivery_log.forget(store, "s")


def test_another_session_whose_file_has_the_same_name_is_not_forgotten(tmp_path: Path) -> None:
    store = str(tmp_path)
    note(store, TOLD)
    os.rename(path(store, "s"), path(store, "t"))
    delivery_log.forget(store, "t")
    assert os.path.exists(path(store, "t"))
