"""What turns do beside the words that they hold, and what questions ask for."""

import pytest

from ctx.rank.marks import ASKS, LONGEST_RULE, PREFERS, asks_for_advice, marks
from ctx.text.words import index_words


@pytest.mark.parametrize(
    "text",
    [
        "How was it?",
        "What do you think? 😀"[:18],
        'She said "why?"',
        "本当ですか？",
        "And you? [image: a cat.]",
    ],
)
def test_a_turn_that_ends_in_a_question_asks(text: str) -> None:
    assert marks("Ann", text) == [ASKS]


@pytest.mark.parametrize("text", ["Why? I do not know.", "Yes.", "", "[image: what?]"])
def test_a_question_in_between_is_none(text: str) -> None:
    assert marks("Ann", text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Always show the whole table.",
        "Please never shorten the names of tests.",
        "Remember to add a chart when I ask about costs.",
        "From now on the answers are in French.",
        "I prefer short walks to long ones.",
        "I’d rather use tabs.",
        "We've decided to keep the old pump.",
        "I don't like surprises.",
    ],
)
def test_what_somebody_wants_is_a_preference(text: str) -> None:
    assert marks("user", text) == [PREFERS]
    assert marks("Ann", text) == [PREFERS]
    assert marks("assistant", text) == []


@pytest.mark.parametrize(
    "text",
    [
        "It is always late.",
        "I never saw it.",
        "Always " + "x" * LONGEST_RULE,
        "She was preferably early.",
    ],
)
def test_other_statements_are_none(text: str) -> None:
    assert marks("user", text) == []


def test_no_text_holds_a_mark() -> None:
    assert not {ASKS, PREFERS} & set(index_words(f"{ASKS} {PREFERS}"))


@pytest.mark.parametrize(
    "query",
    [
        "How should I store the keys?",
        "What approach would you suggest for backups?",
        "I'm planning a trip to the coast. Any ideas?",
        "Show me how the pump works",
    ],
)
def test_questions_for_advice(query: str) -> None:
    assert asks_for_advice(query)


@pytest.mark.parametrize(
    "query",
    [
        "When did we suggest that?",
        "How many tips have I collected?",
        "Summarise the approach",
        "Which tools did you recommend?",
        "Where is the pump?",
        "",
    ],
)
def test_questions_about_what_was(query: str) -> None:
    assert not asks_for_advice(query)
