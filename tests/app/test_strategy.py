"""Strategy: the size of content, the class of a task, the table of decisions, and its steps."""

from __future__ import annotations

import shlex
from math import isfinite
from typing import TYPE_CHECKING, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.app.strategy import (
    CRISIS,
    LONGEST_QUERY,
    ROWS,
    SIZES,
    TASKS,
    Ask,
    Content,
    Facts,
    Hand,
    Plan,
    Step,
    content,
    decide,
    retrieval_budget,
    row_of,
    steps,
    task_of,
    typed,
)
from ctx.app.window import MOST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.app.strategy import Answer, Strategy, TaskClass

FIGURES = st.one_of(st.integers(), st.just(10**400), st.integers(0, 3_000_000))
QUERIES = st.one_of(
    st.text(), st.sampled_from([phrase for task in TASKS for phrase in task.phrases])
)
HANDS = st.builds(
    Hand,
    st.lists(st.text()),
    st.lists(st.text()),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)

JOINERS = {0x200C: None, 0x200D: None}

# --- the size of the content --------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("tiny", 2_000),
        ("small", 8_000),
        ("medium", 32_000),
        ("large", 100_000),
        ("huge", 500_000),
        ("massive", 2_000_000),
    ],
)
def test_a_word_is_a_size(size: str, expected: int) -> None:
    assert content(size=size) == (expected, "size")
    assert content(size=f" {size.upper()} ") == (expected, "size")


@pytest.mark.parametrize("size", ["", "unknown", "gigantic", "\0"])
def test_of_nothing_known_64_000_are_assumed(size: str) -> None:
    assert content(size=size) == (64_000, "assumed")


def test_characters_come_before_files_and_files_before_a_word() -> None:
    assert content(400, 800, "tiny") == (100, "chars")
    assert content(None, 800, "tiny") == (200, "files")
    assert content(0, 800, "tiny") == (0, "chars")
    assert content(None, 0, "tiny") == (0, "files")


@pytest.mark.parametrize(("chars", "expected"), [(0, 0), (1, 1), (4, 1), (5, 2), (-4, 0)])
def test_four_characters_are_a_token_and_a_part_is_one(chars: int, expected: int) -> None:
    assert content(chars=chars).tokens == expected
    assert content(file_bytes=chars).tokens == expected


def test_a_character_over_a_limit_is_over_it() -> None:
    at = decide(Ask("", content(chars=128_000)))
    over = decide(Ask("", content(chars=128_001)))
    assert (at.strategy, over.strategy) == ("STUFF", "HYBRID")


# --- the class of the task ----------------------------------------------------------------

PHRASES = [(phrase, task.task_class) for task in TASKS for phrase in task.phrases]


@pytest.mark.parametrize(("phrase", "expected"), PHRASES)
def test_every_phrase_tells_its_class(phrase: str, expected: TaskClass) -> None:
    assert task_of(f"Now: {phrase.upper()}!") == (expected, phrase)
    assert task_of(f"x{phrase}x")[1] != phrase


def test_the_source_s_phrases_are_all_there() -> None:
    assert [len(task.phrases) for task in TASKS[1:]] == [18, 14, 12]
    classes = ["rag_critical", "rag_critical", "stuff_friendly", "hybrid"]
    assert [task.task_class for task in TASKS] == classes


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("write a plan for the crisis", ("rag_critical", "crisis"), id="crisis first"),
        pytest.param("write a study", ("rag_critical", "study"), id="factual before making"),
        pytest.param("explain the idea", ("stuff_friendly", "idea"), id="making before analysis"),
        pytest.param("explain it", ("hybrid", "explain"), id="analysis last"),
        pytest.param("fix the button", ("unknown", ""), id="no phrase is unknown"),
        pytest.param("", ("unknown", ""), id="no query is unknown"),
        pytest.param("a replanned archidea", ("unknown", ""), id="parts inside words tell nothing"),
        pytest.param("researching it", ("rag_critical", "research"), id="the beginning of a word"),
        pytest.param("we are verifying", ("rag_critical", "verify"), id="of another word"),
        pytest.param("he is suicidal", ("rag_critical", "suicid"), id="a crisis by its beginning"),
        pytest.param("I don\u2019t want to live", ("rag_critical", CRISIS[8]), id="an apostrophe"),
        pytest.param("call 988 now", ("rag_critical", "988"), id="a number"),
        pytest.param("port 9880, line 1988", ("unknown", ""), id="not a part of a number"),
        pytest.param("What\u2019s new?", ("rag_critical", "what is"), id="a short form"),
        pytest.param("trade off", ("hybrid", "trade-off"), id="a hyphen is a space"),
    ],
)
def test_the_first_task_decides(query: str, expected: tuple[str, str]) -> None:
    assert task_of(query) == expected


