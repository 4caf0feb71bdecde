"""What is read of a coding session as asked, changed, decided, failed or open."""

import json

import pytest

from ctx.model import Cluster, Utterance
from ctx.sessions.compaction.making import summarise
from ctx.sessions.notes import Note, is_work, notes
from ctx.text.vector_space import TermSpace


def turn(role: str, text: str) -> Utterance:
    return Utterance(role, text, role)


def call(tool: str, **given: object) -> Utterance:
    return turn("assistant", f"[tool_use {tool}] {json.dumps(given)}")


@pytest.mark.parametrize(
    ("role", "text", "kind"),
    [
        ("user", "The totals of Swiss invoices are off by a centime.", "asked"),
        ("user", "Please also speed up the import.", "asked"),
        ("user", "We'll do the CSV export tomorrow.", "open"),
        ("user", "Let's keep the old endpoint for mobile clients.", "decided"),
        ("assistant", "I went with a lease rather than a retry in the client.", "decided"),
        ("assistant", "I'll round the sum only, because lines are exact.", "decided"),
        ("assistant", "The root cause is a cookie with SameSite=Strict.", "failed"),
        ("assistant", "Added a lease of ten minutes to every job.", "changed"),
        ("assistant", "The charts still use hex colours.", "open"),
        ("assistant", "I'll look at the module of events.", ""),
        ("assistant", "Now checking the broker module.", ""),
        ("assistant", "def f7(x):\n    return x + 7", ""),
        ("user", "Thanks, looks good.", ""),
    ],
)
def test_a_sentence_is_of_the_kind_that_its_wording_shows(role: str, text: str, kind: str) -> None:
    assert [note.kind for note in notes([turn(role, text)])] == [kind] * bool(kind)


def test_files_come_from_calls_that_edit_and_from_patches() -> None:
    patch = "*** Begin Patch\n*** Update File: src/b.rs\n@@\n*** Delete File: src/c.rs\n"
    calls = [
        call("Read", file_path="src/read.py"),
        call("Edit", file_path="src/a.py"),
        call("Edit", file_path="src/a.py"),
        turn("assistant", f"[tool_use apply_patch] {patch}"),
        call("shell", command=["apply_patch", patch]),
    ]
    assert notes(calls) == [Note("changed", "src/a.py, src/b.rs, src/c.rs")]


def test_failures_come_from_the_output_of_tools_with_what_the_agent_makes_of_them() -> None:
    turns = [
        turn("tool", "..F\nE   KeyError: 'currency'\n0 errors\n1 failed, 41 passed"),
        turn("assistant", "Drafts of 2019 have other fields than the sample."),
        turn("assistant", "Drafts of 2020 have other fields than the sample."),
    ]
    assert notes(turns) == [
        Note("failed", "E KeyError: 'currency'"),
        Note("failed", "Drafts of 2019 have other fields than the sample."),
    ]


def test_of_lists_of_things_to_do_the_last_one_counts() -> None:
    first = [{"content": "Read the code", "status": "pending"}]
    last = [
        {"content": "Read the code", "status": "completed"},
        {"content": "Document the format", "status": "in_progress"},
        {"content": ["odd"], "status": "pending"},
    ]
    turns = [call("TodoWrite", todos=first), call("TodoWrite", todos=last)]
    assert notes(turns) == [Note("open", "Document the format")]


def test_a_summary_of_work_names_the_kinds_and_holds_nothing_else() -> None:
    talk = [
        turn("user", "Please fix the rounding of the totals."),
        turn("assistant", "Let me look at the totals module."),
        call("Read", file_path="src/totals.py"),
        turn("tool", "def f1(x):\n    return x\n" * 20),
        call("Edit", file_path="src/totals.py"),
        turn("assistant", "I only round the sum instead of every line."),
    ]
    made = summarise(Cluster(talk), TermSpace())
    assert made.method == "extractive"
    assert made.text.splitlines() == [
        "asked: Please fix the rounding of the totals.",
        "changed: src/totals.py",
        "decided: I only round the sum instead of every line.",
    ]


def test_work_without_a_statement_has_no_summary() -> None:
    talk = [
        turn("assistant", "I'll look at the broker module."),
        call("Read", file_path="src/broker.py"),
        turn("tool", "def f1(x):\n    return x\n" * 20),
    ]
    assert "nothing is asked" in summarise(Cluster(talk), TermSpace()).why


def test_talk_in_which_no_tool_is_called_is_no_work() -> None:
    assert not is_work([turn("user", "Ann has a dog."), turn("tool", "You are helpful.")])
