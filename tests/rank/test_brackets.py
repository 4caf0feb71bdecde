"""Brackets: each figure worked out by hand."""

from datetime import date, timedelta
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.model import Entry, Question, Scored
from ctx.rank import brackets
from tests.read.samples import Hand, entry

TODAY = date(2026, 1, 31)


def question(query: str = "", *tasks: Entry) -> Question:
    return Question(query, tasks, TODAY)


def aged(days: int, title: str = "A title", body: str = "A body.") -> Entry:
    return entry(title, body, timestamp=(TODAY - timedelta(days)).isoformat())


def rank(entries: list[Entry], asked: Question) -> list[Scored]:
    return brackets.rank([Hand(entries)], asked)


def part(one: Scored, name: str) -> float:
    return dict(one.parts)[name]


def titles(scored: list[Scored]) -> list[str]:
    return [one.entry.title for one in scored]


def test_recency_by_age() -> None:
    for days, recency in (
        (0, 1.0), (7, 1.0), (8, 0.7), (30, 0.7), (31, 0.4), (90, 0.4), (91, 0.2), (9999, 0.2),
        (-1, 1.0),
    ):  # fmt: skip
        (one,) = rank([aged(days)], question())
        assert (one.score, part(one, "recency"), part(one, "relevance")) == (recency, recency, 0.0)


def test_recency_without_a_date_that_can_be_read() -> None:
    for written in ("", "2026-13-45", "2026-02-30-101112", "2026", "yesterday"):
        (one,) = rank([entry(timestamp=written)], question())
        assert one.score == 0.2, written


def test_relevance_by_distinct_words() -> None:
    for query, relevance in (
        ("", 0.0),
        ("nothing", 0.0),
        ("parser", 1 / 3),
        ("parser parser parsers", 1 / 3),  # distinct words, by their stems
        ("parser cache", 2 / 3),
        ("parser cache lines", 1.0),
        ("parser cache lines bytes", 1.0),
        ("PARSING Cached", 1 / 3),  # the stem of parser is another than that of parsing
        ("a of is", 0.0),
    ):
        (one,) = rank([aged(0, "The parser", "Cache lines and bytes.")], question(query))
        assert part(one, "relevance") == pytest.approx(relevance), query
        assert one.score == pytest.approx(1.0 + relevance), query


def test_words_of_tasks_count_as_those_of_the_query() -> None:
    entries = [entry("One", "text"), entry("Two", "The parser loses lines")]
    tasks = (entry("Fix the parser", "- [ ] Fix the parser: lines", kind="task"),)
    first, second = rank(entries, question("", *tasks))
    assert titles([first, second]) == ["Two", "One"]
    assert part(first, "relevance") > 0
    assert part(second, "relevance") == 0


def test_superseded_is_worth_nothing() -> None:
    gone = entry("The parser", "parser cache lines", timestamp="2026-01-30", status="superseded")
    other = entry("Other", "text")
    scored = rank([gone, other], question("parser cache lines"))
    assert titles(scored) == ["Other", "The parser"]
    assert scored[1].score == 0
    assert all(value == 0 for _, value in scored[1].parts)


def crowd(count: int, body: str, start: int = 0) -> list[Entry]:
    return [entry(f"Title{n}", body) for n in range(start, start + count)]


def test_a_word_in_more_than_a_fifth_of_the_entries_is_dropped() -> None:
    tasks = (entry("Task", "common rare", kind="task"),)
    five = crowd(5, "common") + crowd(20, "text", 5)  # 5 of 25: a fifth
    six = crowd(6, "common") + crowd(18, "text", 6) + crowd(1, "rare", 24)
    weights = sorted({part(one, "idf") for one in rank(five, question("", *tasks))})
    assert weights == [0.0, pytest.approx(log(1 + 25 / 5), abs=0.001)]
    weights = sorted({part(one, "idf") for one in rank(six, question("", *tasks))})
    assert weights == [0.0, pytest.approx(log(1 + 25), abs=0.001)]


def test_a_common_word_counts_where_nothing_else_tells_entries_apart() -> None:
    tasks = (entry("Task", "common rare", kind="task"),)
    six = crowd(6, "common") + crowd(19, "text", 6)
    assert sum(part(one, "idf") > 0 for one in rank(six, question("", *tasks))) == 6


