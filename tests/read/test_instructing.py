"""Standing instructions of users: found, keyed, replaced, and never invented."""

import json
import sys
from pathlib import Path
from typing import NamedTuple, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.model import Context, Entry
from ctx.read import Limits, Wanted, read
from ctx.read.columns import Columns
from ctx.read.instructing.reader import instructions
from ctx.read.instructing.register import register
from ctx.store.no_cache import NoCache

LIMITS = Limits(1 << 20, allow_links=False, project="", allow_secrets=False)


def talk(folder: Path, *turns: tuple[str, str], speaker: str = "") -> Context:
    """Return a directory with one session of ``turns``: role and text, a day each."""
    sessions = folder / "state" / "sessions"
    sessions.mkdir(parents=True, exist_ok=True)
    lines = [
        {
            "id": f"t{number}", "session": "talk", "ts": f"2026-01-{number:02}", "role": role,
            "speaker": speaker, "text": text,
        }
        for number, (role, text) in enumerate(turns, 1)
    ]  # fmt: skip
    (sessions / "talk.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", "utf-8")
    root = folder / "context"
    root.mkdir(exist_ok=True)
    return read(str(root), NoCache(), LIMITS, Wanted(state=str(folder / "state")))


def users(*texts: str) -> list[tuple[str, str]]:
    return [("user", text) for text in texts]


def in_force(context: Context) -> list[str]:
    return [entry.title for entry in context.standing if entry.is_current]


STANDING = (
    "Always retry 3 failed jobs at once.",
    "From now on, sign every letter with 'Best, Ana'.",
    "Please write all commit messages in the imperative mood.",
    "Use British spelling in the docs from now on.",
    "I'd like you to keep every paragraph under four sentences.",
    "For replies to customers, use a formal tone.",
    "Never deploy on Fridays.",
    "Every deployment must be announced in the channel first.",
    "Always put a summary at the top of each report.",
    "When naming branches, start the name with 'feat-'.",
    "All headlines should be in sentence case.",
    "Don't use emojis in replies.",
    "We always round prices to whole cents.",
    "I want to emphasize the importance of including units in your tables.",
    "Make sure that you add a caption to all your figures.",
    "Every deployment needs two approvals.",
    "Close tickets after 14 days.",
    "I'd rather you signed all mails with 'Best, Ana'.",
    "When you mention a command, put it in backticks.",
    "And please don't apologise in your answers.",
)
PASSING = (
    "Turn 7 tells of cache 3 and retry 5.",
    "Please call the customer tomorrow.",
    "Fix the parser.",
    "Can you always sign letters with my name?",
    "We had a great time at the beach.",
    "You should see a doctor.",
    "I will start every function name with 'x_'.",
    "Don't hesitate to ask.",
    "Keep up the good work!",
    "Thanks, that is what I wanted.",
    "The docs say that names start with 'x_'.",
    "Read the report by Friday.",
    "Let's keep each other motivated.",
    "I'll write the names with 'x_', then start all files with '#'.",
    "Never been to something like that.",
    "Having pets must be a wonderful experience.",
    "He said we should always link to the glossary.",
    "Set reminders, assign tasks to team members, and relax.",
)


@pytest.mark.parametrize("text", STANDING)
def test_what_is_to_hold_from_then_on_is_found(text: str) -> None:
    found = list(instructions(text))
    assert [text[one.start : one.end] for one in found[:1]] == [text]
    assert found[0].clause.about


@pytest.mark.parametrize("text", PASSING)
def test_what_is_for_once_or_of_others_is_not(text: str) -> None:
    assert not list(instructions(text))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Start all headlines with 'New:'.", "From now on, begin headlines with 'Note:'."),
        ("Always answer in German.", "Respond in English from now on."),
        (
            "For replies to customers, use a formal tone.",
            "Use a casual tone in replies to customers from now on.",
        ),
        ("Never use emojis.", "You should always use emojis."),
        ("Always use semicolons.", "From now on, avoid using semicolons."),
        (
            "Use the prefix 'a_' for all your column names.",
            "Start all column names with 'b_' instead.",
        ),
        ("Use tabs for indentation from now on.", "Always use spaces for indentation."),
        ("Sign every letter with 'Ana'.", "Sign every letter with 'Best, Ana'."),
        ("All table aliases should be two letters.", "Table aliases should be three letters now."),
        ("For strings, prefer single quotes.", "For strings, use double quotes."),
        ("Answer in French from now on.", "Switch back to English for all answers, please."),
        ("Log everything with print.", "Use the logging module instead of print from now on."),
    ],
)
def test_a_later_instruction_about_the_same_replaces_it(
    tmp_path: Path, before: str, after: str
) -> None:
    assert in_force(talk(tmp_path, *users(before, after))) == [after]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Start all headlines with 'New:'.", "End all headlines with a full stop."),
        ("Start all method names with 'm_'.", "Start all function names with 'f_'."),
        ("Always add a caption to all your figures.", "Add a source to all your figures."),
        ("Never deploy on Fridays.", "Never deploy on Mondays."),
        ("Start all file names with 'a_'.", "Only for drafts, start file names with 'b_'."),
        ("Sign every letter with 'Ana'.", "Keep signing letters as before."),
    ],
)
def test_one_about_something_else_does_not(tmp_path: Path, before: str, after: str) -> None:
    assert before in in_force(talk(tmp_path, *users(before, after)))


def test_one_can_be_taken_back(tmp_path: Path) -> None:
    context = talk(
        tmp_path, *users("End all headlines with the suffix '!'.", "Ok, never mind the suffix.")
    )
    assert in_force(context) == []
    taken, back = context.standing
    assert (taken.status, back.status, back.supersedes) == ("superseded", "done", taken.id)


