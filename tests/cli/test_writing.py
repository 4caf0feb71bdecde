"""``ctx add`` and ``ctx task`` as people and agents call them: pipes, terminals, editors, races."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import terminal
from tests.app.writers import added, adding, said
from tests.cli import calls
from tests.hostile import environment

posix = pytest.mark.skipif(os.name != "posix", reason="terminals and editors of POSIX")
PIPE = ("--context", "c", "--rationale", "r", "--consequence", "")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / ".context"
    place.mkdir()
    return place


def ctx(
    root: Path, *arguments: str, code: int = 0, **more: str
) -> subprocess.CompletedProcess[bytes]:
    """Run ``ctx``, in a process of its own where it looks for a folder of temporary files."""
    if "TMPDIR" not in more:
        environ = {"CTX_NO_CACHE": "1", **more}
        return calls.ctx(root, *arguments, "--dir", str(root), code=code, environ=environ)
    done = subprocess.run(
        [sys.executable, "-m", "ctx", *arguments, "--dir", str(root)],
        env=environment(CTX_NO_CACHE="1", **more), check=False, capture_output=True,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    return done


def answered(root: Path, answers: str, *arguments: str, code: int = 0, **more: str) -> str:
    """Run in a terminal, where questions are answered in turn; return all that is shown."""
    kept = {"CTX_NO_CACHE": "1", **more}
    return terminal.answered(
        answers, ": |[y/N] ", *arguments, "--dir", str(root), code=code, **kept
    )


# --- in a pipe ----------------------------------------------------------------------------


def test_superseding_is_said(root: Path) -> None:
    ctx(root, "add", "decision", "Keep it", "--decision", "d", *PIPE)
    done = ctx(root, "add", "decision", "Drop it", "--decision", "e", *PIPE, "--supersedes", "keep")
    assert done.stdout.decode().split("\n")[1].startswith("superseded DECISIONS.md#20")


def test_a_task_is_added_and_marked(root: Path) -> None:
    done = ctx(root, "add", "task", "Write it", "--phase", "Now", "--priority", "HIGH")
    assert (
        done.stdout
        == b"added TASKS.md#write-it: Write it (TASKS.md:26, under \xe2\x80\x9cNow\xe2\x80\x9d)\n"
    )
    done = ctx(root, "task", "start", "write", "it")
    lines = done.stdout.decode().split("\n")
    assert lines[0] == "TASKS.md:26 is in progress: Write it"
    assert lines[1].startswith("  was  - [ ] Write it #priority:high #added:20")
    assert lines[2] == f"{lines[1].replace('was', 'now')} #in-progress"
    again = ctx(root, "task", "start", "write it").stdout.decode().split("\n")
    assert again[0] == "TASKS.md:26 is in progress already: Write it"
    assert len(again) == 3
    found = json.loads(ctx(root, "task", "done", "write", "--json").stdout)
    assert (found["status"], found["changed"], found["line"]) == ("done", True, 26)
    for state, box in (("block", "[ ]"), ("skip", "[-]"), ("todo", "[ ]")):
        assert box in ctx(root, "task", state, "write").stdout.decode()


# --- on a terminal ------------------------------------------------------------------------


@posix
def test_on_a_terminal_what_is_missing_is_asked_for(root: Path) -> None:
    told = answered(root, "|A title|why|what||it holds", "add", "decision", "--rationale", "r")
    for asked in ("title: ", "context (Enter for none): ", "decision: ", "consequence (Enter"):
        assert asked in told
    assert "rationale (" not in told
    assert "added DECISIONS.md#" in told
    text = (root / "DECISIONS.md").read_text()
    assert text.endswith(
        "] A title\n\n**Context**: why\n\n**Decision**: what\n\n**Rationale**: r\n"
    )


@posix
def test_a_part_that_no_entry_is_without_is_asked_for_again(root: Path) -> None:
    told = answered(root, "||it is so|", "add", "learning", "A title")
    assert told.count("lesson: ") == 2
    assert (root / "LEARNINGS.md").read_text().endswith("] A title\n\n**Lesson**: it is so\n")


@posix
def test_the_end_of_the_input_adds_nothing(root: Path) -> None:
    told = answered(root, "why|\x04", "add", "learning", "A title", code=2)
    assert "ctx: nothing was added: no answer for lesson (give it as an option)" in told
    assert os.listdir(root) == []


@posix
@pytest.mark.parametrize(("answer", "count", "code"), [("y", 2, 0), ("", 1, 2)])
def test_on_a_terminal_a_repetition_is_asked_about(
    root: Path, answer: str, count: int, code: int
) -> None:
    added(root, adding("task", "Write \x1b it"))
    told = answered(root, answer, "add", "task", "Write \N{REPLACEMENT CHARACTER} it", code=code)
    assert "repeats TASKS.md#write-it “Write \N{REPLACEMENT CHARACTER} it” (title 1.00)\n" in told
    assert "add it all the same? [y/N] " in told
    assert sum(said(root).values()) == count


# --- an editor ----------------------------------------------------------------------------


def editor(folder: Path, body: str) -> str:
    script = folder / "an editor"
    script.write_text(
        f"#!{sys.executable}\nimport sys\npath = sys.argv[-1]\n"
        f"told = open(path, encoding='utf-8').read()\n{body}\n"
        "open(path, 'w', encoding='utf-8').write(told)\n"
    )
    script.chmod(0o700)
    return f"'{script}'"


@posix
def test_an_editor_gets_the_form_and_what_it_leaves_is_added_word_for_word(
    root: Path, tmp_path: Path
) -> None:
    form = (
        "assert told.split('<!--')[0] == '## Keep it\\n\\n**Context**: why\\n\\n**Decision**:\\n\\n"
        "**Rationale**:\\n\\n**Consequence**:\\n\\n', told\n"
        "told = told.replace('**Decision**:', '**Decision**: This:\\n\\n- one\\n  - two\\n\\n"
        "### Why\\n\\n```\\n## [2026-01-01] no entry\\n```').replace('Keep it', 'Keep all')"
    )
    visual = editor(tmp_path, form)
    ctx(root, "add", "decision", "Keep it", "--context", "why", "--edit", VISUAL=visual)
    assert (root / "DECISIONS.md").read_text().endswith(
        "] Keep all\n\n**Context**: why\n\n**Decision**: This:\n\n- one\n  - two\n\n### Why\n\n"
        "```\n## [2026-01-01] no entry\n```\n"
    )  # fmt: skip
    assert [one[3] for one in said(root)] == ["Keep all"]


@posix
@pytest.mark.parametrize("kind", ["task", "rule"])
def test_an_item_can_be_edited_with_what_belongs_to_it(
    root: Path, tmp_path: Path, kind: str
) -> None:
    visual = editor(tmp_path, "told = told.replace('Keep it', 'Keep it\\n  - [ ] and more')")
    ctx(root, "add", kind, "Keep it", "--edit", VISUAL=visual)
    ((entry, times),) = said(root).items()
    assert times == 1
    assert "\n  - [ ] and more" in str(entry[4])


@posix
@pytest.mark.parametrize("left", ["' \\n'", "told.split('\\n')[-2]"])
def test_an_emptied_form_adds_nothing(root: Path, tmp_path: Path, left: str) -> None:
    done = ctx(root, "add", "task", "Keep", "--edit", VISUAL=editor(tmp_path, f"told = {left}"))
    assert done.stderr == b"ctx: nothing was added: the editor left nothing\n"
    assert os.listdir(root) == []


@posix
@pytest.mark.parametrize(
    ("left", "says"),
    [
        ("'## A\\n\\ntext\\n\\n## B\\n\\nmore'", "the file would not be read as one entry more"),
        ("'## A\\n\\ntext\\n\\n```\\nopen'", ""),
        ("'## A'", "there is a title and no text"),
    ],
)
def test_what_cannot_be_added_is_kept(root: Path, tmp_path: Path, left: str, says: str) -> None:
    (root / "DECISIONS.md").write_text("## [2026-01-01] Old\n\nText.\n")
    visual = editor(tmp_path, f"told = {left}")
    code = 6 if "entry more" in says or not says else 2
    done = ctx(
        root, "add", "decision", "x", "--edit", VISUAL=visual, TMPDIR=str(tmp_path), code=code
    )
    kept, error = done.stderr.decode().strip().split("\n")
    assert kept.startswith("ctx: what was written is kept in ")
    path = Path(kept.removeprefix("ctx: what was written is kept in "))
    assert path.read_text().startswith("## A")
    assert path.stat().st_mode & 0o777 == 0o600
    assert says in error
    assert (root / "DECISIONS.md").read_text() == "## [2026-01-01] Old\n\nText.\n"


@posix
@pytest.mark.parametrize(
    ("ends", "says"),
    [
        ("sys.exit(1)", "ended with code 1"),
        ("open(path, 'ab').write(b'caf\\xe9'); sys.exit(0)", "left what is not UTF-8 (byte 17)"),
        ("open(path, 'wb').write('## Mine'.encode('utf-16')); sys.exit(0)", "is not UTF-8"),
    ],
)
def test_what_is_saved_is_kept_though_the_editor_fails(
    root: Path, tmp_path: Path, ends: str, says: str
) -> None:
    body = f"open(path, 'w').write('## Mine\\n\\ntext\\n')\n{ends}"
    visual = editor(tmp_path, body)
    done = ctx(root, "add", "decision", "x", "--edit", VISUAL=visual, TMPDIR=str(tmp_path), code=2)
    kept, error = done.stderr.decode().strip().split("\n")
    path = Path(kept.removeprefix("ctx: what was written is kept in "))
    assert b"Mine" in path.read_bytes().replace(b"\0", b"")
    assert says in error
    assert os.listdir(root) == []


@posix
def test_what_was_written_is_kept_where_the_answer_is_an_interrupt(
    root: Path, tmp_path: Path
) -> None:
    (root / "DECISIONS.md").write_text("## [2026-01-01] Mine\n\nText.\n")
    visual = editor(tmp_path, "told = '## Mine\\n\\na long text\\n'")
    folder = tmp_path / "kept"
    folder.mkdir()
    said = answered(
        root, "\x03", "add", "decision", "x", "--edit", VISUAL=visual, TMPDIR=str(folder), code=130
    )
    (path,) = folder.iterdir()
    assert path.read_text() == "## Mine\n\na long text\n"
    assert f"what was written is kept in {path}" in said


@posix
def test_what_was_typed_is_kept_where_it_cannot_be_added(root: Path, tmp_path: Path) -> None:
    (root / "LEARNINGS.md").write_text("## [2026-01-01] Mine\n\nText.\n")
    folder = tmp_path / "kept"
    folder.mkdir()
    answers = "why\nlong\n\nn\n"
    answered(root, answers, "add", "learning", "Mine", TMPDIR=str(folder), code=2)
    (path,) = folder.iterdir()
    assert path.read_text() == (
        "## Mine\n\n**Context**: why\n\n**Lesson**: long\n\n**Application**:"
    )


@posix
def test_a_form_that_was_left_as_it_is_is_not_kept(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    done = ctx(root, "add", "decision", "x", "--edit", EDITOR="true", TMPDIR=str(folder), code=2)
    assert done.stderr == (b"ctx: nothing was added: there is a title and no text (give it both)\n")
    assert list(folder.iterdir()) == []


# --- at once ------------------------------------------------------------------------------


NAMES = ("one", "two", "three")


def test_six_at_once_lose_nothing(root: Path) -> None:
    """Three add four entries each, three tick and block tasks, in six processes."""
    tasks = "".join(f"- [ ] Task {word}\n" for word in "abcdefghij")
    (root / "TASKS.md").write_text(f"# Tasks\n\n{tasks}")
    program = (
        "import sys\nfrom ctx.cli.main import main\n"
        "for call in sys.argv[2:]:\n"
        "    assert main([*call.split('|'), '--dir', sys.argv[1]]) == 0, call\n"
    )
    calls = [
        [f"add|task|Job {name} {n}|--force" for n in range(2)]
        + [f"add|rule|Rule {name}", f"add|convention|Custom {name}"]
        for name in NAMES
    ]
    calls += [
        [f"task|done|TASKS.md#task-{a}", f"task|block|TASKS.md#task-{b}"]
        for a, b in zip("abc", "fgh", strict=True)
    ]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(root), *call],
            env=environment(CTX_NO_CACHE="1"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )
        for call in calls
    ]  # fmt: skip
    assert [one.communicate()[1] for one in running] == [b""] * 6
    now = {(str(one[3]), one[6]) for one in said(root)}
    assert {(f"Task {word}", "done") for word in "abc"} <= now
    assert {(f"Task {word}", "blocked") for word in "fgh"} <= now
    for name in NAMES:
        assert {(f"Job {name} 0", ""), (f"Job {name} 1", ""), (f"Rule {name}", ""),
                (f"Custom {name}", "")} <= now  # fmt: skip
    assert len(now) == sum(said(root).values()) == 22
    assert sorted(os.listdir(root)) == ["CONSTITUTION.md", "CONVENTIONS.md", "TASKS.md"]
