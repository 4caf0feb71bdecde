"""Whatever ctx writes into a file that a person wrote ends its lines as that file does."""

from __future__ import annotations

import ast
import difflib
import json
import re
import stat
import subprocess
import sys
import time
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import pytest

from ctx.app.settings import set_for_user
from ctx.world import World
from tests.app.writers import NOW_NS
from tests.cli.calls import ctx
from tests.imported import sessions_of
from tests.test_architecture import Module, aliases, full_name, house, is_named, parsed

CHANGES = frozenset({
    "ctx.edit.atomic.create", "ctx.edit.atomic.fill", "ctx.edit.atomic.write",
    "ctx.edit.change.change", "ctx.edit.entries.add_all",
    "ctx.hooks.settings_file.carry_out",
    "os.O_APPEND", "os.O_RDWR", "os.O_WRONLY", "os.ftruncate", "os.rename", "os.replace",
    "os.truncate", "shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.move",
})  # fmt: skip
"""What a module has to name to write into a file, beside ``open`` and methods of paths."""

PASS_ON = frozenset({
    "edit.archive.Archiver._finish", "edit.archive.Archiver._undo",
    "edit.archive._replace",
    "edit.atomic", "edit.atomic.create", "edit.atomic._link", "edit.atomic._overwrite",
    "edit.atomic._write_linked",
    "edit.atomic.write",
    "edit.change._attempt", "edit.entries.add_all",
    "hooks.settings_file._write",
})  # fmt: skip
"""Functions that write the bytes that one of ``WRITERS`` made."""
OWN = {
    "app.editor.keep": "a text for which there was no room, in a new temporary file",
    "app.init.run": "new files alone",
    "app.noting._change": "what agents noted, in the state",
    "app.promotion.skip": "the list of what is proposed no more, in the state",
    "app.sync.Cursor.save": "what was pushed, in the state",
    "app.sync._write": "what was pulled, in the state",
    "cli.explain._write_page": "a page of HTML, written whole",
    "hooks.call._append": "hook.log", "hooks.call._begin_anew": "hook.log",
    "hooks.deadline._live": "the null device", "hooks.runner._open_all": "the null device",
    "mcp.pipe.claim": "the null device", "streams.silence": "the null device",
    "sessions.files": "stored sessions", "sessions.files.Appender.flush": "stored sessions",
    "sessions.files.cut_off": "stored sessions", "sessions.importing._keep": "stored sessions",
    "store.database.connect": "a database", "store.folder.replace": "the cache",
    "store.folder.rename": "files of the state", "store.given.claim": "the delivery log",
    "store.places._Repository.new_id": "an id of git's",
}  # fmt: skip
"""Functions that write into no file that a person wrote, and into which they do."""
MOVED = {".context/TASKS.md": 8, ".context/DECISIONS.md": 6}
"""How many lines a call may take out of a file or change in it; 2 in others."""


class Case(NamedTuple):
    """Calls that write into files, as they are before."""

    files: Mapping[str, str]  # by path; lines end in a line feed
    calls: tuple[tuple[str, ...], ...]
    """Arguments of ``ctx``; ``form PATH`` gives a file the line ends that are tried, ``edit`` puts
    another text in the place of one, ``capture`` answers the question of ``ctx hook install``."""
    changed: tuple[str, ...]  # the files that they change


DECISIONS = (
    "# Decisions\n\n<!-- Newest first. -->\n\n## [2026-01-02-030405] Use SQLite\n\n"
    "**Status**: Accepted\n\n**Decision**: SQLite it is.\n\n```sh\nmake db\n```\n"
)
OLD = "## [2020-01-10] Old\n\n**Status**: Superseded by Use SQLite\n\nIt was so.\n\n"
TASKS = "# Tasks\n\n## Now\n\n- [ ] Write it\n  - [ ] A part\n- [ ] Read it\n\n- [x] Ask\n"
RULES = "# Constitution\n\n- Never push to main.\n- Always run the tests.\n"
MINE = "# Mine\n\n- keep it\n\n```sh\nmake\n```\n"
SETTINGS = '{\n  // mine\n  "model": "x",\n  "hooks": {\n    "Stop": []\n  }\n}\n'
HOOK = "#!/bin/sh\n# mine\necho done\n"
DECIDED = "We decided to indent with tabs in all projects, because spaces are worse."
NO_MORE = "We no longer use SQLite, we decided to use Postgres instead."
_PARTS = (
    "--context", "Tests are slow.", "--rationale", "It is fast.", "--consequence", "None.",
    "--decision", "It is so.\n\nAnd more.",
)  # fmt: skip
_ADR = "# Use a queue\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use one.\n"
_USER = ".config/ctx/config.toml"
_QUEUE = ".context/decisions/0001-queue.md"

