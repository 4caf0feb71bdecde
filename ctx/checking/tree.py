"""The work tree around a context directory: what its files and folders are called."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pathspec import GitIgnoreSpec

MOST = 200_000
"""Files and folders of a tree; of a larger one nobody waits for an answer."""
MOST_BYTES = 1024 * 1024
"""Of a file that says what commands there are."""
_UNSEEN = frozenset(
    {
        ".git",
        ".ctx",
        ".hg",
        ".mypy_cache",
        ".next",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        "__pycache__",
        "build",
        "coverage",
        "dist",
        "node_modules",
        "out",
        "target",
        "vendor",
        "venv",
    }
)
"""Folders of what was made or fetched: they are not looked into, and may be missing."""
_MANIFESTS = frozenset(
    {
        "build.gradle",
        "cargo.toml",
        "cmakelists.txt",
        "composer.json",
        "deno.json",
        "gemfile",
        "go.mod",
        "justfile",
        "makefile",
        "mix.exs",
        "package.json",
        "package.swift",
        "pom.xml",
        "pyproject.toml",
        "setup.py",
    }
)
_IGNORE = ".gitignore"


class WorkTree:
    """All names in a tree, read once. Compared without regard to case, as many systems do."""

    def __init__(self, project: str, beside: str) -> None:
        """Read the names below ``project``, in which the folder ``beside`` lies."""
        self._project = project
        self._paths: dict[str, list[str]] = {}
        """By the last name, and that without its endings."""
        self._places: dict[str, list[str]] = {}
        """As they are on disk, by the last name."""
        self._roots: set[str] = set()
        self._specs = [_spec(folder) for folder in dict.fromkeys((project, beside))]
        self.complete = self._read(os.path.relpath(beside, project).replace(os.sep, "/"))

    @classmethod
    def around(cls, root: str, project: str) -> WorkTree | None:
        """Return the tree around the context directory ``root`` of ``project``.

        None where there is nothing beside the directory but documents, or too much.
        """
        if not is_worked_on(root):
            return None
        beside = os.path.dirname(root)
        tree = cls(project or beside, beside)
        return tree if tree.complete else None

    def _read(self, beside: str) -> bool:
        count = 0
        for folder, folders, names in os.walk(self._project):
            base = os.path.relpath(folder, self._project).replace(os.sep, "/")
            if base in (".", beside):
                self._roots.update(map(str.casefold, folders))
            for name in (*folders, *names):
                self._take(name if base == "." else f"{base}/{name}")
            folders[:] = [name for name in folders if name not in _UNSEEN]
            count += len(folders) + len(names)
            if count > MOST:
                return False
        return True

    def _take(self, place: str) -> None:
        path = place.casefold()
        name = path.rpartition("/")[2]
        self._places.setdefault(name, []).append(place)
        while name:
            self._paths.setdefault(name, []).append(path)
            name = name.rpartition(".")[0]

    def holds(self, path: str) -> bool:
        """Return whether a file or folder is called ``path``, or ends with it, a name whole."""
        folded = path.casefold().removeprefix("./").strip("/")
        name = folded.rpartition("/")[2]
        tail = f"/{folded}"
        return any(
            f"/{one}".endswith(tail) or f"/{_cut(one, name)}".endswith(tail)
            for one in self._paths.get(name, ())
        )

    def elsewhere(self, path: str) -> str:
        """Return the one place that has the last name of ``path``; empty where none or several."""
        named = self._places.get(path.casefold().rstrip("/").rpartition("/")[2], [])
        return named[0] if len(named) == 1 else ""

    def has_root(self, path: str) -> bool:
        """Return whether the first folder of ``path`` is there."""
        first, slash, _ = path.casefold().removeprefix("./").partition("/")
        return bool(slash) and first in self._roots

    def ignores(self, path: str) -> bool:
        """Return whether git would ignore ``path``, or what is below it is made or fetched."""
        if not _UNSEEN.isdisjoint(path.split("/")):
            return True
        bare = path.removeprefix("./").rstrip("/")
        specs = [spec for spec in self._specs if spec is not None]
        return any(spec.match_file(bare) or spec.match_file(f"{bare}/") for spec in specs)

    def files(self, *names: str) -> Iterator[str]:
        """Yield the text of each file of one of ``names``, wherever it lies."""
        for name in names:
            for place in self._places.get(name.casefold(), ()):
                path = os.path.join(self._project, place)
                if place.rpartition("/")[2] == name and os.path.isfile(path):
                    text = _text(path)
                    if text is not None:
                        yield text


def _cut(path: str, name: str) -> str:
    """Return ``path`` without the endings that ``name`` leaves out."""
    folder, slash, _ = path.rpartition("/")
    return f"{folder}{slash}{name}"


def is_worked_on(root: str) -> bool:
    """Return whether something is made around the context directory ``root``.

    There is a folder beside it, or a manifest.
    """
    try:
        with os.scandir(os.path.dirname(root)) as found:
            return any(
                entry.name.casefold() in _MANIFESTS
                or (entry.name[0] != "." and entry.path != root and entry.is_dir())
                for entry in found
            )
    except OSError:
        return False


def _text(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError:
        return None
    return None if len(data) > MOST_BYTES else data.decode("utf-8", "replace")


def _spec(folder: str) -> GitIgnoreSpec | None:
    text = _text(os.path.join(folder, _IGNORE))
    if text is None:
        return None
    from pathspec import GitIgnoreSpec  # only where there is something to match

    try:
        return GitIgnoreSpec.from_lines(text.splitlines())
    except ValueError:
        return None  # a line that is no pattern: nothing is known to be ignored
