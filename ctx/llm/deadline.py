"""Who asks a server or does other slow work, and how it ends at its deadline."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable


# No `from __future__ import annotations`: NamedTuple compiles every annotation that is text.


class Client(NamedTuple):
    """A part of ctx that asks servers, or does other work that may be late."""

    setting: str
    """The setting that holds the address: ``embedder``."""
    seconds: str
    """The setting that says how long one call may take: ``embed_seconds``."""
    key: str
    """The variable with the key for whichever address the setting names."""
    endpoint: str
    """What is asked for below the path of the interface: ``/embeddings``."""
    purpose: str
    """What a model has to be made for: ``embeddings``."""
    example: str
    """The name of such a model."""
    error: type[Exception]
    """What is raised, with one line, for all that goes wrong with a server or a key."""


_T = TypeVar("_T")

_THREAD = "ctx-net"


class Deadline:
    """A moment after which nothing is worth waiting for."""

    def __init__(self, who: str, seconds: float, client: Client) -> None:
        """Let ``seconds`` from now pass; ``who`` is what messages begin with."""
        self._who = who
        self._seconds = seconds
        self._client = client
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds left, over 0; the client's error where none are."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.passed()
        return left

    def wait(self, seconds: float, why: str) -> None:
        """Sleep; the client's error at once where the deadline comes first."""
        if seconds >= self.left():
            raise self._client.error(
                f"{self._who}: {why}, and the {self._seconds:g} s allowed for it are too short"
                " to ask again: try later, or allow more"
            )
        time.sleep(seconds)

    def passed(self) -> Exception:
        """Return the error that says so."""
        return self._client.error(
            f"{self._who}: not done within {self._seconds:.3g} s:"
            f" is the model still loading? Try again, or raise {self._client.seconds}"
        )

    def hold(self, work: Callable[[], _T]) -> _T:
        """Return what ``work`` returns, or raise what it raises; an error if it is late."""
        import threading  # most calls of ctx start no thread

        done: list[_T] = []
        failed: list[BaseException] = []

        def run() -> None:
            try:
                done.append(work())
            except BaseException as error:  # noqa: BLE001 - raised again by who waits
                failed.append(error)

        thread = threading.Thread(target=run, name=_THREAD, daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system gives this user no more threads
            raise self._client.error(f"{self._who}: no thread can be started") from None
        thread.join(max(self._end - time.monotonic(), 0))
        if failed:
            raise failed[0]
        if not done:
            raise self.passed()
        return done[0]


def left_behind() -> bool:
    """Return whether work that was late is still going on in this process.

    Libraries in C++ may abort a process that ends normally around such a thread: who asks here
    first can flush what was said and leave by ``os._exit``.
    """
    import threading

    return any(thread.name == _THREAD for thread in threading.enumerate())
