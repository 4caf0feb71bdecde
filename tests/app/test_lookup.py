"""Which entry is meant: exact names, words, and the refusal to guess."""

import re
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.app.lookup import NAMED, lookup, one
from ctx.errors import UsageError
from ctx.model import NO_FRONTMATTER, Entry
from ctx.text.levels import short_id


class Nothing:
    """Empty bodies, in which nothing but aliases is looked for."""

    def body(self, place: int) -> str:  # noqa: ARG002 - they are all alike
        return ""

    def terms(self, place: int) -> list[int]:
        raise AssertionError(place)


def entry(name: str, title: str, stamp: str = "", line: int = 1, end: int = 1) -> Entry:
    source = name.partition("#")[0]
    return Entry(
        name, "task", "variant", title, source, line, end, stamp, "", 0, "", "", "", 0, 0,
        NO_FRONTMATTER, Nothing(), 0,
    )  # fmt: skip


LOGIN = entry("TASKS.md#fix-the-login-page", "Fix the login page", line=3, end=5)
LOGOUT = entry("TASKS.md#fix-the-logout-page", "Fix the logout page", line=6, end=6)
LIMIT = entry("TASKS.md#limit-logins", "Limit failed logins")
INDEX = entry("DECISIONS.md#2026-01-31-143000", "Keep the index in SQLite", "2026-01-31-143000")
CARTS = entry("DECISIONS.md#2026-01-31", "Keep carts in Redis", "2026-01-31")
OTHER = entry("decisions/x.md#2026-02-01-090000", "Other", "2026-02-01-090000")
TURN = entry("sessions/a.jsonl#m/1", "so we said")
ALL = [LOGIN, LOGOUT, LIMIT, INDEX, CARTS, OTHER, TURN]


# --- exactly ------------------------------------------------------------------------------


def test_an_exact_name_is_that_entry() -> None:
    for wanted, meant in (
        ("TASKS.md#fix-the-login-page", LOGIN), ("tasks.MD#Fix-the-login-page", LOGIN),
        ("fix-the-login-page", LOGIN), ("#fix-the-login-page", LOGIN),
        ("TASKS.md#fix the login page", LOGIN), ("  Fix the\n login page ", LOGIN),
        ("“Fix the login page”", LOGIN), ("TASKS.md:4", LOGIN), ("TASKS.md:6", LOGOUT),
        ("- [ ] Fix the login page #in-progress #priority:high", LOGIN),
        ("2026-01-31-143000", INDEX), ("2026-01-31 14:30", INDEX), ("2026-01-31T14:30:00Z", INDEX),
        ("[2026-01-31-143000] Keep the index in SQLite", INDEX),
        ("[2026-01-31] Keep the index in SQLite", INDEX), ("DECISIONS.md#2026-01-31", CARTS),
        ("2026-02-01", OTHER), ("sessions/a.jsonl#m%2F1", TURN), ("m/1", TURN),
    ):  # fmt: skip
        assert lookup(wanted, ALL) == [meant]
        assert one(wanted, ALL) is meant
    for wanted in ("2026-01-3", "2026-01", "2026-01-31 15:30", "TASKS.md:99"):
        assert lookup(wanted, ALL) == []


def test_an_alias_names_its_entry_after_titles() -> None:
    front = NO_FRONTMATTER._replace(aliases=("KV", "Sessions of Redis"))
    carts, talk = CARTS._replace(front=front), TURN._replace(kind="turn", front=front)
    assert lookup("kv", [talk, INDEX, carts]) == [carts]
    assert lookup("sessions of  redis", [INDEX, carts]) == [carts]
    titled = entry("a.md#1", "KV")
    assert lookup("KV", [carts, titled]) == [titled]


def test_an_exact_name_comes_before_words() -> None:
    longer = entry("TASKS.md#other-again", "Other again")
    assert lookup("other", [longer, OTHER]) == [OTHER]


def test_a_day_is_a_day_though_it_be_an_id_too() -> None:
    assert lookup("2026-01-31", ALL) == [INDEX, CARTS]
    with pytest.raises(UsageError, match="may be any of 2"):
        one("2026-01-31", ALL)


