"""The documents say what the program does: nothing drifts, examples run, Tab completes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from ctx import config, errors
from scripts import generate
from tests.test_transcripts import prepare

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = generate.commands()
SHELL_BLOCKS = ("console", "sh", "shell", "bash")
_FENCE = re.compile(r"```(\w*)\n(.*?)\n```", re.DOTALL)
_INDENTED = re.compile(r"(?:^(?:    .*)?\n)+", re.MULTILINE)

posix = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


OFFERED = [
    "agent", "init", "status", "search", "index", "archive", "tiers", "plan", "strategy",
    "session",
]  # fmt: skip
CALL = re.compile(rf"(?:^|[|=] ?|\s)ctx (?:-|{'|'.join(OFFERED)})")


class Example(NamedTuple):
    """A command that a page shows."""

    page: str
    command: str


def examples(page: Path) -> Iterator[Example]:
    """Yield every line of a shell block, fenced or indented, that calls ``ctx``."""
    text = page.read_text("utf-8")
    fenced = [body for language, body in _FENCE.findall(text) if language in SHELL_BLOCKS]
    indented = [found[0] for found in _INDENTED.finditer(_FENCE.sub("", text))]
    for block in (*fenced, *indented):
        for line in block.split("\n"):
            command = line.strip().removeprefix("$ ")
            if CALL.search(command):
                yield Example(page.name, command)


EXAMPLES = [example for page in PAGES for example in examples(page)]


# --- generated files ----------------------------------------------------------------------


def test_nothing_drifts() -> None:
    assert generate.drifted(generate.outputs()) == []


def test_drift_is_seen(tmp_path: Path) -> None:
    made = {"docs/a.md": "a\n", "docs/b.md": "b\n", "c.md": "c\n"}
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("a\n")
    (tmp_path / "docs" / "b.md").write_text("b \n")
    assert generate.drifted(made, tmp_path) == ["docs/b.md", "c.md"]


def test_check_names_what_drifts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate.main(["--check"]) == 0
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(generate, "HEAD", "# Another head\n")
    assert generate.main(["--check"]) == 1
    assert "docs/reference.md is out of date" in capsys.readouterr().out


def test_the_reference_names_all_there_is() -> None:
    text = (ROOT / generate.REFERENCE).read_text("utf-8")
    for command in COMMANDS:
        assert f"\n## {command.name}\n" in text
        assert all(f"`{option.usage}`".replace("|", r"\|") in text for option in command.options)
    for setting in config.SETTINGS:
        assert f"`{setting.variable}`" in text
    assert all(f"`{name}`" in text for name in config.NOT_SETTINGS)
    for name, code in vars(errors).items():
        if name.isupper() and name != "FINDINGS":  # there is no `ctx check` yet
            assert f"\n| {code} |" in text


def test_the_guide_names_every_exit_code() -> None:
    guide = (ROOT / "docs" / "guide.md").read_text("utf-8")
    for code, _ in generate.exit_codes({command.name for command in COMMANDS}):
        assert f"\n| {code} |" in guide


# --- help ---------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_is_documented(command: generate.Command) -> None:
    assert command.help
    assert command.example.startswith("ctx ")
    assert all(option.help for option in command.options)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_help_shows_an_example(command: generate.Command) -> None:
    arguments = [*command.name.split()[1:], "--help"]
    said = subprocess.run(
        [sys.executable, "-m", "ctx", *arguments], cwd=ROOT, check=True, capture_output=True
    ).stdout.decode()
    assert "Example: ctx " in said
    assert "Usage: ctx" in said


# --- examples -----------------------------------------------------------------------------


def test_pages_show_examples() -> None:
    by_page = {example.page for example in EXAMPLES}
    assert {"README.md", "guide.md", "reference.md"} <= by_page
    assert len(EXAMPLES) > 25


@posix
@needs_bash
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: f"{e.page}: {e.command[:50]}")
def test_an_example_runs(example: Example, tmp_path: Path) -> None:
    place = prepare(tmp_path, "webshop")
    if "session expand" in example.command:  # the summary that the pages name
        long = ROOT / "fixtures" / "transcripts" / "refunds.jsonl"
        for arguments in (["import", str(long)], ["compact"]):
            subprocess.run(
                ["ctx", "session", *arguments],
                cwd=place.cwd, env=place.environ, check=True, capture_output=True,
            )  # fmt: skip
    if shutil.which("jq") is None:  # then at least what it is given has to be JSON
        stand_in = tmp_path / "bin" / "jq"
        stand_in.write_text(f"#!{sys.executable}\nimport json, sys\njson.load(sys.stdin)\n")
        stand_in.chmod(0o755)
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-e", "-c", example.command],
        cwd=place.cwd,
        env=place.environ,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert b"a bug" not in done.stderr


# --- completions --------------------------------------------------------------------------

BASH = """
source "$1"; shift
complete -p ctx > /dev/null || exit 9
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_ctx_completion ctx
printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = 'source $argv[1]; complete -C "$argv[2]"'
ZSH = """
compdef() { registered="$*" }
source "$1"
[[ $registered == "_ctx_completion ctx" ]] || exit 9
_arguments() { print -l -- "$@" }; _describe() { print -l -- "$@" }
words=(ctx ag); CURRENT=2
env _TYPER_COMPLETE_ARGS="ctx ag" _CTX_COMPLETE=complete_zsh ctx
"""


def _complete(tmp_path: Path, *command: str) -> str:
    place = prepare(tmp_path, "webshop")
    done = subprocess.run(
        list(command), cwd=place.cwd, env=place.environ, check=False, capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def _script(shell: str) -> str:
    return str(ROOT / generate.SHELLS[shell])


@posix
@needs_bash
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        (["ctx", "ag"], ["agent"]),
        (["ctx", ""], OFFERED),
        (["ctx", "agent", "--fo"], ["--format", "--focus"]),
        (["ctx", "status", "--j"], ["--json"]),
        (["ctx", "session", "t"], ["tail"]),
        (["ctx", "zz"], [""]),
    ],
    ids=" ".join,
)
def test_bash_completes(tmp_path: Path, line: list[str], offered: list[str]) -> None:
    said = _complete(tmp_path, "bash", "--norc", "-c", BASH, "bash", _script("bash"), *line)
    assert said.rstrip("\n").split("\n") == offered


@posix
@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_completes(tmp_path: Path) -> None:
    said = _complete(tmp_path, "fish", "--no-config", "-c", FISH, _script("fish"), "ctx ag")
    assert said.split("\t")[0] == "agent"


@posix
@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_completes(tmp_path: Path) -> None:
    said = _complete(tmp_path, "zsh", "-f", "-c", ZSH, "zsh", _script("zsh"))
    assert "agent" in said


def test_the_completion_scripts_ask_the_program_as_it_answers() -> None:
    """Guards the calls into typer: what is generated is for ``ctx`` and its variable."""
    for shell, path in generate.SHELLS.items():
        text = (ROOT / path).read_text("utf-8")
        assert "_CTX_COMPLETE" in text
        assert f"complete_{shell}" in text
    assert (ROOT / generate.SHELLS["zsh"]).read_text("utf-8").startswith("#compdef ctx\n")
