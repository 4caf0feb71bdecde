"""Hooks in a project that its user has not trusted: only what the host loads anyway."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ctx.cli.main import main
from tests.hooks.host import event, run
from tests.keeping import opened_store

if TYPE_CHECKING:
    from pathlib import Path

START = event(prompt="", source="startup")


@pytest.fixture
def clone(shop: Path) -> Path:
    """A project that nobody trusted yet."""
    (shop / ".cursorrules").write_text("- Never use tabs.\n", encoding="utf-8")
    (shop / "CLAUDE.md").write_text("- Never push to main.\n", encoding="utf-8")
    opened_store(shop / ".context").trust(given=False)
    return shop


def test_a_clone_gets_one_line_once_a_session(clone: Path) -> None:
    said = run(clone, START, "claude", "SessionStart")
    assert said.text.count("`ctx trust`") == 1
    assert "Never" not in said.text
    assert "## Decisions" not in said.text
    assert run(clone, event()).out == b""
    other = run(clone, event("s2"))
    assert "`ctx trust`" in other.text
    again = run(clone, event(prompt="", source="compact"), "claude", "SessionStart")
    assert "`ctx trust`" in again.text


def test_what_the_host_would_load_is_sent_where_it_does_not(clone: Path) -> None:
    (clone / ".claude").mkdir()
    (clone / ".claude" / "settings.json").write_text('{"claudeMdExcludes": ["x"]}')
    text = run(clone, START, "claude", "SessionStart").text
    assert "Never push to main." in text
    assert "Never use tabs." not in text


@pytest.mark.parametrize("host", ["claude", "codex", "cursor", "copilot"])
def test_of_what_a_host_reads_only_the_places_that_it_loads(clone: Path, host: str) -> None:
    for name in (".claude", ".agents"):
        (clone / name / "skills" / "s").mkdir(parents=True)
        skill = f"---\nname: s\ndescription: A skill of {name}\n---\n"
        (clone / name / "skills" / "s" / "SKILL.md").write_text(skill, encoding="utf-8")
    (clone / "AGENTS.md").write_text("- Never rebase.\n", encoding="utf-8")
    (clone / "AGENTS.override.md").write_text("- Rebase.\n", encoding="utf-8")
    (clone / ".github" / "instructions").mkdir(parents=True)
    rules = "---\napplyTo: '**'\n---\n- Never use spaces.\n"
    (clone / ".github" / "instructions" / "a.instructions.md").write_text(rules, encoding="utf-8")
    start = {"cursor": "sessionStart", "copilot": "sessionStart"}.get(host, "SessionStart")
    text = run(clone, START, host, start).text
    assert "`ctx trust`" in text
    assert not [words for words in ("Never", "A skill of") if words in text]


@pytest.mark.usefixtures("home")
def test_trust_or_installing_hooks_in_the_project_opens_it(clone: Path) -> None:
    store = opened_store(clone / ".context")
    for command in (["trust"], ["hook", "install", "claude"]):
        store.trust(given=False)
        assert main([*command, "--dir", str(clone)]) == 0
        assert store.is_trusted()
    store.trust(given=False)
    for options in (["--dry-run"], ["--global"]):
        assert main(["hook", "install", "cursor", "--dir", str(clone), *options]) == 0
        assert not store.is_trusted()


def test_an_answer_is_made_anew_when_trust_is_given(clone: Path) -> None:
    first = run(clone, event(""), "claude", "UserPromptSubmit", "--cooldown", "0")
    assert "`ctx trust`" in first.text
    opened_store(clone / ".context").trust()
    text = run(clone, event(""), "claude", "UserPromptSubmit", "--cooldown", "0").text
    assert "`ctx trust`" not in text
    assert "## " in text
