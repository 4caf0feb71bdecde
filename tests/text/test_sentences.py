"""Sentences: where they end in each script, and that nothing of a text is lost."""

from hypothesis import given
from hypothesis import strategies as st

from ctx.model import Utterance
from ctx.text.sentences import LONGEST, MOST, Sentence, pieces, plain, sentences
from tests.sessions.compaction.talk import TEXT


def texts(text: str) -> list[str]:
    return [piece for piece, _ in pieces(text)]


def test_where_sentences_end() -> None:
    for text, expected in (
        ("It works. We go! Really? Yes", ["It works.", "We go!", "Really?", "Yes"]),
        ("Dr. Smith and J. K. Rowling came.", ["Dr. Smith and J. K. Rowling came."]),
        ("Use a cache, e.g. Redis. It is fast.", ["Use a cache, e.g. Redis.", "It is fast."]),
        ("See fig. 3 there. No. I did not.", ["See fig. 3 there.", "No.", "I did not."]),
        ("Tea, milk etc. and more etc. Then", ["Tea, milk etc. and more etc.", "Then"]),
        ("It took 3.5 s on v1.2.3 of ctx.py.", ["It took 3.5 s on v1.2.3 of ctx.py."]),
        ("Am 5. Mai. I was 10. It rained.", ["Am 5. Mai.", "I was 10.", "It rained."]),
        ("So did I. Then he left.", ["So did I.", "Then he left."]),
        ("Well... maybe. Well... Maybe.", ["Well... maybe.", "Well...", "Maybe."]),
        ('"Really?" she said. "Yes." He left.', ['"Really?" she said.', '"Yes."', "He left."]),
        ("我们决定了。缓存很快！是吗？好", ["我们决定了。", "缓存很快！", "是吗？", "好"]),
        ("「終わり。」と言った。", ["「終わり。」", "と言った。"]),
        ("नमस्ते दुनिया। फिर मिलेंगे।", ["नमस्ते दुनिया।", "फिर मिलेंगे।"]),
        ("مرحبا بالعالم؟ نعم", ["مرحبا بالعالم؟", "نعم"]),
        ("# Plan\n- first. Second\n2. third", ["Plan", "first.", "Second", "third"]),
        ("> [x] done\n* • never", ["done", "never"]),
        ("", []),
        (" \n\t\x00\n- \n", []),
        ("a\x00b \x1b[1mbold", ["ab [1mbold"]),
    ):  # fmt: skip
        assert texts(text) == expected, text


def test_wrapped_prose_is_joined_and_short_lines_are_not() -> None:
    wrapped = "This is a long line that an editor has wrapped at some\nplace in the middle. Next"
    assert texts(wrapped) == [
        "This is a long line that an editor has wrapped at some place in the middle.",
        "Next",
    ]
    assert texts("short\nlines stay") == ["short", "lines stay"]
    assert len(texts("This is a line that is long and that ends where it ends.\nso it is")) == 2
    assert len(texts("This is a line that is long, and the next one is another one\nHeading")) == 2


def test_lines_of_code_are_units() -> None:
    text = "Look:\n```py\nif x. y:\n\n    # a. b\n```\nDone. Bye\n~~~~\n```\nz\n~~~\n~~~~"
    assert list(pieces(text)) == [
        ("Look:", False), ("if x. y:", True), ("# a. b", True), ("Done.", False), ("Bye", False),
        ("```", True), ("z", True), ("~~~", True),
    ]  # fmt: skip


def test_code_on_one_line_opens_no_block() -> None:
    assert list(pieces("```x = 1```\ny")) == [("```x = 1```", False), ("y", False)]


def test_long_sentences_are_cut_between_clauses_else_words_else_characters() -> None:
    clauses = "they went on and on about the cache; " * 10
    assert texts(clauses)[0].endswith("cache;")
    assert len(texts(clauses)[0]) > LONGEST - 40
    words = "word " * 100
    assert {word for text in texts(words) for word in text.split()} == {"word"}
    assert [len(text) for text in texts("x" * 500)] == [240, 240, 20]
    assert [len(text) for text in texts("我" * 100)] == [80, 20]


def test_a_cut_never_parts_a_character_from_its_marks() -> None:
    found = texts("x" + "e\u0301" * 300)
    assert "".join(found) == "x" + "e\u0301" * 300
    assert [text[0] for text in found] == ["x", "e", "e", "e"]


@given(TEXT | st.lists(TEXT, max_size=9).map(" ".join) | st.text("ab .,我。\u0301\n", max_size=900))
def test_pieces_are_short_lines_that_a_file_can_hold(text: str) -> None:
    for piece in texts(text):
        assert piece == piece.strip()
        assert piece
        assert len(piece.splitlines()) == 1
        assert len(piece.encode("utf-8", "replace")) <= LONGEST


@given(st.text("ab .,;?!我。\u0301é", max_size=900))
def test_nothing_of_a_text_is_lost(text: str) -> None:
    assert "".join("".join(texts(text)).split()) == "".join(text.split())


def test_sentences_know_who_said_them() -> None:
    said = [Utterance("Ann", "One. Two."), Utterance("Bob", ""), Utterance("Ann", "Three.")]
    assert sentences(said) == [Sentence(0, "One."), Sentence(0, "Two."), Sentence(2, "Three.")]


def test_of_a_book_only_the_beginning_is_looked_at_and_everybody_is_heard() -> None:
    book = Utterance("Ann", "A sentence. " * 100_000)
    found = sentences([book, Utterance("Bob", "No."), book, book])
    assert [sum(one.utterance == at for one in found) for at in range(4)] == [
        MOST // 4, 1, 300, 300,
    ]  # fmt: skip


def test_a_million_characters_come_to_an_end() -> None:
    for text in (
        "." * 1_000_000, "." + '"' * 1_000_000, "- " * 500_000, "`" * 1_000_000,
        "a b, " * 200_000,
    ):  # fmt: skip
        assert len(sentences([Utterance("Ann", text)])) <= MOST, text


def test_plain_text_can_be_stored_and_shown() -> None:
    assert plain("a\x1b[1m  b\r\n\n\tc\ud800\x85d\n") == "a[1m b\nc?\nd"


@given(TEXT)
def test_plain_text_is_stable(text: str) -> None:
    once = plain(text)
    assert plain(once) == once
    assert once.encode() is not None
