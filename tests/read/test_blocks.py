"""Cutting and scanning: what is parsed piece by piece is what the whole would be."""

from pathlib import Path

import pytest
from hypothesis import given, settings

from ctx.read.card import PARSERS, Card, parser_of
from ctx.read.markdown.blocks import MAX_LINE, blocks, chunks, normalise, shorten_lines
from ctx.read.markdown.plain import scan
from ctx.read.markdown.tree import markdown
from tests.read.samples import CORPORA, FIXTURES, NO_CORPORA
from tests.read.strategies import texts
from tests.sampling import sampled

LEVELS = range(1, 7)
DEEP = settings(max_examples=300)


def tokens(text: str, start: int = 0) -> list[tuple[object, ...]]:
    return [
        (t.type, t.tag, t.level, t.content, t.markup, t.info, t.map and [n + start for n in t.map])
        for t in markdown("lheading").parse(text)
    ]


def assert_exact(text: str) -> None:
    """Chunks are the text, and their blocks are its blocks, wherever it is cut."""
    whole = tokens(text)
    for level in LEVELS:
        cut = list(chunks(text, level))
        assert "".join(chunk.text for chunk in cut) == text
        assert [one for chunk in cut for one in tokens(chunk.text, chunk.start)] == whole


def assert_plain_is_exact(text: str) -> None:
    """What the scanner of plain Markdown reads is what the parser reads."""
    if scan(text) is None:
        return
    plain = cards(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ctx.read.markdown.blocks.scan", lambda _: None)
        assert plain == cards(text)


def cards(text: str) -> dict[str, list[Card]]:
    return {kind: list(parser_of(kind)(text)) for kind in PARSERS}


@DEEP
@given(texts)
def test_pieces_parse_as_the_whole_does(text: str) -> None:
    assert_exact(text)


@DEEP
@given(texts)
def test_plain_text_is_scanned_as_it_would_be_parsed(text: str) -> None:
    assert_plain_is_exact(text)


def test_headings_that_are_none_are_not_cut() -> None:
    for text in (
        "<del\n```\n\n# in a fence",  # not HTML: a paragraph, and the fence is open
        "text\n<a>\n```\n\n# in a fence",  # this tag cannot interrupt a paragraph
        "```\n- ```\n# in a fence",  # no end of the fence
        " ```\n\x0c```\n# not in a fence",  # a form feed is text
        "-\n   ```\n```\n# in a fence",  # the first fence ended with the item
        "- a\n   ```\nb\n# one\n```\n# in a fence",
        "> ```\n# one",
        "<!--\n# hidden\n-->\n# one",
        "<pre>\n\n# hidden\n</pre>\n# one",
        "~~~\n```\n# hidden\n~~~\n# one",
        "````\n```\n# hidden\n````\n# one",
    ):
        assert_exact(text)


@pytest.mark.parametrize("level", LEVELS)
def test_every_heading_up_to_the_level_is_cut(level: int) -> None:
    text = "".join(f"{'#' * n} heading\n\ntext\n\n" for n in LEVELS)
    assert [chunk.start for chunk in chunks(text, level)] == [4 * n for n in range(level)]


def test_what_only_looks_plain_is_read_right() -> None:
    short = ("# #", "## ##", "- - [ ] deep", "- ---", "1986. text", "|\n|-|")
    for text in (*short, "text\ntext\n-|-\n-|-", ">\n\na", "> a\n-|-\n-|-"):
        assert_plain_is_exact(text)


@pytest.mark.parametrize("root", FIXTURES, ids=lambda path: path.parent.name)
def test_fixtures_cut_exactly(root: Path) -> None:
    for path in root.rglob("*.md"):
        text = normalise(path.read_bytes().decode("utf-8", "replace"))
        assert_exact(text)
        assert_plain_is_exact(text)


@pytest.mark.skipif(not CORPORA, reason=NO_CORPORA)
def test_corpora_cut_exactly() -> None:
    names = ("TASKS", "DECISIONS", "LEARNINGS", "CONVENTIONS", "CONSTITUTION")
    for path in [root / f"{name}.md" for root in sampled(CORPORA, 4, 1) for name in names]:
        text = normalise(path.read_bytes().decode("utf-8", "replace"))
        whole = tokens(text)
        cut = list(chunks(text, 6))
        assert [one for chunk in cut for one in tokens(chunk.text, chunk.start)] == whole
        for chunk in cut:
            assert_plain_is_exact(chunk.text)


def test_long_lines_become_notes() -> None:
    text = f"a\n{'x' * (MAX_LINE + 1)}\n{'y' * MAX_LINE}\n"
    short, long = shorten_lines(text)
    note = f"(a line of {MAX_LINE + 1:,} characters is left out)"
    assert short == f"a\n{note}\n{'y' * MAX_LINE}\n"
    assert long == [(2, MAX_LINE + 1)]


def test_blocks_name_what_they_are() -> None:
    text = (
        "# a\n\nb\n\n- c\n\n> d\n\n---\n\n<!-- e -->\n\n```\nf\n```\n\n| g |\n|---|\n\n<b>h</b>\n"
    )
    assert [(block.kind, block.start) for block in blocks(text)] == [
        ("heading", 0), ("paragraph", 2), ("list", 4), ("quote", 6), ("divider", 8),
        ("comment", 10), ("code", 12), ("table", 16), ("paragraph", 19),
    ]  # fmt: skip
