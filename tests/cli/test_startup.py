"""What a call does not need is not imported: hooks run ``ctx agent`` before every prompt."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.hooks.host import PATIENT
from tests.keeping import make_repository, state

ROOT = Path(__file__).resolve().parents[2]
LIST = (
    "import atexit, os, sys\n"
    "path, leave = sys.argv.pop(1), os._exit\n"
    "def report():\n"
    "    with open(path, 'w') as file: file.write(' '.join(sys.modules))\n"
    "atexit.register(report)\n"
    "os._exit = lambda code: (report(), leave(code))\n"
    "from ctx.cli.main import main\n"
    "sys.exit(main())\n"
)
"""Runs ``ctx`` and writes down what was imported; atexit and os are loaded anyway."""

SCREEN = {"rich", "pygments"}
HEAVY = {
    "numpy", "pydantic", "asyncio", "tokenizers", "rs_bpe", "onnxruntime", "requests", "urllib3",
    "sentence_transformers", "torch", "importlib.metadata",
    "mcp", "mcp_types", "anyio", "starlette", "uvicorn",
}  # fmt: skip
TYPER = {"typer", "click"}
FIRST_CALL = TYPER | SCREEN | HEAVY
"""Never part of ``ctx agent``."""
REPEATED = FIRST_CALL | {
    "markdown_it", "sqlite3", "dataclasses", "typing", "json", "re", "yaml", "frontmatter",
    "Stemmer", "unicodedata", "tomllib", "datetime", "pathlib", "ctx.app.walk", "ctx.config",
    "ctx.read", "ctx.rank", "ctx.fit", "ctx.render", "ctx.text.tokens",
    "ctx.text.words", "ctx.model",
}  # fmt: skip
"""Never part of a call that is answered from the store."""
SETTLE = 0.25
"""Seconds until the times of a new file can show a change, and its packet is remembered."""


def _imported(
    arguments: Sequence[str], cwd: Path, *, code: int = 0, stdin: bytes = b"", listing: str = LIST
) -> set[str]:
    """Run ``ctx`` in a fresh interpreter; return the names of all modules it has imported."""
    listed = cwd.parent / "modules.txt"
    environ = {name: value for name, value in os.environ.items() if not name.startswith("CTX_")}
    # -S: an editable install imports modules of its own before the first line of ours. The
    # libraries are found all the same, by the path.
    libraries = [path for path in sys.path if path and Path(path).is_dir()]
    environ |= {"HOME": str(cwd), "PYTHONPATH": os.pathsep.join([str(ROOT), *libraries])}
    done = subprocess.run(
        [sys.executable, "-S", "-c", listing, str(listed), *arguments],
        cwd=cwd,
        env=environ,
        check=False,
        input=stdin,
        capture_output=True,
    )
    assert done.returncode == code, done.stderr.decode()
    return set(listed.read_text().split())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with a context directory that holds one of everything."""
    shutil.copytree(
        ROOT / "fixtures" / "webshop", tmp_path / "shop", ignore=shutil.ignore_patterns(".ctx")
    )
    make_repository(tmp_path / "shop")
    time.sleep(SETTLE)
    return tmp_path / "shop"


def test_the_list_is_true(project: Path) -> None:
    """A check of the check: what a call needs is in the list."""
    assert {"ctx.cli.agent", "ctx.app.walk", "sqlite3", "re"} <= _imported(["agent"], project)
    assert "typer" in _imported(["agent", "--help"], project)


def test_the_version(project: Path) -> None:
    assert not _imported(["--version"], project) & (REPEATED | {"ctx.cli.agent"})


def test_a_first_packet_that_is_by_age_looks_for_no_words(project: Path) -> None:
    found = _imported(["agent", "--budget", "2000", "--format", "json"], project)
    assert not found & FIRST_CALL
    assert not found & {"ctx.store.words", "ctx.llm.embedders", "ctx.app.library"}


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="there records are made by typing")
def test_a_first_packet_of_plain_files_takes_no_typing(tmp_path: Path) -> None:
    shutil.copytree(
        ROOT / "fixtures" / "webshop" / ".context", tmp_path / "shop" / ".context",
        ignore=shutil.ignore_patterns(".ctx"),
    )  # fmt: skip
    found = _imported(["agent"], tmp_path / "shop")
    assert "ctx.read.authored.partition" in found
    assert not found & {"typing", "markdown_it", "yaml", "ctx.text.secrets.detectors"}


@pytest.mark.parametrize(
    "arguments",
    [["agent", "--query", "cart", "--strict"], ["search", "cart"], ["index"]],
)
def test_what_finds_by_words_loads_nothing_that_finds_by_meaning(
    project: Path, arguments: list[str]
) -> None:
    found = _imported(arguments, project)
    assert not found & (HEAVY | SCREEN)
    assert "ctx.llm.embedders.static" not in found


def test_what_finds_by_meaning_loads_numpy_alone(project: Path) -> None:
    pytest.importorskip("numpy")
    found = _imported(["agent", "--query", "cart", "--embedder", "static"], project)
    assert {"numpy", "ctx.llm.embedders.static"} <= found
    assert not found & {"urllib3", "tokenizers", "pydantic", "asyncio", "torch", *TYPER}


