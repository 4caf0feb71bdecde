"""A program that reads a prompt and writes a summary, within a time and a size."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from ctx.llm.deadline import Deadline
from ctx.llm.summarisers.drafts import MAX_BYTES, draft, too_long
from ctx.llm.summarisers.spec import CLIENT, words
from ctx.model import SummaryError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from subprocess import Popen
    from threading import Thread

    from ctx.model import Draft, Prompt


_CHUNK = 1 << 16
_TAIL = 4096
"""Bytes of the errors that are kept, from their end."""
_GRACE = 1.0
"""Seconds that the errors of a program that has failed may take to arrive."""


class Ended(NamedTuple):
    """What a program left."""

    code: int
    """Negative for the signal that ended it."""
    out: bytes
    errors: bytes
    """The end of them."""


def run(
    argv: Sequence[str], environ: Mapping[str, str], asked: bytes, who: str, deadline: Deadline
) -> Ended:
    """Return what ``argv``, run without a shell, left after it was given ``asked``.

    Raises SummaryError, which begins with ``who``, where it cannot be run, says more than 1 MB
    or is late; then, and where somebody interrupts, it and its group of processes are ended.
    """
    process = _started(argv, environ, who)
    try:
        return _ended(process, asked, who, deadline)
    finally:
        _stop(process)


def _started(argv: Sequence[str], environ: Mapping[str, str], who: str) -> Popen[bytes]:
    import subprocess

    try:
        return subprocess.Popen(  # noqa: S603 - the user's own setting names it
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,  # a thread that is left behind must hold no lock
            env=dict(environ),
            start_new_session=True,
        )
    except FileNotFoundError:
        why = "there is no such program: install it, or write its whole path"
    except PermissionError:
        why = "it cannot be run: is it a program, and executable?"
    except OSError as error:
        why = f"it cannot be run: {error.strerror or type(error).__name__}"
    raise SummaryError(f"{who}: {why}")


def _ended(process: Popen[bytes], asked: bytes, who: str, deadline: Deadline) -> Ended:
    """Return what the program leaves, in time and within the limit."""
    from subprocess import TimeoutExpired

    pipes = (process.stdin, process.stdout, process.stderr)
    into, said, complained = (cast("IO[bytes]", pipe) for pipe in pipes)
    out, errors = _Read(said, MAX_BYTES), _Read(complained, _TAIL, last=True)
    try:
        reading, listening = _thread(out.run), _thread(errors.run)
        _thread(lambda: _feed(into, asked))
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
        self.is_over = False
        """Whether there was more than ``most``, and the rest is left unread."""
        self._pipe = pipe
        self._most = most
        self._last = last

    def run(self) -> None:
        """Read, and close the pipe."""
        with self._pipe as pipe, suppress(OSError):
            while not self.is_over and (part := os.read(pipe.fileno(), _CHUNK)):
                self.data += part
                self.is_over = len(self.data) > self._most and not self._last
                if self._last:
                    del self.data[: -self._most]


def _feed(pipe: IO[bytes], asked: bytes) -> None:
    """Write ``asked`` into a pipe, and close it.

    A program that has read enough, or reads nothing, closes it before: its own affair.
    """
    with suppress(OSError), pipe:
        rest = memoryview(asked)
        while rest:
            rest = rest[os.write(pipe.fileno(), rest) :]


def _thread(work: Callable[[], None]) -> Thread:
    from threading import Thread

    thread = Thread(target=work, daemon=True)
    thread.start()
    return thread


def _stop(process: Popen[bytes]) -> None:
    """End the program, and what it started, unless it has ended by itself."""
    if process.returncode is not None:
        return  # nothing may be sent to its number now: another program may have it
    with suppress(OSError):
        if sys.platform == "win32":
            import subprocess

            everything = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
            subprocess.run(everything, capture_output=True, check=False)  # noqa: S603 - no user's text
        else:
            import signal

            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


_SHOWN = 200
"""Characters of the errors' last line that are said."""
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD")
"""Names of variables whose values are not said."""
_SHORTEST_SECRET = 8
"""Characters; what is shorter stands in messages by chance."""
_QUOTED = 24
"""Characters in a row that errors and texts share only where errors quote them."""
_SIGNS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
"""Colours, and moves of a terminal's cursor."""


class Command:
    """A ``Writer`` that runs a program, with a time limit for each call."""

    def __init__(self, argv: Sequence[str], environ: Mapping[str, str], seconds: float) -> None:
        """Run ``argv`` in ``environ``; ``seconds``, over 0, limits a call of ask."""
        # Without the arguments: there may be keys among them.
        self.name = f"command:{os.path.basename(argv[0])}"
        self._argv = argv
        self._environ = environ
        self._seconds = seconds

    def ask(self, prompt: Prompt) -> Draft:
        """Return what the program writes, given instructions, a blank line and the material.

        Raises SummaryError.
        """
        asked = f"{prompt.instructions}\n\n{prompt.material}\n".encode("utf-8", "replace")
        deadline = Deadline(self.name, self._seconds, CLIENT)
        ended = run(self._argv, self._environ, asked, self.name, deadline)
        if not ended.code:
            return draft(ended.out.decode("utf-8", "replace"), self.name)
        how = f"with code {ended.code}" if ended.code > 0 else f"by signal {-ended.code}"
        said = _last_line(ended.errors.decode("utf-8", "replace"))
        why = "run it by hand to see why"
        if said and not _quotes(said, prompt.material):
            why = self._masked(said)
        raise SummaryError(f"{self.name}: ended {how}: {why}")

    def _masked(self, said: str) -> str:
        """Return ``said`` without what may be a key, and no longer than is shown."""
        for secret in self._secrets():
            said = said.replace(secret, "…")
        return said if len(said) <= _SHOWN else f"{said[: _SHOWN - 1]}…"

    def _secrets(self) -> list[str]:
        """Return what may be a key, the longest first: arguments, and values of variables."""
        found = {value for name, value in self._environ.items() if _SECRET.search(name.upper())}
        for argument in self._argv[1:]:
            found |= {argument, argument.partition("=")[2]}
        return sorted((one for one in found if len(one) >= _SHORTEST_SECRET), key=len, reverse=True)


def load(argument: str, environ: Mapping[str, str], seconds: float) -> Command:
    """Return the writer of ``command:argument``; UsageError, SummaryError for no such program."""
    from shutil import which

    argv = words(argument, environ)
    # Not from where it is called: a repository must not bring the program.
    places = filter(os.path.isabs, environ.get("PATH", os.defpath).split(os.pathsep))
    found = which(argv[0], path=os.pathsep.join(places))
    if found is None or not os.path.isabs(found):
        name = os.path.basename(argv[0])
        raise SummaryError(
            f"command:{name}: there is no such program: install it, or write its whole path"
        )
    return Command([found, *argv[1:]], environ, seconds)


def _last_line(errors: str) -> str:
    """Return the last line that says something, without signs that move a terminal."""
    lines = ("".join(filter(str.isprintable, _SIGNS.sub("", line))) for line in errors.splitlines())
    return next((line.strip() for line in reversed(list(lines)) if line.strip()), "")


def _quotes(said: str, material: str) -> bool:
    """Return whether ``said`` repeats a part of the texts."""
    size = min(_QUOTED, len(material.strip()))
    starts = range(len(said) - size + 1) if size else ()
    return any(said[start : start + size] in material for start in starts)
