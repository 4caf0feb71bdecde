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
    host.hook("PreCompact")
    host.record("system", subtype="compact_boundary")
    text = host.hook("SessionStart", source="compact")
    assert WISH in text
    assert ANSWER in text
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
    host.hook("PreCompact")
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
