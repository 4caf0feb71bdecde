"""The temporal extension: each figure worked out by hand."""

from random import Random
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.rank import discovery
from ctx.rank.temporal import dates, question, selector
from ctx.rank.temporal.dates import anchors, density
from ctx.rank.temporal.question import Indication, Slot, indicate, keywords, slots
from ctx.rank.temporal.selector import (
    Candidate,
    Chosen,
    marginal,
    phi,
    project,
    s_cov,
    s_proj,
    select,
)
from ctx.text.words import words

ANY = st.floats(allow_nan=True, allow_infinity=True)
SLOTS = tuple(Slot(text, keywords(text)) for text in ("the outage", "the release notes"))
ACTIVE = Indication(1.0, True, ("how long",))


def test_the_figures_are_the_spec_s() -> None:
    assert (question.THETA_XI, question.XI_NORM, question.M_MAX) == (0.3, 1.5, 4)
    assert (dates.ANCHOR_NORM, selector.OVERLAP, selector.THETA_E) == (3, 0.5, 0.5)
    assert (selector.MU, selector.NU, selector.RHO) == (0.6, 0.2, 0.2)
    assert (selector.K_COV, selector.THETA_STOP) == (3, 0.1)
    assert (discovery.THETA_REC, discovery.K_REC) == (0.15, 10)


# ξ, section 9.2


def test_each_pattern_has_its_weight() -> None:
    for query, weight, pattern in (
        ("How many days did the fix take?", 1.0, "how many days"),
        ("how many more weeks are left", 1.0, "how many days"),
        ("How long did the migration take?", 0.9, "how long"),
        ("what was decided after the outage?", 0.8, "before/after"),
        ("What ran BEFORE the outage was noticed?", 0.8, "before/after"),
        ("show what was decided after the outage", 0.8, "before/after"),
        ("Where were we in the week before?", 0.8, "before/after"),
        ("Which came first, the rename or the release?", 0.8, "first/earlier"),
        ("What did I say earlier about caching?", 0.8, "first/earlier"),
        ("What has changed since the last release?", 0.7, "since/between"),
        ("list commits since 2024-05-01", 0.7, "since/between"),
        ("What happened between the outage and the release?", 0.7, "since/between"),
        ("Where was John between August 11 and August 15 2023?", 0.7, "since/between"),
        ("When did we choose SQLite?", 0.7, "when did"),
        ("When exactly was the cache introduced?", 0.7, "when did"),
        ("Which day was the release?", 0.7, "when did"),
        ("it may break before May 5", 0.8, "before/after"),
        ("what broke after we merged", 0.8, "before/after"),
        ("what failed after we merged the branch", 0.8, "before/after"),
        ("which tests failed after the upgrade", 0.8, "before/after"),
        ("who joined after Ann left", 0.8, "before/after"),
    ):
        assert indicate(query) == Indication(weight / 1.5, True, (pattern,)), query


def test_patterns_add_up_and_saturate() -> None:
    assert indicate("When did the first build fail?").xi == 1.0  # (.7 + .8) / 1.5
    for query in (
        "days between kickoff and launch", "number of days between kickoff and launch",
        "days since the last release",
    ):  # fmt: skip
        assert indicate(query) == Indication(1.0, True, ("how many days", "since/between"))
    two = indicate("How many days before the release did the outage happen?")
    assert two == Indication(1.0, True, ("how many days", "before/after"))
    assert indicate("When did it fail? When did it work? When was that?").xi == 0.7 / 1.5


