"""Where a person asks whether a host runs the hooks of ctx."""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ctx.model import JsonObject


class Contents(NamedTuple):
    """What one of a tool's files holds."""

    shown: str  # the file as messages name it
    data: JsonObject  # empty where it cannot be read
    beside: "Callable[[str], Contents] | None" = None  # reads a TOML file of the same folder
    path: str = ""
    scope: str = ""  # as ``Place`` has it


class Here(NamedTuple):
    """A project, and who works in it."""

    project: str  # its real path; empty for none
    main: str  # that of the main checkout, where the project is a linked work tree; else empty
    home: str
    environ: Mapping[str, str]
    read: Callable[[str], JsonObject]  # reads a file of JSON or TOML; empty where that fails

    def trusts(self, folders: Iterable[str]) -> bool:
        """Whether ``folders`` hold the project or one above it."""
        inside = os.path.join(self.project, "")
        return any(inside.startswith(os.path.join(folder, "")) for folder in folders if folder)
