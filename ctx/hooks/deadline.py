"""Keeping the deadline of a hook, whatever happens: a clock that rings, and a child that works.

What may take long (ranking, an embedder, a locked index) is done by a fork, which can be ended
at any moment, even while a regular expression holds the interpreter. The process that the host
waits for prints what is whole, and lets the child know that it was printed. The child keeps the
rules ready first, if they are not: they are what there is at the deadline.
"""

from __future__ import annotations

import os
import select
import signal
import time

from ctx.errors import CtxError
from ctx.hooks.call import MOST_SECONDS, Fault

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    Handler = Callable[[int, FrameType | None], object] | int | None
    Within = Callable[[float], float]  # takes the deadline of the settings; returns seconds left
    Work = Callable[[Within], "Answer"]
    Deliver = Callable[["Answer"], bool]  # prints an answer; returns whether it was printed

FORKS = hasattr(os, "fork") and hasattr(signal, "setitimer")  # else a thread keeps the deadline
_CHUNK = 64 * 1024
_GRACE = 0.25  # seconds after the deadline at which a child ends that nobody ended
_PRINTED = b"+"


class Late(BaseException):
    """The deadline is over."""


class Answer:
    """What to print, and what to do once it was printed."""

    __slots__ = ("cooldown", "note", "out", "reason")

    def __init__(
        self, out: bytes, cooldown: int, reason: str, note: Callable[[], object] | None = None
    ) -> None:
        self.out = out  # empty where nothing is new
        self.cooldown = cooldown  # seconds in which the very same is not printed again
        self.reason = reason  # for the log
        self.note = note or (lambda: None)  # notes what the session received


class Deadline:
    """When the host is to be answered; rings on systems that can."""

    def __init__(self, began: float, seconds: float, *, fixed: bool) -> None:
        """Count ``seconds`` from ``began``; ``fixed`` where no setting changes it."""
        self._end = began + seconds
        self._began = began
        self._fixed = fixed
        self._rings = False
        self._before: Handler = None

    def left(self) -> float:
        """Return the seconds left, more than 0."""
        return max(0.001, self._end - time.monotonic())

    def within(self, seconds: float) -> float:
        """Take the deadline of the settings, unless one was typed; return what is left of it."""
        if not self._fixed:
            self._end = self._began + min(seconds, MOST_SECONDS)
            if self._rings:
                self._wind()
        return self.left()

    def ring(self, late: Callable[[], None]) -> None:
        """Call ``late`` once the time is over, whatever goes on then."""
        self._before = signal.signal(signal.SIGALRM, lambda *_: late())
        # Whoever started this process may have blocked it: that is inherited.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
        self._rings = True
        self._wind()

    def _wind(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, self.left())

    def grace(self, seconds: float = _GRACE) -> None:
        """Ring once more after the time is over, for what is printed at its end."""
        if self._rings:
            signal.setitimer(signal.ITIMER_REAL, seconds)

    def stop(self) -> None:
        """Ring no more."""
        if self._rings:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before or signal.SIG_DFL)

    def kill(self) -> None:
        """Have the system end this process some time after the deadline."""
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, self.left() + _GRACE)
        self._rings = False


class Child:
    """A fork that makes an answer."""

    def __init__(self, work: Work, deadline: Deadline) -> None:
        """Let a fork do ``work``; raises Fault where there can be none."""
        self._deadline = deadline
        answers, answering = os.pipe()
        waits, printed = os.pipe()
        try:
            self._pid = os.fork()
        except OSError:
            raise Fault("no process can be started") from None
        if self._pid == 0:
            _live(work, deadline, answering, waits, (answers, printed))
        os.close(answering)
        os.close(waits)
        self._answers = answers
        self._printed = printed

    def deliver(self, deliver: Deliver) -> None:
        """Wait for the answer, deliver it, and wait until that is noted; raises Fault."""
        kind, fields, out = self._frame()
        if kind == "within":
            self._deadline.within(float(fields[0]))
            kind, fields, out = self._frame()
        if kind != "answer":
            raise Fault(fields[0] if kind == "fault" else "the process that answers died")
        if deliver(Answer(out, int(fields[0]), fields[1])):
            os.write(self._printed, _PRINTED)
            self._read()  # until it has noted that, and ended

    def end(self) -> None:
        """End the child, if it is still there."""
        pid, self._pid = self._pid, 0
        if pid:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except OSError:
                return  # gone, and waited for by a host that ignores the ends of its children

    def _frame(self) -> tuple[str, list[str], bytes]:
        head = b""
        while not head.endswith(b"\n"):
            byte = self._read(1)
            if not byte:
                return "", [], b""
            head += byte
        kind, *fields, size = head.decode().rstrip("\n").split("\t")
        parts, left = [], int(size)
        while left:
            part = self._read(min(left, _CHUNK))
            if not part:
                return "", [], b""
            parts.append(part)
            left -= len(part)
        return kind, fields, b"".join(parts)

    def _read(self, most: int = 1) -> bytes:
        """Read what the child sends, until the deadline, at which the clock rings."""
        if not select.select([self._answers], [], [], self._deadline.left() + _GRACE)[0]:
            raise Late
        return os.read(self._answers, most)


def _live(
    work: Work, deadline: Deadline, answering: int, waits: int, others: tuple[int, ...]
) -> None:
    """Be the child: send the answer, note it once it was printed, and end."""
    try:
        deadline.kill()
        for descriptor in others:
            os.close(descriptor)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):  # what a library prints is no answer
            os.dup2(nowhere, descriptor)

        def within(seconds: float) -> float:
            _send(answering, "within", str(seconds))
            left = deadline.within(seconds)
            deadline.kill()
            return left

        try:
            found = work(within)
        except Exception as error:  # noqa: BLE001 - the last handler: it becomes a line of the log
            _send(answering, "fault", fault_of(error))
        else:
            _send(answering, "answer", str(found.cooldown), found.reason, out=found.out)
            if os.read(waits, 1) == _PRINTED:
                found.note()
    finally:
        os._exit(0)


def _send(answering: int, kind: str, *fields: str, out: bytes = b"") -> None:
    data = "\t".join((kind, *fields, str(len(out)))).encode() + b"\n" + out
    while data:
        data = data[os.write(answering, data[:_CHUNK]) :]


def fault_of(error: BaseException) -> str:
    """Return which error it was, and of a bug where; its words may quote what was asked."""
    if isinstance(error, Fault):
        return str(error)
    name = type(error).__name__
    if isinstance(error, CtxError):
        return f"{name}: ctx agent shows more"
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return name
    return f"{name} at {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
