"""Whatever lies in the directory: an answer, whole and within its budget, and a line on why not.

No test measures time: each run is only stopped where it would be called hung.
"""

import json
import os
import re
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctx.text.tokens import counter
from tests import hostile, naming
from tests.imported import sessions_of
from tests.sampling import ALL, sampled

BUDGET = 4_000
MB = 1 << 20

OPEN_END = frozenset({"fence", "fences", "fence in an item", "comment", "comments", "script"}) | {
    "declarations", "pre", "tildes", "html lines", "html tags",
}  # fmt: skip
"""Texts with something that is never closed: one line may say so of each file."""
ODD_YAML = frozenset(
    {"itself", "itself as tags", "laughs", "laughs as status", "nested 200", "nested 500"}
    | {"huge number", "huge extra", "base 60", "5 MB"}
)
"""Frontmatter that may be taken as far as it can be, or refused with one line a file."""

posix = pytest.mark.skipif(sys.platform == "win32", reason="names, links and pipes of POSIX")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / ".context"
    hostile.plain(folder)
    return folder


def _packet(ran: hostile.Ran) -> dict[str, object]:
    """Return the packet of a run that ended well: valid, counted truly, within its budget."""
    assert "Traceback" not in ran.err
    assert "a bug" not in ran.err
    assert ran.code == 0, ran.err
    text = ran.out.decode()
    packet: dict[str, object] = json.loads(text)
    tokens = counter("heuristic").count(text)
    assert packet["tokens_used"] == tokens
    assert tokens <= BUDGET or packet["degraded"] is True
    return packet


def _said(ran: hostile.Ran) -> list[str]:
    """Return the lines on standard error, without the one that a degraded packet brings.

    Files are named as below the directory, and not as they open from the working directory.
    """
    assert ran.err == "" or ran.err.endswith("\n")
    lines = ran.err.splitlines()
    assert all(line.startswith("ctx: ") for line in lines)
    found = [line for line in lines if not line.startswith("ctx: degraded: ")]
    assert len(lines) - len(found) == ("degraded: " in ran.err)
    below = [re.sub(r"^ctx: \S*/\.context/", "ctx: ", line) for line in found]
    return [re.sub(r"^ctx: \S*/AGENTS\.md", "ctx: ../AGENTS.md", line) for line in below]


def _run(root: Path, **flags: Any) -> hostile.Ran:  # noqa: ANN401 - as in_process takes them
    return hostile.in_process(root, format="json", budget=str(BUDGET), **flags)


def _allowed(text: hostile.Text) -> bool:
    return text.name in OPEN_END or text.name.removeprefix("yaml: ") in ODD_YAML


@pytest.mark.parametrize("text", sampled(hostile.TEXTS, 8, 1), ids=lambda text: text.name)
def test_a_hostile_text_in_every_kind_of_file(tmp_path: Path, text: hostile.Text) -> None:
    root = tmp_path / ".context"
    hostile.fill(root, text)
    before = hostile.tree(root)
    ran = _run(root)
    _packet(ran)
    lines = _said(ran)
    pattern = text.warning or (r":\d+: " if _allowed(text) else "")
    for path in hostile.KINDS:
        about = [line for line in lines if line.startswith(f"ctx: {path}:")]
        assert len(about) == 1 if text.warning else len(about) <= bool(pattern), about
        assert all(re.match(rf"ctx: {re.escape(path)}{pattern}", line) for line in about)
    assert len(lines) <= len(hostile.KINDS)
    assert hostile.tree(root) == before
    assert not list(tmp_path.rglob("owned"))
    assert _run(root) == ran  # from the index, and then from the whole packet that is remembered
    assert _run(root) == ran
    markdown = hostile.in_process(root, budget=str(BUDGET))
    assert markdown.code == 0, markdown.err
    assert markdown.out.startswith(b"# ")
    over = counter("heuristic").count(markdown.out.decode()) > BUDGET
    assert over <= ("ctx: degraded: " in markdown.err)


# --- size ---------------------------------------------------------------------------------