@pytest.mark.parametrize("phrase", CRISIS)
@pytest.mark.parametrize("size", SIZES)
def test_a_crisis_is_never_answered_from_less_than_hybrid(phrase: str, size: str) -> None:
    answer = decide(Ask(f"poem: {phrase}", content(size=size)))
    assert answer.strategy != "STUFF"
    assert answer.steps[-1].do == (
        "Accuracy is paramount. Ground every answer in verified sources."
    )
    other = decide(Ask("write a poem", content(size=size)))
    assert answer.steps[-1] not in other.steps


# --- the table ----------------------------------------------------------------------------

RAG: Literal["rag_critical"] = "rag_critical"
MAKING: Literal["stuff_friendly"] = "stuff_friendly"
MIXED: Literal["hybrid"] = "hybrid"
UNKNOWN: Literal["unknown"] = "unknown"
EDGES = [
    # critical-fits
    (Facts(RAG, 100, 100, 128_000), "critical-fits"),
    (Facts(RAG, 3_000_000, 3_000_000, 4_000_000), "critical-fits"),
    (Facts(RAG, 101, 100, 128_000), "large"),
    # small-fits
    (Facts(UNKNOWN, 0, 0, 0), "small-fits"),
    (Facts(UNKNOWN, 32_000, 32_000, 128_000), "small-fits"),
    (Facts(MIXED, 32_000, 32_000, 8_000), "small-fits"),
    (Facts(UNKNOWN, 32_001, 96_000, 128_000), "otherwise"),
    (Facts(UNKNOWN, 32_000, 31_999, 128_000), "large"),
    # making-fits
    (Facts(MAKING, 32_001, 32_001, 128_000), "making-fits"),
    (Facts(MAKING, 2_000_000, 2_000_000, 4_000_000), "making-fits"),
    (Facts(MAKING, 32_001, 32_000, 128_000), "mixed"),
    # mixed-narrow
    (Facts(MIXED, 128_000, 0, 15_999), "mixed-narrow"),
    (Facts(MAKING, 128_000, 0, 15_999), "mixed-narrow"),
    (Facts(MIXED, 40_000, 0, 0), "mixed-narrow"),
    (Facts(MIXED, 128_001, 0, 15_999), "large"),
    (Facts(MIXED, 128_000, 0, 16_000), "mixed"),
    (Facts(RAG, 40_000, 0, 15_999), "large"),
    (Facts(UNKNOWN, 40_000, 0, 15_999), "large"),
    # mixed
    (Facts(MIXED, 128_000, 0, 128_000), "mixed"),
    (Facts(MIXED, 128_000, 128_000, 200_000), "mixed"),
    (Facts(MAKING, 128_000, 0, 128_000), "mixed"),
    (Facts(MIXED, 128_001, 0, 128_000), "large"),
    # huge
    (Facts(UNKNOWN, 1_000_001, 0, 128_000), "huge"),
    (Facts(MIXED, 1_000_001, 2_000_000, 4_000_000), "huge"),
    (Facts(RAG, 1_000_001, 1_000_000, 4_000_000), "huge"),
    (Facts(MAKING, 1_000_001, 1_000_000, 4_000_000), "huge"),
    (Facts(UNKNOWN, 1_000_000, 0, 128_000), "large"),
    # large
    (Facts(UNKNOWN, 128_001, 500_000, 1_000_000), "large"),
    (Facts(UNKNOWN, 100, 99, 128_000), "large"),
    (Facts(MAKING, 1_000_000, 999_999, 4_000_000), "large"),
    # otherwise
    (Facts(UNKNOWN, 128_000, 128_000, 200_000), "otherwise"),
    (Facts(UNKNOWN, 64_000, 64_000, 128_000), "otherwise"),
]


@pytest.mark.parametrize(("facts", "name"), EDGES, ids=[f"{name}: {f}" for f, name in EDGES])
def test_the_first_row_that_holds_decides(facts: Facts, name: str) -> None:
    assert row_of(facts).name == name


