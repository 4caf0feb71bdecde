"""What each line of a Markdown file is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.checks.zones import CODE, TEXT, zoned


def test_lines_are_text_code_comments_or_frontmatter() -> None:
    for text, zones in (
        ("a\n\nb", "ttt"), ("```\na\n```\nb", "ccct"), ("~~~py\n```\n~~~\nb", "ccct"),
        ("````\n```\na\n````\nb", "cccct"), ("```\na", "cc"), ("``` a `b` ```\nc", "tt"),
        ("   ```\na\n```\nb", "ccct"), ("- ```sh\n  a\n  ```\nb", "ccct"),
        ("- a\n  ```\n  b\nc", "tcct"), ("1. a\n\n   ```\n   b\n   ```\n   c", "ttccct"),
        ("> ```\n> a\n> ```\nb", "ccct"), ("> ```\n> a\nb", "cct"), ("<!-- a -->\nb", "xt"),
        ("<!--\na\n```\n-->\nb", "xxxxt"), ("a <!-- b\nc", "tt"), ("- <!-- a\n  b -->\nc", "xxt"),
        ("---\na: b\n---\nc", "ffft"), ("---\n\na\n---", "tttt"), ("---\na: b\nc", "ttt"),
        ("a\n---\nb: c\n---", "tttt"),
    ):  # fmt: skip
        assert zoned(text).zones == zones, text


def test_lines_are_counted_from_1() -> None:
    found = zoned("a\n```\nb\n```\nc")
    assert [tuple(line) for line in found.of(TEXT)] == [(1, "a"), (5, "c")]
    assert [line.number for line in found.of(CODE)] == [2, 3, 4]


@pytest.mark.parametrize(
    ("fence", "shell"), [("sh", {2}), ("bash", {2}), ("console", {2}), ("py", set()), ("", set())]
)
def test_fences_say_whether_they_are_for_a_shell(fence: str, shell: set[int]) -> None:
    assert zoned(f"```{fence}\nmake\n```\nmake").shell == shell


@given(st.text(st.sampled_from("a`~ \n-><!>:#\t1."), max_size=200))
def test_every_line_has_one_zone(text: str) -> None:
    found = zoned(text)
    assert "\n".join(found.lines) == text
    assert len(found.zones) == len(found.lines)
    assert set(found.zones) <= set("tcxf")
    assert all(found.zones[number - 1] == CODE for number in found.shell)
