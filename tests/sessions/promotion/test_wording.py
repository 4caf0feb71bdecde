"""What an entry made of a turn says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.sessions.promotion.gate import of_text, passes
from ctx.sessions.promotion.wording import GAP, MOST_TEXT, MOST_TITLE, propose

FACT = "I live in Lisbon all year."
FILLER = "It rains a lot in that part of the world. "


def test_the_title_is_the_decisive_sentence_and_the_text_is_the_turn() -> None:
    found = propose(f"Thanks! {FACT} How are you?")
    assert found.title == FACT.rstrip(".")
    assert found.text == f"Thanks! {FACT} How are you?"
    assert found.kind == "learning"


def test_a_turn_that_decides_is_a_decision() -> None:
    assert propose("We decided on tabs.").kind == "decision"
    assert propose("Have we decided on tabs?").kind == "learning"


def test_a_title_is_a_whole_sentence_and_of_a_long_one_there_is_none() -> None:
    long = "I prefer " + "a quiet place " * 20
    assert len(long) > MOST_TITLE
    assert propose(long)[1::2] == ("", False)
    assert propose(f"{long}. {FACT}")[1::2] == (FACT[:-1], True)
    assert propose(f"{long}. Thanks!").is_named is False
    near = f"We decided to keep all amounts in cents, because {'the ' * 30}accountants want it"
    assert propose(f"{near}.").title == near


def test_a_wish_names_no_entry() -> None:
    wish = "I'm trying to build this, and I prefer plain SQL."
    assert not propose(wish).is_named
    assert propose(f"{wish} {FACT}").title == FACT[:-1]


def test_a_lesson_is_a_learning_and_a_reversal_a_decision() -> None:
    for text, kind in (
        ("Important lesson: we decided that too late.", "learning"),
        ("The cause was the pool.", "learning"), ("We no longer use Redis.", "decision"),
        ("Instead of Redis we now use Postgres.", "decision"),
    ):  # fmt: skip
        found = propose(text)
        assert (found.kind, found.title, found.is_named) == (kind, text[:-1], True)


@pytest.mark.parametrize(
    "text",
    [
        "Merk dir: eine ISR darf nicht blockieren", "Die Ursache war ein fehlender Index",
        "La cause : la date est convertie trop tôt", "Wir benutzen Celery nicht mehr",
        "以后金额一律用分做单位", "根本原因是先读缓存再写数据库", "Resulta que el pool es de diez",
        "It turns out the pool has ten connections",
        "We'll use pyarrow only, because pandas is not in the image",
    ],
)  # fmt: skip
def test_knowledge_is_named_in_the_languages_of_people(text: str) -> None:
    assert passes(of_text(text))
    assert propose(text)[1::2] == (text, True)


@pytest.mark.parametrize(
    "text",
    [
        "I'll make sure to include the module from now on", "They've been there since May 2020",
        "We can use Postgres 15 for this", "Our plan is provided by the [Name of Company] network",
        "I've been using Postgres as you advised", "I chose them in May 2020 for this",
        "Migrate the ledger to cents, it has to be exact", "Speed up the import, it must be quick",
        "test_hash: ensures that hashes must differ", "We must use a hook, as you mentioned",
    ],
)  # fmt: skip
def test_what_does_not_stand_alone_names_no_entry(text: str) -> None:
    assert not propose(text).is_named


def test_a_lasting_instruction_is_no_task() -> None:
    for text in (
        "Migrate the ledger only with a lock, it has to be held", "Use the lock: it must be held",
        "Note that the ids have to be unique",
    ):  # fmt: skip
        assert propose(text).is_named, text


def test_a_title_does_not_start_with_a_filler() -> None:
    for text, title in (
        ("So we decided on tabs.", "We decided on tabs"),
        ("And also, we decided on tabs.", "We decided on tabs"),
        ("Ok, fine with me, we decided on tabs.", "We decided on tabs"),
        ("Fine with me. We decided on tabs.", "We decided on tabs"),
        ("So retry_all was fixed in May.", "retry_all was fixed in May"),
        ("So far we decided on tabs.", "So far we decided on tabs"),
        ("好的，我们昨天决定了。", "我们昨天决定了"),
        ("Ok.", "Ok"),
    ):
        assert propose(text).title == title, text


def test_a_title_has_no_marks_of_emphasis() -> None:
    assert propose("I **prefer** `tabs`.").title == "I prefer tabs"


def test_code_is_left_out() -> None:
    assert propose(f"{FACT}\n```\nx\n```\nMore.").text == f"{FACT}\nMore."


def test_of_a_long_turn_the_decisive_sentences_are_taken_in_their_order() -> None:
    other = "We decided on tabs."
    found = propose(FILLER * 30 + other + " " + FILLER * 30 + FACT)
    assert found.text == f"{other} {GAP} {FACT}"
    assert found.title == other[:-1] or found.title == FACT[:-1]


def test_a_turn_without_words_has_no_title() -> None:
    assert propose("```\nx\n```") == ("learning", "", "", False)


@given(text=st.text(max_size=4_000))
def test_any_turn_is_worded_within_bounds(text: str) -> None:
    found = propose(text)
    assert len(found.text) <= MOST_TEXT
    assert len(found.title) <= MOST_TITLE + 2
    assert "\n" not in found.title
