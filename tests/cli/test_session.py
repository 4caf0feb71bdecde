"""``ctx session``: what is said, to whom, and what happens to odd sources."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import chdir
from hashlib import sha256
from pathlib import Path

import pytest

from ctx.app import session_import
from ctx.app.session_import import MOST_KINDS, Kinds, Result, Wanted, import_all
from ctx.cli.session.import_ import _kinds
from ctx.cli.session.show import _fenced
from ctx.model import Turn
from ctx.model.transcripts import Found
from ctx.sessions.transcripts import Transcript
from ctx.store.places import belongs, paths_of
from ctx.streams import safe
from ctx.world import World
from tests.cli.calls import ctx
from tests.cli.test_startup import HEAVY, SCREEN, _imported
from tests.hooks.host import run as hook
from tests.imported import sessions_of
from tests.keeping import cache, make_repository, opened, opened_store, state
from tests.rank.hands import call
from tests.terminal import in_terminal

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures" / "transcripts"
posix = pytest.mark.skipif(os.name != "posix", reason="pipes and terminals of POSIX")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    home = tmp_path / "project"
    (home / ".context").mkdir(parents=True)
    make_repository(home)
    return home


def environ(home: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CTX_")}
    return kept | {"PYTHONPATH": str(ROOT), "HOME": str(home), "TERM": "xterm", **more}


def stored(project: Path, name: str) -> list[dict[str, object]]:
    text = (sessions_of(project / ".context") / name).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


# --- import ---------------------------------------------------------------------------------


def test_every_fixture_is_imported_once(project: Path) -> None:
    sources = sorted(FIXTURES.iterdir())
    first = json.loads(ctx(project, "session", "import", *sources, "--json").stdout)
    again = json.loads(ctx(project, "session", "import", *sources, "--json").stdout)
    added: dict[str, int] = {}
    for before, after in zip(first["sources"], again["sources"], strict=True):
        for one, other in zip(before["sessions"], after["sessions"], strict=True):
            # Gemini writes a message again when a call in it is done.
            assert (one["added"] + one["known"], 0) == (other["known"], other["added"])
            added[one["file"]] = added.get(one["file"], 0) + one["added"]
    for name, count in added.items():
        lines = stored(project / "", name.removeprefix("sessions/"))
        assert sum("role" in line for line in lines) == count  # a title is a line, too
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


@posix
def test_a_closed_standard_input(project: Path) -> None:
    command = f"{sys.executable} -m ctx session import - <&-"
    done = subprocess.run(
        ["sh", "-c", command], cwd=project, env=environ(project), check=False, capture_output=True
    )
    assert done.returncode == 6
    assert done.stderr == b"ctx: standard input: cannot be read: it is closed\n"


def test_a_source_that_is_wrong_does_not_stop_the_others(project: Path) -> None:
    (project / "notes.md").write_bytes(b"# Notes\n")
    sources = ("no\x1b.jsonl", FIXTURES, "notes.md", FIXTURES / "own.jsonl")
    done = ctx(project, "session", "import", *sources, code=6)
    assert done.stdout == b"fix-login: 6 turns added\n"
    assert b"\x1b" not in done.stderr
    for said in (b"No such file or directory", b"is a directory", b"notes.md: not a transcript"):
        assert said in done.stderr
    ctx(project, "session", "import", "notes.md", FIXTURES / "own.jsonl", code=2)


def test_what_stands_before_a_turn_of_no_session_is_stored(project: Path) -> None:
    data = b'{"session": "s", "role": "user", "text": "x"}\ntorn\n{"role": "user", "text": "y"}\n'
    done = ctx(project, "session", "import", "-", stdin=data, code=2)
    assert done.stdout == b"s: 1 turn added\n"
    assert done.stderr.endswith(b"line 3 names no session (--session ID names one)\n")
    assert len(stored(project, "s.jsonl")) == 1


def test_what_precedes_a_fault_of_the_disk_is_stored(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_args: object, **_named: object) -> Transcript:
        def found() -> Iterator[Found]:
            yield Found(1, Turn("1", "s", "", "user", "x"))
            raise OSError(errno.EIO, "Input/output error")

        return Transcript("ctx", found())

    monkeypatch.setattr(session_import, "read", failing)
    (project / "log.jsonl").write_bytes(b"x")
    world = World()
    world.cwd = str(project)
    (result,) = import_all(["log.jsonl"], Wanted(str(project / ".context")), world)
    assert isinstance(result, Result)
    assert str(result.problem) == "log.jsonl: cannot be read: Input/output error"
    assert len(stored(project, "s.jsonl")) == 1


def test_remarks_are_on_what_is_new(project: Path) -> None:
    path = project / "log.jsonl"
    path.write_bytes(b'{"role": "user", "text": "a", "x": 1, "ts": "soon"}\ntorn\n[]\n[1]\n')
    first = ctx(project, "session", "import", "log.jsonl").stderr.decode().splitlines()
    assert [line.removeprefix("ctx: log.jsonl: ") for line in first[:-1]] == [
        "line 1: unknown field 'x' kept",
        "line 1: time that cannot be read kept as written",
        "line 2: is not JSON",
        "lines 3, 4: are not JSON objects",
    ]
    assert "3 lines left out, kept in" in first[-1]
    again = ctx(project, "session", "import", "log.jsonl").stderr.decode()
    assert again.count("\n") == 1
    assert "3 lines left out, already kept in" in again
    with path.open("ab") as file:
        file.write(b'{"role": "user", "text": "b", "y": 1}\n')
    grown = ctx(project, "session", "import", "log.jsonl").stderr.decode().splitlines()
    assert grown[0] == "ctx: log.jsonl: line 5: unknown field 'y' kept"
    assert len(grown) == 2


def test_a_store_that_cannot_be_written_is_exit_6(project: Path) -> None:
    (sessions_of(project / ".context") / "fix-login.jsonl").mkdir(parents=True)
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
    assert next(_kinds(kinds)) == "lines 0, 7 and 199 more: kind 0"


# --- a terminal -----------------------------------------------------------------------------


def drawn(project: Path, *arguments: str, **variables: str) -> tuple[str, bytes]:
    """Return what goes to standard error, a terminal, and to standard output, a file."""
    out = project.parent / "out"
    shown = in_terminal(*arguments, cwd=project, out=str(out), HOME=str(project), **variables)
    return shown, out.read_bytes()


@posix
def test_progress_is_drawn_on_a_terminal_only(project: Path) -> None:
    source = str(FIXTURES / "own.jsonl")
    shown, out = drawn(project, "session", "import", source)
    assert "\x1b[" in shown
    assert out == b"fix-login: 6 turns added\n"
    plain, _ = drawn(project, "session", "import", source, TERM="dumb")
    assert "\x1b" not in plain
    shown, out = drawn(project, "session", "compact", "--size", "1", "--budget", "0")
    assert "\x1b[" in shown
    assert b"\x1b" not in out


@pytest.mark.parametrize(
    "arguments",
    [["import", str(FIXTURES / "own.jsonl")], ["list"], ["compact"]],
    ids=["import", "list", "compact"],
)
def test_commands_in_a_pipe_draw_nothing(project: Path, arguments: Sequence[str]) -> None:
    assert not _imported(["session", *arguments], project) & (SCREEN | HEAVY)


# --- tail -----------------------------------------------------------------------------------


def test_a_base_that_does_not_fit_is_exit_5_where_asked_for(project: Path) -> None:
    ctx(project, "session", "import", FIXTURES / "own.jsonl")
    tail = ("session", "tail", "fix-login")
    for budget in ("0", "100"):
        loose = ctx(project, *tail, "--budget", budget)
        assert b"degraded" in loose.stderr
        strict = ctx(project, *tail, "--budget", budget, "--strict", code=5)
        assert (strict.stdout, strict.stderr) == (loose.stdout, loose.stderr)
    ctx(project, *tail, "--strict")
    (project / ".context" / "config.toml").write_text("strict = true\n")
    ctx(project, *tail, "--budget", "0", code=5)
    ctx(project, *tail, "--budget", "0", "--no-strict")


def test_long_rules_beside_a_base_that_fits_are_not_exit_5(project: Path) -> None:
    rules = "".join(f"- Never do the thing of number {number}.\n" for number in range(60))
    (project / ".context" / "CONSTITUTION.md").write_text(rules)
    ctx(project, "session", "import", FIXTURES / "own.jsonl")
    done = ctx(project, "session", "tail", "fix-login", "--budget", "1400", "--strict")
    assert b"degraded: the rules cost" in done.stderr
    assert done.stdout.count(b"## ") >= 4


# --- list and show --------------------------------------------------------------------------


def test_sessions_are_listed_newest_first(project: Path) -> None:
    for name, stamp in (("old", "2026-01-01"), ("none", ""), ("new", "2026-02-01T01:00+02:00")):
        data = json.dumps({"role": "user", "text": "x", "ts": stamp}).encode()
        ctx(project, "session", "import", "-", "--session", name, stdin=data)
    found = json.loads(ctx(project, "session", "list", "--json").stdout)["sessions"]
    assert [one["id"] for one in found] == ["new", "old", "none"]
    assert (found[0]["file"], found[0]["turns"]) == ("new.jsonl", 1)
    assert found[0]["first"] == found[0]["last"] == "2026-02-01T01:00+02:00"
    lines = ctx(project, "session", "list").stdout.decode().splitlines()
    size = (sessions_of(project / ".context") / "none.jsonl").stat().st_size
    assert lines[2].split() == ["none", "1", "turns", str(size), "bytes", "undated", "x"]


@posix
def test_a_session_that_leads_out_is_not_shown(project: Path) -> None:
    folder = sessions_of(project / ".context")
    (project.parent / "secret").write_bytes(b'{"role": "user", "text": "secret"}')
    (folder / "s.jsonl").symlink_to(project.parent / "secret")
    done = ctx(project, "session", "list")
    assert done.stdout == b""
    assert b"is a link out of the context directory" in done.stderr
    assert ctx(project, "session", "show", "s", code=6).stdout == b""


def test_what_is_shown_as_json_is_what_is_stored(project: Path) -> None:
    ctx(project, "session", "import", FIXTURES / "own.jsonl")
    path = sessions_of(project / ".context") / "fix-login.jsonl"
    whole = path.read_bytes()
    assert ctx(project, "session", "show", "fix-login", "--json").stdout == whole
    path.write_bytes(whole + b'[1]\n{"torn')
    assert ctx(project, "session", "show", "fix-login", "--json").stdout == whole
    one = ctx(project, "session", "show", "fix-login", "--turn", "t2", "--json").stdout
    assert one == whole.splitlines(keepends=True)[1]


def test_work_is_requests_files_and_commands_with_how_they_ended(project: Path) -> None:
    rows = (
        {"id": "u1", "role": "user", "text": "Fix it.\nPlease.", "branch": "main", "cwd": "/shop"},
        {"id": "a1", "role": "assistant", "text": '[tool_use Read] {"file_path": "a.py"}'},
        {"id": "a2", "role": "assistant", "text": '[tool_use Edit] {"file_path": "a.py"}'},
        {"id": "a3", "role": "assistant", "bundle": "c1", "text": '[tool_use Bash] {"command":'
         ' "make key=AKIAQ3EGRAVITYLOG7QX"}', "branch": "fix"},
        {"id": "a4", "role": "assistant", "bundle": "c2",
         "text": '[tool_use shell] {"command": ["bash", "-lc", "make test"]}'},
        {"id": "a5", "role": "assistant", "text": '[tool_use TodoWrite] {"todos": []}'},
        {"id": "r2", "role": "tool", "bundle": "c2", "text": "no", "is_error": True},
        {"id": "r1", "role": "tool", "bundle": "c1", "text": "done"},
        {"id": "a6", "role": "assistant", "text": "It fails."},
    )  # fmt: skip
    data = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    ctx(project, "session", "import", "-", "--session", "s", stdin=data)
    shown = ctx(project, "session", "show", "s", "--work").stdout.decode()
    assert re.sub("key=.*", "key=* (ok)", shown).splitlines() == [
        "main in /shop", "u1  Fix it.", "  read a.py", "  changed a.py", "fix in /shop",
        "  ran make key=* (ok)", "  ran make test (failed)",
    ]  # fmt: skip
    lines = ctx(project, "session", "show", "s", "--work", "--json").stdout
    found = [json.loads(line) for line in lines.splitlines()]
    assert [(one["turn"], one["branch"], one["ended"]) for one in found] == [
        ("u1", "main", ""), ("a1", "main", ""), ("a2", "main", ""), ("a3", "fix", "ok"),
        ("a4", "fix", "failed"),
    ]  # fmt: skip
    assert b"AKIAQ3" not in lines
    assert "AKIAQ3" not in shown
    one = ctx(project, "session", "show", "s", "--work", "--turn", "a2").stdout
    assert one == b"main in /shop\n  changed a.py\n"
    assert (
        b"has no turn 'x'"
        in ctx(project, "session", "show", "s", "--work", "--turn", "x", code=2).stderr
    )


def test_half_a_character_is_shown_escaped(project: Path) -> None:
    data = b'{"role":"user","text":"\\ud800"}'
    ctx(project, "session", "import", "-", "--session", "s", stdin=data)
    assert b"\\ud800" in ctx(project, "session", "show", "s").stdout


def test_nothing_in_a_text_ends_its_fence() -> None:
    for text, fence in (("a `b`", "```"), ("```", "````"), ("x`````y", "``````")):
        assert _fenced(text) == f"{fence}\n{text}\n{fence}"


def test_what_a_terminal_obeys_is_escaped() -> None:
    assert safe("a\tb\nc\x1b[2J\x9b\x7f\r\u202eé\u200d😀") == (
        "a\tb\nc\\x1b[2J\\x9b\\x7f\\r\\u202eé\u200d😀"
    )


# --- forget ---------------------------------------------------------------------------------


def _everything(home: Path) -> bytes:
    """Return all that is kept outside of a project, compressed parts opened."""
    found = list[bytes]()
    for folder in (cache(home / ".context"), state(home / ".context")):
        for path in folder.rglob("*"):
            if path.is_file():
                found += [path.read_bytes(), *(opened(path) if path.suffix == ".db" else ())]
    return b"\n".join(found)


def _talk(project: Path, session: str, day: str, word: str) -> None:
    text = f"We decided to use {word} for storage because the other one was slow."
    turn = {"id": "1", "session": session, "role": "user", "text": text}
    more = {**turn, "id": "2", "role": "assistant", "text": f"I have moved it all to {word}."}
    lines = [json.dumps({**one, "ts": f"{day}T10:00:00Z"}) for one in (turn, more)]
    lines += [f"no turn, but {word}"]
    ctx(project, "session", "import", "-", "--session", session, stdin="\n".join(lines).encode())


def test_a_forgotten_session_is_nowhere_any_more(project: Path) -> None:
    _talk(project, "Old one", "2026-01-05", "zebrafish")
    _talk(project, "new", "2026-03-05", "axolotl")
    ctx(project, "session", "compact")
    ctx(project, "search", "zebrafish")
    ctx(project, "agent", "--session", "Old one", "--delta")
    assert b"zebrafish" in _everything(project)
    dry = ctx(project, "session", "forget", "--all", "--dry-run").stdout.decode()
    assert sorted(dry.splitlines()) == ["would forget Old one", "would forget new"]
    assert b"zebrafish" in _everything(project)
    assert ctx(project, "session", "forget", "Old one").stdout == b"forgot Old one\n"
    left = _everything(project)
    assert b"axolotl" in left
    assert b"Old one" not in left
    ctx(project, "session", "forget", "Old one", code=2)
    ctx(project, "session", "forget", "--all")
    assert b"axolotl" not in _everything(project)
    assert json.loads(ctx(project, "session", "list", "--json").stdout)["sessions"] == []


def test_what_hooks_keep_is_forgotten_in_all_worktrees(project: Path, tmp_path: Path) -> None:
    """Turns, words, summaries, deliveries and places; what comes later is stored alone."""
    author = ("-c", "user.name=a", "-c", "user.email=a@b")
    (project / ".context" / "CONVENTIONS.md").write_text("- Use tabs.\n")
    for command in (("init",), ("add", "."), ("commit", "-m", "x"), ("worktree", "add", "../w")):
        subprocess.run(["git", *author, *command], cwd=project, check=True, capture_output=True)
    path, said = tmp_path / "MARK.jsonl", "We decided that the zebrafish is kept in glass."
    turn = {"type": "user", "uuid": "u1", "sessionId": "MARK", "timestamp": "2026-01-05T10:00:00Z"}
    path.write_text(json.dumps({**turn, "message": {"content": said}}) + "\n")
    event = {
        "session_id": "MARK",
        "transcript_path": str(path),
        "prompt": "Where is the zebrafish?",
    }
    for place in (project, project.parent / "w"):
        ctx(place, "trust")
        for name in ("Stop", "UserPromptSubmit"):
            assert hook(place, event, "claude", name, CTX_CAPTURE="on").code == 0
        ctx(place, "search", "zebrafish")
        ctx(place, "session", "compact")
    left = {word: len(_places_of(word)) for word in (b"zebrafish", b"MARK")}
    assert min(left.values()) >= 5
    ctx(project, "session", "forget", "MARK")
    assert [_places_of(word) for word in left] == [[], []]
    with path.open("a") as file:
        file.write(json.dumps({**turn, "uuid": "u2", "message": {"content": "And now?"}}) + "\n")
    assert hook(project, event, "claude", "Stop", CTX_CAPTURE="on").code == 0
    (row,) = json.loads(ctx(project, "session", "list", "--json").stdout)["sessions"]
    assert (row["id"], row["turns"], row["title"]) == ("MARK", 1, "And now?")


def _places_of(word: bytes) -> list[Path]:
    """Return the files of all state and cache directories that hold ``word``."""
    homes = [Path(os.environ[name]) for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME")]
    files = [path for home in homes for path in home.rglob("*") if path.is_file()]
    return [
        path
        for path in files
        if any(
            word in part
            for part in (path.read_bytes(), *(opened(path) if path.suffix == ".db" else ()))
        )
    ]


def test_sessions_are_listed_by_branch_and_day(project: Path) -> None:
    for number, (branch, day) in enumerate(
        (("main", "2026-01-05"), ("mend", "2026-01-05"), ("mend", World().today))
    ):
        turn = {"role": "user", "text": "Mend it", "session": f"s{number}", "branch": branch}
        line = json.dumps({**turn, "ts": f"{day}T10:00:00Z"}).encode()
        ctx(project, "session", "import", "-", stdin=line)

    def listed(*arguments: str) -> list[str]:
        done = ctx(project, "session", "list", *arguments, "--json").stdout
        return [one["id"] for one in json.loads(done)["sessions"]]

    assert listed("--branch", "mend") == ["s2", "s1"]
    assert listed("--since", "2026-01-05") == ["s2", "s0", "s1"]
    assert listed("--since", "7d", "--branch", "mend") == ["s2"]
    assert listed("--branch", "other") == []
    assert b"[main]  Mend it" in ctx(project, "session", "list").stdout
    ctx(project, "session", "list", "--since", "soon", code=2)


def test_sessions_are_forgotten_by_their_age(project: Path) -> None:
    today = World().today
    for session, day in (("old", "2020-01-05"), ("now", today)):
        _talk(project, session, day, "newt")
    ctx(project, "session", "import", "-", stdin=b'{"role": "user", "text": "hi", "session": "x"}')
    done = ctx(project, "session", "forget", "--older-than", "30d", "--json")
    assert [one["id"] for one in json.loads(done.stdout)["forgotten"]] == ["old"]
    assert b"sessions/x.jsonl: tells no time" in done.stderr
    assert ctx(project, "session", "forget", "--older-than", "30").stdout == b""


def test_promoted_entries_stay_and_are_named(project: Path) -> None:
    _talk(project, "talk", "2026-01-05", "zebrafish")
    added = ctx(project, "session", "promote", "--yes").stdout.decode()
    name = added.split()[1].rstrip(":")
    before = (project / ".context" / "DECISIONS.md").read_bytes()
    done = ctx(project, "session", "forget", "--all", "--json")
    assert json.loads(done.stdout)["promoted"] == [name]
    assert (project / ".context" / "DECISIONS.md").read_bytes() == before


@pytest.mark.parametrize(
    "arguments", [[], ["x", "--all"], ["--all", "--older-than", "3"], ["--older-than", "soon"]]
)
def test_what_to_forget_is_named_once(project: Path, arguments: list[str]) -> None:
    _talk(project, "x", "2026-01-05", "newt")
    assert ctx(project, "session", "forget", *arguments, code=2).stdout == b""
    assert stored(project, "x.jsonl")


# --- one memory for a repository --------------------------------------------------------------


def test_packages_of_a_repository_share_its_sessions_and_its_trust(project: Path) -> None:
    package = project / "packages" / "api"
    (package / ".context").mkdir(parents=True)
    (package / ".context" / "DECISIONS.md").write_text("# Decisions\n", "utf-8")
    _talk(project, "talk", "2026-01-05", "zebrafish")
    assert b"zebrafish" in ctx(package, "search", "zebrafish").stdout
    assert b"zebrafish" in ctx(package, "agent", "--session", "talk").stdout
    _talk(package, "inner", "2026-01-06", "axolotl")
    assert ctx(project, "session", "list").stdout.startswith(b"inner")
    assert opened_store(package / ".context").is_trusted()
    ctx(project, "trust", "--revoke")
    assert not opened_store(package / ".context").is_trusted()
    make_repository(package)  # a repository of its own, such as a submodule
    assert ctx(package, "session", "list").stdout == b""


def test_a_package_that_is_removed_takes_no_sessions_of_the_repository_with_it(
    project: Path,
) -> None:
    package = project / "packages" / "api"
    (package / ".context").mkdir(parents=True)
    _talk(package, "talk", "2026-01-05", "zebrafish")
    shared = sessions_of(project / ".context").parent
    assert paths_of(str(shared)) == [str(project / ".context")]
    shutil.rmtree(package)
    assert belongs(str(shared))


# --- transcripts that hosts keep --------------------------------------------------------------


KEPT = {
    "claude-code.jsonl": ("CLAUDE_CONFIG_DIR", ".claude", "projects/-home-ada-shop/9a1b.jsonl"),
    "codex.jsonl": ("CODEX_HOME", ".codex", "sessions/2026/11/20/rollout-2026-11-20-019a.jsonl"),
    "copilot.jsonl": ("COPILOT_HOME", ".copilot", "session-state/7d00/events.jsonl"),
    "gemini.jsonl": ("GEMINI_CLI_HOME", "", ".gemini/tmp/shop/chats/session-2026-b1.jsonl"),
    "gemini-document.json": ("GEMINI_CLI_HOME", "", ".gemini/tmp/5f2f/chats/session-2026-b0.json"),
    "aider.chat.history.md": ("AIDER_CHAT_HISTORY_FILE", "", ".aider.chat.history.md"),
}


def keep(project: Path, name: str, home: Path, folder: str = "") -> None:
    """Put an example where its host keeps it, as a transcript of ``project``."""
    data = (FIXTURES / name).read_bytes()
    data = data.replace(b"/home/ada/shop", os.fsencode(project))
    digest = sha256(os.fsencode(project)).hexdigest().encode()
    path = home / (folder or KEPT[name][1]) / KEPT[name][2]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.replace(b"5f2f4e0a" * 8, digest))


def found_by(project: Path, home: Path, *options: str, **more: str) -> dict[str, object]:
    with chdir(project):
        done = call("session", "import", *options, "--json", environ=more, home=str(home))
    sources = json.loads(done.text)["sources"]
    added = sum(one["added"] for each in sources for one in each["sessions"])
    return {"sources": len(sources), "added": added, "said": done.err}


def test_all_transcripts_of_a_project_are_found(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    for name in KEPT:
        is_aider = name.startswith("aider")
        keep(project, name, project if is_aider else tmp_path)
        if not is_aider:  # transcripts of another project
            keep(other, name, tmp_path / "x")
            theirs = tmp_path / "x" / KEPT[name][1] / KEPT[name][2]
            mine = tmp_path / KEPT[name][1] / KEPT[name][2]
            folder = mine.parent if name in {"codex.jsonl", "claude-code.jsonl"} else None
            if folder:
                theirs.rename(folder / f"rollout-other{theirs.suffix}")
    first = found_by(project, tmp_path, "--all")
    again = found_by(project, tmp_path, "--all")
    assert (first["sources"], again["sources"], again["added"]) == (6, 6, 0)
    # Gemini has the same chat in two forms: the session is one.
    assert first["added"] == 5 + 6 + 6 + 5 + 5
    for form in ("claude-code", "codex", "copilot", "gemini", "aider"):
        assert f"ctx: {form}: " in str(first["said"])
    latest = found_by(project, tmp_path, "--latest")
    assert (latest["sources"], latest["added"]) == (1, 0)


@pytest.mark.parametrize("name", [name for name in KEPT if not name.startswith("aider")])
def test_a_variable_moves_the_place(project: Path, tmp_path: Path, name: str) -> None:
    keep(project, name, tmp_path, "moved")
    assert found_by(project, tmp_path, "--all")["sources"] == 0
    variable = {KEPT[name][0]: str(tmp_path / "moved")}
    assert found_by(project, tmp_path, "--all", **variable)["sources"] == 1


def test_a_transcript_of_a_folder_below_is_of_the_project(project: Path, tmp_path: Path) -> None:
    (project / "package").mkdir()
    make_repository(project / "vendored")
    keep(project / "package", "codex.jsonl", tmp_path)
    keep(project / "vendored", "claude-code.jsonl", tmp_path)
    assert found_by(project, tmp_path, "--all")["added"] == 6


def test_where_nothing_is_found_is_said_what_was_looked_for(project: Path, tmp_path: Path) -> None:
    done = found_by(project, tmp_path, "--latest")
    assert done["sources"] == 0
    assert "no transcripts of this project are kept; looked for ~/.claude/" in str(done["said"])
    ctx(project, "session", "import", "--all", "--latest", code=2)
    ctx(project, "session", "import", "--all", "x.jsonl", code=2)
