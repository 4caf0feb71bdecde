"""What cites a file, a line or a commit, and where entries say that they are from."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.rank.hands import call

SESSION = "9a1b0c2d-1111-4000-8000-00000000abcd"
LEARNING = ("--context", "", "--lesson", "They expire after a day.", "--application", "")


def git(shop: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    done = subprocess.run(
        ["git", *who, *arguments], cwd=shop, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with a commit that a session tells of."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".context").mkdir()
    (tmp_path / ".context" / "TASKS.md").write_text("# Tasks\n\n- [ ] Paint the cart\n")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "my cart.py").write_text("one\ntwo\nthree\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "Keep carts in Redis")
    return tmp_path


def ran(*arguments: str, **environ: str) -> str:
    done = call(*arguments, environ=environ)
    assert (done.code, done.err) == (0, ""), done.err
    return done.text


def traced(what: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ran("trace", what, "--json"))
    return found


def hows(what: str) -> list[tuple[str, str]]:
    return [(each["title"], each["how"]) for each in traced(what)["results"]]


def test_an_entry_is_written_with_where_it_is_from(project: Path) -> None:
    cites = ("--commit", "HEAD", "--file", "src/my cart.py:2")
    ran("add", "task", "Count carts", "--needs", "paint", *cites, CLAUDE_CODE_SESSION_ID=SESSION)
    ran("add", "learning", "Carts expire", *LEARNING, "--file", "src/my cart.py",
        CODEX_THREAD_ID="a b")  # fmt: skip
    ran("add", "rule", "Never lose a cart", CLAUDE_CODE_SESSION_ID=SESSION)
    ran("add", "convention", "Name carts", "--session", SESSION)
    ran("add", "task", "Nobody's", CLAUDE_CODE_SESSION_ID=SESSION, CODEX_THREAD_ID="b")
    ran("add", "task", "Mine", "--session", "", CLAUDE_CODE_SESSION_ID=SESSION)
    commit = git(project, "rev-parse", "HEAD")[:12]
    root = project / ".context"
    tasks = (root / "TASKS.md").read_text()
    assert "- [ ] Mine #added:" in tasks
    assert "- [ ] Nobody's #added:" in tasks
    assert f" #session:9a1b0c2d-1111 #commit:{commit} #file:src/my%20cart.py:2 #added:" in tasks
    assert tasks.count("#needs:") == 1
    assert json.loads(ran("task", "ready", "--json"))["blocked"][0]["title"] == "Count carts"
    source = (root / "LEARNINGS.md").read_text().rpartition("**Source**: ")[2]
    assert source.startswith("session a-b-")
    assert source.endswith(", src/my cart.py\n")
    assert (root / "CONSTITUTION.md").read_text().endswith("- Never lose a cart\n")
    convention = "- Name carts\n\n  **Source**: session 9a1b0c2d-1111\n"
    assert (root / "CONVENTIONS.md").read_text().endswith(convention)
    assert "#session" not in ran("agent")


def test_what_is_not_there_cannot_be_cited(project: Path) -> None:
    before = (project / ".context" / "TASKS.md").read_bytes()
    for option, value, says in (
        ("--file", "gone.py", "is no file of the project"), ("--file", "src", "is no file"),
        ("--file", "/etc/passwd", "is no file"), ("--commit", "gone", "git knows no commit 'gone'"),
        ("--commit", "--output=x", "git knows no commit"), ("--needs", "gone", "no open task"),
    ):  # fmt: skip
        done = call("add", "task", "Bad", f"{option}={value}")
        assert (done.code, says in done.err) == (2, True), done.err
    assert call("add", "rule", "Bad", "--needs", "paint").code == 2
    assert (project / ".context" / "TASKS.md").read_bytes() == before


def test_a_line_a_file_and_a_commit_lead_to_what_cites_them(project: Path) -> None:
    commit = git(project, "rev-parse", "--short", "HEAD")
    turns = (
        ("user", "Where are carts kept?"),
        ("assistant", '[tool_use Edit] {"file_path": "/home/ada/shop/src/my cart.py"}'),
        ("tool", f"[main {commit}] Keep carts in Redis"),
        ("assistant", "A cart lives in `src/my cart.py`, not in other/cart.py."),
    )
    lines = (
        {"id": f"t{n}", "session": SESSION, "ts": f"2026-11-2{n}", "role": role, "text": text}
        for n, (role, text) in enumerate(turns)
    )
    (project / "talk.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    ran("session", "import", "talk.jsonl")
    ran("add", "learning", "Carts expire", *LEARNING, CLAUDE_CODE_SESSION_ID=SESSION)
    ran("add", "task", "Count carts", "--file", "src/my cart.py:2")
    ran("add", "task", "Weigh carts", "--commit", "HEAD")
    session = ("Carts expire", "of a session that cites the commit")
    weigh = ("Weigh carts", "cites the commit")
    made = (f"tool: [main {commit}] Keep carts in Redis", "cites the commit")
    assert hows("HEAD") == hows(commit) == [weigh, session, made]
    about = traced("HEAD")["about"][0]
    assert about.startswith(f"commit {commit} (")
    assert about.endswith("): Keep carts in Redis")
    said = ("assistant: A cart lives in `src/my cart.py`, not in other/cart.py.", "cites the file")
    count = ("Count carts", "cites the file")
    edited = ('assistant: [tool_use Edit] {"file_path": "/home/ada/shop/src/my cart.py"}',
              "cites the file")  # fmt: skip
    assert hows("src/my cart.py") == [count, said, edited]
    at_line = [(count[0], "cites the line"), weigh, session, said, made, edited]
    assert sorted(hows("src/my cart.py:2")) == sorted(at_line)
    assert hows("src/my cart.py:2")[:3] == at_line[:3]
    assert hows("src/my cart.py:3")[:3] == [weigh, count, session]
    git(project, "mv", "src/my cart.py", "src/basket.py")
    git(project, "commit", "-qm", "Rename")
    assert hows("src/basket.py") == [count, said, edited]
    assert traced("src/basket.py")["about"] == ["was src/my cart.py"]
    (project / "src" / "basket.py").write_text("one\nother\nthree\n")
    assert traced("src/basket.py:2")["about"] == ["was src/my cart.py", "line 2 is not committed"]
    (project / ".git").rename(project / "git")  # sessions are those of the repository
    assert hows("src/my cart.py") == [count]  # which is gone
    assert hows(commit) == [weigh]


def test_what_is_neither_a_file_nor_a_commit_is_refused(project: Path) -> None:
    for what, says in (
        ("src/my cart.py:9", "src/my cart.py:9: the file has 3 lines"),
        ("gone", "'gone' is neither a file here nor a known commit (such as HEAD)"),
        ("", "is neither"), ("--output=x", "is neither"), (str(project), "is neither"),
    ):  # fmt: skip
        done = call("trace", "--", what)
        assert (done.code, done.out, says in done.err) == (2, b"", True), done.err
    assert ran("trace", "src/my cart.py").endswith("Nothing found.\n")
    (project / ".git" / "HEAD").write_text("ref: refs/heads/unborn\n")
    assert "'HEAD' is no file here, and there are no commits yet" in call("trace", "HEAD").err
    assert ran("trace", "gone/cart.py").startswith("gone/cart.py is not there")
