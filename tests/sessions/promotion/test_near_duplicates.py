"""Near-duplicates: by words, then by meaning, each with the entry that says it already."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.sessions.promotion.near_duplicates import NearDuplicate, NearDuplicates
from ctx.text.similarity import differ, features
from ctx.text.vector_space import TermSpace

TABS = "We decided to indent with tabs in all of the projects."


class _Vectors:
    def __init__(self, cosines: Sequence[Sequence[float]]) -> None:
        self._cosines = cosines

    def __len__(self) -> int:
        return len(self._cosines)

    def cosines(self, at: int) -> Sequence[float]:
        return self._cosines[at]

    def to_mean(self, places: Sequence[int]) -> Sequence[float]:
        raise NotImplementedError(places)


class _Space:
    """One in which the texts have the cosines that a test says."""

    name = "of a test"

    def __init__(self, *cosines: Sequence[float]) -> None:
        self._cosines = cosines

    def of(self, texts: Sequence[str], known: int | None = None) -> _Vectors:
        assert known is None
        assert len(texts) == len(self._cosines)
        return _Vectors(self._cosines)


def test_the_same_words_in_another_order_and_case_are_a_twin() -> None:
    text = "with TABS, we decided to indent: in all of the projects!"
    found = NearDuplicates([("D.md#1", "Other."), ("D.md#2", TABS)], [text], TermSpace()).of(0)
    assert found == NearDuplicate("D.md#2", "words", 1.0)


def test_words_in_a_page_about_something_else_are_none() -> None:
    page = TABS + " And many more words about whatever else was said on that day." * 5
    assert NearDuplicates([("D.md#1", page)], [TABS], TermSpace()).of(0) is None


def test_the_same_meaning_in_other_words_is_a_twin_over_the_hit_of_s() -> None:
    held = [("D.md#1", "one"), ("D.md#2", "two")]
    near = _Space([], [], [0.2, 0.86, 1.0])
    assert NearDuplicates(held, ["three"], near).of(0) == NearDuplicate("D.md#2", "meaning", 0.86)
    assert NearDuplicates(held, ["three"], _Space([], [], [0.2, 0.85, 1.0])).of(0) is None


def test_what_is_accepted_is_an_entry_from_then_on() -> None:
    near = NearDuplicates([], [TABS, TABS], TermSpace())
    assert near.of(1) is None
    near.accept(0, "D.md#9")
    assert near.of(1) == NearDuplicate("D.md#9", "words", 1.0)


def test_texts_without_words_are_no_twins() -> None:
    assert NearDuplicates([("D.md#1", "!!!")], ["???"], TermSpace()).of(0) is None


# --- what keeps texts apart ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("We decided to use PostgreSQL 15 here", "We decided NOT to use PostgreSQL 15 here"),
        ("We decided to use PostgreSQL 15 here", "We decided to use PostgreSQL 16 here"),
        ("pin jinja2 to 1.6.3 in refunds", "pin httpx to 1.8.1 in exporter"),
        ("Push to main on Fridays", "Never push to main on Fridays"),
        ("Push to main on Fridays", "Don\u2019t push to main on Fridays"),
        ("There is a retry in orders", "There is no retry in orders"),
        ("Wir nutzen hier Redis", "Wir nutzen hier kein Redis"),
        ("Wir nutzen hier Redis", "Wir nutzen hier Redis nicht"),
        ("Nous utilisons Redis ici", "Nous n'utilisons pas Redis ici"),
        ("Мы используем Redis", "Мы не используем Redis"),
        ("我们使用 Redis", "我们不使用 Redis"),
        ("Redisを使います", "Redisを使いません"),
        ("Use Redis, not Postgres", "Use Postgres, not Redis"),
        ("Prefer tabs over spaces", "Prefer spaces over tabs"),
        ("The fix is in src/net/retry.py", "The fix is in src/net/pool.py"),
        ("Call `retry_all` in orders", "Call `retry_one` in orders"),
        ("Ask Mira before you deploy", "Ask Jonas before you deploy"),
        ("Guests are allowed in all shops", "Guests are disallowed in all shops"),
        ("Indent with tabs in all projects", "Indent with spaces in all projects"),
    ],
)
def test_what_denies_counts_names_or_swaps_otherwise_is_no_twin(one: str, two: str) -> None:
    near = _Space([1.0, 1.0], [1.0, 1.0])
    for held, text in ((one, two), (two, one)):
        assert NearDuplicates([("D.md#1", held)], [text], TermSpace()).of(0) is None
        assert NearDuplicates([("D.md#1", held)], [text], near).of(0) is None


def test_what_is_only_written_otherwise_does_not_differ() -> None:
    for one, two in (
        ("Don't push to main", "do not push to MAIN!"),
        ("Use `PostgreSQL` 15.", "use postgresql 15"),
        ("We chose oak.", "Quite another way to say that"),
    ):
        assert not differ(features(one), features(two)), one


def test_behind_a_twin_that_differs_the_next_one_is_found() -> None:
    held = [("D.md#1", f"{TABS} Not."), ("D.md#2", TABS)]
    assert NearDuplicates(held, [TABS], TermSpace()).of(0) == NearDuplicate("D.md#2", "words", 1.0)


SOME = "we use not no Redis tabs 15 1.6.3 src/a.py over 不 kein"
WORDS = st.lists(st.sampled_from(SOME.split()))


@given(one=WORDS, two=WORDS)
def test_differing_is_symmetrical_and_nothing_differs_from_itself(
    one: list[str], two: list[str]
) -> None:
    first, second = features(" ".join(one)), features(" ".join(two))
    assert differ(first, second) == differ(second, first)
    assert not differ(first, first)


@given(text=st.text(max_size=500))
def test_any_text_has_particulars(text: str) -> None:
    assert not differ(features(text), features(text))
