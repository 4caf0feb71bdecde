"""When one text repeats another: what ``ctx add`` refuses, ``ctx check`` finds."""

import json
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from ctx.text import similarity
from tests.rank.hands import call

WARM = "Warm it with the ten most read pages before traffic is let in."
_SAID = (
    "the cache is cold after a deploy deploys deployed warm it with ten pages not never before "
    "traffic two `run.sh` Redis index of carts"
)
WORDS = _SAID.split()
TEXT = st.lists(st.sampled_from(WORDS), min_size=3, max_size=12)


def heading(title: str, text: str, day: int) -> str:
    return f"## [2026-01-{day:02}] {title}\n\n**Lesson**: {text}\n\n"


def finds(root: Path) -> list[str]:
    told = json.loads(check(root))
    return [one["message"] for one in told["findings"]]


def check(root: Path) -> str:
    return call("check", "--dir", str(root), "--rule", "duplicate", "--json").text


def test_the_same_lesson_under_nearly_the_same_title_is_a_repeat(tmp_path: Path) -> None:
    root = tmp_path / ".context"
    root.mkdir()
    text = heading("The cache is cold after deploys", WARM, 1)
    text += heading("Cache is cold after a deploy", WARM, 2)
    (root / "LEARNINGS.md").write_text(text)
    (message,) = finds(root)
    assert message == ("'Cache is cold after a deploy' repeats nearly what is in LEARNINGS.md:1")


@pytest.mark.parametrize(
    ("title", "text", "message"),
    [
        ("Something quite different", WARM, "repeats nearly what is in"),
        ("After deploys the cache is cold", "Nobody had thought of it.", "has nearly the title of"),
        ("The cache is cold after deploys", "Nobody had thought of it.", "has the title of"),
        ("The cache is not cold after deploys", "Nobody had thought of it.", ""),
        ("Something quite different", WARM.replace("ten", "10"), ""),
        ("Something quite different", WARM.replace("is let", "is never let"), ""),
    ],
)
def test_a_text_or_a_title_alone_is_enough(
    title: str, text: str, message: str, tmp_path: Path
) -> None:
    """In a small directory, and among many entries, where not each is compared with each."""
    root = tmp_path / ".context"
    root.mkdir()
    many = [f"Depot {name}{at}" for name in "bcdfghjklm" for at in "aeiouxyz"]
    first, last = heading("The cache is cold after deploys", WARM, 1), heading(title, text, 2)
    for names in ([], many):
        others = (heading(name, f"{name} opens and {name[::-1]} shuts.", 3) for name in names)
        (root / "LEARNINGS.md").write_text(f"{first}{''.join(others)}{last}")
        about = [one for one in finds(root) if title in one]
        assert about == ([f"'{title}' {message} LEARNINGS.md:1"] if message else [])


@settings(max_examples=25)
@given(titles=st.tuples(TEXT, TEXT), texts=st.tuples(TEXT, TEXT), data=st.data())
def test_what_add_calls_a_repeat_check_finds(
    titles: tuple[list[str], list[str]], texts: tuple[list[str], list[str]], data: st.DataObject
) -> None:
    first, second = (" ".join(words) for words in titles)
    said, says = (" ".join(words) for words in texts)
    second = data.draw(st.sampled_from([second, first, f"{first} a", first.replace("is ", "")]))
    says = data.draw(st.sampled_from([says, said, f"the {said}", f"{said} {says}"]))
    root = Path(tempfile.mkdtemp()) / ".context"
    try:
        root.mkdir()
        (root / "LEARNINGS.md").write_text(heading(first, said, 1))
        new = ("add", "learning", second, "--lesson", says, "--context", ".", "--application", ".")
        refused = call(*new, "--dir", str(root))
        repeats_it = "it repeats" in refused.err
        event(f"refused: {repeats_it}")
        if repeats_it and len(similarity.bare(second).split()) >= 3:
            assert call(*new, "--force", "--dir", str(root)).code == 0
            assert finds(root)
    finally:
        shutil.rmtree(root.parent)


def test_what_is_told_is_without_labels_and_status() -> None:
    body = "**Status**: Accepted\n\n**Lesson**: One.\n\nTwo **three**: four.\n\n**Source**: me"
    assert similarity.without_labels(body) == "One.\n\nTwo **three**: four."


def test_titles_and_texts_are_compared_by_their_words() -> None:
    assert similarity.titles("Use the cache", "use: THE cache!") == 100
    assert similarity.titles("use the cache", "the cache use") == 100
    assert similarity.titles("use the cache", "drop the table") == 0
    assert (similarity.titles("!", "!"), similarity.titles("!", "?")) == (100, 0)
    assert similarity.texts("one two three", "one two three four five") == 100
    assert similarity.texts("one two", "one two three four five six") == 0
    assert similarity.texts("", "") == 0


SHORT = st.lists(
    st.sampled_from([*WORDS, "Run", "tests", "test", "on", "in"]), min_size=1, max_size=8
)


@settings(max_examples=25)
@given(first=SHORT, second=SHORT, data=st.data())
def test_what_add_calls_a_repeated_convention_check_finds(
    first: list[str], second: list[str], data: st.DataObject
) -> None:
    one, two = " ".join(first), " ".join(second)
    two = data.draw(st.sampled_from([two, f"{one} a", one.upper(), " ".join(reversed(first))]))
    root = Path(tempfile.mkdtemp()) / ".context"
    try:
        root.mkdir()
        (root / "CONVENTIONS.md").write_text(f"# Conventions\n\n- {one}\n")
        new = ("add", "convention", two, "--dir", str(root))
        repeats_it = "it repeats" in call(*new).err
        event(f"refused: {repeats_it}")
        if repeats_it:
            assert call(*new, "--force").code == 0
            assert finds(root)
    finally:
        shutil.rmtree(root.parent)
