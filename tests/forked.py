"""``ctx`` in a fork or here, without a start of Python to wait for."""

import gc
import os
import shutil
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, chdir
from pathlib import Path
from subprocess import PIPE, Popen
from tempfile import TemporaryFile
from typing import NamedTuple, NoReturn
from unittest import mock

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


def started(arguments: Sequence[str], cwd: Path | str, environ: Mapping[str, str]) -> Popen[bytes]:
    """Start ``ctx`` in a session of its own, with pipes to it; it may go on while others work."""

    def run() -> NoReturn:  # where a program would be started, in its process
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # one tells that the program runs
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        _as_started(arguments, environ)
        _end(lambda: main(list(arguments)))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, from Python 3.12 on
        return Popen(
            [sys.executable], cwd=cwd, stdin=PIPE, stdout=PIPE, stderr=PIPE,
            preexec_fn=run, start_new_session=True,  # noqa: PLW1509 - it forks as the others here
        )  # fmt: skip


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

            def run() -> int:
                first()
                return main(list(arguments))

            for descriptor, file in enumerate((given, out, err)):
                os.dup2(file.fileno(), descriptor)
            os.chdir(cwd)
            _as_started(arguments, environ)
            _end(run)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        return Ran(out.read(), err.read().decode("utf-8", "backslashreplace"), code)


def here(
    arguments: Sequence[str], cwd: Path | str, environ: Mapping[str, str], *, stdin: bytes = b""
) -> Ran:
    """Run ``ctx`` with ``arguments`` in this process, where it leaves nothing behind.

    Its streams are files, as those of a fork are.
    """
    code = 99
    with ExitStack() as after:
        streams = [after.enter_context(TemporaryFile()) for _ in range(3)]
        streams[0].write(stdin)
        streams[0].seek(0)
        for descriptor, (file, name) in enumerate(
            zip(streams, ("stdin", "stdout", "stderr"), strict=True)
        ):
            kept = os.dup(descriptor)
            after.callback(os.close, kept)
            after.callback(os.dup2, kept, descriptor)
            os.dup2(file.fileno(), descriptor)
            stream = after.enter_context(
                open(descriptor, "w" if descriptor else "r", closefd=False)
            )
            after.enter_context(mock.patch.object(sys, name, stream))
        after.enter_context(chdir(cwd))
        after.enter_context(mock.patch.object(sys, "argv", _words(arguments, environ)))
        after.callback(time.tzset)
        after.enter_context(mock.patch.dict(os.environ, environ, clear=True))
        time.tzset()
        try:
            code = main(list(arguments))
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        sys.stdout.flush()
        sys.stderr.flush()
        for file in streams:
            file.seek(0)
        _, out, err = (file.read() for file in streams)
        return Ran(out, err.decode("utf-8", "backslashreplace"), code)


def _as_started(arguments: Sequence[str], environ: Mapping[str, str]) -> None:
    """Take what a program is given as it starts: its name, environment and streams."""
    gc.disable()  # as a program that starts does
    os.environ.clear()
    os.environ.update(environ)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
    sys.argv = _words(arguments, environ)


def _words(arguments: Sequence[str], environ: Mapping[str, str]) -> list[str]:
    """Return the words of the call, of which the first is the program on the PATH."""
    return [shutil.which("ctx", path=environ.get("PATH")) or "ctx", *arguments]


def _end(run: Callable[[], int]) -> NoReturn:
    """End this process as Python ends a program that returns what ``run`` does."""
    code = 99
    try:
        code = run()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:  # noqa: BLE001 - whatever it is, shown
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
