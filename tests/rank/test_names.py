"""What a query names, and words that are searched under another form."""

import pytest

from ctx.model import Entry, Frontmatter
from ctx.rank import fields
from ctx.rank.names import glossed, named
from ctx.rank.spelling import corrected
from ctx.store.words import Lexicon
from tests.rank.hands import Hand, Work, find, titles, turn
from tests.read.samples import entry


def _lexicon(*entries: Entry) -> Lexicon:
    lexicon = Lexicon("", "")
    lexicon.refresh([Hand(entries)], fields)
    return lexicon


def _titled(*names: str) -> list[Entry]:
    return [entry(name, f"Text {number}.") for number, name in enumerate(names)]


# --- parts and beginnings ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "body"),
    [
        ("user name", "It calls getUserName."), ("getUserName", "the name of the user: get it"),
        ("getusername", "It calls getUserName."), ("retry policy", "see retry_policy"),
        ("retryPolicy", "see retry_policy"), ("net retry", "in src/net/retry.py"),
        ("join", "by os.path.join"), ("1.2.3", "since v0 and 1.2.3"), ("sql", "in PostgreSQL"),
        ("postgres", "PostgreSQL holds it"), ("authenticat", "Authentication by mail"),
        ("cafe", "le Café noir"), ("Café", "the cafe"), ("Lodz", "in Łódź"), ("naïve", "naive"),
        ("Strasse", "die Straße"), ("приём", "прием"), ("決済", "決済の設定"),
    ],
)  # fmt: skip
def test_a_word_is_found_by_its_parts_its_beginning_and_without_accents(
    query: str, body: str
) -> None:
    parts = [Hand([entry("Zebra", "Nothing of it."), entry("This", body), entry("Lion", "Else.")])]
    for ranker in ("lexical", "hybrid", "discovery"):
        assert titles(find(parts, query, by=ranker))[:1] == ["This"]


def test_an_inflected_word_finds_what_is_derived_from_it() -> None:
    parts = [Hand([entry("Renewal", "The cert expires"), entry("Audit", "A case of leakage")])]
    assert titles(find(parts, "a case that leaked")) == ["Audit"]


def test_in_sessions_of_work_an_unknown_word_finds_its_abbreviation() -> None:
    turns = [turn("The cert expires", number=1), turn("Work over there", number=2)]
    worked = Work([*turns, turn("[tool_use Bash] ls", number=3)], {2})
    assert [one.entry.id for one in find([worked], "expired certificate")][:1] == [turns[0].id]
    assert find([worked], "workshop overflow") == []
    assert find([Hand([entry("Work", "The cert is old")])], "certificate expiry") == []


def test_what_is_no_beginning_is_not_found() -> None:
    parts = [Hand([entry("This", "PostgreSQL and 20260101")])]
    for query in ("pos", "ostgres", "2026", "postgresqlx"):
        assert find(parts, query) == []


def test_a_word_itself_goes_before_one_that_begins_so() -> None:
    parts = [Hand([entry("Later", "configurations"), entry("First", "config"), entry("Z", "none")])]
    assert titles(find(parts, "config")) == ["First", "Later"]


def test_the_whole_identifier_goes_before_its_parts() -> None:
    bodies = ("The key does not match.", "Call MatchKey.", "A match and a key.")
    parts = [Hand([entry(f"T{number}", body) for number, body in enumerate(bodies)])]
    for query in ("match key", "MatchKey", "matchkey"):
        assert titles(find(parts, query))[0] == "T1"


