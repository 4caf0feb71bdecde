"""The documents say what the program does: nothing drifts, examples run, pictures are true."""

import html
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ctx import config, errors
from ctx.checks.rules import RULES
from ctx.rank import RANKERS
from scripts import charts, generate, record
from tests.forked import Ran
from tests.rank.hands import call
from tests.test_transcripts import Place, at_once, prepare

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = generate.commands()
SHELL_BLOCKS = ("console", "sh", "shell", "bash")
_FENCE = re.compile(r"```(\w*)\n(.*?)\n```", re.DOTALL)
_PATH = re.compile(r"(?<![\w/.~-])ctx/[\w/]+(?:\.py\b|/)")
"""A module of the program, or a folder with a slash at its end."""
_INDENTED = re.compile(r"(?:^(?:    .*)?\n)+", re.MULTILINE)

posix = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


OFFERED = [command.name.split()[1] for command in COMMANDS if len(command.name.split()) == 2]
LEAVES = [
    command
    for command in COMMANDS
    if not any(other.name.startswith(f"{command.name} ") for other in COMMANDS)
]
CHANGES_SERVER = tuple(f"ctx share {name}" for name in ("init", "grant", "revoke", "forget"))
SAYS_NO_DATA = ("ctx init", "ctx mcp", "ctx serve", "ctx hook run", *CHANGES_SERVER)
"""Some make or change what is there, the others speak the language of who calls them."""
ASKS_SERVER = re.compile(r"ctx (?:share|sync|search .*--shared)\b")
"""What tests of its own run beside a server."""
CALL = re.compile(rf"(?:^|[|=] ?|\s)ctx (?:-|(?:{'|'.join(OFFERED)})\b)")
SERVES = re.compile(r"\bctx (mcp|serve)\b")
"""What runs until it is stopped; tests of its own start and stop it."""


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
            if CALL.search(command) and not SERVES.search(command):
                yield Example(page.name, command)


FIRST_STEPS = ROOT / "docs" / "start.md"
"""Which starts from nothing: its examples run one after another, in an empty repository."""
WALKS = (FIRST_STEPS, ROOT / "docs" / "team.md")  # the other one in test_team.py, beside a server
EXAMPLES = [example for page in PAGES if page not in WALKS for example in examples(page)]


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
        if name.isupper():
            assert f"\n| {code} |" in text


def test_nobody_is_told_to_install_by_a_name_that_is_not_reserved() -> None:
    texts = [*ROOT.glob("ctx/**/*.py"), *PAGES]
    assert not [
        path for path in texts if re.search(r"install \S*ctx-packet", path.read_text("utf-8"))
    ]


