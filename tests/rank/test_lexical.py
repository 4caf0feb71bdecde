"""Words alone: what is found, and what its score says."""

import pytest
from hypothesis import given, settings

from ctx.rank.relevance import WEIGHTS
from tests.rank.hands import Asked, Hand, Told, check, corpora, find, titles, turn
from tests.read.samples import entry

BY = "lexical"


@settings(max_examples=60)
@given(corpora())
def test_scores_and_parts_are_in_0_1_whatever_is_asked(asked: Asked) -> None:
    found = check(asked, BY)
    if found and not (asked.per_token and asked.most):  # then a long one may be cut off
        assert max(result.score for result in found) == 1.0
    assert {name for one in found for name, _ in one.parts} <= {"similarity", *WEIGHTS}


@settings(max_examples=30)
@given(corpora())
def test_meaning_and_counts_change_nothing(asked: Asked) -> None:
    assert asked._replace(near=None, acc={}).found(BY) == asked.found(BY)


def test_what_holds_the_word_comes_before_what_stands_beside_it() -> None:
    said = ("One", "Zebra", "Two", *"abcdefgh")
    parts = [Hand([entry(title, title, kind="turn", source="s.jsonl") for title in said])]
    found = find(parts, "zebra", by=BY)
    assert titles(found)[0] == "Zebra"
    assert {"One", "Two"} <= set(titles(found))


def test_only_talk_is_about_what_stands_beside_it() -> None:
    parts = [Hand([entry(title) for title in ("One", "Zebra", "Two", *"abcdefgh")])]
    assert titles(find(parts, "zebra", by=BY)) == ["Zebra"]


def test_a_query_that_no_entry_has_a_word_of_finds_nothing() -> None:
    for query in ("", "  \n", "!!! … ---", "🎉", "\x00", "never-written"):
        assert find([Hand([entry("Cache"), entry("Retry")])], query, by=BY) == [], query


def test_stop_words_are_looked_for_where_there_is_nothing_else() -> None:
    parts = [Hand([entry(str(n), body, source=f"{n}.md")]) for n, body in enumerate("abc")]
    parts.append(Hand([entry("Title", "to be or not to be", source="z.md")]))
    assert titles(find(parts, "to be or not", by=BY))[0] == "Title"


def test_a_word_that_many_hold_still_finds_them_all() -> None:
    for by in ("lexical", "hybrid", "discovery"):
        parts = [
            Hand([entry("Zebra", "short", source="a.md")]),
            Hand(
                [
                    entry(
                        "Zebra", "and a good deal more than the other one has to say", source="b.md"
                    )
                ]
            ),
        ]
        assert len(find(parts, "zebra", by=by)) == 2, by


@pytest.mark.parametrize("by", ["lexical", "hybrid", "discovery"])
def test_equal_entries_stand_in_the_order_of_the_files(by: str) -> None:
    parts = [Hand([entry("Zebra", source=f"{name}.md") for _ in range(3)]) for name in "ab"]
    parts.append(Hand([entry(f"Other {n}", source="z.md") for n in range(30)]))
    found = find(parts, "zebra", by=by)[:6]
    assert [one.entry.source for one in found] == ["a.md"] * 3 + ["b.md"] * 3
    assert len({one.score for one in found}) == 1


def test_a_shorter_entry_comes_first_where_tokens_are_the_budget() -> None:
    others = [entry(f"Other {n}", source="o.md") for n in range(9)]
    long = entry("Zebra long", "zebra zebra zebra", source="a.md", size=5_000)
    short = entry("Zebra short", "zebra and more", source="b.md", size=5)
    parts = [Hand([long]), Hand([short]), Hand(others)]
    assert titles(find(parts, "zebra", by=BY, per_token=False))[:2] == ["Zebra long", "Zebra short"]
    assert titles(find(parts, "zebra", by=BY, per_token=True))[:2] == ["Zebra short", "Zebra long"]


def test_an_embedder_is_not_asked() -> None:
    class Refusing(Told):
        def similarities(self, query: str) -> list[float]:
            raise AssertionError(query)

    assert find([Hand([turn("zebra")])], "zebra", by=BY, near=Refusing([]))
