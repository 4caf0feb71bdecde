"""Strategy: the size of content, the class of a task, the table of decisions, and its steps."""

import shlex
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctx.app.strategy import (
    CITE,
    CRISIS,
    LONGEST_QUERY,
    RERANK,
    ROWS,
    SIZES,
    TASKS,
    VERIFY,
    Answer,
    Ask,
    Content,
    Facts,
    Hand,
    Options,
    Step,
    Strategy,
    content,
    decide,
    in_tokens,
    retrieval_budget,
    row_of,
    steps,
    task_of,
    typed,
)
from ctx.app.window import MOST
from ctx.world import World

FIGURES = st.one_of(st.integers(), st.just(10**400), st.integers(0, 3_000_000))
QUERIES = st.one_of(
    st.text(), st.sampled_from([phrase for task in TASKS for phrase in task.phrases])
)
HANDS = st.builds(
    Hand, st.lists(st.text()), st.lists(st.text()), st.booleans(), st.booleans(), st.booleans(),
)  # fmt: skip

JOINERS = {0x200C: None, 0x200D: None}

# --- the size of the content --------------------------------------------------------------


def _content(*, paths: Sequence[str] = (), chars: str | None = None, size: str = "") -> Content:
    return content(Options("", paths, chars, size), World())[0]


def test_a_word_is_a_size() -> None:
    sizes = (
        ("tiny", 2_000), ("small", 8_000), ("medium", 32_000), ("large", 100_000),
        ("huge", 500_000), ("massive", 2_000_000),
    )  # fmt: skip
    for size, expected in sizes:
        assert _content(size=size) == _content(size=f" {size.upper()} ") == (expected, "size")
    for size in ("", "unknown", "gigantic", "\0"):
        assert _content(size=size) == (64_000, "assumed")


def test_characters_come_before_files_and_files_before_a_word(tmp_path: Path) -> None:
    for name, size in (("some", 800), ("none", 0)):
        (tmp_path / name).write_bytes(b"x" * size)
    some, none = [str(tmp_path / "some")], [str(tmp_path / "none")]
    assert _content(paths=some, chars="400", size="tiny") == (100, "chars")
    assert _content(paths=some, size="tiny") == (200, "files")
    assert _content(paths=some, chars="0", size="tiny") == (0, "chars")
    assert _content(paths=none, size="tiny") == (0, "files")


def test_four_characters_are_a_token_and_a_part_is_one() -> None:
    for chars, expected in ((0, 0), (1, 1), (4, 1), (5, 2)):
        assert in_tokens(chars) == expected


def test_a_character_over_a_limit_is_over_it() -> None:
    at = decide(Ask("", _content(chars="128000")))
    over = decide(Ask("", _content(chars="128001")))
    assert (at.strategy, over.strategy) == ("STUFF", "HYBRID")


# --- the class of the task ----------------------------------------------------------------

PHRASES = [(phrase, task.task_class) for task in TASKS for phrase in task.phrases]


def test_every_phrase_tells_its_class() -> None:
    for phrase, expected in PHRASES:
        assert task_of(f"Now: {phrase.upper()}!") == (expected, phrase)
        assert task_of(f"x{phrase}x")[1] != phrase


def test_the_source_s_phrases_are_all_there() -> None:
    assert [len(task.phrases) for task in TASKS[1:]] == [18, 14, 12]
    classes = ["rag_critical", "rag_critical", "stuff_friendly", "hybrid"]
    assert [task.task_class for task in TASKS] == classes


FIRST = (
    ("write a plan for the crisis", ("rag_critical", "crisis")),  # crisis first
    ("write a study", ("rag_critical", "study")),  # factual before making
    ("explain the idea", ("stuff_friendly", "idea")),  # making before analysis
    ("explain it", ("hybrid", "explain")),  # analysis last
    ("fix the button", ("unknown", "")),  # no phrase is unknown
    ("", ("unknown", "")),  # no query is unknown
    ("a replanned archidea", ("unknown", "")),  # parts inside words tell nothing
    ("researching it", ("rag_critical", "research")),  # the beginning of a word
    ("we are verifying", ("rag_critical", "verify")),  # of another word
    ("he is suicidal", ("rag_critical", "suicid")),  # a crisis by its beginning
    ("I don\u2019t want to live", ("rag_critical", CRISIS[8])),  # an apostrophe
    ("call 988 now", ("rag_critical", "988")),  # a number
    ("port 9880, line 1988", ("unknown", "")),  # not a part of a number
    ("What\u2019s new?", ("rag_critical", "what is")),  # a short form
    ("trade off", ("hybrid", "trade-off")),  # a hyphen is a space
)


