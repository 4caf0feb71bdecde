"""Faults around a hook: exit 0, nothing on standard output that is no packet, a line in the log."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from ctx.hooks.call import MOST_EVENT_BYTES
from ctx.store.places import ID, prepare
from tests.hooks.host import (
    PATIENT,
    PROMPT,
    Answered,
    environ,
    event,
    lines,
    logged,
    planted,
    process,
    run,
    started,
    told,
)
from tests.hostile import HANGS
from tests.keeping import cache, state

if TYPE_CHECKING:
    from pathlib import Path

    from ctx.model import JsonObject

pytestmark = pytest.mark.skipif(os.name != "posix", reason="forks, signals and pipes of POSIX")


def _silent(said: Answered) -> None:
    assert (said.out, said.err, said.code) == (b"", b"", 0)


def _packet_or_nothing(said: Answered) -> None:
    assert (said.err, said.code) == (b"", 0)
    assert not said.out or said.text.startswith("# ")


# --- standard input -----------------------------------------------------------------------


def test_what_is_no_event(shop: Path) -> None:
    reasons = {
        "no event on standard input": (b"", b" \n\t "),
        "the event is not JSON": (
            b"{", b"refund", b"\0" * 100, b'{"prompt": "\xff\xfe"}', b'{"p": ' + b"9" * 5000 + b"}",
        ),
        "the event is nested too deeply": (
            b"[" * 200_000, b'{"prompt": ' * 100_000 + b"1" + b"}" * 100_000,
        ),
        "the event is not a JSON object": (b"[1, 2]", b'"refund"', b"null"),
        "the event is over 4 MiB": (b"x" * 10_000_000, b"{" + b" " * MOST_EVENT_BYTES + b"}"),
    }  # fmt: skip
    for reason, sent in reasons.items():
        for data in sent:
            said = run(shop, data)
            _silent(said)
            assert (said.log["outcome"], said.log["reason"]) == ("fault", reason), data[:20]
    assert lines(shop) == sum(map(len, reasons.values()))


def test_what_an_event_may_hold(shop: Path) -> None:
    events: tuple[JsonObject, ...] = (
        {},
        {"prompt": 7, "session_id": [], "transcript_path": {}, "cwd": True},
        {"prompt": "a\0b\x1b[31m\ud800", "session_id": "s"},
        {"prompt": "x" * 3_000_000},
        {"prompt": PROMPT, "session_id": "t", "transcript_path": "\0", "cwd": "\0"},
        {"prompt": PROMPT, "session_id": "u", "more": {"deep": [{}] * 1000}},
    )
    for data in events:
        said = run(shop, data, "claude", "UserPromptSubmit", "--cooldown=0")
        _packet_or_nothing(said)
        assert said.log["outcome"] == "answered", str(data)[:40]
    assert run(shop, b"\xef\xbb\xbf" + json.dumps(event("v")).encode()).text, "with a mark"
    assert run(shop, json.dumps(event("w")).encode("utf-16")).text


def test_a_host_that_never_closes_the_pipe_is_answered(shop: Path) -> None:
    with started(shop, PATIENT) as host:
        assert host.stdin
        assert host.stdout
        data = json.dumps(event()).encode()
        for part in (data[:10], data[10:30], data[30:]):
            host.stdin.write(part)
            host.stdin.flush()
        out = host.stdout.read()
        assert host.wait(HANGS) == 0
    assert json.loads(out)
    assert logged(shop)["outcome"] == "answered"


def test_a_pipe_that_does_not_wait_is_waited_for(shop: Path) -> None:
    ours, hosts = os.pipe()
    os.set_blocking(ours, False)
    with (
        os.fdopen(ours, "rb") as stdin,
        os.fdopen(hosts, "wb") as sent,
        started(shop, PATIENT, stdin=stdin) as host,
    ):
        stdin.close()
        assert host.stdout
        sent.write(b" " * 10)
        sent.flush()
        with suppress(subprocess.TimeoutExpired):  # it has read that, and waits for more
            host.wait(0.3)
        sent.write(json.dumps(event()).encode())
        sent.close()
        assert told(host.stdout.read())
        assert host.wait(HANGS) == 0


@pytest.mark.parametrize("closing_", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed(shop: Path, closing_: str) -> None:
    ran = process(shop, "sh", "-c", f'exec "$@" {closing_}', "sh")
    assert bool(ran.stdout) == (closing_ == "2>&-")
    reasons = {"<&-": "no event on standard input", "2>&-": "-"}
    assert logged(shop)["reason"] == reasons.get(closing_, "standard output is closed")


def test_a_host_that_went_away_was_not_told(shop: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process(shop, stdout=writing)
    os.close(writing)
    assert logged(shop)["reason"] == "standard output cannot be written"
    assert run(shop, event()).text


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_an_output_that_is_full(shop: Path) -> None:
    with open("/dev/full", "wb") as full:
        process(shop, stdout=full)
    assert logged(shop)["outcome"] == "fault"
    assert run(shop, event()).text


# --- the directory ------------------------------------------------------------------------


def test_settings_that_are_wrong(shop: Path) -> None:
    """Those of a project cost nothing; those of the user are for the user to mend."""
    for text in (b"budget = \xff[", b"hook_seconds = 60\n"):
        (shop / ".context" / "config.toml").write_bytes(text)
        said = run(shop, event(text.hex()))
        assert "never floating point" in said.text
        assert said.log["outcome"] == "answered"
        assert said.log["reason"].startswith("without the project's settings: ")
    own = shop.parent / ".config" / "ctx"
    own.mkdir(parents=True)
    (own / "config.toml").write_text("nonsense = 1\n")
    said = run(shop, event())
    _silent(said)
    assert said.log["outcome"] == "fault"
    assert said.log["reason"].endswith("Error: ctx agent shows more")


def test_files_that_are_broken_cost_no_packet(shop: Path) -> None:
    root = shop / ".context"
    (root / "DECISIONS.md").write_bytes(b"\xff\xfe\0\0## [")
    (root / "LEARNINGS.md").unlink()
    (root / "LEARNINGS.md").mkdir()
    (root / "TASKS.md").unlink()
    os.mkfifo(root / "TASKS.md")
    (root / "CONVENTIONS.md").write_bytes(b"\0" * 100_000)
    said = run(shop, event())
    assert said.text
    _packet_or_nothing(said)


def test_an_empty_directory(tmp_path: Path) -> None:
    (tmp_path / "bare" / ".context").mkdir(parents=True)
    _packet_or_nothing(run(tmp_path / "bare", event()))


# --- the store ----------------------------------------------------------------------------


def test_a_store_that_is_damaged(shop: Path) -> None:
    run(shop, event("one"))
    for store in (cache(shop / ".context"), state(shop / ".context")):
        for path in sorted(store.rglob("*")):
            if path.is_file() and path.name not in ("hook.log", "where"):
                path.write_bytes(b"\xffnonsense" * 50)
    said = run(shop, event("one"))
    assert said.text
    assert said.log["outcome"] == "answered"
    assert run(shop, event("one")).out == b""


def test_a_store_that_is_a_file_or_a_link(shop: Path, tmp_path: Path) -> None:
    prepare(str(shop / ".context"), os.environ, "")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    stores = cache(shop / ".context"), state(shop / ".context")
    for store in stores:
        shutil.rmtree(store)
        store.write_text("a file")
    assert run(shop, event()).text
    for store in stores:
        assert store.read_text() == "a file"
        store.unlink()
        store.symlink_to(elsewhere)
    assert run(shop, event()).text
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("what", ["fifo", "folder", "link"])
def test_a_log_that_is_no_file_is_left_alone(shop: Path, tmp_path: Path, what: str) -> None:
    run(shop, event())
    log = state(shop / ".context") / "hook.log"
    log.unlink()
    target = tmp_path / "target"
    target.write_text("not ours")
    if what == "fifo":
        os.mkfifo(log)
    elif what == "folder":
        log.mkdir()
    else:
        log.symlink_to(target)
    said = run(shop, event("next"))
    assert said.text
    assert target.read_text() == "not ours"


@pytest.mark.parametrize("limit", [1, 1021, 50_000])
def test_a_disk_that_is_full(shop: Path, limit: int) -> None:
    """As on a full disk, no file may grow beyond ``limit`` bytes."""
    ran = process(shop, limit=limit)
    assert Answered(ran.stdout, b"", 0, {}).text
    assert run(shop, event()).code == 0
    assert run(shop, event("other")).text


# --- transcripts --------------------------------------------------------------------------


def test_a_transcript_may_be_anything(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(10 * 1024**3)  # with a hole in it
    below = [str(tmp_path / name) for name in ("", "missing", "link", "pipe", "huge")]
    others = ("/dev/zero", "/dev/tty", "/proc/self/mem", "relative.jsonl", "~nobody-of-that-name/x")
    for path in (*below, *others):
        said = run(shop, event(path, "yes", transcript_path=path))
        assert said.text, path
        assert said.log["outcome"] == "answered", path


# --- bugs ---------------------------------------------------------------------------------


def test_a_bug_is_a_line_that_says_where_and_quotes_nothing(shop: Path, tmp_path: Path) -> None:
    bug = planted(tmp_path, "raise RuntimeError('the secret of ' + name)")
    said = run(shop, event(), PYTHONPATH=bug)
    _silent(said)
    assert said.log["reason"] == "RuntimeError at sitecustomize.py:5"


def test_a_child_that_dies_is_silence(shop: Path, tmp_path: Path) -> None:
    dies = planted(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)")
    said = run(shop, event(), PYTHONPATH=dies)
    _silent(said)
    assert said.log["reason"] == "the process that answers died"


def test_what_a_library_prints_is_no_answer(shop: Path, tmp_path: Path) -> None:
    prints = ("os.write(1, b'hello')", "os.write(2, b'hello')", "print('hello', flush=True)")
    said = run(shop, event(), PYTHONPATH=planted(tmp_path, *prints))
    assert said.text
    assert said.err == b""


def test_no_process_can_be_started(shop: Path) -> None:
    if os.geteuid() == 0:
        code = "import os; os.fork = lambda: (_ for _ in ()).throw(OSError(11, 'no'))"
    else:
        code = "import resource as r; r.setrlimit(r.RLIMIT_NPROC, (0, 0))"
    start = f"{code}; from ctx.cli.main import main; import sys; sys.exit(main())"
    ran = subprocess.run(
        [sys.executable, "-c", start, "hook", "run", "claude", "UserPromptSubmit"],
        input=json.dumps(event()).encode(),
        capture_output=True,
        cwd=shop,
        env=environ(shop.parent),
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    assert logged(shop)["reason"] == "no process can be started"


def test_the_log_is_bounded(shop: Path) -> None:
    run(shop, b"")
    store = state(shop / ".context")
    line = (store / "hook.log").read_bytes()
    (store / "hook.log").write_bytes(line * (64 * 1024 // len(line)))
    for _ in range(3):
        run(shop, b"")
    assert (store / "hook.log.1").stat().st_size <= 65 * 1024
    assert lines(shop) == 2
    assert (store / "hook.log").stat().st_mode & 0o077 == 0


def test_nothing_but_the_store_is_written(shop: Path) -> None:
    shutil.rmtree(cache(shop / ".context"), ignore_errors=True)

    def files() -> dict[Path, bytes]:
        return {
            one: one.read_bytes() for one in shop.rglob("*") if one.is_file() and one.name != ID
        }

    before = files()
    run(shop, event())
    run(shop, b"nonsense")
    assert files() == before
