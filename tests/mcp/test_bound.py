"""Results keep their bound, and say what they leave out."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from ctx.mcp.answer import FIRST, Bound, dumped, within
from ctx.model import JsonObject
from ctx.text.tokens import estimate


def _characters(most: int, run: str = "rows", hint: str = "ask again") -> Bound:
    return Bound(most, len, run, hint)


def test_what_fits_is_as_it_is() -> None:
    assert within({"rows": ["a"]}, _characters(14)) == '{"rows":["a"]}'


def test_rows_go_from_the_end() -> None:
    result: JsonObject = {"total": 9, "rows": [f"row {n}" for n in range(9)]}
    text = within(result, _characters(88))
    assert json.loads(text) == {
        "total": 9,
        "rows": ["row 0", "row 1"],
        "truncated": "2 of 9 rows are here: ask again",
    }
    assert len(text) == 82
    assert json.loads(within(result, _characters(90)))["rows"] == ["row 0", "row 1", "row 2"]


def test_a_text_goes_by_lines_and_says_the_next_one() -> None:
    result: JsonObject = {FIRST: 11, "body": "one\ntwo\nthree\nfour\n" * 9}
    told = json.loads(within(result, _characters(120, "body", "go on with line {next}")))
    assert told["truncated"] == "6 of 36 lines of body are here: go on with line 17"
    assert told["body"] == "one\ntwo\nthree\nfour\none\ntwo\n"


def test_a_row_that_is_too_long_is_cut() -> None:
    told = json.loads(within({"rows": [{"title": "a" * 9_000}]}, _characters(300)))
    assert told == {"rows": [{"title": f"{'a' * 200}…"}], "truncated": "long texts are cut"}
    two = json.loads(within({"rows": ["a" * 9_000, "b"]}, _characters(100)))
    assert two == {"rows": [f"{'a' * 40}…", "b"], "truncated": "long texts are cut"}
    one = json.loads(within({"rows": ["a" * 9_000, "b" * 9_000]}, _characters(130)))
    assert one["truncated"] == "1 of 2 rows are here, and long texts are cut: ask again"


def test_what_is_beside_the_rows_is_cut_as_well() -> None:
    told = json.loads(within({"why": "a" * 999, "rows": []}, _characters(280)))
    assert told == {"why": f"{'a' * 200}…", "truncated": "long texts are cut"}


def test_a_list_beside_the_rows_leaves_room_for_them() -> None:
    """As where each of hundreds of sessions has a warning."""
    result: JsonObject = {"rows": [1, 2], "warnings": [f"{n} is redacted" for n in range(1_300)]}
    told = json.loads(within(result, _characters(200)))
    assert told == {
        "rows": [1, 2],
        "warnings": [*(f"{n} is redacted" for n in range(5)), "… and 1,295 more"],
        "truncated": "long lists are cut",
    }
    objects: JsonObject = {"rows": [1], "parts": [{"n": n} for n in range(99)]}
    told = json.loads(within(objects, _characters(120)))
    assert told == {
        "rows": [1], "parts": [{"n": n} for n in range(5)], "truncated": "long lists are cut",
    }  # fmt: skip


def test_where_nothing_fits_that_is_said() -> None:
    result: JsonObject = {f"name {n}": n for n in range(999)}
    told = json.loads(within(result, _characters(60)))
    assert told == {"truncated": "nothing of it fits 60 tokens"}


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.text('ab\n \\"é漢😀', min_size=300),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(
    st.dictionaries(st.sampled_from(("a", "b", "rows")), _VALUES)
    | st.builds(lambda rows: {"rows": rows}, st.lists(_VALUES, max_size=60)),
    st.integers(24, 400),
)
def test_whatever_it_is_it_keeps_its_bound(result: JsonObject, most: int) -> None:
    text = within(result, Bound(most, estimate, "rows", "ask again"))
    assert estimate(text) <= most
    told = json.loads(text)
    whole = estimate(dumped(result)) <= most
    assert whole == (told == result)
    assert whole == ("truncated" not in told)