def test_a_repeated_packet(project: Path) -> None:
    options = ["agent", "--budget", "2000", "--session", "one"]
    assert "ctx.app.walk" in _imported(options, project)  # makes the store, and so a new folder
    time.sleep(SETTLE)
    _imported(options, project)
    assert not _imported(options, project) & REPEATED


NEWS = ["agent", "--session", "one", "--delta"]


@pytest.mark.parametrize(
    "options", [[], ["--planner", "acs", "--log-json", "--focus", "shop/money.py"]], ids=len
)
def test_a_repeated_packet_with_nothing_new(project: Path, options: list[str]) -> None:
    for _ in range(3):  # all is said, nothing is, and that is remembered
        assert not _imported([*NEWS, *options], project) & FIRST_CALL
        time.sleep(SETTLE)
    assert not _imported([*NEWS, *options], project) & (REPEATED | {"subprocess"})


@pytest.mark.parametrize(
    "options",
    [
        [*NEWS[1:], "--context-length", "200000", "--used-tokens", "9000", "--log-json"],
        ["--focus", "warehouse/inbox.py", "--planner", "acs", "--format", "json"],
    ],
    ids=" ".join,
)
def test_what_the_options_of_hooks_load(project: Path, options: list[str]) -> None:
    for _ in range(2):
        found = _imported(["agent", *options], project)
        assert not found & (FIRST_CALL | {"subprocess"})
        time.sleep(SETTLE)


def test_only_git_needs_a_process(project: Path) -> None:
    found = _imported(["agent", "--focus", "git"], project)
    assert "subprocess" in found
    assert not found & FIRST_CALL


def test_pressure_is_looked_at_only_where_it_is_told(project: Path) -> None:
    assert "ctx.app.window" not in _imported(["agent"], project)
    assert "ctx.app.window" in _imported(["agent", "--context-length", "8000"], project)


HOOK = ["hook", "run", "claude", "UserPromptSubmit", PATIENT]
PROMPT = b'{"session_id": "one", "prompt": "how are partial refunds of an invoice rounded"}'


def _imported_by_hook(cwd: Path) -> set[str]:
    """Return what the process imports that the host waits for."""
    # Arguments given, main returns: at the end of a process it leaves without `atexit`.
    listing = LIST.replace("main()", "main(sys.argv[1:])")
    return _imported(HOOK, cwd, stdin=PROMPT, listing=listing)


def test_a_hook_makes_its_packet_elsewhere(project: Path) -> None:
    found = _imported_by_hook(project)
    assert "ctx.hooks.deadline" in found
    assert not found & (FIRST_CALL | {"ctx.app.walk", "typing", "sqlite3"})


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="there records are made by typing")
def test_the_rules_of_a_first_call_take_no_parser(project: Path) -> None:
    """On a busy machine they have to be made with a tenth of a processor."""
    folder = project / ".cursor" / "rules"
    folder.mkdir(parents=True)
    (folder / "a.mdc").write_text("---\nglobs: shop/*.py\nalwaysApply: false\n---\n\n- Never do\n")
    _imported(["trust"], project)
    here = "from ctx.hooks import deadline\ndeadline.FORKS = False\nmain(sys.argv[1:])"
    for event in ("SubagentStart", "PreToolUse"):
        found = _imported(
            ["hook", "run", "claude", event, PATIENT], project,
            stdin=b'{"session_id": "1", "agent_id": "a", "tool_input": {"file_path": "shop/a.py"}}',
            listing=LIST.replace("sys.exit(main())", here),
        )  # fmt: skip
        assert {"ctx.hooks.printed", "ctx.read.frontmatter"} <= found
        assert not found & (FIRST_CALL | {"typing", "markdown_it", "yaml", "dataclasses"})


def test_a_repeated_prompt(project: Path) -> None:
    for _ in range(2):
        _imported_by_hook(project)
        time.sleep(SETTLE)
    found = _imported_by_hook(project)
    loaded_by_json = {"json", "re"}
    assert not found & ((REPEATED | {"subprocess", "threading", "hashlib"}) - loaded_by_json)
    line = (state(project / ".context") / "hook.log").read_text().splitlines()[-1]
    assert "silent\tknown" in line


@pytest.mark.parametrize("arguments", [["plan", "--query", "cart"], ["status"], ["init"]])
def test_commands_in_a_pipe_draw_nothing(project: Path, arguments: list[str]) -> None:
    assert not _imported(arguments, project) & (SCREEN | HEAVY)


def test_mistakes_draw_nothing(project: Path) -> None:
    assert not _imported(["agent", "--nope"], project, code=2) & (SCREEN | HEAVY)


def test_the_help_of_the_server_loads_no_sdk(project: Path) -> None:
    for command in ("mcp", "serve"):
        assert not _imported([command, "--help"], project) & (SCREEN | HEAVY)


def test_a_server_starts_without_what_reads_commands(project: Path) -> None:
    pytest.importorskip("mcp")
    found = _imported(["mcp"], project)  # nobody talks to it: it ends
    assert "mcp" in found
    assert not found & {"typer", "rich", "numpy", "ctx.app.walk", "ctx.cli.app"}
