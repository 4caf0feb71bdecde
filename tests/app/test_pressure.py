"""Context pressure: how full it is, how much then is retrieved, if at all, and whom to trust."""

from math import inf, isfinite, nan, nextafter

from hypothesis import given
from hypothesis import strategies as st

from ctx.app.window import (
    MOST,
    ROWS,
    Limits,
    free_tokens,
    kept_tokens,
    limits,
    phrase_in,
    pressure,
    retrieves,
    trust,
)
from ctx.config import Settings

FIGURES = st.one_of(st.integers(), st.floats(), st.just(10**400))
STUFF = Limits("stuff", 15, 0.2)
HYBRID = Limits("hybrid", 5, 0.3)
SELECTIVE = Limits("selective", 2, 0.5)
SKIP = Limits("skip", 0, 1.0)

# --- pressure -----------------------------------------------------------------------------

SIGNALS = tuple(one.strip() for one in Settings().memory_signals.split(","))


def test_the_signals_of_the_spec_are_the_setting() -> None:
    assert SIGNALS == (
        "remember", "recall", "what did", "who is", "last time", "previously", "before", "memory",
        "told you", "mentioned", "said", "project", "config", "setup",
    )  # fmt: skip


def test_pressure_is_used_by_threshold_or_by_length() -> None:
    for length, used, threshold, expected in (
        (128_000, 32_000, 0, 0.25), (128_000, 32_000, 64_000, 0.5), (0, 32_000, 64_000, 0.5),
        (128_000, 0, 0, 0.0), (128_000, 192_000, 0, 1.5), (128_000, 96_000, 64_000, 1.5),
        (0, 32_000, 0, 0.0), (128_000, 32_000, -1, 0.25), (-1, 32_000, 0, 0.0),
        (128_000, -1, 0, 0.0), (nan, 32_000, nan, 0.0), (128_000, nan, 0, 0.0),
        (128_000, 32_000, nan, 0.25), (inf, inf, 0, 1.0), (inf, 0, inf, 0.0),
    ):  # fmt: skip
        assert pressure(length, used, threshold) == expected
    assert pressure(1000, 300) == 0.3


@given(FIGURES, FIGURES, FIGURES)
def test_any_figures_give_a_pressure_and_limits(
    length: float, used: float, threshold: float
) -> None:
    full = pressure(length, used, threshold)
    assert isfinite(full)
    assert full >= 0
    assert limits(full) in (STUFF, HYBRID, SELECTIVE, SKIP)
    assert 0 <= free_tokens(length, used) <= MOST


