"""The manual page: what it says, that formatters take it, and that an install brings it."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from ctx import __version__, config, errors
from ctx.cli.shell import SCRIPTS
from scripts import generate, man

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / generate.MANUAL
SECTIONS = [
    "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "SETTINGS", "ENVIRONMENT", "FILES",
    "EXIT STATUS", "EXAMPLES", "SEE ALSO",
]  # fmt: skip


def _shown(command: list[str]) -> str:
    done = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8")
    return re.sub(r".\x08", "", done.stdout)


def test_the_page_has_the_usual_sections() -> None:
    text = PAGE.read_text("ascii")
    assert re.findall(r"^\.SH (.+)$", text, re.MULTILINE) == SECTIONS
    assert f'"ctx {__version__}"' in text


def test_the_page_names_all_there_is() -> None:
    text = generate.manual()
    commands = generate.commands()
    for command in commands[1:]:
        assert f"\n.SS {man.escaped(command.name)}\n" in text
        for option in command.options:
            assert f"\n\\fB{man.escaped(option.usage)}\\fR\n" in text
    for setting in config.SETTINGS:
        assert setting.variable in text
    for name, code in vars(errors).items():
        if name.isupper():
            assert f".TP\n\\fB{code}\\fR\n" in text


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
def test_mandoc_finds_no_fault() -> None:
    done = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "warning", str(PAGE)],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    faults = done.stdout.splitlines() + done.stderr.splitlines()
    if not man.released((ROOT / "CHANGELOG.md").read_text("utf-8"), __version__):
        faults = [one for one in faults if "missing date" not in one]
    assert faults == []


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_finds_no_fault_and_shows_what_was_meant() -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z", str(PAGE)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stderr == ""
    shown = _shown(["groff", "-man", "-Tutf8", "-P-c", str(PAGE)])
    for example in (generate.EXAMPLES[2].term, generate.commands()[1].example):
        assert f"\n           {example}\n" in shown


def test_prose_stands_for_itself() -> None:
    for text, roff in (
        ("a-b", "a\\-b"), (".TH x", "\\&.TH x"), ("'quoted", "\\(aqquoted"), ("a\\fBb", "a\\efBb"),
        ("say `ctx a-b` now", "say \\fBctx a\\-b\\fR now"), ("one ` tick", "one \\(ga tick"),
        ("“…”", "\\[u201C]\\[u2026]\\[u201D]"), ('"', "\\(dq"), ("a\n  b", "a b"),
        ("~^", "\\(ti\\(ha"),
        ("𝒳", "\\[u1D4B3]"), ("`.context/`", "\\fB.context/\\fR"),
    ):  # fmt: skip
        assert man.prose(text) == roff


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_no_character_is_lost_or_obeyed(tmp_path: Path) -> None:
    lines = ["'a \\fB \\n(.x -x", ".so /etc/passwd", "\\", "`~^\"'-", "“é” … 𝒳"]
    page = tmp_path / "x.1"
    body = "\n.br\n".join(map(man.prose, lines))
    page.write_text(f".TH X 1\n.SH X\n{body}\n", "ascii")
    shown = [
        one.strip() for one in _shown(["groff", "-man", "-Tutf8", "-P-c", str(page)]).split("\n")
    ]
    assert [one for one in lines if one not in shown] == []


def test_the_page_is_of_the_day_of_the_release() -> None:
    changelog = "# Changelog\n\n## [0.2.0] - 2027-01-31\n\n## [0.1.0] - 2026-12-01\n"
    assert man.released(changelog, "0.1.0") == "2026-12-01"
    assert man.released(changelog, "0.2.0") == "2027-01-31"
    assert man.released("## [Unreleased]\n", "0.1.0") == ""


def test_a_wheel_brings_the_page_and_the_completions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    shared = project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    assert shared[generate.MANUAL] == "share/man/man1/ctx.1"
    assert all((ROOT / path).is_file() for path in shared)
    folder = "ctx/cli/shell/scripts"
    assert {f"{folder}/{SCRIPTS[one]}" for one in ("bash", "zsh", "fish")} <= shared.keys()
