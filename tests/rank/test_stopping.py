"""What is relevant at all, and where to stop: the same in directories of any size."""

import pytest

from ctx.model import Question, Scored
from ctx.rank.corpus import Corpus
from ctx.rank.stopping import Judged, Relevant, stopped
from tests.rank.hands import TODAY, Hand, Told, find, titles, turn
from tests.read.samples import entry

SHOP = [
    ("Sign payment callbacks", "The provider repeats a callback until it is answered."),
    ("Carts live in the database", "A cookie was too small for them."),
    ("Refunds are bookings", "A refund points to the payment it returns."),
    ("Render pages on the server", "The browser gets plain markup."),
    ("Let the search engine fold accents", "Two dictionaries, one a language."),
]
NOTES = [entry(title, body, source="D.md") for title, body in SHOP]
OTHERS = [
    entry(f"Shelf {number}", f"Paint hall {number} blue.", source="S.md") for number in range(60)
]
OFF = (
    "how is sourdough bread baked",
    "wie lange muss Grünkohl kochen",
    "熊猫吃什么竹子",
    "pourquoi la mer est-elle salée",
)


def _found(
    query: str,
    count: int = 5,
    others: int = 0,
    *,
    near: Told | None = None,
    least: float | None = None,
) -> list[Scored]:
    return find([Hand([*NOTES[:count], *OTHERS[:others]])], query, near=near, least=least)


@pytest.mark.parametrize(("count", "others"), [(1, 0), (5, 0), (5, 60)])
@pytest.mark.parametrize("query", OFF)
def test_a_question_about_something_else_finds_nothing(query: str, count: int, others: int) -> None:
    assert _found(query, count, others) == []
    assert find([Hand([turn(body, number=n) for n, (_, body) in enumerate(SHOP)])], query) == []


@pytest.mark.parametrize(("count", "others"), [(1, 0), (5, 0), (5, 60)])
@pytest.mark.parametrize(
    "query", ["callback", "payment callbacks", "how do we sign a payment callback?"]
)
def test_what_answers_is_found_in_a_directory_of_any_size(
    query: str, count: int, others: int
) -> None:
    found = _found(query, count, others)
    assert titles(found) == ["Sign payment callbacks"]
    assert found[0].relevance > 0.8


def test_it_stops_where_entries_answer_less() -> None:
    every = titles(_found("payment callback", least=0.0))
    assert {"Sign payment callbacks", "Refunds are bookings"} <= set(every)
    assert titles(_found("payment callback")) == ["Sign payment callbacks"]
    least = next(
        one.relevance
        for one in _found("payment callback", least=0.0)
        if "Refunds" in one.entry.title
    )
    assert "Refunds are bookings" in titles(_found("payment callback", least=least))
    assert "Refunds are bookings" not in titles(_found("payment callback", least=least + 0.01))


@pytest.mark.parametrize("by", ["lexical", "hybrid", "discovery"])
def test_the_rest_follows_by_relevance_with_score_0(by: str) -> None:
    found, *rest = find([Hand([*NOTES, *OTHERS])], "payment callback", by=by, rest=True)
    assert found.entry.title == "Sign payment callbacks"
    assert found.score > 0
    assert titles(rest) == ["Refunds are bookings"]
    assert rest[0].score == 0 < rest[0].relevance < found.relevance


def test_the_longer_a_text_the_later_it_stops() -> None:
    corpus = Corpus([Hand(NOTES)])
    found = {0: Relevant(1.0, (), 1.0, 1.0), 1: Relevant(0.5, (), 0.5, 0.6)}
    question = Question("", (), TODAY)
    for breadth, kept in ((1.0, [0]), (0.5, [0, 1])):
        assert [*stopped(corpus, found, Judged({}, (), 1.0, breadth), question)] == kept
    body = " ".join(body for _, body in SHOP)
    numbers = " ".join(map(str, range(12)))
    assert len(_found(body, others=60)) < len(_found(f"{body} {numbers}", others=60))


def test_of_a_list_of_keywords_each_entry_answers_one() -> None:
    found = titles(_found("cookie, callback, markup, dictionaries"))
    assert len(found) == 4
    assert titles(_found("cookie, sourdough, bread, oven")) == []


def test_a_list_may_hold_a_word_that_nobody_wrote_and_a_question_may_not() -> None:
    assert titles(_found("callback payment frobnicate")) == ["Sign payment callbacks"]
    assert titles(_found("carts frobnicate oven")) == []
    assert titles(_found("what is the payment of a sourdough?")) == []
    both = [entry("Later", "configurations"), entry("First", "config"), entry("Z", "none")]
    assert titles(find([Hand(both)], "config")) == ["First", "Later"]


def test_a_question_about_a_guess_alone_finds_nothing() -> None:
    guessed = frozenset(["cookie"])
    carts = ["Carts live in the database"]
    assert titles(find([Hand(NOTES)], "cookie", guessed=guessed)) == carts
    assert titles(find([Hand(NOTES)], "what is a cookie", guessed=guessed)) == []
    assert titles(find([Hand(NOTES)], "what is a cookie for carts", guessed=guessed)) == carts


def test_of_entries_that_answer_alike_the_ones_about_it_are_found() -> None:
    body = " ".join(f"step{number}" for number in range(80))
    long = [entry(f"Plan {number}", f"cart {body} {number}") for number in range(3)]
    found = titles(find([Hand([*NOTES, *long])], "where does the cart live?"))
    assert found == ["Carts live in the database"]


def test_a_question_without_a_subject_is_refused_nothing() -> None:
    notes = [entry("Blue", "We decided to paint it."), entry("Red", "Nobody asked.")]
    assert titles(find([Hand(notes)], "what did we decide?")) == ["Blue"]


def test_common_words_are_no_evidence_but_may_be_searched_alone() -> None:
    assert titles(_found("was sourdough too small for it?")) == []
    assert titles(_found("until")) == ["Sign payment callbacks"]


def test_turns_answer_together() -> None:
    talk = ["Where is the blue ledger?", "In the attic.", "Thanks!", *["Something else."] * 9]
    parts = [Hand([turn(text, number=number) for number, text in enumerate(talk)])]
    found = {one.entry.body: one.relevance for one in find(parts, "the blue ledger")}
    assert set(talk[:3]) <= set(found)
    assert "Something else." not in list(found)[:3]
    assert found[talk[0]] > found[talk[2]] > 0


def test_whoever_is_named_is_relevant() -> None:
    turns = [turn("I sold it.", speaker="Mira", number=0), turn("Why?", speaker="Jon", number=1)]
    found = find([Hand(turns)], "What hobby does Mira have?")
    assert found[0].entry.speaker == "Mira"
    assert find([Hand(turns)], "What hobby does Pavel have?") == []


def test_meaning_that_is_nearer_than_chance_is_enough() -> None:
    near = Told([0.9, *[0.1] * 4])
    assert titles(_found("what nobody wrote", near=near)) == ["Sign payment callbacks"]
    assert _found("what nobody wrote", near=Told([0.0] * 5)) == []