def test_every_row_is_met() -> None:
    assert {name for _, name in EDGES} == {row.name for row in ROWS}


@pytest.mark.parametrize(
    ("name", "strategy", "confidence"),
    [
        ("critical-fits", "HYBRID", 0.85),
        ("small-fits", "STUFF", 0.95),
        ("making-fits", "STUFF", 0.85),
        ("mixed-narrow", "RAG", 0.80),
        ("mixed", "HYBRID", 0.75),
        ("huge", "RAG+GRAPH", 0.70),
        ("large", "RAG", 0.80),
        ("otherwise", "HYBRID", 0.60),
    ],
)
def test_a_row_says(name: str, strategy: Strategy, confidence: float) -> None:
    row = next(row for row in ROWS if row.name == name)
    assert (row.strategy, row.confidence) == (strategy, confidence)


@pytest.mark.parametrize(
    ("query", "size", "length", "strategy", "confidence"),
    [
        ("what is the port?", "large", 200_000, "HYBRID", 0.85),
        ("fix the button", "medium", 128_000, "STUFF", 0.95),
        ("write a poem", "large", 200_000, "STUFF", 0.85),
        ("compare them", "large", 15_999, "RAG", 0.80),
        ("compare them", "large", 16_000, "HYBRID", 0.75),
        ("fix the button", "massive", 128_000, "RAG+GRAPH", 0.70),
        ("fix the button", "huge", 128_000, "RAG", 0.80),
        ("fix the button", "", 128_000, "HYBRID", 0.60),
    ],
)
def test_the_table_as_it_is_asked(
    query: str, size: str, length: int, strategy: Strategy, confidence: float
) -> None:
    answer = decide(Ask(query, content(size=size), length))
    assert (answer.strategy, answer.confidence) == (strategy, confidence)


# --- figures ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strategy", "available", "expected"),
    [
        ("STUFF", 96_000, 0),
        ("STUFF", 0, 0),
        ("HYBRID", 96_000, 28_800),
        ("HYBRID", 13_333, 4_000),
        ("HYBRID", 13_334, 4_000),
        ("HYBRID", 13_337, 4_001),
        ("HYBRID", 0, 4_000),
        ("RAG", 96_000, 67_200),
        ("RAG", 5_714, 4_000),
        ("RAG", 5_716, 4_001),
        ("RAG", 0, 4_000),
        ("RAG+GRAPH", 96_000, 67_200),
        ("RAG+GRAPH", 0, 4_000),
    ],
)
def test_the_retrieval_budget(strategy: Strategy, available: int, expected: int) -> None:
    assert retrieval_budget(strategy, available) == expected


def test_figures_of_an_answer_by_hand() -> None:
    answer = decide(Ask("compare them", content(chars=480_000), 200_000, 10_000))
    assert (answer.tokens, answer.budget, answer.fits) == (120_000, 140_000, True)
    assert answer.utilisation == round(120 / 140, 4)
    assert (answer.strategy, answer.retrieval_budget) == ("HYBRID", 42_000)
    said = " ".join(answer.reasoning)
    for figure in ("120,000", "200,000", "10,000", "50,000", "140,000", "'compare'", "hybrid"):
        assert figure in said


def test_what_does_not_fit_is_said_not_to() -> None:
    answer = decide(Ask("", content(size="huge")))
    assert not answer.fits
    assert "does not fit" in " ".join(answer.reasoning)
    assert answer.utilisation == round(500 / 96, 4)


@pytest.mark.parametrize(
    ("length", "size", "said"),
    [
        (128_000, "tiny", "32,000 kept for the answer: nothing is free, so it does not fit."),
        (0, "tiny", "0 kept for the answer: nothing is free, so it does not fit."),
        (128_000, "", "32,000 kept for the answer: nothing is free, so it does not fit."),
    ],
)
def test_where_nothing_is_free_that_is_said(length: int, size: str, said: str) -> None:
    answer = decide(Ask("fix it", content(size=size), length, 96_000))
    assert answer.reasoning[1].endswith(said)
    assert answer.utilisation == answer.tokens
    assert not any("0 are free" in step.do for step in answer.steps)


