"""Work in threads: its outcome, its limit, and what two calls do to the store at once."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("anyio", reason="the extra mcp is not installed")

import anyio

from ctx.mcp.work import MOST, Work
from ctx.store import folder
from tests.hostile import HANGS

if TYPE_CHECKING:
    from pathlib import Path


def test_what_work_returns_and_raises() -> None:
    async def main() -> None:
        work = Work()
        assert await work.do(lambda: 5) == 5
        assert await work.do(threading.get_ident) != threading.get_ident()
        with pytest.raises(KeyError, match="ouch"):
            await work.do(lambda: dict[str, int]()["ouch"])
        assert await work.do(lambda: "whole", whole=True) == "whole"

    asyncio.run(main())


def test_no_more_than_so_many_work_at_once_and_who_is_left_behind_counts() -> None:
    go = threading.Event()
    begun = threading.Semaphore(0)

    def hang() -> bool:
        begun.release()
        return go.wait(HANGS)

    async def main() -> None:
        work = Work()
        waiting = [asyncio.create_task(work.do(hang)) for _ in range(MOST)]
        for _ in range(MOST):
            assert await asyncio.to_thread(begun.acquire, timeout=HANGS)
        one_more = asyncio.create_task(work.do(lambda: "done"))
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert all(task.cancelled() for task in waiting)
        assert not one_more.done()
        go.set()
        assert await one_more == "done"

    asyncio.run(asyncio.wait_for(main(), HANGS))


def test_who_is_to_be_left_whole_is_waited_for() -> None:
    go, ended = threading.Event(), threading.Event()

    def write() -> None:
        go.wait(HANGS)
        ended.set()

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(Work().do, write, whole=True))
            await anyio.sleep(0.05)
            tasks.cancel_scope.cancel()
            asyncio.get_running_loop().call_later(0.05, go.set)
        assert ended.is_set()

    asyncio.run(main())


def test_two_threads_keep_the_same_file_of_the_store(tmp_path: Path) -> None:
    path = str(tmp_path / "kept")
    both = [bytes([letter]) * 100_000 for letter in b"ab"]
    with ThreadPoolExecutor(2) as threads:
        for _ in range(100):
            assert all(threads.map(lambda data: folder.replace(path, data), both))
            assert folder.contents(path) in both
    assert [one.name for one in tmp_path.iterdir()] == ["kept"]
