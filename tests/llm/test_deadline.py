"""Work that ends in time, whoever waits for it."""

import subprocess
import sys
import threading

import pytest

from ctx.llm.deadline import Deadline, left_behind
from ctx.llm.spec import EMBEDDING, SUMMARY
from ctx.model import EmbeddingError, SummaryError


def test_work_that_hangs_leaves_no_process() -> None:
    script = """
import threading
from ctx.llm.spec import EMBEDDING
from ctx.model import EmbeddingError
from ctx.llm.deadline import Deadline
try:
    Deadline("acme", 0.05, EMBEDDING).hold(threading.Event().wait)
except EmbeddingError as error:
    print(error)
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("acme: not done within 0.05 s")
    assert ran.stderr == ""


def test_who_is_late_is_told_in_its_own_words() -> None:
    with pytest.raises(EmbeddingError, match=r"^acme: not done .* or raise embed_seconds$"):
        Deadline("acme", 0.0, EMBEDDING).left()
    with pytest.raises(SummaryError, match=r"^acme: not done .* or raise summary_seconds$"):
        Deadline("acme", 0.0, SUMMARY).left()


def test_a_pause_beyond_the_deadline_is_not_begun() -> None:
    deadline = Deadline("acme", 60.0, SUMMARY)
    deadline.wait(0.0, "busy")
    with pytest.raises(SummaryError, match=r"^acme: busy, and the 60 s allowed for it"):
        deadline.wait(3600.0, "busy")


def test_what_work_returns_and_raises_is_its_own() -> None:
    def fail() -> None:
        raise ZeroDivisionError

    deadline = Deadline("acme", 60.0, SUMMARY)
    assert deadline.hold(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        deadline.hold(fail)


def test_work_that_is_late_is_seen_until_it_ends() -> None:
    go_on = threading.Event()
    with pytest.raises(SummaryError):
        Deadline("acme", 0.05, SUMMARY).hold(go_on.wait)
    assert left_behind()
    go_on.set()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and thread.name == "ctx-net":
            thread.join(10)
    assert not left_behind()


def test_too_many_threads_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(SummaryError, match=r"^acme: no thread can be started$"):
        Deadline("acme", 60.0, SUMMARY).hold(lambda: 7)
