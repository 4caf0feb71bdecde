"""Find the context directory, and name its files as they can be typed from where somebody is."""

from __future__ import annotations

import os

from ctx.app.options import PacketOptions
from ctx.errors import NoDirectoryError
from ctx.repository import User, git_dir, top_of

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx.world import World

NAME = ".context"
_FILES = frozenset({"constitution", "tasks", "conventions", "decisions", "learnings"})
"""What a directory holds, as files or folders, that serves as one under another name."""


def find(named: str, world: World, focus: Sequence[str] = (), *, quick: bool = False) -> str:
    """Return the absolute path of the context directory.

    ``named`` (``--dir``) or ``CTX_DIR`` name it, or its project; else it is ``.context`` here or
    above, up to the repository's root or the home directory. Without one it is where one would be:
    in a repository or working directory with any ``signs``, also above a file in ``focus``, or,
    unless ``quick``, with documents in folders, by git. Raises NoDirectoryError.
    """
    origin = "--dir" if named else "CTX_DIR"
    named = named or world.environ.get("CTX_DIR", "")
    if named:
        path = os.path.join(world.cwd, os.path.expanduser(named))
        if not os.path.isabs(path):
            raise NoDirectoryError(f"{origin}: {named}: the working directory is gone")
        return _named(path, origin, world)
    for folder in upwards(world.cwd, world.home):
        place = os.path.join(folder, NAME)
        if os.path.isdir(place):
            return _checked(place, folder, world)
    for folder in (world.cwd, *(os.path.dirname(os.path.join(world.cwd, path)) for path in focus)):
        if root := _without(folder, world):
            return root
    if not quick and (root := _nested(world)):
        return root
    cwd = world.cwd or "the working directory"
    pages = [page for page in ("README.md", "docs") if os.path.exists(os.path.join(cwd, page))]
    wanted = f"after `ctx init`, searches read {' and '.join(pages)} with CTX_SOURCES=+docs"
    raise NoDirectoryError(
        f"no {NAME}/ in {cwd} or above it, nor files of other tools",
        "`ctx init` makes one, --dir names one",
        (f"looked for {', '.join(signs())}", *([wanted] if pages else [])),
    )


def signs() -> tuple[str, ...]:
    """Return what makes a folder a project without a context directory."""
    from ctx.hosts.signs import SIGNS  # only where there is none

    return SIGNS


def find_any(world: World) -> str:
    """Return the context directory of the working directory as ``find``; empty for none."""
    try:
        return find("", world)
    except NoDirectoryError:
        return ""


def _without(folder: str, world: World) -> str:
    """Return where the context directory of a project without one would be; empty for none."""
    folders = list(upwards(folder, world.home))
    if not folders or not git_dir(folders[-1]):
        folders = folders[:1]
    if any(os.path.exists(os.path.join(each, sign)) for each in folders for sign in signs()):
        return obeyed(os.path.join(folders[-1], NAME), world) if folders[-1] != world.home else ""
    return ""


def _nested(world: World) -> str:
    """Return where the directory of a repository with documents in folders would be, else none."""
    from ctx.app.focus import listed  # asks git: only where there is nothing else

    top = [*upwards(world.cwd, world.home)][-1:]
    documents = [sign for sign in signs() if sign.endswith(".md") and "/" not in sign]
    is_one = top and top[0] != world.home and listed(top[0], documents, world)
    return os.path.join(top[0], NAME) if is_one else ""


def obeyed(root: str, world: World) -> str:
    """Return ``root``, there or still to be made; NoDirectoryError where it is another user's."""
    folder = os.path.dirname(root)
    user = User(world.environ, world.home)
    what, remedy = user.refuses(root if os.path.isdir(root) else folder, folder)
    if what:
        raise NoDirectoryError(what, remedy)
    return root


def _checked(place: str, folder: str, world: World) -> str:
    """Return ``place`` in ``folder``; NoDirectoryError for a link out that nobody has named."""
    if os.path.islink(place):
        from ctx.app.settings import load  # only for a directory that is a link

        *_, top = upwards(folder, world.home)
        is_in = within(real := os.path.realpath(place), os.path.realpath(top))
        if not is_in and not load("", world, PacketOptions()).settings.allow_links:
            raise NoDirectoryError(
                f"{place}: is a link out of its project; not followed",
                f"--dir {real} names it; allow_links = true in ~/.config/ctx/config.toml "
                "follows it",
            )
    return obeyed(place, world)