def test_the_first_task_decides() -> None:
    assert [task_of(query) for query, _ in FIRST] == [expected for _, expected in FIRST]


@pytest.mark.parametrize("size", SIZES)
def test_a_crisis_is_never_answered_from_less_than_hybrid(size: str) -> None:
    other = decide(Ask("write a poem", _content(size=size)))
    for phrase in CRISIS:
        answer = decide(Ask(f"poem: {phrase}", _content(size=size)))
        assert answer.strategy != "STUFF"
        last = answer.steps[-1]
        assert last.do == "Accuracy is paramount. Ground every answer in verified sources."
        assert last not in other.steps


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
    (Facts(MIXED, 40_000, 0, 0), "mixed-narrow"), (Facts(MIXED, 128_001, 0, 15_999), "large"),
    (Facts(MIXED, 128_000, 0, 16_000), "mixed"), (Facts(RAG, 40_000, 0, 15_999), "large"),
    (Facts(UNKNOWN, 40_000, 0, 15_999), "large"),
    # mixed
    (Facts(MIXED, 128_000, 0, 128_000), "mixed"),
    (Facts(MIXED, 128_000, 128_000, 200_000), "mixed"),
    (Facts(MAKING, 128_000, 0, 128_000), "mixed"), (Facts(MIXED, 128_001, 0, 128_000), "large"),
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
]  # fmt: skip


def test_the_first_row_that_holds_decides() -> None:
    assert [(facts, row_of(facts).name) for facts, _ in EDGES] == EDGES
    assert {name for _, name in EDGES} == {row.name for row in ROWS}


def test_the_table_as_it_is_asked() -> None:
    for query, size, length, strategy, confidence in (
        ("what is the port?", "large", 200_000, "HYBRID", 0.85),
        ("fix the button", "medium", 128_000, "STUFF", 0.95),
        ("write a poem", "large", 200_000, "STUFF", 0.85),
        ("compare them", "large", 15_999, "RAG", 0.80),
        ("compare them", "large", 16_000, "HYBRID", 0.75),
        ("fix the button", "massive", 128_000, "RAG+GRAPH", 0.70),
        ("fix the button", "huge", 128_000, "RAG", 0.80),
        ("fix the button", "", 128_000, "HYBRID", 0.60),
    ):
        answer = decide(Ask(query, _content(size=size), length))
        assert (answer.strategy, answer.confidence) == (strategy, confidence)


# --- figures ------------------------------------------------------------------------------


def test_the_retrieval_budget() -> None:
    budgets: dict[tuple[Strategy, int], int] = {
        ("STUFF", 96_000): 0, ("STUFF", 0): 0, ("HYBRID", 96_000): 28_800,
        ("HYBRID", 13_334): 4_000, ("HYBRID", 13_337): 4_001, ("HYBRID", 0): 4_000,
        ("RAG", 96_000): 67_200, ("RAG", 5_714): 4_000, ("RAG", 5_716): 4_001, ("RAG", 0): 4_000,
        ("RAG+GRAPH", 96_000): 67_200, ("RAG+GRAPH", 0): 4_000,
    }  # fmt: skip
    assert {asked: retrieval_budget(*asked) for asked in budgets} == budgets


def test_figures_of_an_answer_by_hand() -> None:
    answer = decide(Ask("compare them", _content(chars="480000"), 200_000, 10_000))
    assert (answer.tokens, answer.budget, answer.fits) == (120_000, 140_000, True)
    assert answer.utilisation == round(120 / 140, 4)
    assert (answer.strategy, answer.retrieval_budget) == ("HYBRID", 42_000)
    said = " ".join(answer.reasoning)
    for figure in ("120,000", "200,000", "10,000", "50,000", "140,000", "'compare'", "hybrid"):
        assert figure in said


def test_what_does_not_fit_is_said_not_to() -> None:
    answer = decide(Ask("", _content(size="huge")))
    assert not answer.fits
    assert "does not fit" in " ".join(answer.reasoning)
    assert answer.utilisation == round(500 / 96, 4)


def test_where_nothing_is_free_that_is_said() -> None:
    none = "kept for the answer: nothing is free, so it does not fit."
    for length, size, said in (
        (128_000, "tiny", f"32,000 {none}"), (0, "tiny", f"0 {none}"),
        (128_000, "", f"32,000 {none}"),
    ):  # fmt: skip
        answer = decide(Ask("fix it", _content(size=size), length, 96_000))
        assert answer.reasoning[1].endswith(said)
        assert answer.utilisation == answer.tokens
        assert not any("0 are free" in step.do for step in answer.steps)
    answer = decide(Ask("fix it", Content(0), 128_000, 96_000))
    assert answer.reasoning[1].endswith("kept for the answer: nothing is free.")
    assert (answer.fits, answer.utilisation) == (True, 0)
    answer = decide(Ask("fix it", Content(1), 128_000, 95_999))
    assert answer.reasoning[1].endswith("1 are free, so it fits.")


