"""What tests of several commands share."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.hostile import REPOSITORY
from tests.imported import at_shop


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, as working directory."""
    ignored = shutil.ignore_patterns(".ctx")
    place = tmp_path / "shop"
    shutil.copytree(Path(REPOSITORY) / "fixtures" / "webshop", place, ignore=ignored)
    (place / ".git").mkdir()
    monkeypatch.chdir(place)
    return at_shop(place)
