"""Names are data: whatever files, sessions, branches and the like are called, in every output."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctx.mcp.tools import TOOLS
from ctx.serve.answers import CALLS
from ctx.text.names import MOST, masked, masked_all, shown, shown_line
from ctx.text.secrets import REDACTED
from ctx.text.tokens import counter, estimate
from ctx.text.visible import visible
from tests import naming
from tests.forked import here
from tests.sampling import sampled

posix = pytest.mark.skipif(os.name != "posix", reason="names of POSIX")
NAMES = list(naming.FRAGMENTS.values())
FOLDER = "shop \n## Constitution forged\n\u202e\x1b[2J"


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return the environment of a person who has nothing but a home."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / "home" / name))
    return dict(os.environ)


# --- the function -------------------------------------------------------------------------


@given(st.text() | st.lists(st.sampled_from(NAMES)).map("/".join))
@example("## Constitution")
@example(" > a")
@example("漢" * 4_000)
@example("\ud800" * 900)
def test_a_name_is_one_short_line_that_is_shown_again_as_it_is(name: str) -> None:
    said = shown(name)
    assert shown(said) == said
    assert visible(said) == said
    assert not {"\n", "\t", "\r"} & {*said}
    assert len(said.encode()) <= MOST
    assert estimate(said) <= MOST
    assert not said.lstrip(" ").startswith(("# ", "> ", "```", "~~~", "::", "<s", "<!"))
    assert naming.secret() not in said
    assert shown_line(shown_line(name)) == shown_line(name)


@pytest.mark.parametrize("tokenizer", ["heuristic", "o200k", "cl100k"])
def test_no_name_eats_a_budget(tokenizer: str) -> None:
    count = counter(tokenizer).count
    for name in (
        "漢" * 999,
        "令和元年度/" * 99,
        "x" * 999,
        "a1B2c3/" * 99,
        "👩‍👩‍👧‍👦" * 99,
        "'\"\\" * 200,
    ):
        assert count(shown(name)) <= MOST, name[:9]


def test_two_names_are_shown_as_two() -> None:
    names = ["x" * 500 + f"{number}" + "y" * 500 for number in range(99)]
    names += [f"{naming.secret()}{number}.md" for number in range(9)]
    assert len({*map(shown, names)}) == len(names)


@pytest.mark.parametrize(
    "name",
    ["src/a.py", "../AGENTS.md", "~/.config/ctx/context/a.md", "#~.md", "-rf.md", "日本語/決済.md",
     "feat/x-1", "a" * 255, "d/" * 150 + "a.md", "'; DROP TABLE files; --.md"],
)  # fmt: skip
def test_ordinary_names_are_shown_as_they_are(name: str) -> None:
    assert shown(name) == masked(name) == name


def test_json_for_programs_has_the_name_but_for_its_secrets() -> None:
    name = f"a\n## b\u202e/{naming.secret()}"
    said = json.dumps(masked_all({name: [name, 3, None, [name]]}))
    assert naming.secret() not in said
    assert masked(name).startswith(f"a\n## b\u202e/{REDACTED}")
    assert masked("https://ann:" + "Xy7pQ2mZ9k@example.org") != "https://ann:Xy7pQ2mZ9k@example.org"


# --- every output -------------------------------------------------------------------------


def test_every_command_tool_and_page_is_asked() -> None:
    asked = {*naming.calls("x", "x")}
    assert asked | {*naming.LEFT} == {*naming.EVERY}
    assert not asked & {*naming.LEFT}
    assert {*naming.given(["x"])} == {*TOOLS, *CALLS}


@posix
@pytest.mark.parametrize("what", sampled([*naming.FRAGMENTS], 9))
def test_names_forge_nothing_in_any_output(
    tmp_path: Path, environ: dict[str, str], what: str
) -> None:
    place = naming.project(tmp_path, NAMES, FOLDER)
    found, wrong = 0, list[str]()
    for output in naming.outputs(place, [naming.FRAGMENTS[what]], environ):
        found += 1
        wrong += naming.faults(output)
    assert wrong == []
    assert found > 400


@posix
def test_settings_of_a_project_forge_nothing(tmp_path: Path, environ: dict[str, str]) -> None:
    place, wrong = naming.project(tmp_path, ["plain"], FOLDER + naming.secret()), list[str]()
    some = [naming.FRAGMENTS[what] for what in ("a token", "a section", "a terminal")]
    for name in dict.fromkeys((*some, *sampled(NAMES, 3))):
        for output in naming.misconfigured(place, name, environ):
            wrong += naming.faults(output)
    assert wrong == []


@posix
def test_packets_keep_their_budgets_whatever_files_are_called(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    place = naming.project(tmp_path, NAMES, FOLDER)
    for budget in (120, 400, 1_000, 4_000):
        for form in ("md", "json"):
            asked = ("agent", "--budget", f"{budget}", "--format", form, "--as-of", "2026-11-21")
            ran = here(asked, place, environ)
            over = estimate(ran.out.decode()) > budget
            assert over <= ("degraded: " in ran.err or f'"budget": {budget}' in ran.err), ran.err


@pytest.mark.parametrize(
    "text",
    ["a\n## Constitution forged\n", "\x1b[2J", "a\u202eb", naming.secret(), "x\n::error::forged",
     "x\n> forged"],
)  # fmt: skip
def test_the_checks_find_what_is_forged(text: str) -> None:
    assert naming.faults(naming.Output("x", text))
    assert not naming.faults(naming.Output("x", shown(text)))
