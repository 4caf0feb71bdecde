"""The deadline of a hook holds whatever happens, and no process is left behind.

No time is asserted: what hangs here would hang for ever, so that an end is the proof. Where
something has to be reached before the deadline, what reaches it rings the clock itself.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import time
from typing import TYPE_CHECKING

import pytest

from ctx.app.options import HookOptions
from ctx.hooks.ask import ask
from ctx.hooks.call import Call
from ctx.hooks.runner import STORING, Hook
from ctx.hosts import hooks_of
from ctx.hosts.host import Event
from ctx.text.checkbox import without_marker
from ctx.world import World
from tests.hooks.host import (
    PATIENT,
    SETTLE,
    Answered,
    environ,
    event,
    is_alive,
    logged,
    planted,
    process,
    run,
    started,
    wait_for,
)
from tests.hostile import HANGS
from tests.keeping import cache, keeping
from tests.llm.embedding_server import never_answers, serving

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.name != "posix", reason="forks, signals and pipes of POSIX")
SHORT = "--deadline=0.7"
EVENT = json.dumps(event()).encode()


OVER = "os.kill(os.getppid(), signal.SIGALRM)"
"""By which the deadline is over for the process that the host waits for."""


def _hang(folder: Path, how: str, before: str = "pass") -> str:
    """Return a PYTHONPATH by which the making of an answer does ``how`` for ever."""
    pids = "with open(os.environ['PIDS'], 'a') as file: print(os.getpid(), file=file)"
    return planted(folder, pids, before, how)


SLOW = {
    "a sleep": "time.sleep(10**6)",
    "an expression that holds the interpreter": "__import__('re').match('(a+)+b', 'a' * 60)",
    "a child that ignores signals": "for n in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):"
    " signal.signal(n, signal.SIG_IGN)\n            time.sleep(10**6)",
}


@pytest.mark.parametrize("how", SLOW.values(), ids=SLOW)
def test_what_hangs_is_ended(shop: Path, tmp_path: Path, how: str) -> None:
    pids = tmp_path / "pids"
    said = run(shop, event(), PYTHONPATH=_hang(tmp_path, how, OVER), PIDS=str(pids))
    assert (said.out, said.err, said.code) == (b"", b"", 0)
    assert (said.log["outcome"], said.log["reason"]) == ("deadline", "-")
    children = list(map(int, pids.read_text().split()))
    assert not any(map(is_alive, children))
    assert run(shop, event()).text, "what was not delivered was not told"


# --- what is said at the deadline ---------------------------------------------------------

RINGS = (
    "import os, signal, sys\n"
    "class Finder:\n"
    "    def find_spec(self, name, path=None, target=None):\n"
    "        if name == 'ctx.rank.discovery':\n"
    "            os.kill(os.getppid(), signal.SIGALRM)\n"
    "            __import__('time').sleep(10**6)\n"
    "sys.meta_path.insert(0, Finder())\n"
)
"""The time is over once the rules are made and the rest hangs."""


def test_at_the_deadline_the_rules_are_said(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(RINGS)
    path = os.pathsep.join([str(tmp_path), environ("/")["PYTHONPATH"]])
    long = "--deadline=600"
    time.sleep(SETTLE)
    said = run(shop, event(), "claude", "UserPromptSubmit", long, PYTHONPATH=path)
    assert (said.log["outcome"], said.err, said.code) == ("answered", b"", 0)
    assert said.log["reason"] == "the rules alone: the rest was not ready"
    lines = (shop / ".context" / "CONSTITUTION.md").read_text().splitlines()
    rules = [without_marker(line) for line in lines if line.startswith("- ")]
    assert rules
    assert all(f"\n- {rule}\n" in said.text for rule in rules)
    assert "Decision" not in said.text
    again = run(shop, event(), "claude", "UserPromptSubmit", long, PYTHONPATH=path)
    assert (again.out, again.log["outcome"]) == (b"", "deadline")
    assert again.log["reason"] == "the session has the rules"
    whole = run(shop, event())
    assert "CONVENTIONS.md" in whole.text, "the rest follows"
    assert not any(f"\n- {rule}\n" in whole.text for rule in rules)


def test_a_settings_file_that_is_a_pipe_is_not_waited_for(shop: Path) -> None:
    os.mkfifo(shop / ".context" / "config.toml")
    said = run(shop, event())
    assert (said.err, said.code, bool(said.out)) == (b"", 0, True)
    assert said.log["outcome"] == "answered"
    assert "config.toml" not in said.log["reason"]  # which is said by `ctx agent`


@pytest.mark.parametrize("sent", [b"", EVENT[:-1]])
def test_an_event_that_never_ends(shop: Path, sent: bytes) -> None:
    with started(shop, SHORT) as host:
        assert host.stdin
        host.stdin.write(sent)
        host.stdin.flush()
        assert host.wait(HANGS) == 0
        _nothing_came(host)
    assert logged(shop)["outcome"] == "deadline"


def test_a_writer_that_never_stops(shop: Path) -> None:
    with started(shop, SHORT) as host:
        assert host.stdin
        with contextlib.suppress(BrokenPipeError):
            while True:
                host.stdin.write(b"x" * 65536)
        assert host.wait(HANGS) == 0
        _nothing_came(host)
    assert logged(shop)["outcome"] == "deadline"


def _nothing_came(host: subprocess.Popen[bytes]) -> None:
    assert host.stdout
    assert host.stderr
    assert (host.stdout.read(), host.stderr.read()) == (b"", b"")


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="pipes of one size")
def test_a_host_that_does_not_read(shop: Path) -> None:
    with started(shop, PATIENT) as host:
        assert host.stdin
        assert host.stdout
        pipe = host.stdout.fileno()
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
        host.stdin.write(EVENT)
        host.stdin.close()
        wait_for(lambda: _waiting(pipe) == 4096)
        while host.poll() is None:
            host.send_signal(signal.SIGALRM)
            time.sleep(0.1)
        assert host.wait(HANGS) == 0
        assert len(host.stdout.read()) == 4096
        host.stdin = None
    assert logged(shop)["outcome"] == "deadline"
    assert run(shop, event()).text, "what was not delivered was not told"


def _waiting(pipe: int) -> int:
    """Return how many bytes nobody has read."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def test_a_clock_that_the_host_has_blocked_rings(shop: Path) -> None:
    """Blocked signals are inherited, and so are ignored ones."""
    start = (
        "import os, signal, sys\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})\n"
        "signal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
        "os.execv(sys.argv[1], sys.argv[1:])\n"
    )
    with started(shop, SHORT, start=(sys.executable, "-c", start)) as host:
        assert host.wait(HANGS) == 0
        _nothing_came(host)
    assert logged(shop)["outcome"] == "deadline"


