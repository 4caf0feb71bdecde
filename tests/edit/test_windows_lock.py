"""The lock as Windows has it, on a system that has flock: msvcrt is stood in for."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ctx.edit import atomic
from ctx.errors import FileError

fcntl = pytest.importorskip("fcntl", reason="what stands in for msvcrt locks by it")


def locking(descriptor: int, mode: int, size: int) -> None:
    """Lock as ``msvcrt.locking`` does: an OSError where somebody else has it."""
    assert (mode, size) == (2, 1)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise OSError(13, "Permission denied") from error


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401 - a module, loaded anew
    """Return the module of atomic writes as it is loaded on Windows."""
    msvcrt: Any = ModuleType("msvcrt")
    msvcrt.LK_NBLCK, msvcrt.locking = 2, locking
    monkeypatch.setitem(sys.modules, "msvcrt", msvcrt)
    spec = importlib.util.spec_from_file_location("atomic_on_windows", atomic.__file__)
    assert spec
    assert spec.loader
    loaded = importlib.util.module_from_spec(spec)
    monkeypatch.setattr(sys, "platform", "win32")
    spec.loader.exec_module(loaded)
    return loaded


def test_one_holder_at_a_time_and_the_file_goes_away(windows: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = str(tmp_path / "file")
    with windows.lock(path):
        assert os.listdir(tmp_path) == [".file.ctx-lock"]
        with pytest.raises(FileError, match="still locked"), windows.lock(path, timeout=0):
            pass
    assert os.listdir(tmp_path) == []
    with windows.lock(path, timeout=0):
        pass


@pytest.mark.parametrize("refusals", [1, 3])
def test_a_file_that_its_holder_is_deleting_is_waited_for(
    windows: Any,  # noqa: ANN401
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    refusals: int,
) -> None:
    """Windows refuses to open a file that is being deleted, until that is done."""
    left, opened = [PermissionError(13, "Access is denied")] * refusals, os.open

    def refusing(path: str, *given: int) -> int:
        if left and path.endswith(".ctx-lock"):
            raise left.pop()
        return opened(path, *given)

    monkeypatch.setattr(os, "open", refusing)
    with windows.lock(str(tmp_path / "file"), timeout=600):
        assert not left


def test_a_folder_that_cannot_be_written_to_is_not_waited_for(
    windows: Any,  # noqa: ANN401
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refusing(*_: object) -> int:
        raise PermissionError(13, "Access is denied")

    monkeypatch.setattr(os, "open", refusing)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises((FileError, PermissionError)), windows.lock(str(tmp_path / "file")):
        pass
