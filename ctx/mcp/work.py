"""Work aside of the event loop: a thread for each call, so that the server keeps listening."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import anyio

_T = TypeVar("_T")

MOST = 32  # threads at work at once; further calls wait for one of them to end


class Work:
    """Does what takes time while other messages are read and answered.

    Python can stop no thread. One whose call was cancelled goes on with nobody waiting for it,
    and counts as at work until it ends; it is a daemon, and ends with the process.
    """

    def __init__(self) -> None:
        self._free = anyio.Semaphore(MOST)

    async def do(self, job: Callable[[], _T], *, whole: bool = False) -> _T:
        """Return what ``job`` returns, or raise what it raises.

        ``whole`` says that it is not to be left halfway: who is cancelled waits for it to end.
        """
        await self._free.acquire()
        scope = anyio.CancelScope(shield=whole)
        with scope:
            return await aside(job, self._free.release)
        raise AssertionError(scope)  # nobody else can cancel it


async def aside(job: Callable[[], _T], ended: Callable[[], object] = list) -> _T:
    """Return what ``job`` returns in a thread of its own; call ``ended`` once it has."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[_T] = loop.create_future()

    def settle(result: _T | None, error: BaseException | None) -> None:
        ended()
        if outcome.done():  # cancelled: nobody waits for it any more
            return
        if error is None:
            outcome.set_result(result)  # type: ignore[arg-type] # None only where _T has it
        else:
            outcome.set_exception(error)

    def run() -> None:
        try:
            result, failure = job(), None
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            result, failure = None, error
        with suppress(RuntimeError):  # the loop is closed: the process is ending
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=run, name="ctx-mcp", daemon=True).start()
    return await outcome