WRITERS: dict[str, tuple[Case, ...]] = {
    "app.add._add_dated": (
        Case(
            {".context/DECISIONS.md": DECISIONS},
            (("add", "decision", "Use Postgres", *_PARTS, "--supersedes", "Use SQLite"),),
            (".context/DECISIONS.md",),
        ),
        Case(
            {".context/LEARNINGS.md": "# Learnings\n\nText of mine.\n"},
            (
                ("add", "learning", "Locks wait", "--context", "a", "--lesson", "b",
                 "--application", "c"),
            ),
            (".context/LEARNINGS.md",),
        ),
    ),
    "app.add._mark_elsewhere": (
        Case(
            {".context/decisions/old.md": DECISIONS, ".context/DECISIONS.md": "# Decisions\n\n"},
            (("add", "decision", "Use Postgres", *_PARTS, "--supersedes", "Use SQLite"),),
            (".context/DECISIONS.md", ".context/decisions/old.md"),
        ),
    ),
    "app.add.add_item": (
        Case(
            {".context/TASKS.md": TASKS},
            (("add", "task", "Mend it"),),
            (".context/TASKS.md",),
        ),
        Case(
            {".context/TASKS.md": TASKS},
            (("add", "task", "Mend it", "--phase", "Never"),),
            (".context/TASKS.md",),
        ),
        Case(
            {".context/CONSTITUTION.md": RULES},
            (("add", "rule", "Never commit a secret."),),
            (".context/CONSTITUTION.md",),
        ),
        Case(
            {".context/CONVENTIONS.md": "# Conventions\n\nText.\n\n- Names are short.\n"},
            (("add", "convention", "Tests are fast."),),
            (".context/CONVENTIONS.md",),
        ),
    ),
    "app.task.mark": tuple(
        Case({".context/TASKS.md": TASKS}, (("task", state, title),), (".context/TASKS.md",))
        for state, title in (("done", "Write it"), ("start", "Read it"), ("todo", "Ask"))
    ),
    "app.export.export": (
        Case(
            {".context/CONSTITUTION.md": RULES, "AGENTS.md": MINE},
            (("export", "agents"),),
            ("AGENTS.md",),
        ),
        Case(
            {".context/CONSTITUTION.md": RULES, "AGENTS.md": MINE},
            (("export", "agents"), ("add", "rule", "Never commit a secret."), ("export", "agents")),
            (".context/CONSTITUTION.md", "AGENTS.md"),
        ),
    ),
    "app.importing._write": (
        Case(
            {".context/TASKS.md": TASKS, "docs/adr/0001-queue.md": _ADR},
            (
                ("import",), ("form", _QUEUE),
                ("edit", "docs/adr/0001-queue.md", "We use one.", "We use two."), ("import",),
            ),
            ("docs/adr/0001-queue.md", _QUEUE),
        ),
    ),
    "app.promotion._accepted": (
        Case(
            {".context/DECISIONS.md": "# Mine\n\nText.\n", ".context/decisions/a.md": DECISIONS},
            (("session", "promote", "--yes"),),
            (".context/DECISIONS.md", ".context/decisions/a.md"),
        ),
    ),
    "edit.archive.Archiver.move": (
        Case(
            {
                ".context/TASKS.md": f"{TASKS}\n## Done\n\n- [x] a\n- [-] b\n",
                ".context/DECISIONS.md": OLD + DECISIONS,
                ".context/archive/tasks-2026-11-21.md": "# Archive\n\n- [x] Before\n",
            },
            (("archive",),),
            (".context/TASKS.md", ".context/DECISIONS.md", ".context/archive/tasks-2026-11-21.md"),
        ),
    ),
    "app.settings.set_for_user": (
        Case({_USER: "# Mine\n\nbudget = 5000\n"}, (("capture",),), (_USER,)),
    ),
    "hooks.install.install": tuple(
        Case({".context/TASKS.md": TASKS, path: SETTINGS}, (("hook", "install", tool),), (path,))
        for tool, path in (
            ("claude", ".claude/settings.json"), ("gemini", ".gemini/settings.json"),
            ("cursor", ".cursor/hooks.json"), ("codex", ".codex/hooks.json"),
            ("copilot", ".github/hooks/ctx.json"),
        )
    ),
    "hooks.install.uninstall": (
        Case(
            {".context/TASKS.md": TASKS, ".claude/settings.json": SETTINGS},
            (("hook", "install", "claude"), ("hook", "uninstall", "claude")),
            (),
        ),
    ),
    "hooks.git.install": (
        Case(
            {".context/TASKS.md": TASKS, ".git/hooks/post-commit": HOOK},
            (("hook", "install", "git"),),
            (".git/hooks/post-commit",),
        ),
    ),
    "hooks.git.uninstall": (
        Case(
            {".context/TASKS.md": TASKS, ".git/hooks/post-commit": HOOK},
            (("hook", "install", "git"), ("hook", "uninstall", "git")),
            (),
        ),
    ),
}  # fmt: skip