def test_of_nothing_it_is_not_said_whether_it_fits() -> None:
    answer = decide(Ask("fix it", Content(0), 128_000, 96_000))
    assert answer.reasoning[1].endswith("kept for the answer: nothing is free.")
    assert (answer.fits, answer.utilisation) == (True, 0)


def test_one_free_token_is_said() -> None:
    answer = decide(Ask("fix it", Content(1), 128_000, 95_999))
    assert answer.reasoning[1].endswith("1 are free, so it fits.")


@pytest.mark.parametrize(
    "ask",
    [
        Ask(""),
        Ask("", Content(0), 0, 0),
        Ask("what is it", Content(0), 0, 0),
        Ask("compare", Content(10), 0, 5),
        Ask("compare", Content(10), 100, 1_000),
        Ask("compare", Content(-10), -100, -1_000),
        Ask("-", Content(10**400), 10**400, 10**400),
        Ask("\0\ud800\n", Content(1), 128_000, 0),
    ],
    ids=str,
)
def test_odd_questions_are_answered(ask: Ask) -> None:
    _check(decide(ask), ask)


@given(st.builds(Ask, QUERIES, st.builds(Content, FIGURES), FIGURES, FIGURES, HANDS))
def test_any_question_is_answered(ask: Ask) -> None:
    _check(decide(ask), ask)


def _check(answer: Answer, ask: Ask) -> None:
    assert (answer.strategy, answer.confidence) in {(row.strategy, row.confidence) for row in ROWS}
    assert 0 <= answer.budget <= MOST
    assert answer.retrieval_budget >= 0
    assert (answer.retrieval_budget == 0) == (answer.strategy == "STUFF")
    assert isfinite(answer.utilisation)
    assert answer.utilisation >= 0
    assert answer.fits == (answer.tokens <= answer.budget)
    assert all(answer.reasoning)
    assert answer.steps
    for step in answer.steps:
        assert step.do
        assert "\n" not in step.do + step.command
        assert (step.do + step.command).translate(JOINERS).isprintable()
    commands = [shlex.split(step.command) for step in answer.steps if step.command]
    for command in commands:
        _check_command(command, ask)
    _check_budgets(answer, ask, [_budget(words) for words in commands if "--budget" in words])


def _budget(words: Sequence[str]) -> int:
    """Return the budget of a command, whose query is never before it and a word of its own."""
    return int(words[words.index("--budget") + 1])


def _check_budgets(answer: Answer, ask: Ask, budgets: Sequence[int]) -> None:
    """What is retrieved is divided, and what is said besides it gets no more than what is left."""
    if answer.strategy == "STUFF":
        assert budgets == [answer.budget - answer.tokens]
    elif any(name.strip() for name in ask.hand.tools):
        assert sum(budgets) in (0, answer.budget - answer.retrieval_budget)
    else:
        assert sum(budgets) == answer.retrieval_budget
        assert len(budgets) == (2 if typed(ask.query) else 1)
        assert max(budgets) - min(budgets) <= 1


def _check_command(words: list[str], ask: Ask) -> None:
    """A command asks for what was asked, in whole numbers, and for no standard input."""
    assert words[0] == "ctx"
    assert words[1] in ("agent", "search", "index", "init")
    assert "-" not in words
    assert "--query=-" not in words
    if words[1] in ("agent", "search"):
        assert 0 <= _budget(words) <= MOST
    query = typed(ask.query)
    if words[1] == "search" or (words[1] == "agent" and query):
        assert query in [word.removeprefix("--query=") for word in words]
    if words[1] == "search":
        assert _budget(words) >= 500


# --- steps --------------------------------------------------------------------------------


def _commands(
    query: str,
    size: str,
    length: int = 128_000,
    used: int = 0,
    hand: Hand = Hand(),  # noqa: B008 -- a tuple
) -> list[str]:
    found = decide(Ask(query, content(size=size), length, used, hand)).steps
    return [step.command for step in found]


def test_what_is_stuffed_is_said_first_and_rules_get_the_rest() -> None:
    assert _commands("fix it", "small", used=1_000) == [
        "",
        "ctx agent --budget 87000 --query 'fix it'",
    ]


def test_hybrid_retrieves_and_looks_up() -> None:
    assert _commands("fix it", "") == [
        "ctx agent --budget 14400 --query 'fix it'",
        "ctx search 'fix it' --budget 14400",
    ]


