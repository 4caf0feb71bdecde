"""What of an entry is searched and embedded."""

from hypothesis import given
from hypothesis import strategies as st

from ctx.rank import fields, text
from ctx.rank.documents import EMBEDDED_CHARS, spoken_date
from ctx.text.words import index_words
from tests.rank.hands import turn
from tests.read.samples import entry

ANY = st.text(max_size=60)


def test_an_entry_is_found_by_its_title_its_heading_its_file_and_its_day() -> None:
    one = entry(
        "Use retries", "Because of timeouts.", timestamp="2026-05-08", group="Checkout",
        source="decisions/payment-api.md",
    )  # fmt: skip
    title, body, *_ = fields(one)
    for asked in ("retry", "checkout", "payment api decisions", "8 May 2026"):
        assert set(index_words(asked)) <= set(title.split())
    assert body.split() == index_words("Because of timeouts.")


def test_a_turn_is_found_by_who_says_it_and_on_what_day() -> None:
    title, body, *_ = fields(turn("See you there.", speaker="Mira", timestamp="2023-05-08-101112"))
    assert title == ""
    assert set(index_words("Mira 8 May 2023 see you there")) <= set(body.split())


def test_a_day_as_people_ask_for_it() -> None:
    for timestamp, spoken in (
        ("2023-05-08", "8 may 2023"), ("2023-05-08-101112", "8 may 2023"),
        ("2023-12-31", "31 december 2023"), ("2023-01-01", "1 january 2023"), ("", ""),
        ("2023", ""), ("2023-13-01", ""), ("2023-00-01", ""), ("yesterday", ""),
    ):  # fmt: skip
        assert spoken_date(timestamp) == spoken, timestamp


@given(ANY, ANY, st.text(max_size=20))
def test_fields_are_lines_whatever_an_entry_says(title: str, body: str, timestamp: str) -> None:
    for one in (
        entry(title, body, timestamp=timestamp),
        turn(body, speaker=title, timestamp=timestamp),
    ):
        for field in fields(one)[:3]:
            assert "\t" not in field
            assert "\n" not in field
            assert field == " ".join(field.split())


def test_only_the_beginning_of_a_body_is_embedded() -> None:
    long = "x" * EMBEDDED_CHARS
    assert text(entry("Title", f"{long}END")) == f"Title\n{long}"
    assert text(turn(f"{long}END")).endswith(long)
