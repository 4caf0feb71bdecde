"""Frontmatter that is simple is read without PyYAML, and alike."""

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from ctx.read import frontmatter

KEYS = st.from_regex(r"[A-Za-z_][\w-]{0,6}", fullmatch=True) | st.sampled_from(["on", "No", "Null"])
VALUES = (
    st.text(st.sampled_from("abZ09 .,:#'\"-_+~!&*[]{}|>%@`=/()\t;é"), max_size=12)
    | st.sampled_from(["yes", "Off", "NULL", "0", "017", "1_0", "12", "1.5", "2026-01-02", "- a"])
    | st.from_regex(r"[A-Za-z][a-z ,.'/-]{0,20}", fullmatch=True)
)
LINES = st.builds("{}:{}{}".format, KEYS, st.sampled_from(["", " ", "  "]), VALUES)


@given(st.lists(LINES | st.sampled_from(["", "  - x", "  b: 1", "# c"]), min_size=1, max_size=4))
@example(["name: product", "description: Context, goals (and users)", "priority: 10", "empty:"])
@example(["a: 1", "a: b"])
def test_what_is_simple_is_what_yaml_finds(head: list[str]) -> None:
    found = frontmatter._simply(head)
    if found is not None:
        expected = yaml.safe_load("\n".join(head))
        assert list(found.items()) == list(expected.items())
        assert list(map(type, found.values())) == list(map(type, expected.values()))


@pytest.mark.parametrize(
    ("line", "is_simple"),
    [
        ("name: product", True),
        ("description: Stack, constraints, and dependencies", True),
        ("priority: 10", True),
        ("globs:", True),
        ("on: push", False),
        ("always: true", False),
        ("when: 2026-01-02", False),
        ("title: a: b", False),
        ("title: a #b", False),
        ("title: 'a'", False),
        ("  nested: a", False),
    ],
)
def test_what_is_simple(line: str, is_simple: bool) -> None:
    assert (frontmatter._simply([line]) is not None) == is_simple