def test_one_line_of_100_mb_over_the_limit(root: Path) -> None:
    with (root / "DECISIONS.md").open("wb") as file:
        file.truncate(100 * MB)  # NUL bytes, which take no room on the disk
    ran = _run(root)
    _packet(ran)
    (line,) = _said(ran)
    assert line.startswith("ctx: DECISIONS.md: 104,857,600 bytes are over the limit of 67,108,864")


def test_one_line_of_100_mb_within_the_limit(root: Path) -> None:
    with (root / "LEARNINGS.md").open("ab") as file:
        file.write(b"## [2026-03-01] Last\n\n")
        for _ in range(100):
            file.write(b"x" * MB)
        file.write(b"\n\n## [2026-03-02] Behind it\n\nstill read\n")
    ran = _run(root, environ={"CTX_MAX_FILE_MB": "200"})
    packet = _packet(ran)
    (line,) = _said(ran)
    number = 4 * 28 + 3
    assert line == f"ctx: LEARNINGS.md:{number}: a line of 104,857,600 characters is left out"
    assert "still read" in json.dumps(packet["learnings"])
    assert "a line of 104,857,600 characters is left out" in json.dumps(packet["learnings"])


@pytest.mark.parametrize("text", sampled(hostile.TEXTS, 8, 5), ids=lambda text: text.name)
def test_a_hostile_text_in_a_session(tmp_path: Path, text: hostile.Text) -> None:
    root = tmp_path / ".context"
    root.mkdir(exist_ok=True)
    sessions = sessions_of(root)
    made = text.make()
    turn = json.dumps({"id": "1", "session": "said", "role": "user", "text": made})
    (sessions / "said.jsonl").write_text(turn + "\n", encoding="utf-8")
    (sessions / "raw.jsonl").write_text(made, encoding="utf-8", newline="")
    ran = _run(root, session="said")
    _packet(ran)
    about = [line for line in _said(ran) if not line.startswith("ctx: sessions/raw.jsonl:")]
    assert about == []
    assert len(_said(ran)) <= 1


def test_one_line_of_3_mb_in_every_kind_of_file(root: Path) -> None:
    for path in hostile.KINDS:
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(b"## First\n\n- " + b"x" * (3 * MB) + b"\n\n## Next\n\n- read\n")
    ran = _run(root)
    _packet(ran)
    assert sorted(_said(ran)) == sorted(
        f"ctx: {path}:3: a line of 3,145,730 characters is left out" for path in hostile.KINDS
    )


def test_100_000_short_lines_in_a_process_of_its_own(root: Path) -> None:
    times = 300_000 if ALL else 100_000
    (root / "DECISIONS.md").write_bytes(b"## [2026-01-01] Long\n\n" + b"a\n" * times)
    ran = hostile.ctx(root, "--format", "json", "--budget", str(BUDGET))
    _packet(ran)
    assert _said(ran) == []


def test_a_thousand_themed_files(root: Path) -> None:
    for number in range(1_000):
        name = f"decisions/theme-{number:05}.md"
        (root / name).write_text(f"## [2026-01-01] Theme {number}\n\nBody.\n", encoding="utf-8")
    ran = _run(root)
    packet = _packet(ran)
    assert _said(ran) == []
    omitted = packet["omitted"]
    assert isinstance(omitted, list)
    assert any(row["files"] == "DECISIONS.md, decisions/" for row in omitted)


# --- bytes --------------------------------------------------------------------------------


def test_bytes_that_are_no_text(root: Path) -> None:
    for path in hostile.KINDS:
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(b"## Latin\n\n- Gr\xf6\xdfe \xff\xfe\xed\xa0\x80\n\n- read\n")
    ran = _run(root)
    _packet(ran)
    named = [line.partition(": not valid UTF-8")[0] for line in _said(ran)]
    assert sorted(named) == sorted(f"ctx: {path}:3" for path in hostile.KINDS)
    assert _run(root) == ran


