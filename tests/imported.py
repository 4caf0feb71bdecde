"""Where tests put sessions as if they had been imported."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from ctx.store.places import prepare

if TYPE_CHECKING:
    from collections.abc import Mapping


def state_of(root: Path | str, environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of the context directory ``root`` in the user's state directory, made."""
    state = prepare(str(root), environ, environ.get("HOME", "")).state
    assert state, "there is no state directory"
    return Path(state)


def sessions_of(root: Path | str, environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of its sessions, made."""
    folder = state_of(root, environ) / "sessions"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def move(root: Path | str, environ: Mapping[str, str] = os.environ) -> Path:
    """Move the sessions of a context directory to where an import puts them; return that folder."""
    folder, old = sessions_of(root, environ), Path(root) / "sessions"
    if old.is_dir():
        shutil.copytree(old, folder, dirs_exist_ok=True, symlinks=True)
        shutil.rmtree(old)
    return folder
