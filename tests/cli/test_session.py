"""``ctx session``: what is said, to whom, and what happens to odd sources."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ctx.cli.session.import_ import MOST_KINDS, Kinds
from ctx.cli.session.show import _fenced, _safe
from tests.cli.test_startup import HEAVY, SCREEN, TYPER, _imported

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures" / "transcripts"
FULL = Path("/dev/full")
posix = pytest.mark.skipif(os.name != "posix", reason="pipes and terminals of POSIX")

TERMINAL = """
import os, pty, sys
pid, handle = pty.fork()
if not pid:
    os.dup2(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT), 1)
    os.execv(sys.argv[2], sys.argv[2:])
while True:
    try:
        data = os.read(handle, 65536)
    except OSError:
        break
    if not data:
        break
    os.write(1, data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
"""Runs a command whose errors go to a terminal and whose output goes to a file."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    home = tmp_path / "project"
    (home / ".context").mkdir(parents=True)
    (home / ".git").mkdir()
    return home


def environ(home: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CTX_")}
    return kept | {"PYTHONPATH": str(ROOT), "HOME": str(home), "TERM": "xterm", **more}


def ctx(
    cwd: Path, *arguments: str | Path, stdin: bytes = b"", code: int = 0
) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run(
        [sys.executable, "-m", "ctx", *map(str, arguments)],
        cwd=cwd,
        env=environ(cwd),
        input=stdin,
        check=False,
        capture_output=True,
    )
    assert done.returncode == code, done.stderr.decode()
    return done


def stored(project: Path, name: str) -> list[dict[str, object]]:
    text = (project / ".context" / "sessions" / name).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


# --- import ---------------------------------------------------------------------------------


def test_every_fixture_is_imported_once(project: Path) -> None:
    sources = sorted(FIXTURES.glob("*.jsonl"))
    first = json.loads(ctx(project, "session", "import", *sources, "--json").stdout)
    again = json.loads(ctx(project, "session", "import", *sources, "--json").stdout)
    for before, after in zip(first["sources"], again["sources"], strict=True):
        (one,), (other,) = before["sessions"], after["sessions"]
        assert (one["added"], one["known"]) == (other["known"], other["added"])
        assert len(stored(project / "", one["file"].removeprefix("sessions/"))) == one["added"]
    assert b"PRIVATE-THOUGHT" not in b"".join(
        path.read_bytes() for path in (project / ".context").rglob("*") if path.is_file()
    )


@posix
def test_a_pipe_is_a_source(project: Path) -> None:
    pipe = project / "pipe"
    os.mkfifo(pipe)
    data = (FIXTURES / "own.jsonl").read_bytes()
    thread = threading.Thread(target=lambda: pipe.write_bytes(data))
    thread.start()
    done = ctx(project, "session", "import", "pipe")
    thread.join()
    assert done.stdout == b"fix-login: 6 turns added\n"


def test_standard_input_is_a_source(project: Path) -> None:
    data = b'{"role": "user", "text": "hello"}\n'
    done = ctx(project, "session", "import", "-", "--session", "one/two", stdin=data)
    assert done.stdout == b"one/two: 1 turn added\n"
    ctx(project, "session", "import", "-", stdin=data, code=2)
    assert ctx(project, "session", "import", "-").stdout == b"standard input: no turns\n"


@posix
def test_a_closed_standard_input(project: Path) -> None:
    command = f"{sys.executable} -m ctx session import - <&-"
    done = subprocess.run(
        ["sh", "-c", command], cwd=project, env=environ(project), check=False, capture_output=True
    )
    assert done.returncode == 6
    assert done.stderr == b"ctx: standard input: cannot be read: it is closed\n"


def test_nothing_is_imported_where_a_source_is_missing(project: Path) -> None:
    done = ctx(project, "session", "import", FIXTURES / "own.jsonl", "no\x1b.jsonl", code=6)
    assert done.stderr.count(b"\n") == 1
    assert b"\x1b" not in done.stderr
    assert os.listdir(project / ".context") == []


def test_a_store_that_cannot_be_written_is_exit_6(project: Path) -> None:
    (project / ".context" / "sessions" / "fix-login.jsonl").mkdir(parents=True)
    done = ctx(project, "session", "import", FIXTURES / "own.jsonl", code=6)
    assert done.stderr.endswith(b"is not a regular file (move it away, then import again)\n")


def test_names_from_transcripts_do_not_move_the_cursor(project: Path) -> None:
    fields = {"session": "a\x1b[2Jb", "role": "user", "text": "x", "f\x1b[31m": 1}
    done = ctx(project, "session", "import", "-", stdin=json.dumps(fields).encode())
    listed = ctx(project, "session", "list")
    for said in (done.stdout, done.stderr, listed.stdout):
        assert said
        assert b"\x1b" not in said


def test_kinds_have_an_end() -> None:
    kinds = Kinds()
    for number in range(200):
        kinds.add(f"kind {number}", number)
        kinds.add("kind 0", 7)
    assert len(kinds.counts) == MOST_KINDS + 1
    assert sum(kinds.counts.values()) == 400
    assert next(kinds.told()) == "lines 0, 7 and 199 more: kind 0"


# --- a terminal -----------------------------------------------------------------------------


def in_terminal(project: Path, *arguments: str, **variables: str) -> tuple[bytes, bytes]:
    """Return what goes to standard error, a terminal, and to standard output, a file."""
    out = project.parent / "out"
    done = subprocess.run(
        [sys.executable, "-c", TERMINAL, str(out), sys.executable, "-m", "ctx", *arguments],
        cwd=project,
        env=environ(project, **variables),
        stdin=subprocess.DEVNULL,
        check=True,
        capture_output=True,
    )
    return done.stdout, out.read_bytes()


@posix
def test_progress_is_drawn_on_a_terminal_only(project: Path) -> None:
    source = str(FIXTURES / "own.jsonl")
    drawn, out = in_terminal(project, "session", "import", source)
    assert b"\x1b[" in drawn
    assert out == b"fix-login: 6 turns added\n"
    plain, _ = in_terminal(project, "session", "import", source, TERM="dumb")
    assert b"\x1b" not in plain
    uncoloured, _ = in_terminal(project, "session", "import", source, NO_COLOR="1")
    assert b"\x1b[3" not in uncoloured.replace(b"\x1b[2K", b"")


@pytest.mark.parametrize(
    "arguments",
    [["import", str(FIXTURES / "own.jsonl")], ["list"], ["list", "--json"], ["--help"]],
    ids=str,
)
def test_commands_in_a_pipe_draw_nothing(project: Path, arguments: Sequence[str]) -> None:
    assert not _imported(["session", *arguments], project) & (SCREEN | HEAVY)


@pytest.mark.parametrize("arguments", [["agent"], ["--version"]], ids=str)
def test_other_commands_do_not_know_of_it(project: Path, arguments: Sequence[str]) -> None:
    shutil.copytree(ROOT / "fixtures" / "webshop" / ".context", project / ".context" / "w")
    imported = _imported(arguments, project)
    assert not imported & (TYPER | {"ctx.cli.session", "ctx.write", "ctx.read.transcripts"})


@pytest.mark.parametrize("arguments", [["status"], ["session", "list"]], ids=str)
def test_a_command_is_imported_when_it_runs(project: Path, arguments: Sequence[str]) -> None:
    imported = _imported(arguments, project)
    assert not imported & {"ctx.write", "ctx.cli.session.import_", "ctx.cli.session.show"}


@pytest.mark.parametrize("command", ["import", "list", "show"])
def test_every_help_shows_an_example(project: Path, command: str) -> None:
    said = ctx(project, "session", command, "--help").stdout
    assert b"Example: ctx session " + command.encode() in said


# --- list and show --------------------------------------------------------------------------


def test_sessions_are_listed_newest_first(project: Path) -> None:
    for name, stamp in (("old", "2026-01-01"), ("none", ""), ("new", "2026-02-01T01:00+02:00")):
        data = json.dumps({"role": "user", "text": "x", "ts": stamp}).encode()
        ctx(project, "session", "import", "-", "--session", name, stdin=data)
    found = json.loads(ctx(project, "session", "list", "--json").stdout)["sessions"]
    assert [one["id"] for one in found] == ["new", "old", "none"]
    assert {name: found[0][name] for name in ("file", "turns", "first", "last")} == {
        "file": "new.jsonl",
        "turns": 1,
        "first": "2026-02-01T01:00+02:00",
        "last": "2026-02-01T01:00+02:00",
    }
    lines = ctx(project, "session", "list").stdout.decode().splitlines()
    size = (project / ".context" / "sessions" / "none.jsonl").stat().st_size
    assert lines[2].split() == ["none", "1", "turns", str(size), "bytes", "undated"]


@posix
def test_a_session_that_leads_out_is_not_shown(project: Path) -> None:
    folder = project / ".context" / "sessions"
    folder.mkdir()
    (project.parent / "secret").write_bytes(b'{"role": "user", "text": "secret"}')
    (folder / "s.jsonl").symlink_to(project.parent / "secret")
    done = ctx(project, "session", "list")
    assert done.stdout == b""
    assert b"is a link out of the context directory" in done.stderr
    assert ctx(project, "session", "show", "s", code=6).stdout == b""


def test_what_is_shown_as_json_is_what_is_stored(project: Path) -> None:
    ctx(project, "session", "import", FIXTURES / "own.jsonl")
    path = project / ".context" / "sessions" / "fix-login.jsonl"
    whole = path.read_bytes()
    assert ctx(project, "session", "show", "fix-login", "--json").stdout == whole
    path.write_bytes(whole + b'[1]\n{"torn')
    assert ctx(project, "session", "show", "fix-login", "--json").stdout == whole
    one = ctx(project, "session", "show", "fix-login", "--turn", "t2", "--json").stdout
    assert one == whole.splitlines(keepends=True)[1]


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")
def test_a_full_disk_is_one_line(project: Path) -> None:
    ctx(project, "session", "import", FIXTURES / "own.jsonl")
    with FULL.open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ctx", "session", "show", "fix-login"],
            cwd=project,
            env=environ(project),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 6
    assert done.stderr == b"ctx: standard output: cannot be written: No space left on device\n"


def test_half_a_character_is_shown_escaped(project: Path) -> None:
    ctx(
        project,
        "session",
        "import",
        "-",
        "--session",
        "s",
        stdin=b'{"role":"user","text":"\\ud800"}',
    )
    assert b"\\ud800" in ctx(project, "session", "show", "s").stdout


@pytest.mark.parametrize(
    ("text", "fence"), [("a", "```"), ("a `b`", "```"), ("```", "````"), ("x`````y", "``````")]
)
def test_nothing_in_a_text_ends_its_fence(text: str, fence: str) -> None:
    assert _fenced(text) == f"{fence}\n{text}\n{fence}"


def test_what_a_terminal_obeys_is_escaped() -> None:
    assert _safe("a\tb\nc\x1b[2J\x9b\x7f\r\u202eé\u200d😀") == (
        "a\tb\nc\\x1b[2J\\x9b\\x7f\\r\\u202eé\u200d😀"
    )