@pytest.mark.parametrize(
    ("given", "back"),
    [
        ("Never use mocks in tests.", "Mocks are fine again."),
        (
            "Every file must end with a semicolon.",
            "You can drop the semicolon at the end of files.",
        ),
        ("Always sign off commits.", "Actually, no need to sign off commits any more."),
        (
            "Always notify the client before deployments.",
            "Ignore what I said about notifying the client.",
        ),
        ("Always attach the invoice to reminders.", "Never mind the invoice."),
        ("Always attach the invoice to reminders.", "Forget about attaching the invoice."),
        ("Every reply should end with a link.", "Stop adding a link to replies."),
    ],
)
def test_take_backs_in_other_words(tmp_path: Path, given: str, back: str) -> None:
    assert given not in in_force(talk(tmp_path, *users(given, back)))


def test_of_two_in_a_sentence_one_may_be_replaced(tmp_path: Path) -> None:
    both = "Start all headlines with 'a' and end them with 'b'."
    context = talk(tmp_path, *users(both, "From now on, end headlines with 'c'."))
    assert [entry.status for entry in context.standing] == ["partly superseded", ""]


def test_pronouns_are_what_the_sentence_above_is_about(tmp_path: Path) -> None:
    first = "Now to your column names. Always start them with 'x_'."
    context = talk(tmp_path, *users(first, "From now on, start all column names with 'y_'."))
    assert context.standing[0].title == first
    assert [entry.status for entry in context.standing] == ["superseded", ""]


def test_only_users_instruct_and_each_for_themselves(tmp_path: Path) -> None:
    rule = "From now on, start all headlines with 'New:'."
    answer = ("assistant", "Always start all headlines with 'Old:'.")
    assert in_force(talk(tmp_path, ("user", rule), answer)) == [rule]


def test_turns_that_hold_or_repeat_what_was_replaced_are_marked(tmp_path: Path) -> None:
    context = talk(
        tmp_path,
        ("user", "From now on, start all headlines with 'New:'. How are you?"),
        ("assistant", "Fine. I start headlines with 'New:' then."),
        ("user", "Begin all headlines with 'Note:' instead."),
    )
    turns = [entry for entry in context.entries if entry.kind == "turn"]
    assert [turn.status for turn in turns] == ["partly superseded", "partly superseded", ""]


def test_sessions_of_the_repository_instruct_nobody(tmp_path: Path) -> None:
    context = talk(tmp_path, ("user", "Hello."))
    folder = Path(context.root) / "sessions"
    folder.mkdir()
    line = {"id": "x", "session": "y", "role": "user", "text": "Always start names with 'x_'."}
    (folder / "y.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    wanted = Wanted(state=str(tmp_path / "state"), foreign=True)
    assert not read(context.root, NoCache(), LIMITS, wanted).standing


PIECES = st.sampled_from(
    [*STANDING, *PASSING, "Never mind that.", "```\nAlways use it in all your files.\n```", "\n- "]
)


@given(st.lists(st.lists(PIECES | st.text(max_size=30), max_size=3).map(" ".join), max_size=8))
def test_the_register_holds_words_of_turns_alone(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("talk")
    context = talk(folder, *users(*texts))
    bodies = [" ".join(turn.body.split()) for turn in context.entries if turn.kind == "turn"]
    assert all(any(entry.title in body for body in bodies) for entry in context.standing)
    ids = {entry.id for entry in context.standing}
    assert len(ids) == len(context.standing)
    assert all(ids.issuperset(_superseded(entry)) for entry in context.standing)
    again = read(context.root, NoCache(), LIMITS, Wanted(state=str(folder / "state")))
    assert [one[:10] for one in again.standing] == [one[:10] for one in context.standing]


class Part(NamedTuple):
    """Turns of one user with the rows of ``instructions``, and nothing else."""

    standing: dict[str, list[list[object]]]
    timestamps: list[str]
    speakers: list[str]
    outdated: set[int]


CLAUSES = {
    "that replace each other": ("use", "tab", "{}", "", "do", ""),
    "that repeat each other": ("use", "tab", "", "", "avoid", ""),
    "about something else": ("use", "tab{}", "x", "", "do", ""),
    "for something else": ("use", "tab", "", "file {}", "do", ""),
    "that forbid one more thing": ("use", "tab", "{}", "", "avoid", "{}"),
    "in the place of one more thing": ("use", "tab", "", "", "avoid", "x{}"),
}


@pytest.mark.parametrize("clause", CLAUSES.values(), ids=CLAUSES)
def test_twice_as_many_instructions_are_not_four_times_the_work(clause: tuple[str, ...]) -> None:
    def calls(turns: int) -> int:
        undo = [["use", "tab", "", "", "undo", ""]]
        rows = [[*(field.format(turn) for field in clause)] for turn in range(turns)]
        part = Part(
            {str(turn): [["", 1.0, [row], [], 1]] for turn, row in enumerate(rows)}
            | {str(turns + turn): [["", 1.0, undo, [], 1]] for turn in range(turns)},
            [""] * turns * 2, [], set(),
        )  # fmt: skip
        counted = 0

        def count(_frame: object, event: str, _argument: object) -> None:
            nonlocal counted
            counted += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            register([[cast("Columns", part)]])
        finally:
            sys.setprofile(None)
        return counted

    assert calls(400) < 2.5 * calls(200)


def _superseded(entry: Entry) -> list[str]:
    return entry.supersedes.split("\n") if entry.supersedes else []
