"""A program that reads a prompt and writes a summary, within a time and a size."""

import os
import re
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from shutil import which
from subprocess import PIPE, Popen, TimeoutExpired
from subprocess import run as run_program
from threading import Thread
from typing import IO, NamedTuple, cast

from ctx.llm.answers import MAX_BYTES, draft, too_long
from ctx.llm.deadline import Deadline
from ctx.llm.spec import SUMMARY, words
from ctx.model import Draft, Prompt, SummaryError
from ctx.text.names import cut

_CHUNK = 1 << 16
_TAIL = 4096  # bytes of the program's errors that are kept, from their end
_GRACE = 1.0  # seconds that the errors of a program that has failed may take to arrive
_SHOWN = 200  # characters of the errors' last line that a message shows
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD")  # no message shows their values
_SHORTEST_SECRET = 8  # characters; shorter values occur in messages by chance
_QUOTED = 24  # characters in a row that errors and texts share where errors quote them
_SIGNS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")  # colours, and moves of a terminal's cursor


class Ended(NamedTuple):
    """How a program ended, and its output."""

    code: int  # its exit code; negative for the signal that ended it
    out: bytes
    errors: bytes  # their last ``_TAIL`` bytes


def run(
    argv: Sequence[str], environ: Mapping[str, str], asked: bytes, who: str, deadline: Deadline
) -> Ended:
    """Run ``argv`` without a shell, give it ``asked``, and return how it ended.

    Raises SummaryError, which begins with ``who``, where it cannot be run, writes more than 1 MB
    or is late; then, and where somebody interrupts, it and its group of processes are ended.
    """
    try:
        process = Popen(  # noqa: S603 - the user's own setting names it
            argv,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            bufsize=0,  # a thread that is left behind must hold no lock
            env=dict(environ),
            start_new_session=True,
        )
    except OSError as error:
        match error:
            case FileNotFoundError():
                why = "there is no such program: install it, or write its whole path"
            case PermissionError():
                why = "it cannot be run: is it a program, and executable?"
            case _:
                why = f"it cannot be run: {error.strerror or type(error).__name__}"
        raise SummaryError(f"{who}: {why}") from None
    try:
        return _ended(process, asked, who, deadline)
    finally:
        _stop(process)


def _ended(process: Popen[bytes], asked: bytes, who: str, deadline: Deadline) -> Ended:
    pipes = (process.stdin, process.stdout, process.stderr)
    stdin, stdout, stderr = (cast("IO[bytes]", pipe) for pipe in pipes)
    out, errors = _Read(stdout, MAX_BYTES), _Read(stderr, _TAIL, last=True)
    try:
        reading, listening = _thread(out.run), _thread(errors.run)
        _thread(lambda: _feed(stdin, asked))
    except RuntimeError:  # the system gives this user no more threads
        raise SummaryError(f"{who}: no thread can be started") from None
    reading.join(deadline.left())
    if reading.is_alive():
        raise deadline.passed()
    if out.is_over:
        raise too_long(who)
    try:
        code = process.wait(deadline.left())
    except TimeoutExpired:
        raise deadline.passed() from None
    if code:
        listening.join(_GRACE)
    return Ended(code, bytes(out.data), bytes(errors.data))


class _Read:
    """What a thread reads from a pipe, to its end, so that no program waits to be read."""

    def __init__(self, pipe: IO[bytes], most: int, *, last: bool = False) -> None:
        """Keep the last ``most`` bytes of all, or all unless they are more."""
        self.data = bytearray()
        self.is_over = False  # whether there was more than ``most`` bytes; the rest is left unread
        self._pipe = pipe
        self._most = most
        self._last = last

    def run(self) -> None:
        with self._pipe as pipe, suppress(OSError):
            while not self.is_over and (part := os.read(pipe.fileno(), _CHUNK)):
                self.data += part
                self.is_over = len(self.data) > self._most and not self._last
                if self._last:
                    del self.data[: -self._most]


def _feed(pipe: IO[bytes], asked: bytes) -> None:
    """Write ``asked`` into a pipe, which the program may close before its end, and close it."""
    with suppress(OSError), pipe:
        rest = memoryview(asked)
        while rest:
            rest = rest[os.write(pipe.fileno(), rest) :]


def _thread(work: Callable[[], None]) -> Thread:
    thread = Thread(target=work, daemon=True)
    thread.start()
    return thread


def _stop(process: Popen[bytes]) -> None:
    if process.returncode is not None:
        return  # another program may have its number now
    with suppress(OSError):
        if sys.platform == "win32":
            everything = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
            run_program(everything, capture_output=True, check=False)  # noqa: S603 - no user's text
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class Command:
    """A ``Writer`` that runs a program, with a time limit for each call."""

    def __init__(self, argv: Sequence[str], environ: Mapping[str, str], seconds: float) -> None:
        # Without the arguments, which may hold keys.
        self.name = f"command:{os.path.basename(argv[0])}"
        self._argv = argv
        self._environ = environ
        self._seconds = seconds

    def ask(self, prompt: Prompt) -> Draft:
        """Return the program's output for instructions and material. Raises SummaryError."""
        asked = f"{prompt.instructions}\n\n{prompt.material}\n".encode("utf-8", "replace")
        deadline = Deadline(self.name, self._seconds, SUMMARY)
        ended = run(self._argv, self._environ, asked, self.name, deadline)
        if not ended.code:
            return draft(ended.out.decode("utf-8", "replace"), self.name)
        how = f"with code {ended.code}" if ended.code > 0 else f"by signal {-ended.code}"
        line = _last_line(ended.errors.decode("utf-8", "replace"))
        why = "run it by hand to see why"
        if line and not _quotes(line, prompt.material):
            why = self._masked(line)
        raise SummaryError(f"{self.name}: ended {how}: {why}")

    def _masked(self, line: str) -> str:
        """Return ``line`` without what may be a key, and no longer than ``_SHOWN``."""
        values = {value for name, value in self._environ.items() if _SECRET.search(name.upper())}
        for argument in self._argv[1:]:
            values |= {argument, argument.partition("=")[2]}
        long = (value for value in values if len(value) >= _SHORTEST_SECRET)
        for secret in sorted(long, key=len, reverse=True):
            line = line.replace(secret, "…")
        return cut(line, _SHOWN)


def load(argument: str, environ: Mapping[str, str], seconds: float) -> Command:
    """Return the writer of ``command:argument``; UsageError, SummaryError for no such program."""
    argv = words(argument, environ)
    # Not from the working directory: a repository must not bring the program.
    folders = filter(os.path.isabs, environ.get("PATH", os.defpath).split(os.pathsep))
    found = which(argv[0], path=os.pathsep.join(folders))
    if found is None or not os.path.isabs(found):
        name = os.path.basename(argv[0])
        raise SummaryError(
            f"command:{name}: there is no such program: install it, or write its whole path"
        )
    return Command([found, *argv[1:]], environ, seconds)


def _last_line(errors: str) -> str:
    lines = ("".join(filter(str.isprintable, _SIGNS.sub("", line))) for line in errors.splitlines())
    return next((line.strip() for line in reversed(list(lines)) if line.strip()), "")


def _quotes(line: str, material: str) -> bool:
    size = min(_QUOTED, len(material.strip()))
    starts = range(len(line) - size + 1) if size else ()
    return any(line[start : start + size] in material for start in starts)
