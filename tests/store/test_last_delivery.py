"""What a session was told last: never silent for a record that is not whole and true."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.store import last_delivery
from ctx.store.folder import path_of

NOW = 1_790_000_000.5
PACKET = b"# Project Context\n"


@pytest.fixture
def store(tmp_path: Path) -> str:
    folder = tmp_path / ".ctx"
    folder.mkdir()
    return str(folder)


def _record(store: str) -> str:
    (name,) = os.listdir(os.path.join(store, last_delivery.FOLDER))
    return os.path.join(store, last_delivery.FOLDER, name)


@pytest.mark.parametrize("session", ["s", "", "日本語", "a\nb", "a\0b", "\udcff", "../../etc"])
def test_the_same_packet_is_known(store: str, session: str) -> None:
    last_delivery.note(store, session, PACKET, NOW)
    assert last_delivery.seconds_since(store, session, PACKET, NOW + 30) == 30
    assert last_delivery.seconds_since(store, session, PACKET + b".", NOW + 30) is None
    assert last_delivery.seconds_since(store, session + "x", PACKET, NOW + 30) is None
    assert os.listdir(os.path.dirname(store)) == [".ctx"]


def test_only_the_last_packet_counts(store: str) -> None:
    last_delivery.note(store, "s", PACKET, NOW)
    last_delivery.note(store, "s", b"other", NOW + 1)
    assert last_delivery.seconds_since(store, "s", PACKET, NOW + 2) is None
    assert last_delivery.seconds_since(store, "s", b"other", NOW + 2) == 1


def test_a_clock_set_back_silences_nobody(store: str) -> None:
    last_delivery.note(store, "s", PACKET, NOW)
    assert last_delivery.seconds_since(store, "s", PACKET, NOW - 3600) is None


def test_another_session_in_the_same_place_is_not_this_one(store: str) -> None:
    last_delivery.note(store, "s", PACKET, NOW)
    os.rename(_record(store), path_of(store, last_delivery.FOLDER, "other"))
    assert last_delivery.seconds_since(store, "other", PACKET, NOW) is None


@given(at=st.integers(0, 200), flip=st.integers(1, 255), cut=st.booleans())
def test_damage_is_told_from_a_record(store: str, at: int, flip: int, cut: bool) -> None:
    last_delivery.note(store, "session", PACKET, NOW)
    with open(_record(store), "rb") as file:
        whole = bytearray(file.read())
    at %= len(whole)
    if cut:
        del whole[at:]
    else:
        whole[at] ^= flip
    with open(_record(store), "wb") as file:
        file.write(whole)
    assert last_delivery.seconds_since(store, "session", PACKET, NOW + 1) is None


def test_quiet_sessions_are_forgotten_first(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_delivery, "KEEP", 3)
    for number in range(5):
        last_delivery.note(store, f"s{number}", PACKET, NOW)
        os.utime(path_of(store, last_delivery.FOLDER, f"s{number}"), (number, number))
    assert len(os.listdir(os.path.join(store, last_delivery.FOLDER))) == 3
    assert last_delivery.seconds_since(store, "s4", PACKET, NOW) == 0
    assert last_delivery.seconds_since(store, "s0", PACKET, NOW) is None


def test_a_session_may_be_forgotten(store: str) -> None:
    last_delivery.note(store, "s", PACKET, NOW)
    last_delivery.forget(store, "other")
    last_delivery.forget(store, "")
    assert last_delivery.seconds_since(store, "s", PACKET, NOW) == 0
    last_delivery.forget(store, "s")
    assert last_delivery.seconds_since(store, "s", PACKET, NOW) is None
    last_delivery.forget(store, "s")


def test_another_session_whose_file_has_the_same_name_is_not_forgotten(store: str) -> None:
    last_delivery.note(store, "s", PACKET, NOW)
    os.rename(path_of(store, last_delivery.FOLDER, "s"), path_of(store, last_delivery.FOLDER, "t"))
    last_delivery.forget(store, "t")
    assert os.listdir(os.path.join(store, last_delivery.FOLDER)) != []
