"""The work tree around a context directory: what its files and folders are called."""

import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from typing import Self

from ctx.model import Scope
from ctx.read.files import below, opened
from ctx.text.english import words_of
from ctx.text.ignored import Rules
from ctx.text.scopes import matched

MOST = 200_000  # files and folders of a tree; of a larger one nobody waits for an answer
MOST_BYTES = 1024 * 1024  # of a file that says what commands there are
MOST_TOGETHER = 16 * MOST_BYTES  # of all such files
SECONDS = 5.0  # in which the names of a tree are read, and again its files; nobody waits longer
_UNSEEN = words_of("made folders")
"""Folders of what was made or fetched: they are not looked into, and may be missing."""
_MANIFESTS = words_of("manifests")
_IGNORE = ".gitignore"
_SPECIAL = re.compile(r"[\[\]{}\\?]|[^\x00-\x7f]")  # what may end a path in other letters
_STEP = 100  # paths after which the clock is read


class WorkTree:
    """All names in a tree, read once. Compared without regard to case, as many systems do."""

    def __init__(
        self, project: str, beside: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._project = project
        self._clock = clock
        self._bytes = MOST_TOGETHER
        self._end = 0.0
        self.left: dict[str, str] = {}  # why files that were asked for were not read, by their path
        self._paths: dict[str, list[str]] = {}  # by the last name, and that without its endings
        self._places: dict[str, list[str]] = {}  # as they are on disk, by the last name
        self._files: list[str] = []
        self._roots: set[str] = set()
        self._specs = [self._spec(folder) for folder in dict.fromkeys((project, beside))]
        self.why = self._read(os.path.relpath(beside, project).replace(os.sep, "/"))
        """Why its names are not all here; empty where they are."""
        self._end = 0.0

    @classmethod
    def around(cls, root: str, project: str) -> Self:
        """Return the tree around the context directory ``root`` of ``project``."""
        beside = os.path.dirname(root)
        return cls(project or beside, beside)

    def _read(self, beside: str) -> str:
        for count, (path, is_folder) in enumerate(below(self._project, _UNSEEN), 1):
            if count > MOST:
                return f"too many files around it, over {MOST:,}"
            if self._is_late():
                return f"the names of the files around it were not read in {SECONDS:g} s"
            if is_folder and path.rpartition("/")[0] in ("", beside):
                self._roots.add(path.rpartition("/")[2].casefold())
            self._take(path)
            if not is_folder:
                self._files.append(path)
        return ""

    def _is_late(self) -> bool:
        now = self._clock()
        self._end = self._end or now + SECONDS
        return now > self._end

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
        for known in self._paths.get(name, ()):
            folder, slash, _ = known.rpartition("/")
            # The known path, or that without the endings that the name leaves out.
            if f"/{known}".endswith(tail) or f"/{folder}{slash}{name}".endswith(tail):
                return True
        return False

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
        return any(spec.ignores(bare) for spec in specs)

    def meets(self, *scopes: Scope) -> bool:
        """Return whether a file is in all ``scopes``; true where that takes too long to know."""
        end = ""
        if len(scopes[0].patterns) == 1 and not _SPECIAL.search(scopes[0].patterns[0]):
            end = scopes[0].patterns[0].rpartition("*")[2].rpartition("/")[2]
        for number, path in enumerate(path for path in self._files if path.endswith(end)):
            if (not number % _STEP and self._is_late()) or all(
                matched(scope, path) for scope in scopes
            ):
                return True
        return False

    def named(self, *names: str) -> Iterator[str]:
        """Yield the path of each file or folder of one of ``names``, wherever it lies."""
        for place in (path for name in names for path in self._places.get(name.casefold(), ())):
            if place.rpartition("/")[2] in names:
                yield place

    def files(self, *names: str) -> Iterator[str | None]:
        """Yield the text of each file of one of ``names``; None where ``left`` names it."""
        for place in self.named(*names):
            text = self._text(place)
            if text is not None or place in self.left:
                yield text

    def _text(self, place: str) -> str | None:
        path = os.path.join(self._project, place)
        try:
            status = os.stat(path)
            if stat.S_ISDIR(status.st_mode):
                return None
            self._bytes -= status.st_size
            if why := self._unfit(status):
                self.left[place] = why
                return None
            with opened(path) as file:
                return file.read(MOST_BYTES).decode("utf-8", "replace").replace("\r\n", "\n")
        except OSError as error:
            self.left[place] = f"cannot be read: {error.strerror}"
            return None

    def _unfit(self, status: os.stat_result) -> str:
        if not stat.S_ISREG(status.st_mode):
            return "is not a regular file"
        if status.st_size > MOST_BYTES:
            return f"{status.st_size:,} bytes are over the limit of {MOST_BYTES:,}"
        if self._bytes < 0:
            return f"files of its kind are over {MOST_TOGETHER:,} bytes together"
        return f"files of its kind were not read in {SECONDS:g} s" if self._is_late() else ""

    def _spec(self, folder: str) -> Rules | None:
        path = os.path.join(folder, _IGNORE)
        place = os.path.relpath(path, self._project).replace(os.sep, "/")
        text = self._text(place) if os.path.lexists(path) else None
        if text is None:
            return None
        rules = Rules(text.encode())
        if rules.left:
            self.left[place] = f"{rules.left:,} of its patterns are too many, too long or broken"
        return rules


def is_worked_on(root: str) -> bool:
    """Return whether a folder or a manifest is beside the context directory ``root``."""
    try:
        with os.scandir(os.path.dirname(root)) as entries:
            return any(
                entry.name.casefold() in _MANIFESTS
                or (entry.name[0] != "." and entry.path != root and entry.is_dir())
                for entry in entries
            )
    except OSError:
        return False
