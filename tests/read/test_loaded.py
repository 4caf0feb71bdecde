"""What a host loads by itself is left out, what is not certain is sent, and a line names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.keeping import make_repository
from tests.rank.hands import call

HOME = Path("home")
FILES = {
    "AGENTS.md": "- Never push to main.\n",
    "CLAUDE.md": "- Never edit generated files.\n\n@docs/style.md\n",
    "docs/style.md": "- Never use long names.\n",
    ".claude/rules/all.md": "- Never log secrets.\n",
    ".claude/rules/go.md": "---\npaths: '**/*.go'\n---\n- Never use cgo.\n",
    ".cursor/rules/all.mdc": "---\nalwaysApply: true\n---\n- Never use tabs.\n",
    ".cursorrules": "- Never use globals.\n",
    ".github/copilot-instructions.md": "- Never skip tests.\n",
    "GEMINI.md": "- Never use eval.\n",
    "lib/AGENTS.md": "- Never import the web.\n",
}
CLAUDE = {"generated files", "long names", "log secrets"}
LOADED = {
    "claude": CLAUDE,
    "codex": {"push to main"},
    "copilot": {"push to main", "skip tests"},
    "cursor": {"push to main", "use tabs"},
    "gemini": {"use eval"},
}
ALL = {
    "push to main", "generated files", "long names", "log secrets", "use tabs", "use globals",
    "skip tests", "use eval",
}  # fmt: skip


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the documents of five hosts."""
    make_repository(tmp_path)
    write(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(place: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def packet(host: str, *more: str) -> str:
    done = call(
        "agent", "--host", host, "--budget", "8000", *more, home=str(HOME.absolute()), later=60
    )
    assert done.code == 0, done.err
    return done.text


def held(text: str) -> set[str]:
    return {words for words in ALL if words in text}


def note(text: str) -> str:
    lines = [line for line in text.splitlines() if line.startswith("> Not here")]
    assert len(lines) <= 1
    return "".join(lines)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("host", LOADED)
def test_what_a_host_loads_is_left_out_and_named(host: str) -> None:
    text = packet(host)
    assert held(text) == ALL - LOADED[host]
    assert host in note(text)
    assert note(text) in packet(host, "--format", "json") or '"warnings"' in packet(
        host, "--format", "json"
    )


@pytest.mark.usefixtures("place")
def test_without_a_host_all_is_there_and_an_unknown_one_is_an_error() -> None:
    done = call("agent", "--budget", "8000", later=60)
    assert held(done.text) == ALL
    assert not note(done.text)
    done = call("agent", "--host", "emacs")
    assert done.code == 2
    assert "emacs" in done.err
    assert "claude" in done.err


def test_codex_loads_from_the_root_down_to_where_it_works_and_cuts_the_deepest(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place / "lib")
    assert "import the web" not in packet("codex")
    write(place, {"lib/AGENTS.md": "- Never import the web.\n\n" + "Text.\n" * 6000})
    text = packet("codex", "--budget", "60000")
    assert "import the web" in text
    assert "push to main" not in text


def test_claude_loads_agents_where_claude_imports_or_links_to_it(place: Path) -> None:
    assert "push to main" in packet("claude")
    write(place, {"CLAUDE.md": "@AGENTS.md\n"})
    assert "push to main" not in packet("claude")
    (place / "CLAUDE.md").unlink()
    assert "push to main" in packet("claude")
    (place / "CLAUDE.md").symlink_to("AGENTS.md")
    assert "push to main" not in packet("claude")
    (place / "CLAUDE.md").unlink()
    assert "push to main" in packet("claude@2.1.280")
    assert "push to main" not in packet("claude@2.1.281")
    write(place, {".claude/settings.json": '{"instructionFiles": "claude-md"}'})
    assert "push to main" in packet("claude@2.1.281")


def test_a_claude_document_above_counts_for_agents_below(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place / "lib")
    assert "import the web" in packet("claude@2.1.281")
    (place / "CLAUDE.md").unlink()
    assert "import the web" not in packet("claude@2.1.281")


def test_what_repeats_what_the_host_loads_is_left_out_too(place: Path) -> None:
    write(place, {".cursorrules": "- Never push to main.\n- Never use globals.\n"})
    text = packet("codex")
    assert "push to main" not in text
    assert "use globals" in text


@pytest.mark.usefixtures("place")
def test_the_line_stays_away_from_a_small_budget() -> None:
    assert not note(call("agent", "--host", "codex", "--budget", "100", later=60).text)
