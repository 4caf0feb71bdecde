"""What is left of an answer: no thoughts, no space around it, never nothing."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctx.llm.answers import MAX_BYTES, draft, without_thoughts
from ctx.model import SummaryError


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("They chose SQLite.", "They chose SQLite."),
        ("\ufeff\r\n They chose.\r\n\r\nThey left.\r\n", "They chose.\n\nThey left."),
        ("<think>Hm.\nWell.</think>\n\nThey chose SQLite.", "They chose SQLite."),
        ("\n<think></think>They chose.", "They chose."),
        ("Hm, they want it short.\n</think>\n\nThey chose.", "They chose."),
        ("Short, then.</think> \nThey chose.", "They chose."),
        # Marks in the middle of a line, or of an answer, are what was talked about.
        ("The parser drops </think> from answers.", "The parser drops </think> from answers."),
        ("It reads <think>x</think>\nand goes on.", "It reads <think>x</think>\nand goes on."),
        ("<think>a</think>It reads </think> now.", "It reads </think> now."),
        ("a\ud800b", "a?b"),
    ],
)
def test_an_answer_is_what_follows_the_thoughts(said: str, answer: str) -> None:
    found = draft(said, "m")
    assert (found.text, found.mean_logprob) == (answer, None)


@pytest.mark.parametrize("said", ["", " \n\t", "\ufeff", "\r\n"])
def test_an_answer_of_nothing_is_an_error(said: str) -> None:
    with pytest.raises(SummaryError, match=r"^m: answered nothing: does this model write texts\?$"):
        draft(said, "m")


@pytest.mark.parametrize("said", ["<think>a secret", "<think>a secret</think>\n", "x\n</think>"])
def test_thoughts_without_an_answer_are_an_error(said: str) -> None:
    with pytest.raises(SummaryError, match=r"^m: thought, and did not answer") as caught:
        draft(said, "m")
    assert "secret" not in str(caught.value)


def test_an_answer_may_have_a_megabyte_and_no_more() -> None:
    assert len(draft("é" * (MAX_BYTES // 2), "m").text) == MAX_BYTES // 2
    with pytest.raises(SummaryError, match=r"^m: the answer is over 1 MB"):
        draft("é" * (MAX_BYTES // 2) + "x", "m")


@given(st.text() | st.lists(st.sampled_from(["<think>", "</think>", "a", "\n", " "])).map("".join))
@example("</think>")
def test_what_is_taken_off_stands_before_what_is_left(text: str) -> None:
    left = without_thoughts(text)
    assert text.endswith(left)
    assert not left.lstrip().startswith("<think>") or "</think>" in text.removesuffix(left)
    if "think>" not in text:
        assert left == text
