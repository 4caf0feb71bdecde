"""What an entry made of a turn says."""

from hypothesis import given
from hypothesis import strategies as st

from ctx.sessions.promotion.wording import GAP, MOST_TEXT, MOST_TITLE, propose

FACT = "I moved to Lisbon last year."
FILLER = "It rains a lot in that part of the world. "


def test_the_title_is_the_decisive_sentence_and_the_text_is_the_turn() -> None:
    found = propose(f"Thanks! {FACT} How are you?")
    assert found.title == FACT.rstrip(".")
    assert found.text == f"Thanks! {FACT} How are you?"
    assert found.kind == "learning"


def test_a_turn_that_decides_is_a_decision() -> None:
    assert propose("We decided on tabs.").kind == "decision"
    assert propose("Have we decided on tabs?").kind == "learning"


def test_a_long_title_is_cut_between_words() -> None:
    text = "I prefer " + "a quiet place " * 20
    title = propose(text).title
    assert text.startswith(title.removesuffix("…"))
    assert title.endswith(" …")
    assert MOST_TITLE - 10 <= len(title) <= MOST_TITLE + 2


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


def test_a_long_title_ends_with_a_clause() -> None:
    for rest, title in (
        ("because the accountants want to see each cent of it in the report of the month", ""),
        ("; the accountants want to see each cent of it in the report of the month", ""),
        (", which the accountants want to see in the report of the month, in each shop", ""),
        (", but not in the report that the accountants of the shops see in each month", ""),
    ):
        clause = "We decided to keep all amounts in cents"
        text = f"{clause}{rest}." if rest[0] in ",;" else f"{clause} {rest}."
        assert propose(text).title == clause + title, rest


def test_a_clause_that_only_says_when_is_no_title() -> None:
    text = "If the report of the accountants is late again, we decided to send it " + "x" * 40
    assert propose(text).title.endswith(" …")


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
    assert propose("```\nx\n```") == ("learning", "", "")


@given(text=st.text(max_size=4_000))
def test_any_turn_is_worded_within_bounds(text: str) -> None:
    found = propose(text)
    assert len(found.text) <= MOST_TEXT
    assert len(found.title) <= MOST_TITLE + 2
    assert "\n" not in found.title