def test_every_path_of_the_program_that_a_page_names_exists() -> None:
    pages = [ROOT / "CONTRIBUTING.md", ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    named = {(page.name, path) for page in pages for path in _PATH.findall(page.read_text("utf-8"))}
    assert _PATH.findall("~/.config/ctx/a.toml `ctx/no.py` ctx/no/") == ["ctx/no.py", "ctx/no/"]
    assert [(page, path) for page, path in sorted(named) if not (ROOT / path).exists()] == []


@posix
@needs_bash
def test_the_packet_of_the_readme_is_what_the_command_prints(tmp_path: Path) -> None:
    page = (ROOT / "README.md").read_text("utf-8")
    shown = next(body for language, body in _FENCE.findall(page) if language == "markdown")
    command = next(example for example in EXAMPLES if example.page == "README.md")
    printed = iter(_run_example(command.command, prepare(tmp_path, "webshop")).splitlines())
    lines = [line for line in shown.splitlines() if line != "[…]"]
    assert [line for line in lines if line not in printed] == []


def test_the_guide_has_a_row_for_every_ranker_and_rule() -> None:
    guide = (ROOT / "docs/guide.md").read_text("utf-8")
    names = [*RANKERS, *(rule.name for rule in RULES)]
    assert [name for name in names if f"\n| `{name}` |" not in guide] == []


def test_the_guide_names_every_exit_code() -> None:
    guide = (ROOT / "docs" / "guide.md").read_text("utf-8")
    for code, _ in generate.exit_codes({command.name for command in COMMANDS}):
        assert f"\n| {code} |" in guide


# --- help ---------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_is_documented_with_an_example(command: generate.Command) -> None:
    assert command.help
    assert CALL.search(command.example)
    assert all(option.help for option in command.options)
    ran = call(*command.name.split()[1:], "--help")
    text = ran.text
    assert (ran.err, ran.code) == ("", 0)
    assert f"Example: {command.example}" in " ".join(text.split())
    assert "Usage: ctx" in text
    if command in LEAVES:
        said = re.search(r"Exit codes?: (.*)", " ".join(command.help.split()))
        assert said
        known = {str(code) for name, code in vars(errors).items() if name.isupper()}
        assert set(re.findall(r"(?:^|, |\s)(\d+)(?= \w|\.$)", said[1])) <= known
        assert said[1].startswith("0")
        flags = generate.flags([command])  # what a person might pipe can be had as JSON
        assert ("--json" in flags or "--format" in flags) == (command.name not in SAYS_NO_DATA)


# --- examples -----------------------------------------------------------------------------


@posix
@needs_bash
@pytest.mark.parametrize("part", range(8))
def test_examples_run(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctx.app.explain.sweep.EFFORT", 1)  # what they print is not looked at
    assert {"README.md", "guide.md", "reference.md"} <= {example.page for example in EXAMPLES}
    for number, command in enumerate(sorted({example.command for example in EXAMPLES})[part::8]):
        place = prepare(tmp_path / str(number), "webshop")
        if "session expand" in command:  # the summary that the pages name
            for arguments in ("session import ../transcripts/refunds.jsonl", "session compact"):
                ran = at_once(f"ctx {arguments}", place)
                assert ran
                assert ran.code == 0, ran.err
        if "ctx import" in command:  # the record that the pages name
            (place.cwd / "docs" / "adr").mkdir(parents=True)
            (place.cwd / "docs" / "adr" / "0001-carts.md").write_text("# Carts\n\nIn Redis.\n")
        _run_example(command, place)


@posix
@needs_bash
def test_the_first_steps_lead_from_nothing_to_an_answer(tmp_path: Path) -> None:
    place = prepare(tmp_path, "empty")
    said = {one.command: _run_example(one.command, place) for one in examples(FIRST_STEPS)}
    answers = [text for command, text in said.items() if "hook run" in command]
    assert len(answers) == 1
    if shutil.which("jq"):
        assert "Carts live in Redis, for 30 days." in answers[0]
    assert len(said) > 10


def _run_example(command: str, place: Place) -> str:
    """Return what an example prints; it has to end well."""
    if shutil.which("jq") is None:  # then at least what it is given has to be JSON
        stand_in = Path(place.environ["PATH"].split(os.pathsep)[0]) / "jq"
        stand_in.write_text(f"#!{sys.executable}\nimport json, sys\njson.load(sys.stdin)\n")
        stand_in.chmod(0o755)
    ran = at_once(command, place) if "|" not in command and "--install" not in command else None
    if ran is None:
        # The second line keeps bash there, for a command that looks for the shell it runs in.
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-e", "-c", f"{command}\n:"],
            cwd=place.cwd, env=place.environ, check=False,
            stdin=subprocess.DEVNULL, capture_output=True,
        )  # fmt: skip
        ran = Ran(done.stdout, done.stderr.decode(), done.returncode)
    if ASKS_SERVER.match(command) and ran.code in (errors.USAGE, errors.SERVICE):
        assert re.match(
            "ctx: (?:--shared: )?(no server|the team's server|the project has no remote)", ran.err
        )
        return ""
    judges = command.startswith("ctx check") or command.endswith("--check")
    finds = errors.FINDINGS if judges else errors.OK
    assert ran.code in (errors.OK, finds), f"{command}: {ran.err}"
    assert "a bug" not in ran.err
    return ran.out.decode()


# --- pictures -----------------------------------------------------------------------------

needs_tools = pytest.mark.skipif(
    any(shutil.which(name) is None for name in record.NEEDED), reason="git or jq is not installed"
)
_TEXTS = re.compile(r'<text class="[^"]*"[^>]*clip-path="url\(#[^"]*-line-\d+\)">([^<]*)</text>')
_PICTURES = [record.PICTURES / f"{scene.name}.svg" for scene in record.SCENES]


@posix
@needs_tools
def test_the_pictures_show_what_the_commands_print() -> None:
    assert record.stale(record.recorded()) == []


def test_a_picture_shows_what_it_says_and_loads_nothing() -> None:
    for picture in _PICTURES:
        text = picture.read_text("utf-8")
        drawn = html.unescape("".join(_TEXTS.findall(text)))
        assert "".join(drawn.split()) == "".join(record.told(text).split())
        assert re.findall(r"https?://[^\s\"'<>)]+", text) == ["http://www.w3.org/2000/svg"]
        assert set(re.findall(r"url\((.)", text)) == {"#"}
        assert not re.search(r"<(?:image|script|foreignObject|a)\b|@import|@font-face|href", text)


def test_a_chart_shows_the_figures_above_it() -> None:
    row = "no cache                             36.71   19.19   59.09    20      11\n"
    (figure,) = charts.figures(row)
    assert figure == charts.Figure("no cache", 36.71, 19.19, 59.09, 20.0)
    (other,) = charts.figures(row.replace("    20 ", "       "))
    assert other.goal is None
    assert charts.drawn([figure]).count('class="goal"') == 1
    for name, drawn in charts.outputs().items():
        titles = re.findall(r"<title>(.*)</title>", drawn)[0].split("; ")
        assert len(titles) == drawn.count("<circle") >= 3, name


def test_a_picture_that_shows_something_else_is_stale(tmp_path: Path) -> None:
    scene, shown = record.SCENES[0], "\x1b[1m$ ctx {x} & <y>\x1b[0m\nwell \x1b[32mdone\x1b[0m\n\n"
    assert record.stale({scene.name: shown}, tmp_path) == [scene.name]
    (tmp_path / f"{scene.name}.svg").write_text(record.drawn(scene, shown), "utf-8")
    assert record.stale({scene.name: shown}, tmp_path) == []
    assert record.stale({scene.name: shown.replace("done", "gone")}, tmp_path) == [scene.name]
    assert record.told((tmp_path / f"{scene.name}.svg").read_text("utf-8")) == (
        "$ ctx {x} & <y>\nwell done"
    )


def test_what_differs_from_run_to_run_is_replaced() -> None:
    clean = record._Normalised("/home/me")
    assert clean("/home/me/shop: A#2026-11-21-155342 [2026-11-21]") == (
        f"~/shop: A#{record.DAY}-090000 [{record.DAY}]"
    )
    assert clean("2026-11-21-155401 2026-11-21-155342") == (
        f"{record.DAY}-090700 {record.DAY}-090000"
    )