@example(Ask(""))
@example(Ask("what is it", Content(0), 0, 0))
@example(Ask("compare", Content(10), 0, 5))
@example(Ask("compare", Content(-10), -100, -1_000))
@example(Ask("-", Content(10**400), 10**400, 10**400))
@example(Ask("\0\ud800\n", Content(1), 128_000, 0))
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
    found = decide(Ask(query, _content(size=size), length, used, hand)).steps
    return [step.command for step in found if step not in USED]


USED = (RERANK, VERIFY, CITE)


def test_what_is_looked_up_is_reranked_verified_and_cited() -> None:
    for query, size, expected in (
        ("fix it", "tiny", ()), ("fix it", "", ()), ("what is the port?", "", USED[1:]),
        ("what is the port?", "tiny", USED[1:]), ("fix it", "huge", USED), (" ", "huge", USED[1:]),
        ("fix it", "massive", USED),
    ):  # fmt: skip
        found = decide(Ask(query, _content(size=size))).steps
        assert tuple(step for step in found if step in USED) == expected
        assert found[len(found) - len(expected) :] == expected


def test_a_reranker_of_the_settings_reranks() -> None:
    size = _content(size="huge")
    found = decide(Ask("fix it", size, hand=Hand(rerank="local:/m"))).steps
    assert RERANK not in found
    commands = [step.command for step in found if step.command]
    assert ["--rerank local:/m" in command for command in commands] == [False, True, True]
    other = decide(Ask("fix it", size, hand=Hand(("vectors",), rerank="local:/m"))).steps
    assert RERANK in other  # the host's tools do not


def test_the_steps_of_each_strategy() -> None:
    static, graph = "--embedder static", "--embedder static --ranker discovery"
    index = "ctx index --embedder static"

    def halves(budget: int, extra: str = "") -> list[str]:
        packet = f"ctx agent --budget {budget} --query 'fix it' {extra}"
        return [packet.strip(), f"ctx search 'fix it' --budget {budget} {extra}".strip()]

    stuffed = ["", "ctx agent --budget 87000 --query 'fix it'"]
    assert _commands("fix it", "small", used=1_000) == stuffed
    assert _commands("fix it", "") == halves(14_400)
    assert _commands("fix it", "huge") == [index, *halves(33_600, static)]
    assert _commands("fix it", "massive") == [index, *halves(33_600, graph)]
    assert _commands("fix it", "", length=0) == [index, *halves(2_000, static)]
    assert _commands(" ", "huge") == ["ctx index", "ctx agent --budget 67200"]
    alone = _commands("fix it", "huge", hand=Hand(meaning=False))
    assert alone == ["ctx index", *halves(33_600)]
    nowhere = _commands("fix it", "huge", hand=Hand(keeps=False))
    assert [command.split()[1] for command in nowhere] == ["agent", "search"]


def test_no_command_is_told_how_full_the_window_is() -> None:
    """It would have pressure decide again: from half full on that retrieves nothing."""
    for size in ("tiny", "", "large", "huge", "massive"):
        for used in (0, 48_000, 64_000, 90_000, 128_000):
            for command in _commands("fix it", size, used=used):
                assert "--context-length" not in command
                assert "--used-tokens" not in command


FIX = Ask("fix it")
FIXED = decide(FIX)


def test_the_budget_is_divided_between_packet_and_search() -> None:
    """In halves, the odd token is the packet's; a half that is too little is not parted."""
    for retrieved, budgets in (
        (28_800, [14_400, 14_400]), (4_001, [2_001, 2_000]), (1_000, [500, 500]), (999, [999]),
        (0, [0]),
    ):  # fmt: skip
        commands = [
            shlex.split(step.command)
            for step in steps(FIXED._replace(retrieval_budget=retrieved), FIX)
        ]
        assert [words[1] for words in commands] == ["agent", "search"][: len(budgets)]
        assert [_budget(words) for words in commands] == budgets
    assert [step.command for step in steps(FIXED, Ask(""))] == ["ctx agent --budget 28800"]


READ = Step("Read in docs only what is needed, in what is then left.")


def test_paths_are_read_where_enough_is_left() -> None:
    for query in ("fix it", ""):
        for available, expected in ((4_500, True), (4_499, False), (0, False)):
            answer = FIXED._replace(budget=available, retrieval_budget=4_000)
            with_paths = Ask(query, hand=Hand(paths=("docs",)))
            assert (steps(answer, with_paths)[-1] == READ) is expected
            assert not any("Read in" in step.do for step in steps(answer, Ask(query)))


