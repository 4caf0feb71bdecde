"""Files in focus: those that were named, and those changed in the git work tree."""

from __future__ import annotations

import os
import time

from ctx.repository import git_dir

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ctx.world import World

GIT = "git"  # names what is changed; a file of that name is ``./git``
SECONDS = 2.0  # how long git may take: a hook must not wait for a huge work tree
MOST = 100  # changed files that are looked at: of a mass rename the names say little
_ELSEWHERE = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR"})
"""Variables that point git to another repository: whoever calls from a git hook has them set."""


def paths(given: Sequence[str], root: str, world: World, warn: Callable[[str], None]) -> list[str]:
    """Return the files in focus as absolute paths, each once, in order.

    ``given`` are paths, relative to the working directory, or ``git`` for the files that are
    changed or new in the work tree around the context directory ``root``; what belongs to that
    directory itself is none. Where git does not answer, ``warn`` gets a line that says so.
    """
    paths: dict[str, None] = {}
    for name in given:
        if name == GIT:
            paths.update(dict.fromkeys(_changed(root, world, warn)))
        elif name.strip():
            path = os.path.join(world.cwd, os.path.expanduser(name))
            paths[os.path.normpath(path)] = None
    return list(paths)


def relative_to(project: str, focus: Iterable[str]) -> tuple[str, ...]:
    """Return paths relative to ``project``, folders with a slash; ``../NAME`` of one outside."""
    return tuple(dict.fromkeys(filter(None, (_relative(project, path) for path in focus))))


def _relative(project: str, path: str) -> str:
    below = _below(project, path)
    if below.split("/", 1)[0] == "..":
        # One of the two may have been reached through a link.
        folder, name = os.path.split(path)
        below = _below(os.path.realpath(project), os.path.join(os.path.realpath(folder), name))
    if not below.replace("/", "").strip("."):
        return ""
    if below.split("/", 1)[0] == "..":
        return f"../{os.path.basename(path)}"
    return f"{below}/" if os.path.isdir(path) else below


def _below(project: str, path: str) -> str:
    try:
        return os.path.relpath(path, project).replace(os.sep, "/")
    except ValueError:  # another drive
        return f"../{os.path.basename(path)}"


def _changed(root: str, world: World, warn: Callable[[str], None]) -> list[str]:
    """Return the absolute paths of what git calls changed, and is there or was."""
    question = ("status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=dirty")
    found = asked(os.path.dirname(root), world, ("rev-parse", "--show-toplevel"), question)
    if isinstance(found, str):
        warn(f"--focus git: {found}; nothing is in focus")
        return []
    top, status = found
    repository = os.path.realpath(os.fsdecode(top.rstrip(b"\r\n")))
    changed = (os.path.normpath(os.path.join(repository, name)) for name in _names(status))
    own = os.path.realpath(root) + os.sep
    return [path for path in changed if not path.startswith(own)][:MOST]


def listed(project: str, names: Iterable[str], world: World) -> list[str]:
    """Return the files of these ``names`` that git tracks in folders of ``project``, sorted."""
    if not git_dir(project):
        return []
    wanted = (f":(glob)*/**/{name}" for name in names)
    found = asked(project, world, ("ls-files", "--cached", "-z", "--", *wanted))
    return [] if isinstance(found, str) else sorted(map(os.fsdecode, found[0].split(b"\0")[:-1]))


def asked(
    folder: str,
    world: World,
    *questions: Sequence[str],
    seconds: float = 0,
    environ: Mapping[str, str] | None = None,
) -> list[bytes] | str:
    """Return what git answers to ``questions`` in ``folder``, or what failed, in one line.

    ``environ`` is its environment; without one it is the world's, which sends git nowhere else.
    """
    import subprocess

    # A work tree from elsewhere must not have its monitor run, and a hook writes no index. What
    # its own settings filter files by is run, as in any `git status` there.
    command = ["git", "-c", "core.fsmonitor=false", "--no-optional-locks", "-C", folder]
    own = {name: value for name, value in world.environ.items() if name not in _ELSEWHERE}
    seconds = seconds or SECONDS
    end = time.monotonic() + seconds

    def run(*arguments: str) -> bytes:
        done = subprocess.run(  # noqa: S603 - as above
            [*command, *arguments],
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=max(0.0, end - time.monotonic()),
            env=own if environ is None else environ,
        )
        return done.stdout

    try:
        return [run(*question) for question in questions]
    except FileNotFoundError:
        return "git is not installed"
    except OSError as error:
        return f"git cannot be run: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"git took more than {seconds:.0f} s"
    except subprocess.CalledProcessError as error:
        lines = os.fsdecode(error.stderr).strip().splitlines()
        return lines[0] if lines else "git failed"


def _names(status: bytes) -> Iterator[str]:
    fields = iter(status.split(b"\0"))
    for field in filter(None, fields):
        state, name = field[:2], field[3:]
        if b"R" in state or b"C" in state:
            next(fields, None)  # where it was
        yield os.fsdecode(name)
