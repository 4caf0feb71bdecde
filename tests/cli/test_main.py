"""What happens to output that nobody takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.rank.hands import call

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_a_full_disk_is_one_line_and_exit_6(argument: str) -> None:
    with FULL.open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ctx", argument],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            text=True,
        )
    assert (done.returncode, done.stderr.count("\n")) == (6, 1)
    assert "standard output: cannot be written: No space left on device" in done.stderr


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize(("argument", "code"), [("--nope", 2), ("--version", 0)])
def test_a_full_standard_error_changes_no_code(argument: str, code: int) -> None:
    with FULL.open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ctx", argument],
            stdout=subprocess.PIPE,
            stderr=full,
            check=False,
        )
    assert done.returncode == code


def test_a_list_of_commands_is_short_enough_to_be_whole() -> None:
    for command in ("", "session", "hook", "task"):
        lines = call(*command.split(), "--help").text.partition("Commands:\n")[2].splitlines()
        assert len(lines) > 3
        assert not [line for line in lines if line.endswith("...")]


@pytest.mark.parametrize("value", ["nope", "", "source_", "complete_nope"])
def test_a_hook_does_not_look_at_a_variable_of_completion_that_means_nothing(
    value: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("_CTX_COMPLETE", value)
    assert call("hook", "run", "claude", "SessionStart") == (0, b"", "")
    assert call("status").code == 2