def test_words_that_ask_for_no_time() -> None:
    for query in (
        "", "?", "before", "run the tests before merging", "before you commit, run make lint",
        "Retry after a timeout, and wait between two attempts.",
        "What should I do before merging?", "What do we have to run after a change?",
        "How do I undo a commit that was pushed after the review?", "What runs after the tests?",
        "first-class support", "first class support",
        "What was the first argument of the function?", "First, what was the reason?",
        "What is the difference between v1 and v2?",
        "How was data copied between the two services?", "Fix the race between reader and writer",
        "Since it fails, what was the reason?", "Which class was named after the parser?",
        "After all, who was it?", "Have I ever used Bootstrap before?",
        "What did `git log --since` and `before` print?",
        "What did before_each, before() and --after do?", "How long should a commit message be?",
        "how long is a line", "How many days a week was I scheduled?", "When is a lock needed?",
        "days between retries", "which deprecated flags run before startup",
        "what is it used for after parsing", "what must we embed before indexing",
        "beforehand, afterwards, firsthand: whensoever?",
    ):  # fmt: skip
        assert indicate(query) == Indication(0.0, False, ()), query


def test_a_query_is_temporal_from_the_threshold_on(monkeypatch: pytest.MonkeyPatch) -> None:
    query = "When did we choose SQLite?"  # .4667
    for threshold, active in ((0.46, True), (0.47, False)):
        monkeypatch.setattr(question, "THETA_XI", threshold)
        assert indicate(query) == Indication(0.7 / 1.5, active, ("when did",))


def test_a_pattern_in_a_later_sentence_or_item_counts() -> None:
    for text in ("It failed.\nWhen did it?", "- one\n- when did it", "v1.2 is out. When was v1.1?"):
        assert indicate(text).patterns == ("when did",)
    # A question does not lend its tense to its neighbour.
    assert not indicate("What was it? Run the tests before merging.").active


PIECES = (
    "how many days long before after first earlier since between when did was what which the a"
    " outage release 's , . ? ! \n\n - ` ( ) May 5 2024 2024-05-01 should I"
)
VOCABULARY = st.lists(st.sampled_from(PIECES.split(" "))).map(" ".join)


@given(st.text() | VOCABULARY)
def test_xi_is_bounded_and_the_same_again(query: str) -> None:
    one = indicate(query)
    assert 0 <= one.xi <= 1
    assert one.active == (one.xi >= 0.3) == bool(one.patterns)
    assert indicate(query) == one


