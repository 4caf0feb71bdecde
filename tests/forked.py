"""``ctx`` in a fork: a process of its own, without a start of Python to wait for."""

import os
import shutil
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from ctx.app import packet  # noqa: F401 - all that many runs import: forks start from here
from ctx.cli import app  # noqa: F401 - likewise
from ctx.cli.main import main


class Ran(NamedTuple):
    """What a call printed, and how it ended."""

    out: bytes
    err: str
    code: int


def until(arm: Callable[[], object], *arguments: str) -> tuple[int, bytes]:
    """Run ``ctx`` after ``arm``, which may have it die; return its status and errors.

    Through a pipe: limits on files must not cut what it says.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(writing, 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        arm()
        os._exit(main(list(arguments)))
    os.close(writing)
    with open(reading, "rb") as file:
        said = file.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


def forked(
    arguments: Sequence[str],
    cwd: Path | str,
    environ: Mapping[str, str],
    *,
    stdin: bytes = b"",
    first: Callable[[], object] = tuple,
) -> Ran:
    """Run ``ctx`` with ``arguments``, after ``first`` in its process."""
    environ = dict(environ)
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads, from Python 3.12 on
            child = os.fork()
        if child == 0:
            code = 99
            try:
                for descriptor, file in enumerate((given, out, err)):
                    os.dup2(file.fileno(), descriptor)
                os.chdir(cwd)
                os.environ.clear()
                os.environ.update(environ)
                sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
                sys.argv = [shutil.which("ctx", path=environ.get("PATH")) or "ctx", *arguments]
                first()
                code = main(list(arguments))
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else 1
            except BaseException:  # noqa: BLE001 - whatever it is, shown
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        return Ran(out.read(), err.read().decode("utf-8", "backslashreplace"), code)