@pytest.mark.parametrize(
    "data",
    [b"", b"\0", b"\0" * MB, b"\xef\xbb\xbf", b"\xef\xbb\xbf- [ ] a", b"\r", b"- [ ] a\r\n" * 99],
    ids=["empty", "nul", "1 MB of nul", "bom", "bom and item", "return", "crlf"],
)
def test_bytes_that_are_hardly_text(root: Path, data: bytes) -> None:
    for path in hostile.FILES:
        (root / path).write_bytes(data)
    ran = _run(root)
    _packet(ran)
    assert len(_said(ran)) in {0, len(hostile.FILES) if len(data) == MB else 0}


def test_utf_16_is_read_and_said(root: Path) -> None:
    (root / "TASKS.md").write_bytes("- [ ] Größe\n".encode("utf-16"))
    ran = _run(root)
    _packet(ran)
    (line,) = _said(ran)
    assert line.startswith("ctx: TASKS.md:1: is UTF-16")
    assert b"Gr\xc3\xb6\xc3\x9fe" in ran.out


# --- names --------------------------------------------------------------------------------


@posix
def test_files_of_any_name(root: Path) -> None:
    names = [os.fsencode(naming.fitting(name, ".md")) for name in naming.EVERY_NAME]
    for folder in (b"decisions/", b"learnings/"):
        (root / folder.decode()).mkdir(exist_ok=True)
        for number, name in enumerate(names):
            text = f"## [2026-04-01] Named oddly {number}\n\nsaid ".encode() + b"\xff\n"
            with open(os.fsencode(root) + b"/" + folder + name, "wb") as file:
                file.write(text)
    ran = _run(root)
    packet = _packet(ran)
    assert len(_said(ran)) == 2 * len(names)
    whole = hostile.in_process(root, format="json", budget="90000")
    for kind in ("decisions", "learnings"):
        assert "Named oddly" in json.dumps(packet[kind])
        said = json.dumps(json.loads(whole.out)[kind])
        assert all(f"Named oddly {number}" in said for number in range(len(names)))
    for _ in range(2):
        assert _run(root) == ran
    markdown = hostile.in_process(root).out.decode()
    assert "Named oddly" in markdown
    assert "\x1b" not in markdown


# --- what is no file ----------------------------------------------------------------------


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # a socket's path may be no longer than about 100 bytes
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
    finally:
        os.chdir(here)


def _dangling(path: Path) -> None:
    path.symlink_to("nowhere.md")


@posix
@pytest.mark.parametrize(
    ("name", "make", "reason"),
    [
        ("TASKS.md", _loop, "Too many levels of symbolic links"),
        ("CONSTITUTION.md", _dangling, "No such file or directory"),
        ("LEARNINGS.md", Path.mkdir, "is a directory"),
        ("TASKS.md", _pipe, "is not a regular file"),
        ("CONSTITUTION.md", _socket, "is not a regular file"),
    ],
)
def test_what_is_no_file_is_named_and_left_out(
    root: Path, name: str, make: Callable[[Path], None], reason: str
) -> None:
    (root / name).unlink()
    make(root / name)
    ran = _run(root)
    _packet(ran)
    (line,) = _said(ran)
    assert line.startswith(f"ctx: {name}: ")
    assert reason in line
    assert "Decision 28" in ran.out.decode()
    assert _run(root) == ran


@posix
def test_a_link_within_the_directory_is_read(root: Path) -> None:
    (root / "LEARNINGS.md").rename(root / "notes.txt")
    (root / "LEARNINGS.md").symlink_to("notes.txt")
    ran = _run(root)
    assert "Learning 28" in json.dumps(_packet(ran)["learnings"])
    assert _said(ran) == []


@posix
@pytest.mark.parametrize("make", [_loop, _pipe, _socket])
def test_what_is_no_folder_is_done_without(root: Path, make: Callable[[Path], None]) -> None:
    make(root / "learnings")
    ran = _run(root)
    assert "Learning 28" in json.dumps(_packet(ran)["learnings"])
    assert len(_said(ran)) == (make is _loop)


@posix
def test_a_folder_that_leads_back_is_no_loop(root: Path) -> None:
    (root / "learnings").symlink_to(".")
    ran = _run(root)
    _packet(ran)
    assert _said(ran) == []