# --- how a file's lines may end -----------------------------------------------------------


def _plain(text: str) -> bytes:
    return text.encode()


def _windows(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode()


def _marked(text: str) -> bytes:
    return BOM_UTF8 + _windows(text)


def _cut(text: str) -> bytes:
    return _windows(text).removesuffix(b"\r\n")


def _mixed(text: str) -> bytes:
    """Return a text of which every other line ends as on Windows, the first one among them."""
    lines = text.splitlines(keepends=True)
    return b"".join((_plain if at % 2 else _windows)(line) for at, line in enumerate(lines))


def _written(case: Case, form: Callable[[str], bytes], folder: Path) -> dict[str, bytes]:
    """Return the files of a case once its calls have been made, each as ``form`` has it before."""
    root = folder / ".context"
    root.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", folder], check=True)
    for path, text in case.files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(form(text))
        if "/hooks/" in path:
            file.chmod(file.stat().st_mode | stat.S_IXUSR)
    turns = [
        {"id": f"t{at}", "ts": "2026-05-01", "role": "user", "text": text}
        for at, text in enumerate((DECIDED, NO_MORE))
    ]
    talk = sessions_of(root) / "one.jsonl"
    talk.write_text("".join(f"{json.dumps(turn)}\n" for turn in turns), "utf-8")
    for call in case.calls:
        match call:
            case ("form", path):
                file = folder / path
                file.write_bytes(form(file.read_text("utf-8")))
            case ("edit", path, old, new):
                file = folder / path
                file.write_bytes(file.read_bytes().replace(old.encode(), new.encode()))
            case ("capture",):
                world = World()
                world.home = str(folder)
                set_for_user("capture", "on", world)
            case _:
                ctx(folder, *call)
    return {path: (folder / path).read_bytes() for path in {*case.files, *case.changed}}


CASES = [
    pytest.param(case, id=f"{writer}-{at}")
    for writer, cases in WRITERS.items()
    for at, case in enumerate(cases)
]


@pytest.fixture(autouse=True)
def _at_one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: NOW_NS)


@pytest.mark.parametrize("case", CASES)
def test_lines_end_as_the_file_has_them(case: Case, tmp_path: Path) -> None:
    plain = _written(case, _plain, tmp_path / "plain")
    windows = _written(case, _windows, tmp_path / "windows")
    for path, after in plain.items():
        assert b"\r" not in after
        assert windows[path] == _windows(after.decode()), path
        if path in case.files:
            assert (after != case.files[path].encode()) == (path in case.changed), path
    marked = _written(case, _marked, tmp_path / "marked")
    assert marked == {path: BOM_UTF8 + after for path, after in windows.items()}
    cut = _written(case, _cut, tmp_path / "cut")
    for path, after in windows.items():
        assert cut[path].rstrip(b"\r\n") == after.rstrip(b"\r\n"), path
        assert re.search(rb"(?<!\r)\n|\r(?!\n)", cut[path]) is None, path