# --- mistyped words ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "instead"),
    [
        ("postgers", "postgres"), ("postgre", ""), ("Posgres", ""), ("postgress", "postgres"),
        ("poostgres", "postgres"), ("opstgres", ""), ("the refnud of postgres", "refund"),
        ("refunds", ""), ("refu", ""), ("rfund", ""), ("cart", ""), ("carp", "cart"), ("cap", ""),
        ("v10x", ""), ("encyrpt", "encrypt"), ("encr", ""), ("bake sourdough carp", ""),
        ("carp sourdough", ""), ("refund the carp", "cart"), ("決済", ""), ("", ""),
        (" ".join(f"word{n}" for n in range(40)) + " carp", ""),
    ],
)  # fmt: skip
def test_a_word_that_nothing_holds_is_taken_for_one_a_letter_away(query: str, instead: str) -> None:
    lexicon = _lexicon(entry("Refund", "cart Postgres encryption"), entry("Cards", "cart posgrest"))
    text, corrections = corrected(query, lexicon)
    assert [new for _, new in corrections] == [instead] * bool(instead)
    assert (text != query) == bool(instead)
    assert all(old in query and new in text for old, new in corrections)


def test_the_most_frequent_of_several_words_is_taken() -> None:
    lexicon = _lexicon(entry("carts", "card"), entry("cart"), entry("carb"))
    assert corrected("care carx", lexicon) == ("cart cart", (("care", "cart"), ("carx", "cart")))


# --- names ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("carts live in the database", {0}), ("do carts live in the database now", {0}),
        ("Cart lives in databases", {0}), ("the database", set()), ("carts", set()),
        ("PostgreSQL", {1}), ("why did we choose PostgreSQL", {1}), ("overview", {2}),
        ("the overview", {2}), ("an overview of carts", set()), ("", set()), ("of the", set()),
        ("pg", {3}), ("what of the elephant", {3}), ("elephant", {3}), ("big elephant", set()),
        ("store", {4}), ("said hello", set()),
    ],
)  # fmt: skip
def test_an_entry_is_named_by_its_title_or_an_alias(query: str, found: set[int]) -> None:
    entries = [
        *_titled("Carts live in the database", "PostgreSQL", "Overview"),
        entry("Where rows are", "**Also called**: pg, the elephant"),
        entry("Ledger", "x")._replace(front=Frontmatter(aliases=("store",))),
    ]
    turns = Hand([turn("said hello")])
    parts = [Hand(entries), turns]
    lexicon = Lexicon("", "")
    lexicon.refresh(parts, fields)
    assert named(parts, query, lexicon) == found


def test_the_glossary_gives_other_names() -> None:
    parts = [Hand([*_titled("PostgreSQL", "Message broker"), entry("Else", "a message, a broker")])]
    lexicon = Lexicon("", "")
    lexicon.refresh(parts, fields)
    groups = [("pg", "PostgreSQL"), ("MQ", "message broker")]
    for query, found in (
        ("pg", {0}),
        ("why no MQ", {1}),
        ("mq and pg", {0, 1}),
        ("message", set()),
    ):
        both = glossed(lexicon, query, groups)
        assert named(parts, query, both, groups) == found
        stems = [stem for name in query.split() for stem in [name.lower()]]
        held = {at for stem in stems for at, _ in both.holding(stem)}
        assert found <= held
        assert query == "message" or 2 not in held  # which holds the words, and not the name


def test_what_is_named_comes_first_and_is_marked() -> None:
    many = [entry(f"About {n}", "pg pg pg and the reasons for pg") for n in range(30)]
    parts = [
        Hand([*many, entry("Database", "Long text of many other words.\n\n**Also called**: pg")])
    ]
    for ranker in ("lexical", "hybrid", "discovery"):
        for most in (1, 5, None):
            found = find(parts, "pg", by=ranker, named=frozenset({30}), most=most)
            assert found[0].entry.title == "Database"
            assert [one.named for one in found] == [True] + [False] * (len(found) - 1)


@pytest.mark.parametrize(("more", "is_named"), [(0, True), (2, True), (3, False), (5_000, False)])
def test_a_question_about_more_than_a_name_mentions_it(more: int, is_named: bool) -> None:
    query = " ".join(["is there a big elephant", *(f"word{number}" for number in range(more))])
    big = entry("Big elephant", "x")
    assert named([Hand([big])], query, _lexicon(big)) == (frozenset({0}) if is_named else set())
