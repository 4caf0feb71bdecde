"""Read the sources of the registry, beside the context directory: nothing walks the project."""

import os
import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import groupby

from ctx.model import Document, Origin, Scope, Source
from ctx.read import files
from ctx.read.columns import Columns, parts_of
from ctx.read.loaded import NO_SCOPE, Reached
from ctx.text.names import on_one_line, shown
from ctx.text.scopes import applies

MOST_FILES = 500  # files of one place that are read; of more a warning gives the number
_MOST_FOLDERS = 200
_FEWER = " (move those elsewhere that are needed no more)"
MOST_IMPORTS = 100  # imports of one file that are followed; of all files together ``MOST_FILES``
_DEEPEST = 5  # how many imports may follow each other
_LONGEST_NAME = 120  # characters of an imported path that a warning shows
_TEXTS = ("", ".md", ".mdc", ".txt", ".markdown")  # endings of imports that are read

_UNSURE = Origin("", (), "")  # of no host

Opened = Callable[[str, str], tuple[int, Columns] | None]  # size and entries of a path by a parser


class Beside:
    """Reads sources one after the other; a file that was read before is not read again."""

    def __init__(
        self,
        root: str,
        limits: files.Limits,
        opened: Opened,
        seen: dict[str, tuple[int, ...]],
        warnings: list[str],
    ) -> None:
        """Read below the project of ``limits``; ``seen`` gets signatures of what is looked at."""
        self._root = root
        self._limits = limits
        self._open = opened
        self._seen = seen
        self._warnings = warnings
        self._top = ""  # the project's root, relative to the context directory
        self._own: set[str] = set()  # documents that are read by themselves, and not as imports
        self._followed = 0  # imports that were looked at
        self._known = {found for found in seen.values() if found}  # signatures of what was read
        self._origins: dict[tuple[int, ...], tuple[list[str], list[str]]] = {}  # by signature
        self.reached: dict[str, Reached] = {}  # how each source's file is reached, by its path
        self.documents: list[Document] = []  # files that no packet includes, to be asked for

    def read(
        self,
        origins: Iterable[Origin],
        levels: Sequence[str],
        focus: Collection[str],
        *,
        whole: bool,
    ) -> Iterator[Source]:
        """Yield the files of sources: in their order, of those that have levels nearest first.

        ``levels`` are the folders in which documents are looked for, the project's own last. Of
        rules for certain files those that are for a file in ``focus``, unless all are wanted.
        """
        self._top = levels[-1]
        for leveled, group in groupby(origins, key=lambda origin: origin.leveled):
            some, folders = list(group), levels if leveled else levels[-1:]
            self._own = {
                f"{level}/{place}"
                for level in folders
                for origin in some
                if leveled and not origin.alternatives
                for place in origin.places
            }
            for level in folders:
                for origin in some:
                    yield from self._origin(origin, level, focus, whole=whole)

    def _origin(
        self, origin: Origin, level: str, focus: Collection[str], *, whole: bool
    ) -> Iterator[Source]:
        inside = self._inside(level)
        base = "" if inside == "." else inside
        for path in self._paths(origin, level):
            read = list(self._file(origin, path, base, ()))
            for source in read:
                if whole or _is_of_folder(source.scope) or applies(source.scope, focus):
                    yield source
                    continue
                self._warnings += (line for line in source.warnings if NO_SCOPE in line)
                if source.scope and source.scope.mode in ("described", "manual"):
                    tokens = sum(size for part in source.parts for size in part.sizes)
                    self._look_up(source.path, tokens, source.scope.description)
            if read and origin.alternatives:
                break

    def _paths(self, origin: Origin, level: str) -> Iterator[str]:
        for place in origin.places:
            folder, deep, ending = _parsed(place)
            path = f"{level}/{folder or place}"
            self._seen[path] = files.look(self._root, path)
            if not self._seen[path]:
                continue
            if not folder:
                if not any(other.startswith(f"{place}/") for other in origin.places) or (
                    not os.path.isdir(files.place(self._root, path))
                ):
                    yield path
                continue
            found = self._below(path, ending, origin, deep=deep)
            yield from found[:MOST_FILES]
            if len(found) > MOST_FILES:
                self._warnings.append(
                    f"{path}/: {len(found):,} files; only the first {MOST_FILES:,} by name are read"
                    f"{_FEWER}"
                )

    def _below(self, folder: str, ending: str, origin: Origin, *, deep: bool) -> list[str]:
        def is_read(path: str) -> bool:
            return not (origin.skips and origin.skips(path[len(folder) + 1 :].lower()))

        found: list[str] = []
        folders, left = [folder], list[str]()
        for each in folders:  # which grows
            try:
                files.check_folder(self._root, each, self._limits)
                full = files.place(self._root, each)
                paths = (f"{each}/{name}" for name in files.names(full, ending))
                found += filter(is_read, paths)
            except files.RefusedError as refused:
                self._warnings.append(str(refused))
                continue
            except OSError as error:
                self._warnings.append(f"{each}/: cannot be read: {error.strerror}")
                continue
            if deep:
                names = files.folders(full)[0]
                inner = [f"{each}/{name}" for name in names if is_read(f"{each}/{name}/")]
                if inner and len(folders) >= _MOST_FOLDERS:
                    left.append(each)
                    continue
                self._seen.update((path, files.look(self._root, path)) for path in inner)
                folders += inner
        if left:
            self._warnings.append(
                f"{folder}/: over {_MOST_FOLDERS:,} folders; what is deeper than "
                f"{shown(left[0])}/ is not read, nor in {len(left) - 1:,} more{_FEWER}"
            )
        return found

    def _file(
        self,
        origin: Origin,
        path: str,
        base: str,
        above: tuple[str, ...],
        how: Origin | None = None,
    ) -> Iterator[Source]:
        """Yield a file and those that it imports; ``above`` are those by which it is imported.

        ``how`` is ``_UNSURE`` where the host may take none of them as an import.
        """
        signature = self._seen[path] = files.look(self._root, path)
        self._reach(path, how or origin, base)
        if signature in self._known:
            return
        if not os.path.exists(files.place(self._root, path)):
            self._warnings.append(f"{shown(path)}: is a link that leads nowhere; left out")
            return
        opened = self._open(path, "authored" if above else origin.parser)
        if opened is None:
            return
        self._known.add(signature)
        size, file = opened
        scope = None
        if origin.scope and not above:
            scope = self._usable(origin.scope(file.front, self._inside(path)), file.source)
        if base:
            every = Scope("folder", "match", ("**",))
            scope = (scope if scope and scope.mode == "match" else every)._replace(base=base)
        file.front = file.front._replace(applies=scope)
        self.reached[file.source] = Reached(self._inside(path), *self._origins[signature])
        yield Source(file.source, size, parts_of(file), file.warnings, origin.name, scope)
        for number, (line, name, is_sure) in enumerate(file.imports if origin.imports else ()):
            if number == MOST_IMPORTS or self._followed == MOST_FILES:
                self._warnings.append(f"{file.source}:{line}: too many imports; the rest left out")
                break
            self._followed += 1
            short = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
            target = self._imported(f"{file.source}:{line}: @{short}", name, (*above, path))
            loads = is_sure and how is not _UNSURE and len(above) < _DEEPEST - 1
            via = origin if loads else _UNSURE
            if target in self._own:
                self._reach(target, via, base)
            elif target:
                yield from self._file(origin, target, base, (*above, path), via)

    def _usable(self, scope: Scope | None, source: str) -> Scope | None:
        """Return a scope without the patterns that cannot be used; a warning for each."""
        if scope is None or not scope.patterns:
            return scope
        from ctx.text.globs import usable  # patterns that few projects need

        patterns, why = usable(scope.patterns)
        self._warnings += (f"{source}:1: {line}" for line in why)
        return scope._replace(patterns=patterns)

    def _imported(self, where: str, name: str, above: tuple[str, ...]) -> str:
        """Return the path of an imported file that is to be read, else nothing and a warning."""
        path = above[-1]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        if why := self._refused(name, target, above):
            self._warnings.append(f"{where}: {why}; left out")
            return ""
        if not target.startswith("../") or not self._looked_at(target):
            return ""  # of the context directory
        full = files.place(self._root, target)
        if not os.path.isfile(full):
            return ""
        if posixpath.splitext(target)[1].lower() in _TEXTS:
            return target
        from ctx.read.documents import BYTES_A_TOKEN  # as in ``_look_up``

        tokens = os.stat(full).st_size / BYTES_A_TOKEN
        self._look_up(shown(target), tokens, f"imported by {shown(path)}")
        return ""

    def _reach(self, path: str, origin: Origin, base: str) -> None:
        names, bases = self._origins.setdefault(files.look(self._root, path), ([], []))
        names.append(origin.name)
        bases.append(base)

    def _refused(self, name: str, target: str, above: tuple[str, ...]) -> str:
        """Return why an import cannot be followed; empty where it can, or is meant as a name."""
        from ctx.read.authored.imports import is_path  # patterns that few projects need

        if name.startswith("~"):
            return "leads into a home directory"
        if posixpath.isabs(name) or self._inside(target).startswith(".."):
            return "leads out of the project"
        if target in above:
            return "leads in a circle"
        if len(above) > _DEEPEST:
            return f"is more than {_DEEPEST} imports deep"
        return "is not there" if is_path(name) and not self._looked_at(target) else ""

    def _inside(self, path: str) -> str:
        """Return ``path`` relative to the project's root."""
        inside = os.path.relpath(*(files.place(self._root, each) for each in (path, self._top)))
        return inside.replace(os.sep, "/")

    def _looked_at(self, path: str) -> bool:
        try:
            self._seen[path] = files.look(self._root, path)
        except ValueError:
            return False  # no path holds a NUL
        return bool(self._seen[path])

    def _look_up(self, path: str, tokens: float, about: str) -> None:
        from ctx.read.documents import in_hundreds  # patterns that only packets need

        self.documents.append(Document(path, on_one_line(about), in_hundreds(tokens)))


def _is_of_folder(scope: Scope | None) -> bool:
    return scope is not None and scope.dialect == "folder"


def _parsed(place: str) -> tuple[str, bool, str]:
    """Return folder, whether its folders count, and ending of a place; no folder for one file."""
    folder, star, ending = place.partition("*")
    if not star:
        return "", False, ""
    deep = ending.startswith("*/")
    return folder.rstrip("/"), deep, ending.removeprefix("*/").removeprefix("*").lower()
