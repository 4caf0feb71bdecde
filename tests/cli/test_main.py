"""What happens to output that nobody takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("arguments", [["--help"], ["agent", "--help"], ["--version"]])
def test_a_full_disk_is_one_line_and_exit_6(arguments: list[str]) -> None:
    with FULL.open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ctx", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            text=True,
        )
    assert (done.returncode, done.stderr.count("\n")) == (6, 1)
    assert "standard output: cannot be written: No space left on device" in done.stderr


@pytest.mark.parametrize("command", ["", "session", "hook", "task"])
def test_a_list_of_commands_is_short_enough_to_be_whole(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ctx", *command.split(), "--help"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = done.stdout.partition("Commands:\n")[2].splitlines()
    assert len(lines) > 3
    assert not [line for line in lines if line.endswith("...")]