def test_what_is_free_keeps_a_quarter_for_the_answer() -> None:
    for length, used, expected in (
        (128_000, 0, 96_000), (128_000, 95_999, 1), (128_000, 200_000, 0), (0, 10, 0),
        (-8, 0, 0), (8, -8, 6), (10, 0, 7), (1, 0, 0), (nan, nan, 0), (inf, 0, MOST - MOST // 4),
    ):  # fmt: skip
        assert free_tokens(length, used) == expected


@given(st.integers(0, 10**12))
def test_a_quarter_is_never_less_than_one(length: int) -> None:
    assert kept_tokens(length) * 4 >= length
    assert kept_tokens(length) * 4 < length + 4


# --- the table ----------------------------------------------------------------------------


def test_limits_follow_the_table() -> None:
    for full, expected in (
        (0.0, STUFF), (nextafter(0.30, 0), STUFF), (-1.0, STUFF), (-inf, STUFF), (nan, STUFF),
        (0.30, HYBRID), (nextafter(0.70, 0), HYBRID), (0.70, SELECTIVE), (0.95, SELECTIVE),
        (nextafter(0.95, 1), SKIP), (1.0, SKIP), (1.5, SKIP), (inf, SKIP),
    ):  # fmt: skip
        assert limits(full) == expected


@given(st.integers(1, 10**9), st.sampled_from([30, 70, 95]))
def test_an_edge_is_met_whatever_the_length(length: int, percent: int) -> None:
    """A share of tokens is the figure of the table to the last bit, or a row would be missed."""
    assert pressure(100 * length, percent * length) == percent / 100


@given(st.floats(0, 2))
def test_one_row_at_the_least_holds_of_every_pressure(full: float) -> None:
    assert limits(full) in [allowed for holds, allowed in ROWS if holds(full)]


@given(st.floats(0, 2), st.floats(0, 2))
def test_more_pressure_never_allows_more(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert limits(low).entries >= limits(high).entries
    assert limits(low).least_trust <= limits(high).least_trust


# --- whether to retrieve at all -----------------------------------------------------------

PLAIN = "fix the button"
SIGNAL = "what did we say about the button"


def test_whether_to_retrieve() -> None:
    long = SIGNAL + "x" * 500
    for full, query, expected in (
        # under a half for anything, from there on with a signal
        (0.0, PLAIN, True), (0.0, "", True), (nextafter(0.50, 0), PLAIN, True),
        (-1.0, PLAIN, True), (nan, PLAIN, True), (0.50, PLAIN, False), (0.50, "", False),
        (0.50, SIGNAL, True), (0.50, long, True), (nextafter(0.80, 0), long, True),
        # from .80 with a signal in under 200 characters
        (0.80, PLAIN, False), (0.80, SIGNAL, True), (0.80, SIGNAL.ljust(199, "x"), True),
        (0.80, SIGNAL.ljust(200, "x"), False), (0.80, SIGNAL.ljust(300), True),
        (1.5, SIGNAL, True), (inf, PLAIN, False),
    ):  # fmt: skip
        assert retrieves(full, query, SIGNALS) is expected
    for signal in SIGNALS:
        assert retrieves(0.6, f"So, {signal.upper()}?", SIGNALS)
        assert not retrieves(0.6, f"so un{signal}ed", SIGNALS)


def test_signals_can_be_others() -> None:
    assert not retrieves(0.6, SIGNAL, signals=("recall",))
    assert retrieves(0.6, "weißt du noch?", signals=("weisst du",))
    assert not retrieves(0.6, SIGNAL, signals=())
    assert not retrieves(0.6, SIGNAL, signals=("", "?!"))


# --- words and phrases --------------------------------------------------------------------


def test_a_phrase_is_said() -> None:
    for text, phrase in (
        ("WHAT\n\tIS it", "what is"), ("what, is it", "what is"), ("What's the port?", "what is"),
        ("What\u2019s the port?", "what is"), ("who'd know: what'd he say", "what did"),
        ("the project's name", "project"), ("'memory'", "memory"), ("config.toml", "config"),
        ("self harm", "self-harm"), ("Self-Harm!", "self-harm"), ("self\u2010harm", "self-harm"),
        ("ＭＥＭＯＲＹ", "memory"), ("STRASSE", "straße"), ("你记得吗", "记得"),
        ("จำได้ไหม", "จำได้"),
        ("기억하나요", "기억"), ("помнишь ли ты", "помнишь"), ("e\u0301tude", "\u00e9tude"),
    ):  # fmt: skip
        assert phrase_in(text, ["never", phrase]) == phrase
    assert phrase_in("b and a", ["a", "b"]) == "a"


def test_a_part_of_a_word_is_no_word() -> None:
    for text, phrase in (
        ("ideal", "idea"), ("misaid", "said"), ("saids", "said"), ("whatever is", "what is"),
        ("what was is", "what is"), ("is what", "what is"), ("load_config", "config"),
        ("config2", "config"), ("what", "what is"), ("", "said"), ("said", ""), ("said", "..."),
        ("d 's", "is"),
    ):  # fmt: skip
        assert phrase_in(text, [phrase]) == ""


@given(st.text(), st.lists(st.text(max_size=5), max_size=3))
def test_any_text_can_be_looked_through(text: str, phrases: list[str]) -> None:
    assert phrase_in(text, phrases) in ("", *phrases)


# --- trust --------------------------------------------------------------------------------


def test_trust_follows_the_kind() -> None:
    kinds = {"rule": 1.0, "convention": 1.0, "task": 1.0, "lore": 1.0, "decision": 0.8}
    kinds |= {"learning": 0.8, "turn": 0.5, "summary": 0.5}
    for kind, expected in kinds.items():
        assert trust(kind, None) == trust(kind, nan) == expected
        assert (trust(kind, 0.1), trust(kind, 0.0)) == (0.1, 0.0)
    for said, expected in ((-1, 0), (0.4, 0.4), (7, 1), (inf, 1)):
        assert trust("rule", said) == trust("summary", None, said) == expected


def test_a_confidence_counts_for_what_was_said_alone() -> None:
    for kind, front, confidence, expected in (
        ("summary", None, 0.9, 0.9), ("turn", None, 0.2, 0.2), ("summary", 0.3, 0.9, 0.3),
        ("summary", None, nan, 0.5), ("decision", None, 0.1, 0.8), ("rule", None, 0.1, 1.0),
    ):  # fmt: skip
        assert trust(kind, front, confidence) == expected


def test_what_each_pressure_lets_through() -> None:
    kinds = ("rule", "decision", "turn")
    for full, least in ((0.1, {"rule", "decision", "turn"}), (0.8, {"rule", "decision", "turn"})):
        assert {kind for kind in kinds if trust(kind, None) >= limits(full).least_trust} == least
    assert trust("decision", 0.4) < limits(0.8).least_trust
    assert trust("decision", None) < limits(1.0).least_trust
