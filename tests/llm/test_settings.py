"""Who may say what writes summaries."""

from pathlib import Path

import pytest

from tests.rank.hands import Done, call
from tests.read.samples import write


@pytest.fixture
def root(tmp_path: Path) -> str:
    return write(tmp_path / ".context", {"CONSTITUTION.md": "- Never lose a payment\n"})


def _said_by_project(root: str, value: str) -> Done:
    (Path(root) / "config.toml").write_text(f'summariser = "{value}"\n', encoding="utf-8")
    return call("agent", "--dir", root)


@pytest.mark.parametrize(
    "value", ["command:rm", "openai:m@http://127.0.0.1:9", "openai:m@https://example.org", "x"]
)
def test_a_project_names_no_address_and_no_program_for_itself(root: str, value: str) -> None:
    done = _said_by_project(root, value)
    assert (done.code, done.out) == (2, b"")
    assert done.err == (
        "ctx: .context/config.toml: a project cannot set summariser to anything but extractive"
        " (set it in ~/.config/ctx/config.toml or CTX_SUMMARISER)\n"
    )


def test_a_project_may_say_what_is_harmless(root: str) -> None:
    assert _said_by_project(root, "extractive").code == 0


def test_a_person_s_own_file_may_name_any(root: str, tmp_path: Path) -> None:
    folder = tmp_path / "home" / ".config" / "ctx"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('summariser = "command:llm"\nsummary_seconds = "2m"\n')
    done = call("agent", "--dir", root, home=str(tmp_path / "home"))
    assert (done.code, done.err) == (0, "")
