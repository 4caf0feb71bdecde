"""Dates of entries as people write them."""

import pytest

from ctx.text import stamps


@pytest.mark.parametrize(
    ("heading", "title", "anchor"),
    [
        ("[2026-11-16] Carts", "Carts", "2026-11-16"),
        ("2026-11-16 Carts", "Carts", "2026-11-16"),
        ("2026-11-16: Carts", "Carts", "2026-11-16"),
        ("2026-11-16 — Carts", "Carts", "2026-11-16"),
        ("2026-11-16 2,024 carts", "2,024 carts", "2026-11-16"),
        ("2026-11-16", "2026-11-16", "2026-11-16"),
        ("[2026/9/1] Carts", "Carts", "2026-09-01"),
        ("(2026-09-01) Carts", "Carts", "2026-09-01"),
        ("Carts (2026-09-01)", "Carts", "2026-09-01"),
        ("Carts [2026/09/01]", "Carts", "2026-09-01"),
        ("[2026-07-06-b] Carts", "Carts", "2026-07-06-b"),
        ("[2026-07-06T14:30Z] Carts", "Carts", "2026-07-06-1430"),
        ("[2026-07-06 143059] Carts", "Carts", "2026-07-06-143059"),
        ("Carts of 2026-07-06", "Carts of 2026-07-06", ""),
        ("Carts (updated 2026-07-06)", "Carts (updated 2026-07-06)", ""),
        ("2026-07-061 Carts", "2026-07-061 Carts", ""),
        ("[2026-07/06] Carts", "[2026-07/06] Carts", ""),
    ],
)
def test_a_heading_is_a_title_and_a_date(heading: str, title: str, anchor: str) -> None:
    found = stamps.of_heading(heading)
    assert (found.title, found.anchor) == (title, anchor)
    assert found.timestamp == anchor.removesuffix("-b")


def test_a_part_of_an_entry_is_an_entry_only_with_a_date_in_brackets() -> None:
    assert stamps.of_heading("[2026-07-06] Carts", of_entry=False).timestamp
    for text in ("2026-07-06 Carts", "Carts (2026-07-06)"):
        assert stamps.of_heading(text, of_entry=False) == (text, "", "")


@pytest.mark.parametrize(
    "line",
    ["**Date**: 2026-07-06", "**Date:** 2026/7/6", "- Date: 2026-07-06.", "date: 2026-07-06"],
)
def test_a_line_of_an_entry_may_date_it(line: str) -> None:
    assert stamps.of_body(f"Carts.\n\n{line}\nMore.") == "2026-07-06"
    assert not stamps.of_body(f"The {line}")
