"""Transcripts that a host has compressed are read, or it is named what is missing."""

import subprocess
from pathlib import Path
from shutil import which

import pytest

from ctx.sessions import compressed
from ctx.sessions.finding import kept

META = '{"type": "session_meta", "payload": {"id": "a", "cwd": "/srv/lamp"}}\n'
NAME = ".codex/sessions/2026/11/10/rollout-a.jsonl.zst"


def _rollout(home: Path) -> Path:
    program = which("zstd")
    if not program:
        pytest.skip("zstd is not here")
    path = home / NAME
    path.parent.mkdir(parents=True)
    path.write_bytes(
        subprocess.run(
            [program, "-cq"], input=META.encode(), capture_output=True, check=True
        ).stdout
    )
    return path


def test_one_is_found_and_read(tmp_path: Path) -> None:
    path = _rollout(tmp_path)
    with compressed.opened(str(path)) as stream:
        assert stream.read() == META.encode()
    found = kept("/srv/lamp", str(tmp_path), {}, lambda folder: folder == "/srv/lamp")
    assert [one.paths for one in found if one.paths] == [[str(path)]]
    assert compressed.stem(str(path)) == "rollout-a"


def test_one_that_cannot_be_read_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _rollout(tmp_path)
    monkeypatch.setattr(compressed, "which", lambda _name: None)
    monkeypatch.setattr(compressed, "_MODULES", ())
    found = kept("/srv/lamp", str(tmp_path), {}, lambda _folder: True)
    assert [one.unread for one in found if one.unread] == [1]
