"""The gate: the six invariants of the source, monotonicity, and what is proposed at all."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.sessions.promotion.gate import (
    LEAST,
    Parts,
    may_pass,
    of_cosines,
    of_text,
    passes,
    says_something,
    score,
)
from ctx.sessions.promotion.prose import turn_text, unit

UNIT = st.floats(0, 1)
ANY = st.floats(allow_nan=True, allow_infinity=True)
PARTS = st.builds(Parts, *[UNIT] * len(Parts._fields))
ODD = st.builds(Parts, *[ANY] * len(Parts._fields))
COSINES = st.lists(st.floats(-1, 1), max_size=30)
RISING = ("h", "r", "d_nl", "p", "a", "d_tech")


# --- the six invariants (compaction.md, Promotion) ----------------------------------------


@given(session=COSINES)
def test_an_empty_memory_gives_h_1(session: list[float]) -> None:
    found = of_cosines([], session)
    assert found.h == 1
    assert found.s == 0
    assert found.r == found.f


@given(session=COSINES, more=COSINES)
def test_saturation_gives_r_0(session: list[float], more: list[float]) -> None:
    found = of_cosines([0.9, 0.95, 1.0, *more], session)
    assert found.s == 1
    assert found.r == 0


@given(parts=ODD)
def test_g_is_within_bounds_whatever_the_signals(parts: Parts) -> None:
    for value in (score(parts), parts.g_conv, parts.g_tech):
        assert 0 <= value <= 1


@given(parts=ODD)
def test_g_is_between_its_branches(parts: Parts) -> None:
    low, high = sorted((parts.g_conv, parts.g_tech))
    assert low <= score(parts) <= high


@given(parts=PARTS)
def test_t_0_is_the_conversational_branch(parts: Parts) -> None:
    assert score(parts._replace(t=0.0)) == parts.g_conv


@given(parts=PARTS)
def test_t_1_is_the_technical_branch(parts: Parts) -> None:
    assert score(parts._replace(t=1.0)) == parts.g_tech


# --- monotonicity -------------------------------------------------------------------------


@given(parts=PARTS, field=st.sampled_from(RISING), more=UNIT)
def test_more_of_a_signal_never_lowers_g(parts: Parts, field: str, more: float) -> None:
    raised = parts._replace(**{field: max(getattr(parts, field), more)})
    assert score(raised) >= score(parts)
    assert passes(raised) >= passes(parts)


@given(parts=PARTS)
def test_what_may_not_pass_never_does(parts: Parts) -> None:
    assert may_pass(parts) >= passes(parts)


@given(durable=COSINES, session=COSINES, nearer=st.floats(-1, 1))
def test_another_entry_never_makes_a_turn_recur_more(
    durable: list[float], session: list[float], nearer: float
) -> None:
    assert of_cosines([*durable, nearer], session).r <= of_cosines(durable, session).r


# --- figures ------------------------------------------------------------------------------


def test_g_conv_is_the_weighted_sum_of_the_source() -> None:
    assert Parts(h=0.5, r=0.25, d_nl=0.8).g_conv == pytest.approx(0.175 + 0.1 + 0.2)


def test_g_tech_is_the_weighted_sum_of_the_source() -> None:
    assert Parts(p=0.5, a=1.0, d_tech=0.2).g_tech == pytest.approx(0.2 + 0.35 + 0.05)


def test_g_mixes_the_branches_by_t() -> None:
    assert score(Parts(t=0.25, h=1.0, p=1.0)) == pytest.approx(0.75 * 0.35 + 0.25 * 0.40)


def test_the_threshold_is_that_of_the_source() -> None:
    assert LEAST == 0.35
    assert passes(Parts(h=1.0, d_nl=0.2))
    assert not passes(Parts(h=0.8, d_nl=0.2))


def test_novelty_alone_is_not_knowledge() -> None:
    assert score(Parts()) == LEAST
    assert not passes(Parts())
    assert not passes(Parts(d_nl=0.19))


def test_marks_of_technical_turns_count_only_in_technical_turns() -> None:
    assert not says_something(Parts(a=1.0, d_tech=1.0))
    assert says_something(Parts(t=0.1, a=0.2))
    assert says_something(Parts(t=0.1, d_tech=0.2))
    assert not says_something(Parts(t=0.1, p=1.0))


@given(value=ANY)
def test_a_signal_is_a_number_in_bounds(value: float) -> None:
    assert 0 <= unit(value) <= 1


def test_what_is_no_number_is_nothing() -> None:
    assert unit(math.nan) == unit(-math.inf) == 0
    assert unit(math.inf) == 1


def test_density_is_by_hundred_tokens_of_which_a_short_turn_has_so_many() -> None:
    assert turn_text("word").density(0.5) == 0.5
    long = "some words more. " * 100
    assert 0 < turn_text(long).density(0.5) < 0.25
    assert turn_text("word").density(5) == 1


@given(text=st.text(max_size=300))
def test_signals_of_any_text_are_in_bounds(text: str) -> None:
    assert all(0 <= value <= 1 for value in of_text(text))
