"""The age of an entry in seconds, each figure worked out by hand."""

from __future__ import annotations

from datetime import date, timedelta
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.rank.score import age

DAY = 86_400
TODAY = date(2026, 1, 31)


@pytest.mark.parametrize(
    ("timestamp", "seconds"),
    [
        ("2026-01-31", 0),
        ("2026-01-30", DAY),
        ("2025-01-31", 365 * DAY),
        ("2026-01-31-235959", 1),
        ("2026-01-31-000000", DAY),
        ("2026-01-31-120000", DAY // 2),
        ("2026-01-30-120000", DAY + DAY // 2),
        ("2026-01-31-1200", DAY // 2),
        ("2026-02-01", 0),
        ("2026-02-01-000000", 0),
        ("9999-12-31-235959", 0),
        ("0001-01-01", (TODAY - date(1, 1, 1)).days * DAY),
    ],
)
def test_seconds_to_the_end_of_the_day(timestamp: str, seconds: int) -> None:
    assert age(timestamp, TODAY) == seconds


@pytest.mark.parametrize(
    "timestamp", ["", "2026", "2026-13-01", "2026-02-30", "yesterday", "0000-01-01", "٢٠٢٦-٠١-٠١"]
)
def test_what_is_not_dated_is_as_old_as_can_be(timestamp: str) -> None:
    assert age(timestamp, TODAY) == inf


@pytest.mark.parametrize("clock", ["999999", "246000", "noon", "-1", "1", "   ", "१२००००"])
def test_a_clock_that_is_none_leaves_the_day(clock: str) -> None:
    assert 0 <= age(f"2026-01-30-{clock}", TODAY) <= 2 * DAY


@given(st.dates(), st.dates(), st.times())
def test_an_age_is_never_negative_and_grows_with_the_day(
    written: date, today: date, clock: object
) -> None:
    timestamp = f"{written.isoformat()}-{str(clock)[:8].replace(':', '')}"
    found = age(timestamp, today)
    assert 0 <= found < inf
    if today < date.max:
        assert found <= age(timestamp, today + timedelta(1)) <= found + DAY


@given(st.text(max_size=24), st.dates())
def test_no_timestamp_breaks_it(timestamp: str, today: date) -> None:
    assert age(timestamp, today) >= 0
