"""The line of an entry that a query is about."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx.render.results import CHARS, snippet
from ctx.text.words import index_words

WORDS = (
    "cache",
    "retry",
    "zebra",
    "the",
    "Größe",
    "決済",
    "支付",
    "a.",
    "b!",
    "c?",
    "。",
    "\n",
    "🎉",
)
TEXTS = st.lists(st.sampled_from(WORDS), max_size=200).map(" ".join)


def _asked(text: str) -> frozenset[str]:
    return frozenset(index_words(text))


@pytest.mark.parametrize(
    ("text", "asked", "expected"),
    [
        ("One is here. Zebra, cache are there. Cache.", "zebra cache", "Zebra, cache are there."),
        ("One cache. Two caches.", "cache", "One cache."),
        ("Nothing of it. Really.", "zebra", "Nothing of it."),
        ("First line\n\nsecond zebra\nline\n\nthird", "zebra", "second zebra line"),
        ("- First\n- second zebra\n  line\n1. third", "zebra", "- second zebra line"),
        ("One   line\twith  a zebra", "zebra", "One line with a zebra"),
        ("", "zebra", ""),
        (" \n \n", "zebra", ""),
        ("Zebras were retried", "zebra retry", "Zebras were retried"),
        ("Something. Mit einer Größe von 3.", "GRÖSSE größe", "Mit einer Größe von 3."),
        ("One. Two.", "", "One."),
    ],
)  # fmt: skip
def test_the_sentence_that_holds_most_of_what_was_asked(
    text: str, asked: str, expected: str
) -> None:
    assert snippet(text, _asked(asked)) == expected


@settings(max_examples=150)
@given(st.one_of(TEXTS, st.text(max_size=2_000)), st.sampled_from(WORDS))
def test_a_snippet_is_one_short_line_of_the_text(text: str, asked: str) -> None:
    found = snippet(text, _asked(asked))
    assert "\n" not in found
    assert found == " ".join(found.split())
    assert len(found) <= CHARS + len("… ") + len(" …")
    plain = found.removeprefix("… ").removesuffix(" …")
    assert plain in " ".join(text.split())


@settings(max_examples=100)
@given(st.integers(0, 300), st.integers(0, 300), st.sampled_from(("word", "of", "averylongword")))
def test_of_a_long_sentence_the_part_with_the_word_is_shown(
    before: int, after: int, filler: str
) -> None:
    text = " ".join([filler] * before + ["zebra"] + [filler] * after)
    found = snippet(text, _asked("zebra"))
    assert "zebra" in found
    assert found.startswith("… ") == (not text.startswith(found.removesuffix(" …")))
    assert found.endswith(" …") == (not text.endswith(found.removeprefix("… ")))


def test_a_word_without_an_end_is_cut() -> None:
    assert len(snippet("x" * 10_000, _asked("zebra"))) <= CHARS + 2


def test_a_text_without_an_end_is_not_read_to_it() -> None:
    assert snippet("Line.\n" * 200_000 + "zebra", _asked("zebra")) == "Line."


PARAGRAPHS = {
    "zh": ("这是一个很长的段落。", "缓存策略"),
    "ja": ("これは長い段落です。", "決済サーバ"),
}
UNDIVIDED = {
    "zh": ("这是一个很长的段落，", "缓存策略"),
    "th": ("ยาวมาก", "แคชข้อมูล"),
    "url": ("https://example.org/a-very-long-one/", "zebra"),
}


@pytest.mark.parametrize("name", PARAGRAPHS)
def test_of_a_paragraph_without_spaces_the_sentence_with_the_word_is_shown(name: str) -> None:
    filler, asked = PARAGRAPHS[name]
    assert snippet(filler * 60 + asked + filler * 3, _asked(asked)).startswith(asked)


@pytest.mark.parametrize("name", UNDIVIDED)
def test_of_a_run_without_spaces_the_part_with_the_word_is_shown(name: str) -> None:
    filler, asked = UNDIVIDED[name]
    assert asked in snippet(filler * 60 + asked + "，" + filler * 30, _asked(asked))


@pytest.mark.parametrize("asked", ["v2", "CI", "东", "4711", "2026", "deadbeef42", "#now"])
def test_short_words_and_numbers_are_seen(asked: str) -> None:
    assert snippet(f"Nothing here. It has {asked} in it.", _asked(asked)).startswith("It has")
