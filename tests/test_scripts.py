"""Scripts that try the tests on another day and on a busy machine: they can tell, and fail."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scripts import busy, shifted
from tests.hooks.host import is_alive, wait_for

CLOCKS = (
    "time.strftime('%Y-%m-%d', time.gmtime())",
    "time.strftime('%Y-%m-%d')",
    "datetime.date.today()",
    "datetime.datetime.today().date()",
    "datetime.datetime.now().date()",
    "datetime.datetime.now(datetime.UTC).date()",
    "datetime.datetime.utcnow().date()",
    "datetime.date.fromtimestamp(time.time())",
    "datetime.date.fromtimestamp(time.time_ns() / 1e9)",
    "time.strftime('%Y-%m-%d', time.localtime())",
    "time.strftime('%Y-%m-%d', time.strptime(time.ctime()))",
    "time.strftime('%Y-%m-%d', time.strptime(time.asctime()))",
)


@pytest.fixture(scope="module")
def ahead(tmp_path_factory: pytest.TempPathFactory) -> str:
    return shifted.environment(tmp_path_factory.mktemp("ahead"), 400)


def test_ctx_sees_the_day_that_the_clock_was_moved_to(ahead: str) -> None:
    assert shifted.is_shifted(ahead, 400)
    assert not shifted.is_shifted(ahead, 399)


def test_every_clock_is_moved(ahead: str) -> None:
    before = shifted.expected(400)
    code = f"import datetime, time; print(*map(str, ({', '.join(CLOCKS)})))"
    said = subprocess.run(
        [ahead, "-W", "ignore", "-c", code], env={"TZ": "UTC"}, check=True, capture_output=True
    ).stdout.decode()
    assert set(said.split()) <= {before, shifted.expected(400)}


def test_a_moment_from_elsewhere_is_a_moment(ahead: str) -> None:
    code = (
        "from datetime import date, datetime, timedelta, timezone\n"
        "import pickle\n"
        "then = datetime(2026, 1, 2, tzinfo=timezone.utc)\n"
        "for one in (then, then + timedelta(1), datetime.fromisoformat('2026-01-02')):\n"
        "    assert isinstance(one, datetime) and isinstance(one, date)\n"
        "    assert pickle.loads(pickle.dumps(one)) == one\n"
        "assert not isinstance(date(2026, 1, 2), datetime)\n"
    )
    subprocess.run([ahead, "-c", code], check=True)


def test_a_clock_that_was_not_moved_is_seen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not shifted.is_shifted(sys.executable, 400)
    monkeypatch.setattr(shifted, "environment", lambda *_: sys.executable)
    assert shifted.main(["--days", "400"]) == 1
    assert capsys.readouterr().out == "400 days from now: FAILED: ctx does not see that day\n"


@pytest.mark.skipif(os.name != "posix", reason="processes of POSIX")
def test_a_loop_ends_with_who_started_it() -> None:
    code = "from scripts import busy; print(busy.loop().pid, flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=busy.ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as starter:  # fmt: skip
        assert starter.stdout
        pid = int(starter.stdout.readline())
        time.sleep(0.1)
        assert is_alive(pid)
        starter.send_signal(signal.SIGKILL)
        starter.wait()
    wait_for(lambda: not is_alive(pid))


def test_a_run_that_fails_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(busy, "ROOT", tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # a start is all that takes long
    (tmp_path / "pytest.ini").touch()
    for verdict in (True, False):
        (tmp_path / "test_it.py").write_text(f"def test_it():\n    assert {verdict}\n")
        options = ["--runs", "1", "--loops", str(int(verdict)), "-p", "xdist.plugin", "-n0"]
        assert busy.main([*options, "test_it.py"]) == (not verdict)
        said = capsys.readouterr().out
        word, count = ("passed", "1 passed") if verdict else ("FAILED with exit code 1", "1 failed")
        assert f"run 1 of 1: {word} in " in said
        assert f": {count} in " in said
