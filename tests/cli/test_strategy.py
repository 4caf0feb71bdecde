"""``ctx strategy`` as people and agents meet it; decisions: ``tests/app/test_strategy.py``."""

from __future__ import annotations

import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from ctx.text.visible import visible
from tests.hostile import Ran, environment, tree
from tests.keeping import cache, make_repository
from tests.rank.hands import call
from tests.terminal import in_terminal
from tests.test_transcripts import Place, prepare

ROOT = Path(__file__).resolve().parents[2]
CORPORA = ROOT.parent / "shared" / "corpora"
posix = pytest.mark.skipif(os.name != "posix", reason="a shell, signals and terminals of POSIX")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A project with a context directory, and ``ctx`` on the PATH."""
    return prepare(tmp_path, "webshop")


@pytest.fixture
def shop(place: Place, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project, as working directory."""
    monkeypatch.chdir(place.cwd)
    return place.cwd


@functools.cache
def _schema() -> Draft202012Validator:
    definition = json.loads((ROOT / "docs" / "strategy.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(definition)
    return Draft202012Validator(definition)


def _answer(*arguments: str, stdin: bytes = b"") -> dict[str, object]:
    """Return what ``ctx strategy --json`` says, held against its schema."""
    done = call("strategy", "--json", *arguments, stdin=stdin)
    assert done.code == 0, done.err
    said = json.loads(done.out)
    assert [error.message for error in _schema().iter_errors(said)] == []
    assert isinstance(said, dict)
    return said


def _shell(place: Place, line: str) -> Ran:
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=place.cwd,
        env=place.environ,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    return Ran(done.stdout, done.stderr.decode(), done.returncode)


# --- what it says -------------------------------------------------------------------------


@pytest.mark.usefixtures("shop")
def test_the_guide_shows_what_is_said() -> None:
    guide = (ROOT / "docs" / "guide.md").read_text("utf-8")
    said = call("strategy", "explain how refunds work").text
    assert f"$ ctx strategy 'explain how refunds work'\n{said}```\n" in guide


@pytest.mark.usefixtures("shop")
def test_json_is_the_same_answer() -> None:
    said = _answer("what is the port?")
    lines = call("strategy", "what is the port?").text
    steps = said.pop("steps")
    assert isinstance(steps, list)
    assert said == {
        "query": "what is the port?",
        "strategy": "HYBRID",
        "confidence": 0.85,
        "reasoning": " ".join(re.findall(r"(?m)^why +(.*)$", lines)),
        "task_class": "rag_critical",
        "signal": "what is",
        "tokens": 64_000,
        "tokens_from": "assumed",
        "context_length": 128_000,
        "used_tokens": 0,
        "budget": 96_000,
        "fits": True,
        "utilisation": 0.6667,
        "retrieval_budget": 28_800,
        "warnings": [],
    }
    assert [step["step"] for step in steps] == [1, 2, 3, 4]
    for step in steps:
        command = f"   {step['command']}\n" if step["command"] else ""
        assert f"{step['step']}. {step['do']}\n{command}" in lines


@pytest.mark.usefixtures("shop")
def test_where_nothing_is_free_json_keeps_its_numbers() -> None:
    said = _answer("x", "--used-tokens", "128000")
    assert (said["budget"], said["utilisation"], said["fits"]) == (0, 64_000, False)
    assert "kept for the answer: nothing is free, so it does not fit." in str(said["reasoning"])
    lines = call("strategy", "x", "--used-tokens", "128000").text
    assert "\nutilised    nothing is free\n" in lines
    assert "64000.00" not in lines


def test_a_path_that_is_given_twice_is_named_once(shop: Path) -> None:
    (shop / "src").mkdir()
    (shop / "src" / "a.py").write_bytes(b"x" * 200_000)
    for options in ((), ("--tool", "vectors"), ("--chars", "9")):
        once = _answer("x", "--path", "src", *options)
        assert "src" in str(once["steps"])
        assert _answer("x", "--path", "src", "--path", "src", *options) == once


@pytest.mark.usefixtures("shop")
def test_figures_are_options() -> None:
    figures = ("--context-length", "200000", "--used-tokens", "50")
    said = _answer("x", "--chars", "400001", "--path", "nope", "--size", "huge", *figures)
    assert (said["tokens"], said["tokens_from"]) == (100_001, "chars")
    assert (said["budget"], said["context_length"], said["used_tokens"]) == (149_950, 200_000, 50)


@pytest.mark.usefixtures("shop")
def test_a_word_that_is_no_size_is_said_and_answered() -> None:
    done = call("strategy", "x", "--size", "hugee", "--json")
    assert (done.code, done.err.count("\n")) == (0, 1)
    assert done.err.startswith("ctx: --size: unknown size 'hugee' (one of tiny, ")
    said = json.loads(done.out)
    assert (said["tokens"], said["tokens_from"]) == (64_000, "assumed")
    assert [f"ctx: {warning}\n" for warning in said["warnings"]] == [done.err]


def test_paths_are_measured(shop: Path) -> None:
    (shop / "src").mkdir()
    (shop / "src" / "a.py").write_bytes(b"x" * 40_001)
    (shop / "src" / ".gitignore").write_bytes(b"*.log")
    (shop / "src" / "a.log").write_bytes(b"x" * 40_001)
    said = _answer("x", "--path", "src")
    assert (said["tokens"], said["tokens_from"]) == (10_002, "files")
    twice = _answer("x", "--path", "src", "--path", "src/a.log", "--size", "huge")
    assert twice["tokens"] == 20_002


@pytest.mark.usefixtures("shop")
def test_tools_may_be_parted_by_commas() -> None:
    said = _answer("x", "--size", "huge", "--tool", "mem, vec", "--tool", "web", "--tool", ",")
    steps = said["steps"]
    assert isinstance(steps, list)
    assert steps[0]["tools"] == ["mem", "vec", "web"]
    assert steps[0]["command"] is None


# --- the query ----------------------------------------------------------------------------


@pytest.mark.usefixtures("shop")
def test_the_query_may_come_from_a_pipe() -> None:
    assert _answer("-", stdin=b"compare\nthem\n")["signal"] == "compare"
    assert _answer("-", stdin=b"")["task_class"] == "unknown"


@pytest.mark.usefixtures("shop")
def test_any_query_is_answered() -> None:
    for query in ("", " ", "\n", "?", "\udcff", "\x1b[31m", "größe", "x" * 9999):
        assert _answer(query)["query"] == visible(query)
    assert call("strategy", "-1 cart").code == 2
    assert _answer("--", "-1 cart")["query"] == "-1 cart"


@pytest.mark.usefixtures("shop")
def test_a_query_from_a_pipe_has_a_limit() -> None:
    done = call("strategy", "-", "--json", stdin=b"x" * (1024 * 1024 + 1))
    assert (done.code, done.err.count("\n")) == (0, 1)
    assert done.err.startswith("ctx: QUERY: only the first 1,048,576 bytes ")
    assert json.loads(done.out)["query"] == "x" * (1024 * 1024)


# --- mistakes -----------------------------------------------------------------------------


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("option", ["--chars", "--context-length", "--used-tokens"])
def test_a_number_that_is_none_is_one_line_that_names_the_flag(option: str) -> None:
    for value in ("", "x", "-1", "1.5", "1e3", "1_000", "１２", "nan", "inf"):
        done = call("strategy", "x", f"{option}={value}")
        assert (done.code, done.out) == (2, b"")
        assert done.err == f"ctx: {option}: {value!r} is not a whole number of 0 or more\n"
    for value in ("0", " 7 ", "9" * 5000):
        _answer("x", f"{option}={value}")


@pytest.mark.usefixtures("shop")
def test_a_path_that_is_not_there_is_exit_6() -> None:
    for path in ("nope", "", ".context/TASKS.md/x"):
        done = call("strategy", "x", "--path", path)
        assert (done.code, done.out, done.err.count("\n")) == (6, b"", 1)
        assert repr(path) in done.err
        assert "--path" in done.err


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [([], "QUERY"), (["a", "b"], "b"), (["x", "--budget", "3"], "--budget")],
    ids=str,
)
def test_a_mistake_is_one_line(arguments: list[str], says: str) -> None:
    done = call("strategy", *arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, b"", 1)
    assert says in done.err
    assert "ctx strategy --help" in done.err


# --- the schema ---------------------------------------------------------------------------


@pytest.mark.usefixtures("shop")
def test_the_schema_names_all_that_an_answer_holds() -> None:
    """Consumers ignore unknown names; here an undocumented one is a fault."""
    definition = json.loads(json.dumps(_schema().schema))
    definition["additionalProperties"] = False
    definition["$defs"]["step"]["additionalProperties"] = False
    strict = Draft202012Validator(definition)
    for size in ("tiny", "large", "huge", "massive"):
        for more in ([], ["--tool", "vectors"], ["--used-tokens", "128000"]):
            said = _answer("fix it", "--size", size, *more)
            assert [error.message for error in strict.iter_errors(said)] == []
            assert list(said) == definition["required"]
            assert set(said) == set(definition["properties"])


@pytest.mark.usefixtures("shop")
def test_the_schema_refuses_what_is_no_answer() -> None:
    said = _answer("x")
    changes: tuple[dict[str, object], ...] = (
        {"strategy": "MORE"}, {"confidence": 0.99}, {"reasoning": []}, {"task_class": "crisis"},
        {"tokens": -1}, {"tokens": 1.5}, {"tokens_from": "guess"}, {"budget": None}, {"fits": 1},
        {"utilisation": -0.1}, {"steps": []}, {"steps": [{}]}, {"warnings": [""]}, {"signal": 1},
        {"steps": [{"step": 0, "do": "x", "command": None, "tools": []}]},
        {"steps": [{"step": 1, "do": "x", "command": "rm -rf .", "tools": []}]},
    )  # fmt: skip
    for change in changes:
        assert not _schema().is_valid(said | change), change


# --- what it prints runs ------------------------------------------------------------------

QUERIES = (
    "refund of a partial payment", "what's the user's port?", "-x of the cart", "--help", "-", "",
    'a\nb $(touch owned) `touch owned` "quotes" \\ ! * ; & | > owned',
)  # fmt: skip
ASKED = (
    ("--size", "tiny"), ("--size", "large"), ("--size", "huge"), ("--size", "massive"),
    ("--chars", "600000", "--context-length", "200000"),
    ("--size", "large", "--used-tokens", "95000"), ("--used-tokens", "500000"),
    ("--context-length", "0"), ("--context-length", "8000", "--used-tokens", "5999"),
    ("--size", "huge", "--tool", "vectors"),
)  # fmt: skip


def _commands(query: str, *options: str) -> list[str]:
    """Return the commands that are printed, in the lines."""
    done = call("strategy", *options, "--", query, stdin=query.encode())
    assert done.code == 0, done.err
    return [line.strip() for line in done.text.split("\n") if line.startswith("   ctx ")]


def _check_they_run(commands: list[str]) -> None:
    assert commands
    for command in commands:
        done = call(*shlex.split(command)[1:])
        assert done.code == 0, (command, done.err)
        assert "a bug" not in done.err
        assert done.out or "--budget 0 " in command, command


@pytest.mark.usefixtures("shop")
def test_every_command_runs_as_it_is_printed() -> None:
    for options in ASKED:
        _check_they_run(_commands(QUERIES[0], *options))
    for query in QUERIES:
        _check_they_run(_commands(query, "--size", "massive"))


@posix
@pytest.mark.usefixtures("shop")
def test_a_query_is_quoted_for_a_shell(place: Place) -> None:
    for command in _commands(QUERIES[-1], "--size", "massive"):
        ran = _shell(place, command)
        assert (ran.code, "a bug" in ran.err) == (0, False), command
    assert not list(place.base.rglob("owned"))


@pytest.mark.usefixtures("shop")
def test_past_half_full_what_is_advised_still_retrieves() -> None:
    """Told how full the window is, `ctx agent` says the rules alone: no word asks for the past."""
    _, agent, search = _commands(QUERIES[0], "--used-tokens", "75000")
    arguments = shlex.split(agent)[1:]
    advised = call(*arguments)
    pressed = call(*arguments, "--context-length", "128000", "--used-tokens", "75000")
    found = b"**Decision**: A refund is a new booking"
    assert (found in advised.out, found in pressed.out) == (True, False)
    assert "nothing is retrieved" in pressed.err
    assert "nothing is retrieved" not in advised.err
    assert search.startswith("ctx search ")


def test_it_starts_with_nothing_and_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_repository(tmp_path)
    monkeypatch.chdir(tmp_path)
    commands = _commands(QUERIES[0], "--size", "huge")
    assert commands[0] == "ctx init"
    _check_they_run(commands)


@pytest.mark.parametrize(
    "root", sorted(CORPORA.glob("*")) if CORPORA.is_dir() else [], ids=lambda path: path.name
)
def test_commands_run_in_projects_of_others(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where what is found is far more than a budget holds."""
    copy = tmp_path / root.name
    shutil.copytree(root, copy, symlinks=True)
    make_repository(copy)
    monkeypatch.chdir(copy)
    for options in (("--path", "."), ("--size", "massive", "--context-length", "64000")):
        _check_they_run(_commands("what is the default token budget", *options))


# --- where it runs ------------------------------------------------------------------------


def test_it_writes_nothing(shop: Path) -> None:
    before = tree(shop)
    _answer("x", "--path", ".")
    assert tree(shop) == before
    assert not cache(shop / ".context").exists()


@posix
@pytest.mark.usefixtures("shop")
def test_a_terminal_is_not_given_orders() -> None:
    options = ("--path", ".", "--tool", "a\x1b[2J\u202eb", "--", "\x1b[31mred\u202e")
    shown = ""
    for more in ((), ("--json",)):
        shown = in_terminal("strategy", *more, *options)
        assert "red" in shown
        assert not {"\x1b", "\u202e"} & set(shown)
    assert json.loads(shown)["query"] == r"\x1b[31mred\u202e"


@posix
def test_a_removed_working_directory_is_no_mistake(place: Place) -> None:
    line = "mkdir gone && cd gone && rmdir ../gone && ctx strategy x --json"
    ran = _shell(place, line)
    assert (ran.code, ran.err.count("a bug")) == (0, 0)
    ran = _shell(place, f"{line} --path .")
    assert (ran.code, ran.out, ran.err.count("ctx: ")) == (6, b"", 1)


IMPORTED = """
import sys
from ctx.text.visible import visible
from ctx.cli.main import main
from ctx.text.visible import visible
code = main(sys.argv[1:])
bad = {'rich', 'numpy', 'pydantic', 'asyncio', 'sqlite3', 'markdown_it'}
bad.add('ctx.app.walk')
sys.stderr.write(' '.join(sorted(bad & set(sys.modules))))
sys.exit(code)
"""


@pytest.mark.parametrize("options", [("--chars", "9", "--path", "."), ("--path", ".")], ids=str)
def test_what_is_not_needed_is_not_imported(place: Place, options: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, "strategy", "x", "--size", "huge", *options],
        cwd=place.cwd,
        env=environment(HOME=str(place.base)),
        check=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    assert done.stderr == b""


def test_an_index_that_cannot_be_kept_is_not_advised(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (shop / ".context").is_dir()
    assert "ctx index" in call("strategy", "x", "--size", "huge").text
    done = call("strategy", "x", "--size", "huge", environ={"CTX_NO_CACHE": "1"})
    assert "ctx index" not in done.text
    monkeypatch.setattr("ctx.app.strategy.find_spec", lambda _name: None)
    said = call("strategy", "x", "--size", "huge").text
    assert "   ctx index\n" in said
    assert "--embedder" not in said
