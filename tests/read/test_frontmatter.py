"""Frontmatter that is read without a parser of YAML is what the parser reads."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctx.read import frontmatter

WORDS = st.from_regex(
    r"(?i:yes|no|on|true|tRue|false|null|y|shop/\*\.py|x:y|it's|e1|é|\xa0|\u2028)", fullmatch=True
) | st.sampled_from("abc019:#'-=<~.*[]{}&!|>`,;()@%\x7f\"\\")
KEYS = st.sampled_from(["globs", "description", "x-y", "_k", "a", "yes", "On", "null", "y"])
LINES = st.builds(
    lambda key, blank, words: f"{key}:{blank}{''.join(words)}",
    KEYS, st.sampled_from(["", " ", "  "]), st.lists(WORDS | st.just(" "), max_size=5),
)  # fmt: skip


def read(text: str) -> tuple[str, str]:
    """Return all that is read, types included."""
    found = frontmatter.split(text)
    return repr(found.front), found.warning


@given(st.lists(LINES, min_size=1, max_size=3))
@example(["description:", "globs: shop/*.py, *.ts", "alwaysApply: true"])
def test_simple_lines_are_read_as_yaml_is(lines: list[str]) -> None:
    text = "\n".join(["---", *lines, "---", ""])
    simple = read(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frontmatter, "_SIMPLE", frontmatter._NEXT)  # which matches no whole line
        assert simple == read(text)