@pytest.mark.parametrize("case", CASES)
def test_lines_of_a_file_that_mixes_their_ends_keep_theirs(case: Case, tmp_path: Path) -> None:
    mixed = _written(case, _mixed, tmp_path)
    for path, text in case.files.items():
        before, after = (data.splitlines(keepends=True) for data in (_mixed(text), mixed[path]))
        old_texts, new_texts = ([line.rstrip() for line in lines] for lines in (before, after))
        same = difflib.SequenceMatcher(a=old_texts, b=new_texts, autojunk=False)
        kept = 0
        for old, new, size in same.get_matching_blocks():
            assert before[old : old + size] == after[new : new + size], path
            kept += size
        assert kept >= len(before) - MOVED.get(path, 2), path


# --- no writer is forgotten ---------------------------------------------------------------


def _changing(module: Module) -> Iterator[str]:
    """Yield the functions of a module that name what changes files, without ``ctx.``."""
    known = aliases(module)
    own = {node.name for node in module.tree.body if isinstance(node, ast.FunctionDef)}
    for owner, node in _owned(module.tree, module.name.removeprefix("ctx.")):
        name = full_name(node, known) if is_named(node) else ""
        name = f"{module.name}.{name}" if name in own else name
        if name in CHANGES or (isinstance(node, ast.Call) and _opens_to_write(node)):
            yield owner


def _owned(node: ast.AST, owner: str) -> Iterator[tuple[str, ast.AST]]:
    for child in ast.iter_child_nodes(node):
        inner = owner
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            inner = f"{owner}.{child.name}"
        yield inner, child
        yield from _owned(child, inner)


def _opens_to_write(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(attr="write_text" | "write_bytes"):
            return True
        case ast.Name(id="open") | ast.Attribute(attr="open"):
            first = int(isinstance(call.func, ast.Name))  # a path opens itself
            given = [*call.args[first:], *(key.value for key in call.keywords if key.arg == "mode")]
            modes = [mode.value for mode in given if isinstance(mode, ast.Constant)]
            return any(isinstance(mode, str) and set(mode) & set("wax+") for mode in modes)
        case _:
            return False


def test_every_function_that_writes_is_tried_or_has_a_reason() -> None:
    found = {owner for module in house() for owner in _changing(module)}
    assert found == {*WRITERS, *PASS_ON, *OWN}


def test_a_function_that_writes_is_found() -> None:
    for source in (
        "from ctx.edit import atomic\ndef f():\n    atomic.write('a', b'')",
        "from ctx.edit.change import change\ndef f():\n    (change if x else look)(y)",
        "import os\ndef f():\n    os.replace('a', 'b')", "def f():\n    open('a', 'w')",
        "def f():\n    open('a', mode='ab')", "def f():\n    path.write_text('a')",
        "def f():\n    path.open('r+')", "import os\ndef f():\n    os.open('a', os.O_RDWR)",
    ):  # fmt: skip
        assert set(_changing(parsed("ctx.app.new", source))) == {"app.new.f"}, source
    for source in ("def f():\n    open('a', 'rb')", "def f():\n    open('a')"):
        assert list(_changing(parsed("ctx.app.new", source))) == []


@pytest.mark.parametrize("writer", WRITERS)
def test_the_cases_of_a_writer_reach_it(writer: str, tmp_path: Path) -> None:
    called: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            module = str(frame.f_globals.get("__name__")).removeprefix("ctx.")
            called.add(f"{module}.{frame.f_code.co_qualname}")

    sys.setprofile(note)
    try:
        _written(WRITERS[writer][0], _plain, tmp_path)
    finally:
        sys.setprofile(None)
    assert writer in called
