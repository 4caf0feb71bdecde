"""Files of a context directory, named as they can be typed where somebody stands."""

from __future__ import annotations

import os


def here(root: str, file: str, cwd: str) -> str:
    """Return the path of ``file``, which is relative to the context directory ``root``.

    From the working directory ``cwd`` where that is in the project, or above the file; absolute
    elsewhere.
    """
    path = os.path.normpath(os.path.join(root, file))
    is_near = _within(path, cwd) or _within(cwd, os.path.dirname(root))
    return os.path.relpath(path, cwd) if cwd and is_near else path


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))