def test_turns_are_meant_where_no_entry_is() -> None:
    talk = (entry(f"sessions/a.jsonl#{n}", f"Why the login page {n}") for n in "ab")
    turns = [turn._replace(kind="turn") for turn in talk]
    assert one("login page", [*turns, LOGIN]) is LOGIN
    assert one(turns[0].id, [*turns, LOGIN]) is turns[0]
    with pytest.raises(UsageError, match="may be any of 2"):
        one("login page", turns)


def test_a_name_that_two_files_have_is_refused() -> None:
    both = [entry("a.md#x", "One"), entry("b.md#x", "Two")]
    assert lookup("x", both) == both
    with pytest.raises(UsageError) as caught:
        one("x", both)
    assert caught.value.line == "'x' may be any of 2 (name one by its id)"
    assert caught.value.details == ("a.md#x  One", "b.md#x  Two")
    assert str(caught.value) == "\n  ".join((caught.value.line, *caught.value.details))


# --- by words -----------------------------------------------------------------------------


def test_words_find_a_title() -> None:
    for wanted, meant in (
        ("login page", LOGIN), ("page login", LOGIN), ("logout pag", LOGOUT), ("failed", LIMIT),
        ("fixing the login pages", LOGIN),  # by their stems
        ("sqlit", INDEX),  # cut short
        ("sqliet", INDEX),  # two letters swapped
        ("squlite", INDEX),  # one too much
        ("about redis", CARTS),  # words of grammar do not count
    ):  # fmt: skip
        assert one(wanted, ALL) is meant
    # one word is in no title; a letter in a short word makes another word
    for wanted in ("login pages soon", "logn", "sqxxte", "lo", "not", "!?"):
        assert lookup(wanted, ALL) == []


def test_words_of_every_script() -> None:
    for title, wanted in (
        ("決済の再試行", "再試行"), ("결제 다시 시도", "다시"), ("повтор платежа", "платеж"),
        ("सूची बनाओ", "सूची"), ("Größe zählen", "ZÄHLEN"), ("café order", "cafe\u0301"),
        ("Who is who", "who"),  # a word of grammar, where there are no others
    ):  # fmt: skip
        held = [entry("a.md#1", title), entry("a.md#2", "Something else")]
        assert one(wanted, held) is held[0]


def test_best_first() -> None:
    whole, short, wrong = (
        entry(f"a.md#{n}", title)
        for n, title in enumerate(("Import orders", "Importing ordersheets", "Import something"))
    )
    assert lookup("orders import", [wrong, short, whole]) == [whole, short]


# --- refusing to guess --------------------------------------------------------------------


TIES = (
    ("fix page", ["Fix the login page", "Fix the logout page"]),
    ("cache", ["Enable the cache", "Disable the cache"]),
    ("cache results", ["Do not cache results", "Cache all results"]),
    ("import order", ["Import orders daily", "Import order daily"]),
    ("log", ["Log rotation", "Login page"]),
    ("v1 api", ["Drop the v1 API", "Keep the v1 API"]),
    ("retry policy", ["Retry policy for payments", "Retry policy of the nightly import"]),
    ("paymnet", ["Check payment", "Check payments"]),
    ("migraton", ["Migration up", "Migrations down"]),
    ("決済", ["決済の再試行", "決済の中止"]),
    ("deploy", ["Deploy to stage", "Deploy to production"]),
)


def test_near_ties_are_refused_in_any_order() -> None:
    for wanted, titles in TIES:
        held = [entry(f"a.md#{n}", title) for n, title in enumerate(titles)]
        for order in permutations(held):
            with pytest.raises(UsageError, match=rf"may be any of {len(titles)} \(") as caught:
                one(wanted, order)
            assert sorted(caught.value.details) == [f"{one.id}  {one.title}" for one in held]


def test_another_word_is_another_entry() -> None:
    for wanted, title in (
        ("state deploy", "Stage deploy"), ("run tests", "Run texts"), ("v2 api", "Keep the v1 API"),
        ("v1", "Drop v10"), ("v10", "Drop v100"), ("sprints", "Plan sprint2"),
        ("phase 12", "Phase 1"), ("enable cache", "Disable the cache"),
        ("not cache", "Cache results"), ("prefix tokens", "Prefer tokens"),
        ("delete users", "Delete orders"),
    ):  # fmt: skip
        assert lookup(wanted, [entry("a.md#1", title)]) == []