@pytest.mark.parametrize("size", ["tiny", "", "large", "huge", "massive"])
@pytest.mark.parametrize("used", [0, 48_000, 64_000, 90_000, 128_000])
def test_no_command_is_told_how_full_the_window_is(size: str, used: int) -> None:
    """It would have pressure decide again: from half full on that retrieves nothing."""
    for command in _commands("fix it", size, used=used):
        assert "--context-length" not in command
        assert "--used-tokens" not in command


PLAN = Plan("HYBRID", "fix it", 64_000, 96_000, 28_800, 128_000)


@pytest.mark.parametrize(
    ("retrieved", "budgets"),
    [
        pytest.param(28_800, [14_400, 14_400], id="in halves"),
        pytest.param(4_001, [2_001, 2_000], id="the odd token is the packet's"),
        pytest.param(1_000, [500, 500], id="a half that is just enough"),
        pytest.param(999, [999], id="a half that is too little is not parted"),
        pytest.param(0, [0], id="nothing"),
    ],
)
def test_the_budget_is_divided_between_packet_and_search(
    retrieved: int, budgets: list[int]
) -> None:
    commands = [shlex.split(step.command) for step in steps(PLAN._replace(retrieved=retrieved))]
    assert [words[1] for words in commands] == ["agent", "search"][: len(budgets)]
    assert [_budget(words) for words in commands] == budgets


def test_without_a_query_the_packet_gets_it_all() -> None:
    assert [step.command for step in steps(PLAN._replace(query=""))] == ["ctx agent --budget 28800"]


READ = Step("Read in docs only what is needed, in what is then left.")


@pytest.mark.parametrize("query", ["fix it", ""])
@pytest.mark.parametrize(("available", "expected"), [(4_500, True), (4_499, False), (0, False)])
def test_paths_are_read_where_enough_is_left(query: str, available: int, *, expected: bool) -> None:
    plan = PLAN._replace(query=query, available=available, retrieved=4_000)
    assert (steps(plan._replace(hand=Hand(paths=("docs",))))[-1] == READ) is expected
    assert not any("Read in" in step.do for step in steps(plan))


def test_rag_indexes_first_and_finds_by_meaning() -> None:
    assert _commands("fix it", "huge") == [
        "ctx index --embedder static",
        "ctx agent --budget 33600 --query 'fix it' --embedder static",
        "ctx search 'fix it' --budget 33600 --embedder static",
    ]


def test_rag_over_a_graph_follows_links() -> None:
    extra = "--embedder static --ranker discovery"
    assert _commands("fix it", "massive") == [
        "ctx index --embedder static",
        f"ctx agent --budget 33600 --query 'fix it' {extra}",
        f"ctx search 'fix it' --budget 33600 {extra}",
    ]


def test_without_an_embedder_words_are_indexed() -> None:
    commands = _commands("fix it", "huge", hand=Hand(meaning=False))
    assert commands[0] == "ctx index"
    assert not any("--embedder" in command for command in commands)


def test_without_a_place_to_keep_it_nothing_is_indexed() -> None:
    commands = _commands("fix it", "huge", hand=Hand(keeps=False))
    assert [command.split()[1] for command in commands] == ["agent", "search"]


def test_without_a_query_nothing_is_looked_up() -> None:
    assert _commands(" ", "huge") == ["ctx index", "ctx agent --budget 67200"]


@pytest.mark.parametrize("size", ["tiny", "", "huge", "massive"])
def test_without_a_directory_one_is_made_first(size: str) -> None:
    commands = _commands("fix it", size, hand=Hand(directory=False))
    assert commands[0] == "ctx init"
    assert commands[1:] == _commands("fix it", size)


def test_where_too_little_is_free_room_is_made_first() -> None:
    ask = Ask("fix it", content(size="large"), 128_000, 92_001)
    first, *others = decide(ask).steps
    assert first.do.startswith("Make room first")
    assert "4,000" in first.do
    assert "3,999" in first.do
    assert [step.command for step in others] == [
        "ctx index --embedder static",
        "ctx agent --budget 2000 --query 'fix it' --embedder static",
        "ctx search 'fix it' --budget 2000 --embedder static",
    ]
    enough = decide(ask._replace(used_tokens=92_000)).steps
    assert not enough[0].do.startswith("Make room")


