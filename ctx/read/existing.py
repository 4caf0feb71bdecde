"""Whether there is something at the paths that entries name."""

from __future__ import annotations

import os

from ctx.read.files import look


class Existing:
    """Looks paths up in a project, each once, and remembers what it saw."""

    def __init__(self, root: str, project: str) -> None:
        """Look below ``project`` and below the context directory ``root``, nowhere else."""
        self._folders = tuple(dict.fromkeys(filter(None, (project, root))))
        self._known: dict[str, bool] = {}
        self.seen: dict[str, tuple[int, ...]] = {}
        """The stat signature of every path looked at; empty for what is not there."""

    def __call__(self, path: str) -> bool:
        """Return whether there is something at ``path``, told from the project or ``root``.

        False for a path that leads out of both, by its words or by a link, and for one that no
        file can have.
        """
        known = self._known.get(path)
        if known is None:
            told = _can_be_told(path)
            known = told and any(self._look(folder, path) for folder in self._folders)
            self._known[path] = known
        return known

    def _look(self, folder: str, path: str) -> bool:
        place = os.path.normpath(os.path.join(folder, path))
        if place not in self.seen:
            self.seen[place] = look("", place)
        return bool(self.seen[place]) and _is_below(folder, place)


def _can_be_told(path: str) -> bool:
    if "\0" in path or os.path.isabs(path) or ".." in path.split("/"):
        return False
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False  # half of a character, as transcripts may hold it
    return True


def _is_below(folder: str, place: str) -> bool:
    """Whether no link on the way to ``place`` leads out of ``folder``; what it is may be one."""
    if place == os.path.normpath(folder):
        return True
    real = os.path.join(os.path.realpath(folder), "")
    return os.path.join(os.path.realpath(os.path.dirname(place)), "").startswith(real)