def test_a_host_that_ignores_the_ends_of_its_children_is_answered(shop: Path) -> None:
    start = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "os.execv(sys.argv[1], sys.argv[1:])\n"
    )
    ran = process(shop, sys.executable, "-c", start)
    assert Answered(ran.stdout, b"", 0, {}).text
    assert logged(shop)["outcome"] == "answered"


def test_a_process_that_is_killed_leaves_no_other(shop: Path, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    left = "signal.getitimer(0)[0]"
    armed = f"with open(os.environ['PIDS'], 'a') as file: print({left}, file=file)"
    path = _hang(tmp_path, SLOW["a sleep"], armed)
    with started(shop, PATIENT, PYTHONPATH=path, PIDS=str(pids)) as host:
        assert host.stdin
        host.stdin.write(EVENT)
        host.stdin.close()
        host.stdin = None
        wait_for(lambda: pids.exists() and pids.read_text().count("\n") == 2)
        child, seconds = (float(one) for one in pids.read_text().split())
        host.kill()
        assert host.wait() == -signal.SIGKILL
    assert 0 < seconds <= HANGS + 1  # then the system ends it; here that is now
    assert is_alive(int(child))
    os.kill(int(child), signal.SIGALRM)
    wait_for(lambda: not is_alive(int(child)))


def test_what_a_killed_process_did_not_print_was_not_told(shop: Path, tmp_path: Path) -> None:
    """Killed when the answer is made and not yet printed."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal\n"
        "write = os.write\n"
        "def only_pipes(descriptor, data):\n"
        "    if descriptor == 1: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return write(descriptor, data)\n"
        "os.write = only_pipes\n"
    )
    path = os.pathsep.join([str(tmp_path), environ("/")["PYTHONPATH"]])
    killed = run(shop, event(), PYTHONPATH=path)
    assert (killed.code, killed.out) == (-signal.SIGKILL, b"")
    store = cache(shop / ".context")
    assert not [path for name in ("memory", "delivered") for path in (store / name).glob("*")]
    assert run(shop, event()).text


# --- embedders ----------------------------------------------------------------------------


def test_an_embedder_that_hangs_costs_no_packet(shop: Path) -> None:
    pytest.importorskip("urllib3")
    with serving() as server:
        server.otherwise = never_answers
        said = run(shop, event(), CTX_EMBEDDER=f"openai:m@{server.origin}", CTX_EMBED_SECONDS="2")
        assert server.requests
    assert said.text
    assert said.log["outcome"] == "answered"


# --- the settings -------------------------------------------------------------------------


def test_a_deadline_may_be_a_setting(shop: Path, tmp_path: Path) -> None:
    """The child tells it once it has read the settings: until then it is the usual one."""
    armed = tmp_path / "armed"
    path = planted(tmp_path, "time.sleep(10**6)", module="ctx.rank.discovery")
    with (tmp_path / "sitecustomize.py").open("a") as file:
        file.write(
            "import os, signal\n"
            "arm = signal.setitimer\n"
            "def told(which, seconds):\n"
            "    with open(os.environ['ARMED'], 'a') as file:\n"
            "        print(os.getpid(), seconds, file=file)\n"
            "    return arm(which, seconds)\n"
            "signal.setitimer = told\n"
        )
    said = run(shop, event(), CTX_HOOK_SECONDS="1", PYTHONPATH=path, ARMED=str(armed))
    assert _was_late(said)
    clocks = [line.split() for line in armed.read_text().splitlines()]
    rang = [float(seconds) for pid, seconds in clocks if pid == clocks[0][0]]
    assert rang[-1] <= 1


def test_a_longer_deadline_lets_what_is_slow_be_said(shop: Path, tmp_path: Path) -> None:
    slow = planted(tmp_path, "time.sleep(1.2)", module="ctx.rank.discovery")
    assert _was_late(run(shop, event(), CTX_HOOK_SECONDS="1", PYTHONPATH=slow))
    assert run(shop, event(), CTX_HOOK_SECONDS=str(HANGS), PYTHONPATH=slow).text
    assert run(shop, event("b"), "claude", "UserPromptSubmit", PATIENT, PYTHONPATH=slow).text


def _was_late(said: Answered) -> bool:
    """Whether the answer was not ready: the rules are said, if they were."""
    return said.log["outcome"] == "deadline" or "the rest was not ready" in said.log["reason"]


# --- without forks ------------------------------------------------------------------------


@pytest.fixture
def forkless(tmp_path: Path) -> str:
    """A PYTHONPATH by which nothing can be forked, and no clock rings."""
    folder = tmp_path / "forkless"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "del os.fork, signal.setitimer\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'ctx.hooks.fitting' and os.environ.get('HANG'):\n"
        "            __import__('time').sleep(10**6)\n"
        "sys.meta_path.insert(0, Finder())\n"
    )
    return os.pathsep.join([str(folder), environ("/")["PYTHONPATH"]])


def test_without_forks_a_thread_answers(shop: Path, forkless: str) -> None:
    run(shop, event("warm"), PYTHONPATH=forkless)
    time.sleep(SETTLE)
    first = run(shop, event(), PYTHONPATH=forkless)
    assert first.text
    assert run(shop, event("b")).text == first.text
    again = run(shop, event(), PYTHONPATH=forkless)
    assert (again.out, again.log["reason"]) == (b"", "known")


def test_without_forks_the_deadline_holds(shop: Path, forkless: str) -> None:
    said = run(shop, event(), "claude", "UserPromptSubmit", SHORT, PYTHONPATH=forkless, HANG="1")
    assert (said.out, said.err, said.code) == (b"", b"", 0)
    assert said.log["outcome"] == "deadline"


def test_without_forks_an_event_that_never_ends(shop: Path, forkless: str) -> None:
    with started(shop, SHORT, PYTHONPATH=forkless) as host:
        assert host.stdin
        host.stdin.write(b"{")
        host.stdin.flush()
        assert host.wait(HANGS) == 0
        _nothing_came(host)
    assert logged(shop)["outcome"] == "deadline"


class _Noted:
    """A deadline that holds what it was set to."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def within(self, seconds: float) -> None:
        self.seconds.append(seconds)


def test_what_is_stored_has_its_time_before_what_it_needs_is_read(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine that alone took longer than an answer may, and no turn was stored."""
    world = World()
    world.environ, world.home, world.cwd = keeping(), "/-", str(shop)
    tool, call = hooks_of("codex"), Call("codex", "Stop", HookOptions())
    assert tool is not None
    asked, hook, noted = ask(call, tool, Event("Stop", "s1"), world), Hook(call, world), _Noted()
    monkeypatch.setattr(hook, "_deadline", noted)
    monkeypatch.setitem(sys.modules, "ctx.app.capture", None)
    with pytest.raises(ImportError):
        hook._capture(asked)
    assert noted.seconds == [STORING]
