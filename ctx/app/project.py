"""The project around a context directory: where its authored documents are looked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ctx.app.find import upwards
from ctx.config import alternatives

if TYPE_CHECKING:
    from collections.abc import Mapping


class Project(NamedTuple):
    """A context directory's surroundings."""

    root: str
    """The repository's root, or the folder that holds the context directory without one."""
    authored: tuple[tuple[str, ...], ...]
    """Authored documents relative to the context directory: of each group the first there is."""
    absent: Mapping[str, tuple[int, ...]]
    """What was looked for in vain on the way to the repository's root."""


def project_of(root: str, authored: str, home: str) -> Project:
    """Return the project of the context directory ``root``.

    ``authored`` is the setting. A document is looked for beside the context directory, then
    in the folders above it up to the repository's root: the nearest one holds. Without a
    repository, and above the home directory, nothing is looked for.
    """
    folders = list(upwards(os.path.dirname(root), home))
    marks = [os.path.join(folder, ".git") for folder in folders]
    if os.path.exists(marks[-1]):
        marks.pop()
    else:
        folders = folders[:1]
    groups = tuple(
        tuple(f"{'../' * (steps + 1)}{name}" for steps in range(len(folders)) for name in names)
        for names in alternatives(authored)
    )
    return Project(folders[-1], groups, dict.fromkeys(marks, ()))
