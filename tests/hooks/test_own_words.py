"""A session is not quoted to itself, unless a compaction took the words away."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.hooks.session import Host

if TYPE_CHECKING:
    from pathlib import Path

WISH = "From now on always round the refund of vouchers down to cents"
ANSWER = "The refund of vouchers is rounded in shop money"
AGAIN = "How is a refund of vouchers rounded to cents here?"


@pytest.fixture
def host(project: Path) -> Host:
    host = Host(project, CTX_CAPTURE="on")
    host.year = 2026
    host.hook("SessionStart", source="startup")
    host.ask(WISH)
    host.model(ANSWER)
    host.hook("Stop")
    return host


def test_what_is_in_the_window_is_not_quoted(host: Host) -> None:
    for text in (host.hook("SessionStart", source="resume"), host.ask(AGAIN)):
        assert WISH not in text
        assert ANSWER not in text


def test_what_a_compaction_took_away_is_quoted_and_what_came_since_is_not(host: Host) -> None:
    host.record("system", subtype="compact_boundary")
    text = host.hook("SessionStart", source="compact")
    assert WISH in text
    assert ANSWER not in text, "the host keeps the last answer itself"
    host.ask("A voucher of the spring sale has been returned")
    host.model("Its refund was booked on vouchers of spring")
    host.hook("Stop")
    assert "spring" not in host.ask(AGAIN)


def test_another_session_is_quoted_it(host: Host) -> None:
    other = Host(host.place, "s2", CTX_CAPTURE="on")
    assert WISH in other.hook("SessionStart", source="startup") + other.ask(AGAIN)


def test_a_copy_of_a_session_is_not_quoted_it(host: Host) -> None:
    """The host writes a fork's transcript behind its first prompt."""
    fork = Host(host.place, "s2", CTX_CAPTURE="on")
    told = [fork.hook("SessionStart", source="fork"), fork.hook("UserPromptSubmit", prompt=AGAIN)]
    lines = host.path.read_text().replace('"sessionId": "s1"', '"sessionId": "s2"')
    fork.path.write_text(lines)
    told.append(fork.ask("And the refund of a voucher in cents, is it rounded?"))
    assert not any(WISH in text or ANSWER in text for text in told)


def test_a_copy_that_begins_at_a_compaction_stays_the_same_session(host: Host) -> None:
    kept = host.path.read_text().splitlines()[-1]
    host.record("system", subtype="compact_boundary")
    host.hook("SessionStart", source="compact")
    fork = Host(host.place, "s2", CTX_CAPTURE="on")
    fork.path.write_text(json.dumps({"type": "system", "sessionId": "s2"}) + f"\n{kept}\n")
    fork.model("Something else altogether")
    fork.hook("Stop")
    from tests.keeping import state

    (stored,) = (state(host.place / ".context") / "sessions").glob("*.jsonl")
    assert "Something else altogether" in stored.read_text()


@pytest.mark.parametrize("prompt", ["<task-notification>\n<summary>refund</summary>", " "])
def test_what_no_person_typed_asks_for_nothing(host: Host, prompt: str) -> None:
    other = Host(host.place, "s2", CTX_CAPTURE="on")
    assert WISH not in other.ask(prompt)


def test_a_turn_is_stored_in_the_repository_of_its_folder(host: Host, tmp_path: Path) -> None:
    """A session can be resumed in another folder, in the same transcript."""
    from tests.keeping import state

    other = tmp_path / "other"
    (other / ".git/objects").mkdir(parents=True)
    (other / ".git/refs").mkdir()
    (other / ".git/HEAD").write_text("ref: refs/heads/main\n")
    with host.path.open("a") as file:
        for number, folder in enumerate((other, host.place)):
            line = {"type": "user", "uuid": f"x{number}", "sessionId": "s1", "cwd": str(folder)}
            message = {"content": f"Written in {folder.name}"}
            file.write(json.dumps({**line, "message": message}) + "\n")
    host.hook("Stop")
    (stored,) = (state(host.place / ".context") / "sessions").glob("*.jsonl")
    text = stored.read_text()
    assert f"Written in {host.place.name}" in text
    assert "Written in other" not in text


def test_what_is_sent_at_a_start_that_goes_on_differs_from_what_was(host: Host) -> None:
    """A host drops a start's text that is in the conversation already, however old it is."""
    rules = host.place / ".context/CONSTITUTION.md"
    rules.write_text("- Never use floats for money\n")
    host.hook("SessionStart", source="resume")
    rules.write_text("- Never log card numbers\n")
    text = host.hook("SessionStart", source="resume")
    assert "Never log card numbers" in text
    day, clock = text.rstrip().rpartition("Day ")[2].partition(",")[0].split()
    assert (len(day), clock.count(":")) == (10, 2)
