"""The line of a task: its box and its labels, nothing else."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.edit.tasks import State, marked
from ctx.read.tasks import TASKS
from ctx.text.checkbox import without_marker

STATES: tuple[State, ...] = get_args(State)
STATUS = {"done": "done", "start": "in-progress", "block": "blocked", "skip": "skipped", "todo": ""}


@pytest.mark.parametrize(
    ("line", "state", "after"),
    [
        ("- [ ] a", "done", "- [x] a"),
        ("- [ ] a", "start", "- [ ] a #in-progress"),
        ("- [ ] a", "block", "- [ ] a #blocked"),
        ("- [ ] a", "skip", "- [-] a"),
        ("- [ ] a", "todo", "- [ ] a"),
        ("- [x] a #in-progress", "todo", "- [ ] a"),
        ("- [X] a", "start", "- [ ] a #in-progress"),
        ("- [ ] a #in-progress #priority:high", "done", "- [x] a #priority:high"),
        ("- [ ] a #in-progress #priority:high", "block", "- [ ] a #priority:high #blocked"),
        ("- [ ] #blocked a", "todo", "- [ ] a"),
        ("- [ ] #blocked  #in-progress a", "done", "- [x] a"),
        ("- [ ] a #BLOCKED", "todo", "- [ ] a"),
        ("- [ ] a  ", "start", "- [ ] a #in-progress  "),  # two spaces break a line in Markdown
        ("- [ ] a `#blocked`", "done", "- [x] a `#blocked`"),
        ("- [ ] a#blocked", "done", "- [x] a#blocked"),
        ("- [/] a", "start", "- [/] a #in-progress"),
        ("- [/] a", "todo", "- [ ] a"),
        ("  12) [ ] a", "done", "  12) [x] a"),
        ("\t* [ ]\ta", "done", "\t* [x]\ta"),
        ("[] a", "done", "[x] a"),
        ("[] a", "start", "[ ] a #in-progress"),
        ("> - [ ] a", "done", "> - [x] a"),
        ("- [ ] a #blocked-by:b (#blocked)", "done", "- [x] a #blocked-by:b ()"),
        ("- [ ] a [x] #in-progress", "start", "- [ ] a [x] #in-progress"),
        ("- [ ] a [x] b", "done", "- [x] a [x] b"),
        ("- [ ]", "done", "- [x]"),
    ],
)
def test_only_box_and_labels_change(line: str, state: State, after: str) -> None:
    assert marked(line, state) == after


def test_a_line_without_a_box_is_none_of_a_task() -> None:
    for line in ("", "a", "- a", "- [y] a", "- [ ]a", "## [ ] a", "a [ ] b"):
        assert [marked(line, state) for state in STATES] == [""] * len(STATES), line


_PIECES = ["a", "#in-progress", "#blocked", "`#blocked`", "#priority:low", "@b", "[x]", "é", "  ",
           "x#blocked", "#BLOCKED", "(#blocked)", "\\", "*"]  # fmt: skip


@given(
    st.sampled_from(["- [ ] ", "* [x] ", "1. [-] ", "[] ", "- [~] "]),
    st.lists(st.sampled_from(_PIECES), max_size=6).map(" ".join),
    st.lists(st.sampled_from(STATES), min_size=1, max_size=4),
)
def test_a_line_is_read_as_it_was_marked_and_says_the_same(
    box: str, text: str, states: list[State]
) -> None:
    line = f"{box}task {text}"
    title = TASKS(line)[0].title
    rest = [word for word in without_marker(line).split()
            if word.casefold() not in ("#in-progress", "#blocked")]  # fmt: skip
    for state in states:
        line = marked(line, state)
        (card,) = TASKS(line)
        assert card.status == STATUS[state]
        assert card.title.replace("()", "(#blocked)") == title.replace("()", "(#blocked)")
        assert marked(line, state) == line
        said = [word for word in without_marker(line).split()
                if word.casefold() not in ("#in-progress", "#blocked")]  # fmt: skip
        assert [one.replace("(#blocked)", "()") for one in said] == [
            one.replace("(#blocked)", "()") for one in rest
        ]