def test_in_a_length_that_nobody_knows_no_room_is_made() -> None:
    assert _commands("fix it", "", length=0) == [
        "ctx index --embedder static",
        "ctx agent --budget 2000 --query 'fix it' --embedder static",
        "ctx search 'fix it' --budget 2000 --embedder static",
    ]


@pytest.mark.parametrize("size", ["tiny", "", "huge", "massive"])
def test_tools_that_are_listed_are_named_instead_of_a_search(size: str) -> None:
    hand = Hand(tools=("vectors", "graph", "vectors", " "))
    found = decide(Ask("fix it", content(size=size), hand=hand)).steps
    named = [step for step in found if step.tools]
    assert [step.tools for step in named] == [("vectors", "graph")]
    assert "vectors, graph" in named[0].do
    assert [step.command.split()[1] for step in found if step.command] == ["agent"]


def test_tools_get_the_retrieval_budget_and_the_packet_the_rest() -> None:
    found = decide(Ask("fix it", content(size="huge"), hand=Hand(tools=("vectors",)))).steps
    assert "67,200 tokens at most" in found[0].do
    assert found[1].command == "ctx agent --budget 28800 --query 'fix it'"


def test_tools_without_a_directory_and_room_need_none() -> None:
    hand = Hand(tools=("vectors",), directory=False)
    found = decide(Ask("fix it", content(size="huge"), used_tokens=128_000, hand=hand)).steps
    assert [step.command for step in found] == ["", ""]


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (("docs",), "docs"),
        (("a", "b", "c"), "a, b, c"),
        (("a", "b", "c", "d", "e"), "a, b, c and 2 more"),
        (("a\nb\x1b",), "a b"),
        (("a", "b", "a", "b", "a"), "a, b"),
        (("a", "a", "b", "c", "d", "d"), "a, b, c and 1 more"),
    ],
)
def test_where_the_content_is_is_said(paths: Sequence[str], said: str) -> None:
    for size in ("tiny", "", "huge"):
        found = decide(Ask("fix it", content(size=size), hand=Hand(paths=paths))).steps
        where = [step.do for step in found if f" from {said}, " in f"{step.do} "]
        where += [step.do for step in found if f"Read in {said} only what" in step.do]
        assert len(where) == 1


@pytest.mark.parametrize(
    ("query", "packet", "search"),
    [
        ("it's", """--query 'it'"'"'s'""", """ctx search 'it'"'"'s' --budget 14400"""),
        ("-x y", "'--query=-x y'", "ctx search --budget 14400 -- '-x y'"),
        ("--help", "--query=--help", "ctx search --budget 14400 -- --help"),
        ("$(rm -rf .)", "--query '$(rm -rf .)'", "ctx search '$(rm -rf .)' --budget 14400"),
        ("a\n\tb", "--query 'a b'", "ctx search 'a b' --budget 14400"),
        ("a\0\x1b[31m", "--query 'a [31m'", "ctx search 'a [31m' --budget 14400"),
        ("größe", "--query 'größe'", "ctx search 'größe' --budget 14400"),
    ],
    ids=repr,
)
def test_a_query_is_quoted_for_a_shell(query: str, packet: str, search: str) -> None:
    commands = _commands(query, "")
    assert commands == [f"ctx agent --budget 14400 {packet}", search]


@pytest.mark.parametrize("query", ["-", " - ", "\0-\n"])
def test_a_dash_alone_does_not_read_standard_input(query: str) -> None:
    assert _commands(query, "") == ["ctx agent --budget 28800"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("a" * LONGEST_QUERY, LONGEST_QUERY),
        ("a" * (LONGEST_QUERY + 1), LONGEST_QUERY),
        ("word " * LONGEST_QUERY, LONGEST_QUERY - 1),
        ("a" * 10 + " " + "b" * LONGEST_QUERY, 10),
    ],
    ids=["at the limit", "over it", "words", "a long last word"],
)
def test_a_long_query_is_cut_between_words(query: str, expected: int) -> None:
    assert len(typed(query)) == expected
    assert query.startswith(typed(query))


@given(st.text())
def test_what_is_typed_can_be_typed_again(query: str) -> None:
    once = typed(query)
    assert typed(once) == once
    assert shlex.split(shlex.quote(once)) == [once]


def test_joiners_inside_words_are_kept() -> None:
    assert typed("می\u200cخواهم") == "می\u200cخواهم"