def test_a_huge_query_is_read_in_linear_time() -> None:
    pieces = (
        "before ", "before. ", "how many ", "how long is ", "first did ", "what was after the ",
        "between May ", "when did it. ", "x", "?", "\n", "\n \n", "` ", "(", "May ", "1",
        "2024-05-0", "day before ",
    )  # fmt: skip
    for piece in pieces:
        text = piece * (100_000 // len(piece))
        start = process_time()
        indicate(text)
        slots(text)
        list(anchors(text))
        # Of this process alone, a tenth of a second. A quadratic walk would take minutes.
        assert process_time() - start < 15, piece


# A, section 9.3


def test_anchors_are_found() -> None:
    for text, expected in (
        ("on 2024-05-01, at 2024-05-01T10:30:00Z", ["2024-05-01", "2024-05-01t10:30:00z"]),
        ("## [2026-01-10-143000] Title, 2024-05", ["2026-01-10-143000", "2024-05"]),
        ("5/7/2024 2024/05/07 07.05.2023", ["5/7/2024", "2024/05/07", "07.05.2023"]),
        ("May 7th, 2023; 7 May; 7th of May", ["may 7th, 2023", "7 may", "7th of may"]),
        ("Sept 3, oct. 5, May 2023", ["sept 3", "oct. 5", "may 2023"]),
        ("in March and in 2023, (2022)", ["march", "2023", "2022"]),
        ("Monday, last Friday, FRIDAY", ["monday", "last friday", "friday"]),
        ("the day before yesterday, today", ["day before yesterday", "today"]),
        ("two weeks ago, 3 days later", ["two weeks ago", "3 days later"]),
        ("last month, the last two weeks", ["last month", "last two weeks"]),
        ("10:30, 3 pm, noon", ["10:30", "3 pm", "noon"]),
        ("1700000000 and 1700000000123", ["1700000000", "1700000000123"]),
        ("in 2023 and since 2023, In  2023", ["2023"]),
        ("on may 7, in may", ["may 7", "may"]),
    ):
        assert list(anchors(text)) == expected, text


def test_what_is_no_anchor() -> None:
    for text in (
        "it may break, and this may break; you may retry 3 times; you may 7 times",
        "they march on; to march; and march",
        "version 1.2.24, 16:9, file.py:10:30, localhost:8080",
        "2048 tokens, of 2000 tokens, port 2049, from 2000 bytes",
        "12024-05-01, 2024-13-01, 45/45/2024, 555123456789",
        "the first item, the last line, a decade, secondly, sundae, Augustus",
        "3 amps, 25:61, I am",
        "",
    ):
        assert list(anchors(text)) == [], text


def _density(text: str) -> float:
    return density(sum(1 for _ in anchors(text)))


def test_density_by_hand() -> None:
    assert _density("no time") == 0
    assert _density("on Monday") == pytest.approx(1 / 3)
    assert _density("on Monday, and again on monday") == pytest.approx(1 / 3)
    assert _density("from Monday to Friday") == pytest.approx(2 / 3)
    assert _density("from Monday to Friday in 2023, since May 5, 2022") == 1


@given(st.text() | VOCABULARY)
def test_density_is_bounded(text: str) -> None:
    assert 0 <= _density(text) <= 1
    found = list(anchors(text))
    assert len(found) == len(set(found))


# E, section 9.4.1


def test_slots_are_the_events_of_a_query() -> None:
    for query, expected in (
        ("How many days before the release did the outage happen?", ["release", "outage"]),
        (
            "How many days passed between when I got my OpenWeather key and when I drew the UI?",
            ["OpenWeather key", "drew the UI"],
        ),
        ("When did Melanie go on a hike after the roadtrip?", ["Melanie go on a hike", "roadtrip"]),
        (
            "How many weeks were between finishing my first draft and the deadline?",
            ["finishing my first draft", "deadline"],
        ),
        ("Which came first, the rename or the release?", ["rename", "release"]),
        ("How long was that?", []),
        ("run the tests before merging", []),
        ("", []),
    ):
        assert [slot.text for slot in slots(query)] == expected, query


def test_too_many_slots_leave_the_nearest_in_order() -> None:
    query = "Of alpha, beta, gamma, delta and epsilon, which was there before zeta or omega?"
    assert [slot.text for slot in slots(query)] == ["delta", "epsilon", "zeta", "omega"]


@given(st.text() | VOCABULARY)
def test_slots_are_few_distinct_and_not_empty(query: str) -> None:
    found = slots(query)
    assert len({slot.words for slot in found}) == len(found) <= 4
    assert all(slot.words and slot.text in query for slot in found)


# φ and ΔΦ, sections 9.4.2 and 9.4.3


AGAIN, NOTES, OTHER, OUTAGE = range(4)


def held(position: int, text: str, s_final: float = 0.0, density_: float = 0.0) -> Candidate:
    return Candidate(position, s_final, density_, frozenset(words(text)))


def test_phi_by_words() -> None:
    _, notes = SLOTS  # releas, note
    assert phi(notes, held(0, "a note"))  # a half is enough
    assert not phi(notes, held(0, "nothing"))
    assert not phi(Slot("", frozenset()), held(0, "a note"))


def test_phi_by_meaning() -> None:
    _, notes = SLOTS
    assert phi(notes, held(0, "nothing"), sim=0.5)
    assert not phi(notes, held(0, "nothing"), sim=0.49)
    pool = [held(0, "nothing")._replace(meanings=sims) for sims in ((0.6, 0.0), (0.0, 0.0))]
    (one,) = select(pool[:1], SLOTS, ACTIVE)
    assert one.s_proj == pytest.approx(0.2 * 0.5)
    assert select(pool[1:], SLOTS, ACTIVE) == []


def test_marginal_coverage_by_hand() -> None:
    assert marginal({0, 1}, set(), 4) == 0.5
    assert marginal({0, 1}, {1}, 4) == 0.25
    assert marginal({0, 1}, {0, 1, 2}, 4) == 0
    assert marginal(set(), set(), 0) == 0


# S_cov and S_proj, section 9.5


def test_scores_by_hand() -> None:
    assert s_cov(0.5, 1 / 3, 0.5) == pytest.approx(0.3 + 0.2 / 3 + 0.1)
    assert s_cov(1, 1, 1) == 1
    assert s_proj(0.5, 0.4, 0.8) == pytest.approx(0.6)
    assert s_proj(0, 0.4, 0.8) == 0.4
    assert s_proj(1, 0.4, 0.8) == 0.8


@given(ANY, ANY, ANY, ANY)
def test_scores_are_bounded(xi: float, s_final: float, a: float, delta: float) -> None:
    cov = s_cov(s_final, a, delta)
    assert 0 <= cov <= 1
    assert 0 <= s_proj(xi, s_final, cov) <= 1


# The selector, section 9.7

POOL = [
    held(OUTAGE, "the outage", 0.5, 1 / 3),
    held(AGAIN, "the outage once more", 0.49, 1 / 3),
    held(NOTES, "the release notes", 0.3, 1.0),
    held(OTHER, "something else", 0.45),
]


def test_the_complementary_entry_beats_the_second_best() -> None:
    one, two, three = select(POOL, SLOTS, ACTIVE)
    assert one.position == NOTES
    assert one.s_proj == pytest.approx(0.6 * 0.3 + 0.2 + 0.2 * 0.5)  # .48
    assert two.position == OUTAGE
    assert two.s_proj == pytest.approx(0.6 * 0.5 + 0.2 / 3 + 0.2 * 0.5)  # .4667
    assert three.position == AGAIN  # .36 without any new slot
    worth = s_cov(0.49, 1 / 3, 0.0)
    assert worth == pytest.approx(0.6 * 0.49 + 0.2 / 3)
    assert three == Chosen(AGAIN, worth)


def test_the_selection_ends_by_number_and_by_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    for k_cov, theta_stop, positions in (
        (3, 0.1, [NOTES, OUTAGE, AGAIN]), (1, 0.1, [NOTES]), (3, 0.4, [NOTES, OUTAGE]),
    ):  # fmt: skip
        monkeypatch.setattr(selector, "K_COV", k_cov)
        monkeypatch.setattr(selector, "THETA_STOP", theta_stop)
        assert [one.position for one in select(POOL, SLOTS, ACTIVE)] == positions


def test_below_the_threshold_nothing_changes() -> None:
    inactive = indicate("run the tests before merging")
    assert select(POOL, SLOTS, inactive) == []
    assert project(select(POOL, SLOTS, inactive), [7, 5]) == [7, 5]


CANDIDATES = st.lists(
    st.builds(
        Candidate,
        st.integers(0, 9),
        ANY,
        ANY,
        st.frozensets(st.sampled_from(["outag", "releas", "note"])),
        st.tuples(ANY, ANY) | st.just(()),
    ),
    unique_by=lambda one: one.position,
)


@given(CANDIDATES, st.floats(0.3, 1), st.randoms())
def test_the_selection_is_bounded_falling_and_the_same_in_any_order(
    pool: list[Candidate], xi: float, random: Random
) -> None:
    indication = ACTIVE._replace(xi=xi)
    chosen = select(pool, SLOTS, indication)
    assert len({one.position for one in chosen}) == len(chosen) <= 3
    for one in chosen:
        assert 0.1 <= one.s_proj <= 1
    falling = [one.s_proj for one in chosen]
    assert falling == sorted(falling, reverse=True)
    random.shuffle(pool)
    assert select(pool, SLOTS, indication) == chosen
