"""``scripts/dev.py system``: it helps where it can, and is never in the way."""

import shutil
import subprocess
from collections.abc import Sequence
from unittest import mock

import pytest

from scripts import dev


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """What is run on a Debian machine whose root this is, and which has no Chromium."""
    made: list[Sequence[str]] = []

    def run(command: Sequence[str], **options: object) -> None:
        assert options["check"] is True
        assert options["timeout"] == dev.PATIENCE
        made.append(command)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(dev, "is_root", lambda: True)
    found = {"apt-get": "/usr/bin/apt-get", "zsh": "/bin/zsh", "fish": "/bin/fish"}
    monkeypatch.setattr("shutil.which", found.get)
    return made


def test_what_is_missing_is_installed(calls: list[Sequence[str]]) -> None:
    assert dev.main(["system"]) == 0
    update, install = calls
    assert (update[0], update[-1]) == ("apt-get", "update")
    assert install[-2:] == ("install", "chromium")
    assert "--yes" in install


def test_what_is_there_is_left_alone(
    calls: list[Sequence[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    assert dev.main(["system"]) == 0
    assert calls == []


def test_where_it_may_not_it_says_nothing(
    calls: list[Sequence[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for place, name, answer in (
        (dev, "is_root", lambda: False), (shutil, "which", lambda _: None),
    ):  # fmt: skip
        with monkeypatch.context() as patch:
            patch.setattr(place, name, answer)
            assert dev.main(["system"]) == 0
    assert calls == []
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("calls")
def test_a_failure_is_none_of_the_change(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "dev: could not install chromium; the tests that need them are skipped\n"
    for error in (
        OSError("no such file"), subprocess.CalledProcessError(100, "apt-get"),
        subprocess.TimeoutExpired("apt-get", 1),
    ):  # fmt: skip
        monkeypatch.setattr(subprocess, "run", mock.Mock(side_effect=error))
        assert dev.main(["system"]) == 0
        assert capsys.readouterr().err.endswith(said)
