"""What the commands of ``ctx session`` share."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ctx.app.find import find
from ctx.app.options import PacketOptions
from ctx.app.sessions import foreign, state_of
from ctx.errors import OK, FileError
from ctx.read.files import RefusedError
from ctx.read.sessions import FOLDER
from ctx.streams import complain
from ctx.text.names import shown
from ctx.world import World


def locate(options: PacketOptions) -> tuple[World, str, str]:
    """Return the world, the context directory, and the folder that its sessions lie below."""
    world = World()
    root = find(options.dir or "", world)
    return world, root, state_of(root, world)


@contextmanager
def readable(state: str, file: str = "") -> Iterator[None]:
    """Raise FileError where the sessions in ``state``, or one ``file`` of them, cannot be read."""
    try:
        yield
    except RefusedError as error:
        raise FileError(str(error)) from error
    except BrokenPipeError:
        raise
    except OSError as error:
        place = f"{FOLDER}/{shown(file)}" if file else f"{state}/{FOLDER}"
        raise FileError(f"{place}: cannot be read: {error.strerror}") from error


def each(names: Sequence[str], do: Callable[[str], None]) -> int:
    """Call ``do`` with each session; name those that fail; return the exit code."""
    code = OK
    for name in names:
        try:
            with readable("", name):
                do(name)
        except FileError as error:
            complain(str(error))
            code = FileError.exit_code
    return code


def complain_of_none(root: str) -> None:
    """Complain that no session is stored, and of what lies in the repository instead."""
    complain("no sessions are stored here (`ctx session import FILE` stores one)")
    if line := foreign(root):
        complain(line)
