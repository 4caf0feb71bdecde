"""Slow work that ends at a deadline."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from ctx.llm.spec import Client

_T = TypeVar("_T")
THREAD = "ctx-net"  # the name of threads that are left behind where they are late


class Deadline:
    """A moment after which nothing is worth waiting for."""

    def __init__(self, who: str, seconds: float, client: Client) -> None:
        self._who = who
        self._seconds = seconds
        self._client = client
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds left, over 0; raise the client's error where there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.passed()
        return left

    def wait(self, seconds: float, why: str) -> None:
        """Sleep; raise the client's error at once where the deadline comes first."""
        if seconds >= self.left():
            raise self._client.error(
                f"{self._who}: {why}, and the {self._seconds:g} s allowed for it are too short"
                " to ask again: try later, or allow more"
            )
        time.sleep(seconds)

    def passed(self) -> Exception:
        """Return the error for a deadline that has passed."""
        return self._client.error(
            f"{self._who}: not done within {self._seconds:.3g} s:"
            f" is the model still loading? Try again, or raise {self._client.seconds}"
        )

    def hold(self, work: Callable[[], _T]) -> _T:
        """Return what ``work`` returns, or raise what it raises; an error if it is late."""
        done: list[_T] = []
        failed: list[BaseException] = []

        def run() -> None:
            try:
                done.append(work())
            except BaseException as error:  # noqa: BLE001 - raised again by the waiting thread
                failed.append(error)

        thread = threading.Thread(target=run, name=THREAD, daemon=True)
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
    """Whether late work goes on: libraries in C++ may abort a process that ends around it."""
    return any(thread.name == THREAD for thread in threading.enumerate())
