"""What an event asks for: short prompts, sessions, and how full the window is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.app.window import free_tokens, limits, pressure, retrieves
from ctx.hooks import answer, ask
from ctx.hooks.ask import MOST_ID, is_short, session_of, stepped
from ctx.hooks.places import tool_named
from ctx.hosts import NAMES, fields, hooks_of
from ctx.hosts.host import Event
from ctx.store import delivery_log
from ctx.world import World
from tests.hooks.golden import FOLDER

if TYPE_CHECKING:
    from pathlib import Path


SHORT = (
    "", "yes", "yes, do that", "Go ahead!", "ok - and the second one, please", "now the refund",
    "1. 2. 3.", "はい、お願いします", "...", "fix it",
)  # fmt: skip
LONG = (
    "fix the rounding of partial refunds", "why is SQLite used in warehouse imports",
    "返金の端数を切り捨てるのはなぜですか、教えてください",
    "Größe ändern, Puffer prüfen, Test schreiben",
    "x" * 10 + " one two " + "alpha beta gamma delta",
)  # fmt: skip


def test_prompts_that_say_too_little_and_prompts_that_stand_alone() -> None:
    assert [prompt for prompt in (*SHORT, *LONG) if is_short(prompt)] == list(SHORT)


def test_ids_are_kept_as_they_are() -> None:
    for name in ("s1", "0199a213-81c0-7800-8aa1-bbab2a035a53", "a" * MOST_ID):
        assert session_of(Event("e", name)) == name


def test_odd_ids_are_kept_by_their_digest() -> None:
    odd = ["a" * (MOST_ID + 1), "a\0b", "a\nb", "Größe", "\ud800", "#1", " #1", "a" * 10**6]
    odd += ["a ", " a"]  # not "a": two sessions are not one
    kept = [session_of(Event("e", name)) for name in odd]
    assert len(set(kept)) == len(odd)
    assert {(name[0], len(name)) for name in kept} == {("#", 33)}
    assert session_of(Event("e", kept[0])) not in kept, "nor can a host name one of those"
    assert session_of(Event("e", "")) == session_of(Event("e", "  ")) == ""


@given(
    length=st.integers(1, 2_000_000),
    used=st.integers(0, 2_200_000),
)
def test_steps_are_upwards_and_change_nothing_that_pressure_decides(length: int, used: int) -> None:
    told = stepped(used, length)
    assert told <= length
    assert told >= min(used, length)
    assert stepped(told, length) == told
    full, stepped_full = pressure(length, used), pressure(length, told)
    if full < 0.5:
        assert limits(full) == limits(stepped_full)
        assert retrieves(full, "x", []) == retrieves(stepped_full, "x", []) is True
        assert free_tokens(length, told) >= length // 4 - 1
    else:
        assert told - used <= max(1, length // 50)


def test_a_turn_more_makes_no_other_call() -> None:
    assert stepped(3_000, 200_000) == stepped(55_000, 200_000) == 59_999
    assert stepped(60_000, 200_000) == stepped(99_999, 200_000) == 99_999
    assert stepped(100_001, 200_000) == stepped(103_900, 200_000) == 104_000
    assert stepped(250_000, 200_000) == 200_000


# --- transcripts --------------------------------------------------------------------------


def _lines(*records: object) -> list[bytes]:
    return [json.dumps(one).encode() for one in records]


def _recorded(host: str) -> list[bytes]:
    """Return lines in which a person says ``First``, and the host's model ``Shall I?``."""
    return (FOLDER / host / "said.jsonl").read_bytes().splitlines()


@pytest.mark.parametrize("host", NAMES)
def test_the_last_message_of_each_host(host: str) -> None:
    tool, lines = tool_named(host), _recorded(host)
    assert ask.last_said(tool, lines, "yes") == "Shall I?"
    assert ask.last_said(tool, lines, "Shall  I?") == "First"
    assert ask.last_said(tool, lines[:1], "First") == ""


def test_of_a_long_text_the_end_in_whole_words() -> None:
    words = [f"word{n}" for n in range(1000)]
    record = {"type": "user", "message": {"content": " ".join(words)}}
    said = ask.last_said(tool_named("claude"), _lines(record), "")
    assert 250 < len(said) <= ask.LAST_CHARACTERS
    assert said.split() == words[-len(said.split()) :]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "role", "message", "payload", "content", "text", "parts", "data"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(st.sampled_from(NAMES), st.lists(_JSON, max_size=4), st.binary(max_size=20))
def test_any_record_and_any_line(host: str, records: list[object], line: bytes) -> None:
    said = ask.last_said(tool_named(host), [*_lines(*records), line, b"[" * 3000], "x")
    assert isinstance(said, str)
    assert not said.startswith("<")


def test_only_the_end_of_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"x" * 300_000 + b"\n" + b"one\ntwo\n")
    assert fields.tail(str(path)) == [b"one", b"two", b""]
    path.write_bytes(b"one\ntwo")
    assert fields.tail(str(path)) == [b"one", b"two"]
    assert fields.tail(str(path), start=4) == [b"two"]
    assert fields.tail(str(path), start=9) == [b"one", b"two"], "it was replaced"
    path.write_bytes(b"x" * 300_000)
    assert fields.tail(str(path)) == []


def test_a_home_folder_may_be_written_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "t.jsonl").write_bytes(b"one")
    assert fields.tail("~/t.jsonl") == [b"one"]
    assert fields.tail("~\ud800/t.jsonl") == [], "nobody can be called that"


def test_a_fresh_session_is_forgotten_before_anything_can_go_wrong(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session whose memory outlived its window would miss its rules."""
    forgotten: list[str] = []

    def fails(_text: str) -> str:
        assert forgotten == ["s1"]
        raise OSError("the disk is gone")

    monkeypatch.setenv("CTX_STATE_DIR", str(shop.parent / "state"))
    monkeypatch.setattr(delivery_log, "forget", lambda _store, name: forgotten.append(name))
    claude = hooks_of("claude")
    assert claude is not None
    for step in ("mask", "counter"):
        forgotten.clear()
        asked = ask.Ask(claude, Event("SessionStart", "s1", fresh=True), f"{shop}/.context")
        monkeypatch.setattr(answer, step, fails)
        with pytest.raises(OSError, match="the disk is gone"):
            answer.Making(asked, World(), lambda seconds: seconds)