def test_a_word_that_some_title_holds_is_not_mistyped() -> None:
    held = [entry("a.md#1", "Import orders"), entry("a.md#2", "Export borders")]
    assert lookup("export orders", held) == lookup("exprot orders", held) == []
    assert one("export borderz", held) is held[1]


def test_a_word_as_it_is_is_clear_of_a_mistyped_one() -> None:
    held = [entry("a.md#1", "Migrate accounts"), entry("a.md#2", "Migrate acounts now")]
    assert one("migrate accounts", held) is held[0]
    longer = [entry("a.md#1", "Migrate accounts soon"), entry("a.md#2", "Migrate acounts now")]
    assert one("migrate accounts", longer) is longer[0]


def test_a_word_that_is_cut_short_is_clear_of_a_mistyped_one() -> None:
    held = [entry("a.md#1", "List payments"), entry("a.md#2", "List paymints")]
    assert one("list paymen", held) is held[0]


def test_a_refusal_names_five() -> None:
    held = [entry(f"a.md#{n}", f"Deploy to {n}") for n in range(8)]
    with pytest.raises(UsageError) as caught:
        one("deploy", held, "task")
    *named, more = caught.value.details
    assert named == [f"a.md#{n}  Deploy to {n}" for n in range(NAMED)]
    assert more == "… and 3 more"


def test_a_candidate_is_one_line_that_a_terminal_can_show() -> None:
    held = [entry("a.md#1", f"Deploy\n{'x' * 100}"), entry("a.md#2", "Deploy \x1b[2Jnow")]
    with pytest.raises(UsageError) as caught:
        one("deploy", held)
    assert caught.value.details == (f"a.md#1  Deploy {'x' * 72}…", "a.md#2  Deploy \\x1b[2Jnow")


def test_where_nothing_matches_the_nearest_is_named() -> None:
    for wanted, near in (
        ("login pge", "TASKS.md#fix-the-login-page “Fix the login page”"),
        ("DECISIONS.md#2026-01-31-14300", "DECISIONS.md#2026-01-31-143000 “Keep the index in SQL"),
        ("2026-02-01-0900001", "decisions/x.md#2026-02-01-090000 “Other”"),
    ):
        with pytest.raises(UsageError) as caught:
            one(wanted, ALL, "task")
        assert str(caught.value).startswith(f"no task matches '{wanted}' (nearest: {near}")
    with pytest.raises(UsageError) as caught:
        one("xylophone", ALL)
    assert str(caught.value) == (
        "no entry matches 'xylophone' (`ctx search` looks into texts, too)"
    )
    for wanted in ("", " \n"):
        assert lookup(wanted, ALL) == []
        with pytest.raises(UsageError, match="no task is named"):
            one(wanted, ALL, "task")


# --- for any titles -----------------------------------------------------------------------

_WORDS = ["fix", "the", "login", "logout", "page", "pages", "cache", "caching", "v1", "v2",
          "import", "imports", "order", "not", "決済", "é"]  # fmt: skip
_TITLES = st.lists(
    st.lists(st.sampled_from(_WORDS), min_size=1, max_size=4).map(" ".join),
    min_size=1,
    max_size=6,
    unique=True,
)


@given(_TITLES, st.data())
def test_who_names_a_title_never_gets_another_one(titles: list[str], data: st.DataObject) -> None:
    held = [entry(f"a.md#x{n}", title) for n, title in enumerate(titles)]
    wanted = data.draw(st.sampled_from(held))
    assert one(wanted.title, held) is wanted
    assert one(wanted.id, held) is wanted


@given(_TITLES, st.text("filogncahe v12", min_size=1, max_size=12))
def test_an_answer_is_the_first_found_and_holds_every_word(titles: list[str], wanted: str) -> None:
    held = [entry(f"a.md#x{n}", title) for n, title in enumerate(titles)]
    found = lookup(wanted, held)
    assert len({name.id for name in found}) == len(found)
    try:
        meant = one(wanted, held)
    except UsageError:
        return
    assert meant is found[0]
    for word in re.findall(r"\d\w*|\w*\d", wanted):
        assert word in meant.title


def test_a_number_of_packets_or_its_first_six_digits_name_an_entry() -> None:
    wanted, other = LOGIN, LIMIT
    number = short_id(wanted.id)
    for given_ in (number, number[:6], short_id(wanted.id, 18)):
        assert lookup(given_, [other, wanted]) == [wanted]
    assert lookup(number[:5], [other, wanted]) == []