def _named(path: str, origin: str, world: World) -> str:
    path = os.path.abspath(path)
    inside = os.path.join(path, NAME)
    if os.path.basename(path) != NAME and os.path.isdir(inside):
        return _checked(inside, path, world)
    if os.path.isdir(path):
        is_users = path == everywhere(os.sep, world)[0]  # which may be empty still
        if os.path.basename(path) == NAME or is_users or _holds_context(path):
            return obeyed(path, world)
        if root := _without(path, world):
            return root
        what = f"has no {NAME}/ and none of its files"
    else:
        is_next = os.path.basename(path) == NAME and not os.path.lexists(path)
        if is_next and _without(os.path.dirname(path), world) == path:
            return path
        what = "is a file" if os.path.exists(path) else "is not there"
    raise NoDirectoryError(f"{origin}: {path} {what}", "name a directory, or make one: `ctx init`")


def writable(root: str) -> str:
    """Return ``root``; NoDirectoryError where the context directory is still to be made."""
    if not os.path.isdir(root):
        raise NoDirectoryError(f"no {NAME}/ to write into: {root}", "`ctx init` makes one")
    return root


def _holds_context(path: str) -> bool:
    try:
        return any(name.lower().removesuffix(".md") in _FILES for name in os.listdir(path))
    except OSError:
        return True  # it is there, and who reads it will say what is wrong


def upwards(folder: str, home: str) -> Iterator[str]:
    """Yield ``folder`` and those above it, up to the repository's root or the home directory."""
    while folder:
        yield folder
        parent = os.path.dirname(folder)
        if folder in (home, parent) or git_dir(folder) is not None:
            return
        folder = parent


def repository(root: str) -> str:
    """Return the nearest folder at or above ``root`` that git calls one, else ``root``."""
    top, git = top_of(root)
    return root if git is None else top


def everywhere(root: str, world: World) -> tuple[str, str]:
    """Return the user's directory of what holds in every project, and how it is shown.

    ``CTX_GLOBAL_DIR`` names it, or ``none``; else it is ``~/.config/ctx/context``. It need not
    exist. Empty for none, and where it is the context directory ``root`` itself.
    """
    named = world.environ.get("CTX_GLOBAL_DIR", "")
    usual = os.path.join(world.home, ".config", "ctx", "context")
    path = os.path.normpath(os.path.expanduser(named) if named else usual)
    if (
        named == "none"
        or not os.path.isabs(path)
        or os.path.realpath(path) == os.path.realpath(root)
    ):
        return "", ""
    inside = path.startswith(os.path.join(world.home, "")) and world.home != os.sep
    shown = f"~{path[len(world.home) :]}" if inside else path
    return path, shown.replace(os.sep, "/")


def here(root: str, file: str, cwd: str) -> str:
    """Return how ``file`` of the directory ``root`` is shown: as it opens from ``cwd``."""
    if file[:2] == "~/":
        return file  # of the user's directory for all projects
    from ctx.text.names import shown  # not for an event about which there is nothing to print

    path = os.path.normpath(os.path.join(root, file))
    is_near = within(path, cwd) or within(cwd, os.path.dirname(root))
    return shown(os.path.relpath(path, cwd) if cwd and is_near else path)


def located(line: str, root: str, cwd: str) -> str:
    """Return a warning that begins with a file of ``root``, with its path as by ``here``."""
    file = line.partition(": ")[0]
    path, _, number = file.rpartition(":")
    path = (path if number.isdigit() else file).rstrip("/")
    is_below = os.path.lexists(os.path.normpath(os.path.join(root, path)))
    if not is_below or path.partition("/")[0] == "sessions":
        return line
    return f"{here(root, path, cwd)}{line[len(path) :]}"


def within(path: str, folder: str) -> bool:
    """Return whether ``path`` is ``folder`` or below it, as both are written."""
    return path == folder or path.startswith(os.path.join(folder, ""))
