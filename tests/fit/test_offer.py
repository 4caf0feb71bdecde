"""The assembly law's terms: worked out by hand, and what holds of any figures."""

from hypothesis import example, given
from hypothesis import strategies as st

from ctx.fit.offer import hard_limit, tail_limit

tokens = st.integers(0, 300_000)
shares = st.floats(0, 1, allow_nan=False)


def test_the_hard_tier() -> None:
    for budget, share, limit in (
        (8000, 0.40, 3200), (1000, 0.4, 400), (999, 0.4, 399), (0, 0.4, 0), (7, 0.0, 0),
        (7, 1.0, 7),
    ):  # fmt: skip
        assert hard_limit(budget, share) == limit, budget


def test_the_tail() -> None:
    for budget, base, spent, limit in (
        (8000, 300, 0, 1200),  # 0.15 · 8,000 passes the base
        (8000, 2000, 0, 2000),  # the base passes its share
        (8000, 300, 7000, 1000),  # 8,000 - 7,000
        (8000, 2000, 7000, 1000),
        (8000, 300, 8000, 0),
        (8000, 300, 9000, 0),
        (0, 300, 0, 0),
    ):
        assert tail_limit(budget, 0.15, base, spent) == limit, budget


@given(tokens, shares, tokens, tokens)
@example(300_000, 1.0, 0, 0)
@example(1, 5e-324, 0, 0)
def test_no_limit_is_negative_or_above_what_is_left(
    budget: int, share: float, spent: int, base: int
) -> None:
    left = max(0, budget - spent)
    assert 0 <= hard_limit(budget, share) <= budget
    assert 0 <= tail_limit(budget, share, base, spent) <= left
    assert tail_limit(budget, share, base, spent) <= max(share * budget, base)
