"""What a session was told last: never silent for a record that is not whole and true."""

import os
from pathlib import Path

import pytest

from ctx.store import LAST_PACKETS, Store
from ctx.store.folder import path_of

NOW = 1_790_000_000.5
PACKET = b"# Project Context\n"


@pytest.fixture
def store(tmp_path: Path) -> str:
    folder = tmp_path / ".ctx"
    folder.mkdir()
    return str(folder)


def _opened(state: str) -> Store:
    return Store("", state, "")


def _record(store: str) -> str:
    (name,) = os.listdir(os.path.join(store, LAST_PACKETS))
    return os.path.join(store, LAST_PACKETS, name)


@pytest.mark.parametrize("session", ["s", "", "日本語", "a\nb", "a\0b", "\udcff", "../../etc"])
def test_the_same_packet_is_known(store: str, session: str) -> None:
    _opened(store).note_packet(session, PACKET, NOW)
    assert _opened(store).seconds_since(session, PACKET, NOW + 30) == 30
    assert _opened(store).seconds_since(session, PACKET + b".", NOW + 30) is None
    assert _opened(store).seconds_since(session + "x", PACKET, NOW + 30) is None
    assert os.listdir(os.path.dirname(store)) == [".ctx"]


def test_only_the_last_packet_counts(store: str) -> None:
    _opened(store).note_packet("s", PACKET, NOW)
    _opened(store).note_packet("s", b"other", NOW + 1)
    assert _opened(store).seconds_since("s", PACKET, NOW + 2) is None
    assert _opened(store).seconds_since("s", b"other", NOW + 2) == 1


def test_a_clock_set_back_silences_nobody(store: str) -> None:
    _opened(store).note_packet("s", PACKET, NOW)
    assert _opened(store).seconds_since("s", PACKET, NOW - 3600) is None


def test_another_session_in_the_same_place_is_not_this_one(store: str) -> None:
    _opened(store).note_packet("s", PACKET, NOW)
    os.rename(_record(store), path_of(store, LAST_PACKETS, "other"))
    assert _opened(store).seconds_since("other", PACKET, NOW) is None


def test_quiet_sessions_are_forgotten_first(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctx.store._PACKETS.keep", 3)
    for number in range(5):
        _opened(store).note_packet(f"s{number}", PACKET, NOW)
        os.utime(path_of(store, LAST_PACKETS, f"s{number}"), (number, number))
    assert len(os.listdir(os.path.join(store, LAST_PACKETS))) == 3
    assert _opened(store).seconds_since("s4", PACKET, NOW) == 0
    assert _opened(store).seconds_since("s0", PACKET, NOW) is None


def test_a_session_may_be_forgotten(store: str) -> None:
    _opened(store).note_packet("s", PACKET, NOW)
    _opened(store).forget_packet("other")
    _opened(store).forget_packet("")
    assert _opened(store).seconds_since("s", PACKET, NOW) == 0
    _opened(store).forget_packet("s")
    assert _opened(store).seconds_since("s", PACKET, NOW) is None
    _opened(store).forget_packet("s")


def test_another_session_whose_file_has_the_same_name_is_not_forgotten(store: str) -> None:
    _opened(store).note_packet("s", PACKET, NOW)
    os.rename(path_of(store, LAST_PACKETS, "s"), path_of(store, LAST_PACKETS, "t"))
    _opened(store).forget_packet("t")
    assert os.listdir(os.path.join(store, LAST_PACKETS)) != []
