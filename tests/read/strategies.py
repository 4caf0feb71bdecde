"""Markdown as hypothesis draws it: lines that open, close and look like blocks."""

from hypothesis import strategies as st

from ctx.read.markdown.blocks import normalise

LINES = (
    *("", "", "   ", "\t", "    ", "\x0c", "\u2028# a line to Python only", "\xa0# no space"),
    *("# one", "## two", "### three", "#### four", "###### six", "####### seven", "#", "##\ttab"),
    *("#no", " # in one", "   ## in three", "    # code", "\t# tab", "## a ##", "# #", "\\# no"),
    *("## [2026-01-02-030405] Dated", "### [2026-01-02] Deeper", "## Themes", "## ~~Gone~~"),
    *("```", "````", "``` py", "~~~", "~~~~", "~~~ `x`", "``` a`b", " ```", "  ~~~", "   ```"),
    *("    ```", "```\t", "  ````  ", "\x0c```", "> ```", "- ```", "- ~~~", "1. ```", "> # quoted"),
    *("- item", "* item", "+ item", "1. item", "10) item", "  - nested", "    - nested", "\t- tab"),
    *(
        "-", "- # heading", "- [ ] box", "  - [x] box", "1. [ ] box", "[] lean", "- - [ ] deep",
        "1.",
    ),
    *("- > quoted", "- - -", "- ---", "-   wide", "> text", ">", "- [ ]", "- <!--", "> <!--"),
    *("<!--", "-->", "<!-- one -->", " <!--", "  <!-- a", "   -->", "    <!--", "<!-- a --> b"),
    *(
        "<div>", "</div>", "<div", " <p>", "<details>", "<hr>", "<a>", "<a", "</a>", "<a>text",
        "<x-y>",
    ),
    *("<script>", "</script>", "<pre>", "</pre> x", "<style", "<textarea>", "<SCRIPT>", "<script"),
    *(
        "<?php", "?>", "<![CDATA[", "]]>", "<!DOCTYPE x", ">", "<!a", "<!-->", "<!--->",
        "<http://a>",
    ),
    *("text", "text:", "  text", "   text", "    text", "text `code`", "text  ", "日本", "Do not:"),
    *("**Status**: Superseded", "Supersedes Dated", "- [ ] x #in-progress #priority:high"),
    *("---", "***", "===", "- | a", "| a | b |", "|---|---|", "a | b", "--|--", "[x]: http://a"),
)  # fmt: skip

_prefixed = st.tuples(
    st.sampled_from([" ", "  ", "   ", "    ", "\t", "- ", "> ", "1. "]), st.sampled_from(LINES)
).map("".join)
_noise = st.text(alphabet="#`~<>!-? \t*1.a[]/|", max_size=12)
_line = st.one_of(st.sampled_from(LINES), st.sampled_from(LINES), _prefixed, _noise)

texts = st.lists(_line, max_size=14).map("\n".join).map(normalise)
"""Text as the reader sees it, after line ends are made one."""