def test_a_third_of_few_entries_is_not_common() -> None:
    tasks = (entry("Task", "hook output", kind="task"),)
    few = crowd(4, "hook") + crowd(7, "text", 4) + crowd(1, "output", 11)
    assert sum(part(one, "idf") > 0 for one in rank(few, question("", *tasks))) == 5


def test_hundreds_of_task_words_do_not_make_all_entries_relevant() -> None:
    vocabulary = [f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(300)]
    entries = [
        entry(f"Title{n}", " ".join(vocabulary[(n * 7 + k * 11) % 300] for k in range(30)))
        for n in range(100)
    ]
    tasks = (entry("Task", " ".join(vocabulary), kind="task"),)
    scored = rank(entries, question("", *tasks))
    full = [one for one in scored if part(one, "relevance") == 1.0]
    assert len(full) < 10
    assert len({(one.score, part(one, "idf")) for one in scored}) > 3


def test_equal_scores_are_ordered_by_recency_then_rarity_then_place() -> None:
    ages = {"older": 40, "newer": 20}
    entries = [
        aged(ages["older"], "A", "alpha"),
        aged(ages["older"], "B", "beta"),
        aged(ages["older"], "C", "beta"),
        aged(ages["newer"], "D", "beta"),
        aged(ages["older"], "E", "alpha"),
        aged(ages["older"], "F", "gamma"),
    ]
    scored = rank(entries, question("alpha beta gamma"))
    # All match one word: D is newer; gamma is in one entry, alpha in two, beta in three.
    assert titles(scored) == ["D", "F", "A", "E", "B", "C"]


bodies = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta", "eps", "zeta"]), max_size=6)
drawn = st.lists(
    st.tuples(bodies, st.integers(-3, 200), st.sampled_from(["", "", "", "superseded"])),
    min_size=1,
    max_size=40,
)


def made(rows: list[tuple[list[str], int, str]]) -> list[Entry]:
    return [
        entry(f"T{at}x", " ".join(words), timestamp=str(TODAY - timedelta(days)), status=status)
        for at, (words, days, status) in enumerate(rows)
    ]


@given(drawn, bodies, bodies)
def test_scores_are_in_range_and_add_up(
    rows: list[tuple[list[str], int, str]], query: list[str], task: list[str]
) -> None:
    entries = made(rows)
    work = entry("Task", " ".join(task), kind="task")
    scored = rank(entries, question(" ".join(query), work))
    assert sorted(one.entry.id for one in scored) == sorted(one.id for one in entries)
    for one in scored:
        assert 0.0 <= one.score <= 2.0
        assert one.score == part(one, "recency") + part(one, "relevance")
        assert (one.score == 0) == (one.entry.status == "superseded")
    assert [one.score for one in scored] == sorted((one.score for one in scored), reverse=True)


@given(drawn, bodies, st.randoms(use_true_random=False))
def test_shuffled_entries_score_alike_and_tie_by_place(
    rows: list[tuple[list[str], int, str]], query: list[str], random: object
) -> None:
    entries = made(rows)
    shuffled = list(entries)
    random.shuffle(shuffled)  # type: ignore[attr-defined] # a random.Random
    asked = question(" ".join(query))
    one, other = rank(entries, asked), rank(shuffled, asked)
    assert {s.entry.id: (s.score, s.parts) for s in one} == {
        s.entry.id: (s.score, s.parts) for s in other
    }
    place = {e.id: at for at, e in enumerate(entries)}
    assert one == sorted(other, key=lambda s: (-s.score, *_ties(s), place[s.entry.id]))


def _ties(one: Scored) -> tuple[float, float, int]:
    return -part(one, "recency"), -part(one, "idf"), -_day(one)


def _day(one: Scored) -> int:
    """The later day goes first; what is superseded or undated has none."""
    if one.entry.status == "superseded":
        return 0
    try:
        return date.fromisoformat(one.entry.timestamp[:10]).toordinal()
    except ValueError:
        return 0


def test_no_more_of_a_kind_than_asked_for_and_the_best_of_them() -> None:
    decisions = [aged(days, f"Decision{days}") for days in (99, 1, 40, 10)]
    learnings = [
        entry(f"Learning{days}", kind="learning", timestamp=str(TODAY - timedelta(days)))
        for days in (20, 99)
    ]
    asked = question()._replace(most=2)
    scored = brackets.rank([Hand(decisions), Hand(learnings)], asked)
    assert titles(scored) == ["Decision1", "Decision10", "Learning20", "Learning99"]