def test_without_a_directory_one_is_made_first() -> None:
    for size in ("tiny", "", "huge", "massive"):
        commands = _commands("fix it", size, hand=Hand(directory=False))
        assert commands == ["ctx init", *_commands("fix it", size)]


def test_where_too_little_is_free_room_is_made_first() -> None:
    ask = Ask("fix it", _content(size="large"), 128_000, 92_001)
    first, *others = decide(ask).steps
    assert first.do.startswith("Make room first")
    assert "4,000" in first.do
    assert "3,999" in first.do
    assert [step.command for step in others if step not in USED] == [
        "ctx index --embedder static",
        "ctx agent --budget 2000 --query 'fix it' --embedder static",
        "ctx search 'fix it' --budget 2000 --embedder static",
    ]
    enough = decide(ask._replace(used_tokens=92_000)).steps
    assert not enough[0].do.startswith("Make room")


def test_tools_that_are_listed_are_named_instead_of_a_search() -> None:
    hand = Hand(tools=("vectors", "graph", "vectors", " "))
    for size in ("tiny", "", "huge", "massive"):
        found = decide(Ask("fix it", _content(size=size), hand=hand)).steps
        named = [step for step in found if step.tools]
        assert [step.tools for step in named] == [("vectors", "graph")]
        assert "vectors, graph" in named[0].do
        assert [step.command.split()[1] for step in found if step.command] == ["agent"]


def test_tools_get_the_retrieval_budget_and_the_packet_the_rest() -> None:
    found = decide(Ask("fix it", _content(size="huge"), hand=Hand(tools=("vectors",)))).steps
    assert "67,200 tokens at most" in found[0].do
    assert found[1].command == "ctx agent --budget 28800 --query 'fix it'"


def test_tools_without_a_directory_and_room_need_none() -> None:
    hand = Hand(tools=("vectors",), directory=False)
    found = decide(Ask("fix it", _content(size="huge"), used_tokens=128_000, hand=hand)).steps
    assert [step.command for step in found if step not in USED] == ["", ""]


def test_where_the_content_is_is_said() -> None:
    for paths, said in (
        (("docs",), "docs"), (("a", "b", "c"), "a, b, c"), (("a\nb\x1b",), "a\\nb\\x1b"),
        (("a", "b", "c", "d", "e"), "a, b, c and 2 more"), (("a", "b", "a", "b", "a"), "a, b"),
        (("a", "a", "b", "c", "d", "d"), "a, b, c and 1 more"),
    ):  # fmt: skip
        for size in ("tiny", "", "huge"):
            found = decide(Ask("fix it", _content(size=size), hand=Hand(paths=paths))).steps
            where = [step.do for step in found if f" from {said}, " in f"{step.do} "]
            where += [step.do for step in found if f"Read in {said} only what" in step.do]
            assert len(where) == 1


QUOTED = (
    ("it's", """--query 'it'"'"'s'""", """ctx search 'it'"'"'s' --budget 14400"""),
    ("-x y", "'--query=-x y'", "ctx search --budget 14400 -- '-x y'"),
    ("--help", "--query=--help", "ctx search --budget 14400 -- --help"),
    ("$(rm -rf .)", "--query '$(rm -rf .)'", "ctx search '$(rm -rf .)' --budget 14400"),
    ("a\n\tb", "--query 'a b'", "ctx search 'a b' --budget 14400"),
    ("a\0\x1b[31m", "--query 'a [31m'", "ctx search 'a [31m' --budget 14400"),
    ("größe", "--query 'größe'", "ctx search 'größe' --budget 14400"),
)


def test_a_query_is_quoted_for_a_shell() -> None:
    for query, packet, search in QUOTED:
        assert _commands(query, "") == [f"ctx agent --budget 14400 {packet}", search]


def test_a_dash_alone_does_not_read_standard_input() -> None:
    for query in ("-", " - ", "\0-\n"):
        assert _commands(query, "") == ["ctx agent --budget 28800"]


def test_a_long_query_is_cut_between_words() -> None:
    for query, expected in (
        ("a" * LONGEST_QUERY, LONGEST_QUERY),
        ("a" * (LONGEST_QUERY + 1), LONGEST_QUERY),
        ("word " * LONGEST_QUERY, LONGEST_QUERY - 1),
        ("a" * 10 + " " + "b" * LONGEST_QUERY, 10),
    ):
        assert len(typed(query)) == expected
        assert query.startswith(typed(query))


@given(st.text())
def test_what_is_typed_can_be_typed_again(query: str) -> None:
    once = typed(query)
    assert typed(once) == once
    assert shlex.split(shlex.quote(once)) == [once]
    assert typed("می\u200cخواهم") == "می\u200cخواهم"
