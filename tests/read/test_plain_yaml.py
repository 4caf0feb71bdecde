"""Plain frontmatter is read as PyYAML reads it, or not at all."""

from __future__ import annotations

import frontmatter
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx.read import plain_yaml

keys = st.one_of(
    st.sampled_from(["name", "status", "yes", "No", "null", "a-b", "_x", "On", "y"]),
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,8}", fullmatch=True),
)
values = st.one_of(
    st.sampled_from(
        [
            "always", "Technology stack, constraints", "10", "0", "010", "1_000", "1e3", "0x1f",
            "yes", "Off", "NULL", "~", "true story", "2026-01-31", "a: b", "a:b", "a #b", "a#b",
            "- a", "[a]", "{a}", "&a b", "*a", "!a", "|", ">", "%a", "@a", "`a`", '"a"', "'a'",
            "a 'b'", "e\u0301t\u00e9", "nan", ".nan", "inf", "-1", "1.5", "a  b ", "12:30", "",
            "a\\b", "a, b", "a?", "? a", "a-", "x" * 300, "sup\u00a0er", "a\u2028b", "a\x85b",
        ]
    ),
    st.text(max_size=12),
    st.text("abYNon 0159:#-'\"[]{}&*!|>%@`~,.?=<\\/_é日", max_size=14),
)  # fmt: skip


@settings(max_examples=200)
@given(st.lists(st.tuples(keys, values), min_size=1, max_size=4))
def test_what_is_read_is_what_yaml_says(pairs: list[tuple[str, str]]) -> None:
    lines = "\n".join(f"{key}: {value}" for key, value in pairs).split("\n")
    found = plain_yaml.read(lines)
    if found is not None:
        text = "\n".join(lines)
        assert found == frontmatter.parse(f"---\n{text}\n---\n")[0]


def test_plain_lines_are_read() -> None:
    assert plain_yaml.read(["name: tech", "inclusion: always  ", "priority: 10", "count: 0"]) == {
        "name": "tech", "inclusion": "always", "priority": 10, "count": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    "line",
    ["a: yes", "a: 010", "a: [b]", "a: b: c", "a: b #c", "a:", "a: 2026-01-31", "- a", " a: b",
     "a: 'b'", "a: 1.5", "a:b", "on: it"],
)  # fmt: skip
def test_what_could_mean_two_things_is_left_to_a_parser(line: str) -> None:
    assert plain_yaml.read([line]) is None


def test_a_key_given_twice_is_left_to_a_parser() -> None:
    assert plain_yaml.read(["a: b", "a: c"]) is None
