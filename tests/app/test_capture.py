"""Storing what is new of a transcript: nothing twice, nothing lost, no secret."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ctx.app.capture import _BEFORE, capture
from ctx.app.options import PacketOptions
from ctx.app.settings import load
from ctx.errors import CtxError
from ctx.sessions import importing
from ctx.world import World
from tests.cli.calls import ctx
from tests.edit.dying import BYTES, WAYS
from tests.hooks.host import run
from tests.imported import sessions_of
from tests.keeping import make_repository, state

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.config import Settings

ROOT = Path(__file__).resolve().parents[2]
posix = pytest.mark.skipif(os.name != "posix", reason="forks of POSIX")
SECRET = "AKIAVPB0SNZW491GD8AS"  # noqa: S105 - made up


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    (root / ".context").mkdir(parents=True)
    make_repository(root)
    monkeypatch.setenv("CTX_CAPTURE", "on")
    monkeypatch.chdir(root)
    return root


def line(number: int, text: str = "", session: str = "s1") -> str:
    role = "assistant" if number % 2 else "user"
    message = {"role": role, "content": [{"type": "text", "text": text or f"Turn {number}."}]}
    time = f"2026-11-21T10:{number // 60:02}:{number % 60:02}.000Z"
    return json.dumps({
        "type": role, "uuid": f"u{number}", "sessionId": session, "timestamp": time,
        "message": message,
    }) + "\n"  # fmt: skip


def write(path: Path, numbers: range, mode: str = "a", session: str = "s1") -> None:
    with path.open(mode) as file:
        file.writelines(line(number, session=session) for number in numbers)


def _settings(project: Path) -> Settings:
    return load(str(project / ".context"), World(), PacketOptions()).settings


def captured(project: Path, path: Path, session: str = "s1") -> str:
    """Capture in the project; the transcript is in no hurry."""
    return capture(
        str(project / ".context"), str(path), session, World(), _settings(project), lambda: 60.0
    )


def stored(project: Path, session: str = "s1") -> list[str]:
    path = sessions_of(project / ".context") / f"{session}.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [fields["id"] for fields in map(json.loads, lines) if "title" not in fields]


def ids(count: int) -> list[str]:
    return [f"u{number}" for number in range(count)]


def test_only_what_is_new_is_stored(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    write(path, range(5))
    assert captured(project, path) == "stored 5 turns"
    assert captured(project, path) == "stored 0 turns"
    write(path, range(5, 7))
    with path.open("a") as file:
        file.write(line(7)[:30])  # it is being written
    assert captured(project, path) == "stored 2 turns"
    with path.open("a") as file:
        file.write(line(7)[30:])
    assert captured(project, path) == "stored 1 turns"
    assert stored(project) == ids(8)


@pytest.mark.parametrize("most", [1, 300, 1000])
def test_a_long_transcript_is_stored_piece_by_piece(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("ctx.app.capture.PIECE", most)
    path = tmp_path / "s1.jsonl"
    write(path, range(9))
    times = iter([60.0, *[1.0] * 99])
    while not captured_in(project, path, times).startswith("stored 0"):
        times = iter([60.0, *[1.0] * 99])
    assert stored(project) == ids(9)


def captured_in(project: Path, path: Path, times: Iterator[float]) -> str:
    """Capture with the seconds that are left by a clock of its own."""
    return capture(
        str(project / ".context"), str(path), "s1", World(), _settings(project), lambda: next(times)
    )


def test_a_transcript_that_is_not_what_it_was_is_read_again(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    write(path, range(6))
    captured(project, path)
    write(path, range(3), "w")  # shrunk
    assert captured(project, path) == "stored 0 turns"
    write(path, range(3, 8))
    assert captured(project, path) == "stored 2 turns"
    path.write_text(line(20) + line(21) * (_BEFORE // 100))  # rotated: the same name, other turns
    assert captured(project, path) == "stored 2 turns"
    assert stored(project) == [*ids(8), "u20", "u21"]


@pytest.mark.parametrize("form", ["claude-code", "codex", "copilot", "cursor", "gemini"])
def test_a_transcript_is_captured_as_it_is_imported(
    project: Path, tmp_path: Path, form: str
) -> None:
    source = ROOT / "fixtures" / "transcripts" / f"{form}.jsonl"
    done = ctx(project, "session", "import", str(source), "--json").stdout
    (one,) = json.loads(done)["sources"][0]["sessions"]
    stored_in = sessions_of(project / ".context") / one["file"].removeprefix("sessions/")
    whole = stored_in.read_bytes().splitlines()
    ctx(project, "session", "forget", "--all")
    path, lines = tmp_path / source.name, source.read_bytes().splitlines(keepends=True)
    for place in range(0, len(lines), 2):
        with path.open("ab") as file:
            file.writelines(lines[place : place + 2])
        captured(project, path, one["id"])
    assert sorted(stored_in.read_bytes().splitlines()) == sorted(whole)  # a title comes earlier


def test_what_an_import_stored_is_not_stored_again(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    write(path, range(4))
    captured(project, path)
    write(path, range(4, 8))
    ctx(project, "session", "import", str(path))
    write(path, range(8, 10))
    assert captured(project, path) == "stored 2 turns"
    assert stored(project) == ids(10)


def test_what_was_imported_before_is_read_once(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "s1.jsonl", range(8))
    ctx(project, "session", "import", str(tmp_path / "s1.jsonl"))
    monkeypatch.setattr("ctx.app.capture.PIECE", 500)
    times = iter([60.0, 1.0])
    assert captured_in(project, tmp_path / "s1.jsonl", times) == "stored 0 turns"
    assert captured(project, tmp_path / "s1.jsonl") == "stored 0 turns"
    known = [json.loads(one.read_bytes()) for one in state(project / ".context").glob("captured/*")]
    write(tmp_path / "s1.jsonl", range(8, 9))
    assert captured(project, tmp_path / "s1.jsonl") == "stored 1 turns"
    assert {(one[4] > 0, one[5]) for one in known if one[1]} == {(True, "all")}
    assert stored(project) == ids(9)


def test_a_session_that_is_resumed_in_another_transcript_is_one(
    project: Path, tmp_path: Path
) -> None:
    write(tmp_path / "s1.jsonl", range(4))
    captured(project, tmp_path / "s1.jsonl")
    write(tmp_path / "s2.jsonl", range(6), session="s2")  # a copy under another id, and more
    captured(project, tmp_path / "s2.jsonl", "s2")
    assert stored(project) == ids(6)
    assert stored(project, "s2") == []
    write(tmp_path / "s3.jsonl", range(7), session="s3")
    ctx(project, "session", "import", str(tmp_path / "s3.jsonl"))
    assert stored(project) == ids(7)


def test_a_document_is_read_again_as_often_as_it_is_written(project: Path, tmp_path: Path) -> None:
    path, source = tmp_path / "chat.json", ROOT / "fixtures/transcripts/gemini-document.json"
    whole = json.loads(source.read_bytes())
    for count in range(1, len(whole["messages"]) + 1):
        chat = json.dumps({**whole, "messages": whole["messages"][:count]}, indent=2)
        path.write_text(chat[: len(chat) // 2])  # it is being written
        captured(project, path)
        path.write_text(chat)
        captured(project, path)
    assert len(stored(project, whole["sessionId"])) == len(set(stored(project, whole["sessionId"])))
    ctx(project, "session", "import", str(source))  # which finds all of it
    assert len(stored(project, whole["sessionId"])) == 5


def test_the_title_of_the_host_is_stored_once(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    write(path, range(2))
    for _ in range(2):
        with path.open("a") as file:
            title = {"type": "ai-title", "aiTitle": f"Mend {SECRET}", "sessionId": "s1"}
            file.write(json.dumps(title) + "\n")
        captured(project, path)
    lines = (sessions_of(project / ".context") / "s1.jsonl").read_text().splitlines()
    assert [one["title"] for one in map(json.loads, lines) if "title" in one] == [
        "Mend [secret redacted]"
    ]


def test_secrets_are_redacted_before_anything_is_stored(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_text(line(0, f"The key is {SECRET}, use it."))
    captured(project, path)
    text = (sessions_of(project / ".context") / "s1.jsonl").read_text()
    assert SECRET not in text
    assert "[secret redacted]" in text


def test_titles_alone(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CTX_CAPTURE", "titles")
    path = tmp_path / "s1.jsonl"
    call = {"type": "tool_use", "name": "Edit", "input": {"file_path": "a.py", "new_string": "x"}}
    edit = json.loads(line(3))
    edit["message"]["content"] = [call, {**call, "name": "Read"}, call]
    path.write_text(
        line(0, "Mend the parser.\nIt drops the last line.")
        + line(1, "Done.") + json.dumps(edit) + "\n" + line(4, "Go on")
    )  # fmt: skip
    assert captured(project, path) == "stored 3 turns"
    text = (sessions_of(project / ".context") / "s1.jsonl").read_text()
    assert [json.loads(one)["text"] for one in text.splitlines()] == [
        "Mend the parser.", "[changed] a.py", "Go on",
    ]  # fmt: skip


def test_nothing_is_stored_unless_the_user_wants_it(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CTX_CAPTURE")
    path = tmp_path / "s1.jsonl"
    write(path, range(3))
    assert captured(project, path) == "capture is off"
    (project / ".context" / "config.toml").write_text('capture = "on"\n')
    with pytest.raises(CtxError, match="a project cannot set capture"):
        captured(project, path)
    assert stored(project) == []


def test_a_full_disk_loses_nothing(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s1.jsonl"
    write(path, range(3))
    captured(project, path)
    write(path, range(3, 9))

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("ctx.sessions.files.os.write", full)
        with pytest.raises(CtxError):
            captured(project, path)
    assert captured(project, path) == "stored 6 turns"
    assert stored(project) == ids(9)


@posix
@pytest.mark.parametrize("way", ["calls", "halves", "bytes", "full"])
def test_one_that_is_killed_is_completed_by_the_next(
    project: Path, tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "BUFFER", 300)
    monkeypatch.setattr("ctx.app.capture.PIECE", 500)
    died = number = 0
    step = BYTES if way in ("bytes", "full") else 1
    while died == number:
        path = tmp_path / f"{number}.jsonl"
        write(path, range(100 * number, 100 * number + 7), session=path.stem)
        child = os.fork()
        if child == 0:
            WAYS[way](number * step)()
            try:
                captured(project, path, path.stem)
            except (CtxError, OSError):
                os._exit(1)  # as on a full disk
            os._exit(0)
        died += os.waitpid(child, 0)[1] != 0
        captured(project, path, path.stem)
        right = [f"u{turn}" for turn in range(100 * number, 100 * number + 7)]
        assert stored(project, path.stem) == right, number
        number += 1
    assert died > (10 if step == BYTES else 20)


@posix
def test_ten_at_once_store_each_turn_once(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    write(path, range(40))
    event = {"session_id": "s1", "transcript_path": str(path), "cwd": str(project)}
    command = [sys.executable, "-m", "ctx", "hook", "run", "claude", "Stop", "--deadline", "60"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    at_once = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ)
        for _ in range(10)
    ]
    for one in at_once:
        assert one.communicate(json.dumps(event).encode())[0] == b""
    assert [one.returncode for one in at_once] == [0] * 10
    assert stored(project) == ids(40)


@pytest.mark.parametrize("name", ["Stop", "SessionEnd"])
def test_the_hook_stores_and_prints_nothing(project: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / "s1.jsonl"
    write(path, range(3))
    event = {"session_id": "s1", "transcript_path": str(path), "cwd": str(project)}
    done = run(project, event, "claude", name, CTX_CAPTURE="on")
    assert (done.code, done.out, done.log["reason"]) == (0, b"", "stored 3 turns")
    assert run(project, {**event, "transcript_path": ""}, "claude", name).log["outcome"] == "silent"
    for odd in ("/dev/zero", str(tmp_path), str(tmp_path / "none"), "relative.jsonl"):
        again = run(project, {**event, "transcript_path": odd}, "claude", name, CTX_CAPTURE="on")
        assert (again.code, again.out, again.log["outcome"]) == (0, b"", "fault")


def _prompt(number: int, after: int | None, text: str, **more: object) -> str:
    parent = None if after is None else f"u{after}"
    fields = {
        "type": "user", "uuid": f"u{number}", "parentUuid": parent, "sessionId": "s1",
        "timestamp": f"2026-11-20T10:00:{number:02}Z", "message": {"role": "user", "content": text},
        **more,
    }  # fmt: skip
    return json.dumps(fields) + "\n"


def _answer(number: int, after: int) -> str:
    content = [{"type": "text", "text": f"Done {number}."}]
    message = {"role": "assistant", "content": content}
    return _prompt(number, after, "", type="assistant", message=message)


def _rules(project: Path) -> str:
    return ctx(project, "session", "rules").stdout.decode()


def test_what_is_taken_back_after_it_was_stored_is_out_of_force(
    project: Path, tmp_path: Path
) -> None:
    path = tmp_path / "s1.jsonl"
    begun = _prompt(0, None, "Load the tables.") + _answer(1, 0)
    path.write_text(begun + _prompt(2, 1, "Never use pandas from now on.") + _answer(3, 2))
    captured(project, path)
    assert "pandas" in _rules(project)
    with path.open("a") as file:  # the person went back to the first answer
        file.write(_prompt(4, 1, "Never use tabs from now on.") + _answer(5, 4))
    captured(project, path)
    captured(project, path)
    assert "tabs" in _rules(project)
    assert "pandas" not in _rules(project)
    packet = ctx(project, "agent", "--query", "pandas", "--session", "s1").stdout.decode()
    assert "Never use tabs" in packet
    assert "pandas" not in packet
    kept = (sessions_of(project / ".context") / "s1.jsonl").read_text("utf-8")
    assert kept.count("Never use pandas") == 1
    assert kept.count('"taken_back": ["u2", "u3"]') == 1


def test_results_of_calls_made_at_once_take_nothing_back(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    result = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c", "content": "x"}],
    }
    path.write_text(
        _prompt(0, None, "Load the tables.") + _answer(1, 0) + _answer(2, 1)
        + _prompt(3, 1, "", message=result) + _prompt(4, 2, "", message=result) + _answer(5, 4)
    )  # fmt: skip
    captured(project, path)
    assert "taken_back" not in (sessions_of(project / ".context") / "s1.jsonl").read_text("utf-8")


def test_what_an_earlier_version_took_for_the_users_is_out_of_force(
    project: Path, tmp_path: Path
) -> None:
    folder = sessions_of(project / ".context")
    folder.mkdir(parents=True, exist_ok=True)
    text = "<task-notification>Never retry from now on.</task-notification>"
    turn = {"id": "u2", "session": "s1", "ts": "2026-11-20T10:00:02Z", "role": "user", "text": text}
    (folder / "s1.jsonl").write_text(json.dumps(turn) + "\n")
    path = tmp_path / "s1.jsonl"
    path.write_text(_prompt(0, None, "Load the tables.") + _prompt(2, 0, text))
    ctx(project, "session", "import", path)
    assert '"taken_back": ["u2"]' in (folder / "s1.jsonl").read_text("utf-8")


def test_a_file_without_a_turn_is_an_error_that_names_what_is_there(
    project: Path, tmp_path: Path
) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_text(_prompt(0, None, "", type="later-kind"))
    found = ctx(project, "session", "import", path, code=2)
    assert "taken for claude-code, and holds no turn: 1 type later-kind" in found.stderr.decode()


def test_a_fork_of_a_fork_is_of_the_first_session(project: Path, tmp_path: Path) -> None:
    said = "abc"
    for number, name in enumerate(said):
        origin = {"forked_from_id": said[number - 1]} if number else {}
        lines = [
            {"type": "session_meta", "payload": {"id": name, "cwd": str(project), **origin}},
            {
                "type": "response_item", "timestamp": f"2026-11-20T10:00:0{number}Z",
                "payload": {"type": "message", "role": "user", "content": f"Do {name}."},
            },
        ]  # fmt: skip
        path = tmp_path / f"rollout-{name}.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in lines))
        ctx(project, "session", "import", path)
    shown = ctx(project, "session", "show", "a").stdout.decode()
    assert [f"Do {name}." in shown for name in said] == [True, True, True]


def test_what_was_said_in_another_repository_is_left_out(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    make_repository(other)
    path = tmp_path / "s1.jsonl"
    blocks = [{"type": "text", "text": "It is Acme."}, {"type": "text", "text": "Of Acme."}]
    message = {"role": "user", "content": blocks}
    path.write_text(
        _prompt(0, None, "", message=message, cwd=str(other))
        + _prompt(2, 0, "Rename it.", cwd=str(project / "src"))
        + _prompt(3, 2, "In a folder that is gone.", cwd=str(tmp_path / "gone"))
    )
    captured(project, path)
    assert stored(project) == ["u2", "u3"]


def _rollout(folder: Path, name: str, *said: str, **meta: object) -> Path:
    payload = {"id": "s1", "cwd": str(folder), **meta}
    rows: list[dict[str, object]] = [{"type": "session_meta", "payload": payload}]
    for text in said:
        message = {"type": "message", "role": "user", "content": text}
        rows.append(
            {"type": "response_item", "timestamp": f"2026-11-20T{name}Z", "payload": message}
        )
    path = folder / "2026" / "11" / "20" / f"rollout-{name.replace(':', '-')}-s1.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("by_hook", [True, False])
def test_what_codex_went_back_from_is_out_of_force(
    project: Path, tmp_path: Path, *, by_hook: bool
) -> None:
    first = _rollout(tmp_path, "10:00:00", "Load it.", "Never use pandas from now on.")
    until = first.read_bytes().index(b"\n", first.read_bytes().index(b"Load it.")) + 1
    base = {"thread": "s1", "end_ordinal_exclusive": 2, "end_byte_offset": until}
    second = _rollout(tmp_path, "10:05:00", "Never use tabs from now on.", history_base=base)
    for path in (first, second):
        if by_hook:
            captured(project, path)
        else:
            ctx(project, "session", "import", path)
    rules = _rules(project)
    assert "tabs" in rules
    assert "pandas" not in rules
