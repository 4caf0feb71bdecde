"""What is typed into a host's settings, and the lines of the log."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from ctx.app.options import HookOptions
from ctx.hooks import call as log
from ctx.hooks.call import MOST_SECONDS, OUTCOMES, Call, read_call, seconds
from ctx.hooks.runner import call_of
from ctx.world import World
from tests.keeping import state

if TYPE_CHECKING:
    from pathlib import Path

TWO = ["claude", "UserPromptSubmit"]


@pytest.mark.parametrize(
    ("more", "flags"),
    [
        ([], {}),
        (["--dir=x", "--budget=5", "--cooldown", "1m", "--deadline", "3"],
         {"dir": "x", "budget": "5", "cooldown": "1m", "deadline": "3"}),
        (["--budget=5", "--budget=6"], {"budget": "6"}),
        (["--dir="], {"dir": ""}),
        (["--dir=a=b"], {"dir": "a=b"}),
    ],
)  # fmt: skip
def test_what_call_of(more: list[str], flags: dict[str, str]) -> None:
    for arguments in ([*TWO, *more], [*more, *TWO]):
        call = read_call(arguments)
        assert call is not None
        assert (call.tool, call.event, call.options.given()) == (*TWO, flags)
        assert call_of(arguments)


def test_what_is_not() -> None:
    for arguments in (
        [], ["claude"], [*TWO, "x"], [*TWO, "--dir"], [*TWO, "--dir", "-x"], [*TWO, "--nope", "x"],
        [*TWO, "-d", "x"], [*TWO, "--", "x"], [*TWO, "--di=x"], [*TWO, "--help"],
    ):  # fmt: skip
        assert read_call(arguments) is None, arguments


def test_what_typer_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not call_of([*TWO, "--help"])
    assert not call_of(["git", "post-commit"])
    assert call_of([*TWO, "--nope"]), "a host is not stopped for a mistake"
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert not call_of([*TWO, "--nope"])
    assert call_of(TWO)


def test_deadlines() -> None:
    expected: dict[str, float | None] = {"2": 2.0, "0.5": 0.5, "3s": 3.0, " 4 ": 4.0}
    expected |= {"1e9": MOST_SECONDS, "inf": MOST_SECONDS}
    expected |= dict.fromkeys(("0", "-1", "nan", "", "x", "1m"))
    assert {text: seconds(text) for text in expected} == expected


def _line(root: Path, outcome: str = "answered", reason: str = "", tool: str = "claude") -> None:
    call = Call(tool, "Event", HookOptions())
    call.ends(outcome, reason)
    log.note(call, str(root), World())


def test_a_line_has_its_fields(tmp_path: Path) -> None:
    _line(tmp_path, "fault", "no room")
    (line,) = (state(tmp_path) / log.NAME).read_text().splitlines()
    fields = dict(zip(log.FIELDS, line.split("\t"), strict=True))
    assert fields["time"].endswith("Z")
    assert fields["took"].endswith(" ms")
    assert [fields[name] for name in log.FIELDS[1:5]] == ["claude", "Event", "fault", "no room"]
    assert fields["outcome"] in OUTCOMES


def test_the_last_line_of_each_tool(tmp_path: Path) -> None:
    store = state(tmp_path)
    assert log.last(str(store)) == {}
    _line(tmp_path, tool="cursor")
    (store / log.NAME).rename(store / log.OLD)
    _line(tmp_path, "silent")
    _line(tmp_path, "fault", "no such tool", tool="a\tb\n\x1b" * 50)
    with (store / log.NAME).open("ab") as file:
        file.write(b"\xff torn")
    found = log.last(str(store))
    assert {tool: line[3] for tool, line in found.items() if len(tool) < 10} == {
        "cursor": "answered",
        "claude": "silent",
    }
    assert all(len(tool) <= 40 for tool in found)


def test_a_log_that_cannot_become_the_old_one_does_not_grow_for_ever(tmp_path: Path) -> None:
    _line(tmp_path)
    (state(tmp_path) / log.OLD / "full").mkdir(parents=True)
    (state(tmp_path) / log.NAME).write_bytes(b"x" * log.MOST_BYTES)
    _line(tmp_path)
    _line(tmp_path, "silent")
    assert (state(tmp_path) / log.NAME).read_bytes().count(b"\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
def test_a_store_that_is_a_link_has_no_log(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "root").mkdir()
    state(tmp_path / "root").parent.mkdir(parents=True, mode=0o700)
    state(tmp_path / "root").symlink_to(tmp_path / "elsewhere")
    _line(tmp_path / "root")
    assert list((tmp_path / "elsewhere").iterdir()) == []
