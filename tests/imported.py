"""Where tests put sessions as if they had been imported."""

import os
import shutil
from pathlib import Path

from ctx.store.places import prepare


def sessions_of(root: Path | str) -> Path:
    """Return the folder of the sessions of the context directory ``root``, made."""
    folder = Path(prepare(str(root), os.environ, os.environ["HOME"]).state) / "sessions"
    assert folder.is_absolute(), "there is no state directory"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def move(root: Path | str) -> Path:
    """Move the sessions of a context directory to where an import puts them; return that folder."""
    folder, old = sessions_of(root), Path(root) / "sessions"
    if old.is_dir():
        shutil.copytree(old, folder, dirs_exist_ok=True, symlinks=True)
        shutil.rmtree(old)
    return folder


def at_shop(project: Path) -> Path:
    """Import what the fixture ``webshop``, of which ``project`` is a copy, has of a session."""
    shutil.copy(project / "fix-login.jsonl", sessions_of(project / ".context"))
    return project
