"""Only what was received counts: an answer that the host dropped comes again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.hooks.session import Host
from tests.hooks.test_touched import GO
from tests.read.samples import write

if TYPE_CHECKING:
    from pathlib import Path

RULE = "Never log card numbers."


@pytest.fixture
def host(project: Path) -> Host:
    write(
        project,
        {
            ".context/CONSTITUTION.md": f"- {RULE}\n",
            ".claude/rules/go.md": f"---\npaths: '**/*.go'\n---\n- {GO}\n",
        },
    )
    host = Host(project)
    host.path.write_text("")
    return host


@pytest.mark.parametrize("drop", [True, False])
def test_a_packet_that_was_dropped_comes_again_once(host: Host, *, drop: bool) -> None:
    assert RULE in host.hook("SessionStart", source="startup", drop=drop)
    assert RULE not in host.hook("UserPromptSubmit", prompt="Go on, please do"), "nobody knows yet"
    host.model()
    assert (RULE in host.hook("UserPromptSubmit", prompt="Now the rest of it")) == drop
    host.model()
    assert RULE not in host.hook("UserPromptSubmit", prompt="And the last of all")


@pytest.mark.parametrize("drop", [True, False])
def test_rules_for_files_that_were_dropped_come_with_the_next_file(
    host: Host, *, drop: bool
) -> None:
    host.hook("SessionStart", source="startup")
    assert GO in host.touch("a.go", drop=drop)
    assert (GO in host.touch("b.txt")) == drop
    assert GO not in host.touch("a.go")


def test_a_host_that_records_no_answers_is_not_sent_all_again_and_again(host: Host) -> None:
    host.hook("SessionStart", source="startup", drop=True)
    sent = [GO in host.touch("a.go", drop=True) for _ in range(8)]
    assert 1 < sum(sent) < 5
    assert not any(sent[5:])


@pytest.mark.parametrize("loads", [True, False])
def test_what_the_host_should_load_is_sent_where_it_did_not(host: Host, *, loads: bool) -> None:
    host.hook("SessionStart", source="startup")
    assert host.touch("a.go", "Read") == ""
    if loads:
        rule = str(host.place / ".claude/rules/go.md")
        host.attach("nested_memory", path=rule)
        host.model()
        host.model()
    assert (GO in host.touch("b.txt", "Read")) == (not loads)


def test_what_a_hook_of_the_host_itself_loads_is_loaded(host: Host) -> None:
    """2.1.281 and later read AGENTS.md by a plug-in that is built in."""
    write(host.place, {"lib/AGENTS.md": "- Never import the web.\n"})
    host.hook("SessionStart", source="startup")
    text = f"Contents of {host.place}/lib/AGENTS.md:\n\n- Never import the web.\n"
    host.attach("hook_additional_context", hookName="tool.call", content=[text])
    assert host.touch("lib/a.txt", "Read") == ""


def test_what_the_host_loaded_unasked_is_not_sent(host: Host) -> None:
    """As for a file that the prompt names."""
    host.hook("SessionStart", source="startup")
    rule = str(host.place / ".claude/rules/go.md")
    host.attach("nested_memory", path=rule)
    assert host.touch("a.go") == ""
    host.record("system", subtype="compact_boundary")
    host.hook("SessionStart", source="compact")
    assert GO in host.touch("a.go")


@pytest.mark.parametrize("reported", [("CLAUDE.md", "b.md"), ("b.md",), ()])
def test_what_was_not_loaded_at_the_start_comes_at_the_next_prompt(
    host: Host, reported: tuple[str, ...]
) -> None:
    """Of a host that reports nothing it is not known."""
    words = "Never use floats for money."
    write(host.place, {"CLAUDE.md": f"- {words}\n"})
    assert words not in host.hook("SessionStart", source="startup")
    for name in reported:
        host.hook("InstructionsLoaded", file_path=str(host.place / name))
    host.model()
    text = host.hook("UserPromptSubmit", prompt="Now the rest of it, please")
    assert (words in text) == (reported == ("b.md",))
