"""The gate and its signals: invariants, and examples that can be checked by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.sessions.promotion.gate import (
    LEAST,
    Parts,
    may_pass,
    novelty,
    of_text,
    passes,
    recurrence,
    saturation,
    says_something,
    score,
    specifics,
    technicality,
)
from ctx.sessions.promotion.prose import (
    BUILT,
    CHANCE,
    CONCRETE,
    EVENT,
    MOST_CHARS,
    RESOLVED,
    TALK,
    TECHNICAL,
    settled,
    turn_text,
    unit,
)
from ctx.sessions.promotion.wording import construction, conversational

UNIT = st.floats(0, 1)
ANY = st.floats(allow_nan=True, allow_infinity=True)
PARTS = st.builds(Parts, *[UNIT] * len(Parts._fields))
ODD = st.builds(Parts, *[ANY] * len(Parts._fields))
COSINES = st.lists(st.floats(-1, 1), max_size=30)
RISING = ("h", "r", "d_nl", "p", "a", "d_tech")


@given(session=COSINES)
def test_an_empty_memory_gives_h_1(session: list[float]) -> None:
    found = Parts().with_cosines([], session)
    assert found.h == 1
    assert found.s == 0
    assert found.r == found.f


@given(session=COSINES, more=COSINES)
def test_saturation_gives_r_0(session: list[float], more: list[float]) -> None:
    found = Parts().with_cosines([0.9, 0.95, 1.0, *more], session)
    assert found.s == 1
    assert found.r == 0


@given(parts=ODD)
def test_g_is_between_its_branches(parts: Parts) -> None:
    low, high = sorted((parts.g_conv, parts.g_tech))
    assert 0 <= low <= score(parts) <= high <= 1
    assert score(parts._replace(t=0.0)) == parts.g_conv
    assert score(parts._replace(t=1.0)) == parts.g_tech


@given(parts=PARTS, field=st.sampled_from(RISING), more=UNIT)
def test_more_of_a_signal_never_lowers_g(parts: Parts, field: str, more: float) -> None:
    raised = parts._replace(**{field: max(getattr(parts, field), more)})
    assert score(raised) >= score(parts)
    assert passes(raised) >= passes(parts)


@given(parts=PARTS)
def test_what_may_not_pass_never_does(parts: Parts) -> None:
    assert may_pass(parts) >= passes(parts)


@given(durable=COSINES, session=COSINES, nearer=st.floats(-1, 1))
def test_another_entry_never_makes_a_turn_recur_more(
    durable: list[float], session: list[float], nearer: float
) -> None:
    assert (
        Parts().with_cosines([*durable, nearer], session).r
        <= Parts().with_cosines(durable, session).r
    )


def test_g_mixes_its_branches_by_t() -> None:
    assert Parts(h=0.5, r=0.25, d_nl=0.8).g_conv == pytest.approx(0.175 + 0.1 + 0.2)
    assert Parts(p=0.5, a=1.0, d_tech=0.2).g_tech == pytest.approx(0.2 + 0.35 + 0.05)
    assert score(Parts(t=0.25, h=1.0, p=1.0)) == pytest.approx(0.75 * 0.35 + 0.25 * 0.40)


def test_the_threshold_is_that_of_the_source() -> None:
    assert LEAST == 0.35
    assert passes(Parts(h=1.0, d_nl=0.2))
    assert not passes(Parts(h=0.8, d_nl=0.2))


def test_novelty_alone_is_not_knowledge() -> None:
    assert score(Parts()) == LEAST
    assert not passes(Parts())
    assert not passes(Parts(d_nl=0.19))


def test_marks_of_technical_turns_count_only_in_technical_turns() -> None:
    assert not says_something(Parts(a=1.0, d_tech=1.0))
    assert says_something(Parts(t=0.1, a=0.2))
    assert says_something(Parts(t=0.1, d_tech=0.2))
    assert not says_something(Parts(t=0.1, p=1.0))


@given(value=ANY)
def test_a_signal_is_a_number_in_bounds(value: float) -> None:
    assert 0 <= unit(value) <= 1


def test_density_is_by_hundred_tokens_of_which_a_short_turn_has_so_many() -> None:
    assert turn_text("word").density(0.5) == 0.5
    long = "some words more. " * 100
    assert 0 < turn_text(long).density(0.5) < 0.25
    assert turn_text("word").density(5) == 1


@given(text=st.text(max_size=300))
def test_signals_of_any_text_are_in_bounds(text: str) -> None:
    assert all(0 <= value <= 1 for value in of_text(text))


def test_t_is_the_weight_of_the_patterns_over_one_and_a_half() -> None:
    for text, kinds in (
        ("```\nx = 1\n```", ["fence"]), ("~~~ sh\nls\n~~~", ["fence"]),
        ("look at src/net/retry.py", ["path"]), ("def retry(times):", ["definition"]),
        ("pub fn retry(times: u8) {", ["definition"]),
        ("export class Retry extends Base {", ["definition"]), ("$ ls -la", ["shell"]),
        ("git commit now", ["shell"]), ("run `pip install x` first", ["shell"]),
        ("see https://example.org/x", ["url"]), ("Traceback (most recent call last):", ["trace"]),
        ("ValueError: odd", ["trace"]), ("    at Object.run (app.js:12)", ["trace", "path"]),
        ("since 3f2a9c1d it works", ["hash"]),
        ("a def of words, a class of people, go there", []),
        ("src/a.py and src/b.py and lib/c.py", ["path"]),
    ):  # fmt: skip
        assert technicality(turn_text(text)) == pytest.approx(
            sum(TECHNICAL[kind] for kind in kinds) / 1.5
        )


def talk(*marks: str) -> float:
    return max(0.0, sum(TALK[mark] for mark in marks) - CHANCE) / (1 - CHANCE)


def test_d_nl_is_what_the_marks_of_a_statement_weigh() -> None:
    for text, marks in (
        ("I prefer tea.", ["preference"]),
        ("Always answer in metres when I ask.", ["preference"]),
        ("I live in Lisbon.", ["fact", "assertion", "name"]),
        ("We use Flask 2.3.", ["fact", "assertion", "number", "name"]),
        ("Turns out the ids are unique per shop.", ["root cause"]),
        ("The actual cause was the clock.", ["root cause"]),
        ("Important lesson: the lock is shared.", ["lesson"]),
        ("Amounts have to be integers.", ["has to"]),
        ("Caches are wiped whenever the app is updated.", ["general"]),
        ("Nothing on the audio thread may allocate.", ["general"]),
        ("Files need a flag, otherwise I reject them.", []),
        ("Carts are no longer kept in Redis.", ["reversed"]),
        ("Instead of Redis the carts now use Postgres.", ["reversed"]),
        ("We decided on tabs.", ["decision", "assertion"]),
        ("My sister has 3 cats.", ["number"]),
    ):
        assert conversational(turn_text(text)) == pytest.approx(talk(*marks)), text


def test_what_happened_counts_less() -> None:
    for text, marks in (
        ("I moved here last year.", ["assertion", "date"]),
        ("I met the team in Lisbon on Monday.", ["assertion", "date", "name"]),
        (
            "I read “The Left Hand” on 2024-05-01.",
            ["assertion", "quotation", "date", "number", "name"],
        ),
        ("昨日、京都で三人の友人に会った。", ["date", "assertion"]),
        ("Ich wohne seit 2020-01-01 hier.", ["date", "number"]),
        ("That must have been hard.", []), ("It's a must-visit!", []),
    ):  # fmt: skip
        assert conversational(turn_text(text)) == pytest.approx(unit(talk(*marks) * EVENT)), text
        assert conversational(turn_text(f"{text} {text}")) == conversational(turn_text(text))


def test_a_lesson_in_a_long_technical_turn_is_found() -> None:
    long = "I look at src/net/retry.py.\n```\nretry()\n```\n" + "Then I read more of it. " * 60
    assert not passes(of_text(long))
    assert passes(of_text(f"{long}Turns out the ids are unique only per shop."))
    assert not passes(of_text(f"{long}Images are loaded only when they are shown."))


def test_what_asks_thanks_or_shows_holds_nothing() -> None:
    for text in (
        "", "Hi! How are you?", "Thanks so much, Anna!", "Wow, that is great!",
        "Did I tell you that I moved to Lisbon last year?",
        "Can you help me plan my trip to Lisbon in May",
        "I'm trying to finish 3 essays by May 12.", "You were in Lisbon on Monday.",
        "The server restarted on Monday.", "- I moved to Lisbon last year.",
        "> I moved to Lisbon last year.", "```\nI moved to Lisbon last year.\n```",
        "[image: I moved to Lisbon last year]", "I was there.", "Never give up!",
        "My family is awesome.", "Our work with Flask 2.3 paid off!", "Don't be afraid.",
        "I can only imagine how hard it must be.", "Turns out she moved away.",
        "It must feel great.", "I'm a fan of Postgres 15!", "I'm stuck with Postgres 15.",
        "I'm getting a 201 for my form.", "We've tried Postgres 15.",
    ):  # fmt: skip
        assert conversational(turn_text(text)) == 0, text


def test_a_preference_counts_even_in_a_request() -> None:
    text = "I prefer plain SQL, can you rewrite this query?"
    assert conversational(turn_text(text)) == pytest.approx(talk("preference"))


def test_long_quotations_are_of_others() -> None:
    speech = "I moved to Lisbon last year. " * 4
    assert conversational(turn_text(f"Write this: “{speech}”")) == 0


def test_one_fact_in_a_long_turn_is_faint() -> None:
    fact, filler = "I live in Lisbon all year.", " It rains a lot in that part of the world."
    assert conversational(turn_text(fact)) > 0.4
    assert 0 < conversational(turn_text(fact + filler * 100)) < 0.1


def test_p_counts_each_distinct_thing_once() -> None:
    for text, kinds in (
        ("in src/net/retry.py", ["path"]), ("in src/net/retry.py and src/net/retry.py", ["path"]),
        ("it says ECONNRESET", ["error"]), ("it says HTTP 503", ["error"]),
        ("a ValueError again", ["error"]), ("GET /users/12 fails", ["endpoint"]),
        ("on localhost:8080", ["endpoint"]), ("call `retry_all` twice", ["identifier"]),
        ("with --dry-run", ["identifier"]), ("plain words only", []),
    ):  # fmt: skip
        assert specifics(turn_text(text)) == pytest.approx(sum(CONCRETE[kind] for kind in kinds))


def test_a_counts_what_was_settled() -> None:
    for text, marks in (
        ("We decided on tabs.", ["decided"]),
        ("The root cause was the pool, fixed now.", ["root cause", "fixed"]),
        ("Merged. Configured the proxy, because it hung.", ["merged", "configured", "because"]),
        ("Was it fixed?", []),
        ("It hangs.", []),
    ):
        assert settled(turn_text(text)) == pytest.approx(
            min(1, sum(RESOLVED[mark] for mark in marks))
        )


def test_d_tech_counts_what_things_are_built_of() -> None:
    for text, marks in (
        ("The token is stored in the cookie.", ["definition"]),
        ("It depends on Flask.", ["dependency"]), ("We use Flask 2.3.1.", ["dependency"]),
        ("All tests pass.", ["test"]), ("Coverage is at 85%.", ["test"]),
        ("Do all tests pass?", []), ("It hangs.", []),
    ):  # fmt: skip
        assert construction(turn_text(text)) == pytest.approx(sum(BUILT[mark] for mark in marks))


def test_h_f_and_s_count_what_is_near() -> None:
    # One minus the mean of the three nearest.
    assert novelty([0.1, 0.5, 0.4, 0.3]) == pytest.approx(0.6)
    assert (novelty([0.5]), novelty([-1.0, -0.5]), novelty([])) == (0.5, 1, 1)
    # Over .80 among the ten nearest, of five.
    assert recurrence([0.81, 0.80, 0.9, 0.2]) == pytest.approx(2 / 5)
    assert (recurrence([0.9] * 12), recurrence([])) == (1, 0)
    # Over .85 among the five nearest, of three.
    assert saturation([0.86, 0.85, 0.1]) == pytest.approx(1 / 3)
    assert (saturation([0.9] * 3), saturation([])) == (1, 0)


def test_knowledge_is_proposed_on_an_empty_memory() -> None:
    for text in (
        "We decided to use PostgreSQL instead of SQLite because of concurrent writers.",
        "The root cause was that `pool_acquire` in src/db/pool.py hung on ECONNRESET. Fixed now.",
        "I've been vegetarian since 2019 and I'm allergic to nuts.",
        "Never push to main without my review.",
        "IMPORTANT: all money is Decimal, not float",
        "Remember: the API key lives in vault, not in the repo.",
        "From now on all timestamps are UTC.",
        "From now on, please run ruff before every commit.",
        "Ab jetzt speichern wir Geld als Decimal.",
        "请记住：API 密钥在 vault 里。",
        "Merged: src/db/pool.py now depends on `psycopg_pool` v3.2, configured with 8 connections.",
    ):
        assert passes(of_text(text)), text


def test_small_talk_and_bare_material_are_not() -> None:
    for text in (
        "Thanks, that helps a lot!",
        "ok",
        "Can you look at src/db/pool.py?",
        "```\ndef f(x):\n    return x\n```",
        "Sure! Let's go through it step by step.",
        "Never mind, I found it",
        "Never mind, I found it yesterday.",
        "I never understood why this works",
        "Seit boto3 4.4.7 kommt ein Fehler in src/exporter/main.py, bitte prüfen",
        "Seit boto3 4.4.7 kommt in unserem Exporter ein Fehler. Bitte prüfen!",
        "升级 boto3 4.4.7 之后 src/a.py 报错了，请检查",
        "自从升级了，我们在昨天报错了，请检查。",
        "Since boto3 4.4.7 src/a.py fails with ValueError. Can you check?",
        "Depuis boto3 4.4.7 nous avons une erreur dans src/a.py, merci de vérifier.",
        "boto3 4.4.7 を入れてから src/a.py でエラーが出ます。確認してください。",
        "Why does src/a.py need boto3 4.4.7",
    ):
        assert not passes(of_text(text)), text


def test_sentences_end_at_stops_of_any_script_and_at_lines() -> None:
    text = "One. Two! 三。四？ Five\nSix"
    assert [one.text for one in turn_text(text).sentences] == [
        "One.", "Two!", "三。", "四？", "Five", "Six",
    ]  # fmt: skip


def test_questions_of_any_script_ask() -> None:
    for text in ("Is it? (really?)", "四？", "هل هذا؟"):
        assert all(one.asks for one in turn_text(text).sentences), text


def test_no_text_takes_for_ever() -> None:
    for piece in ("(", '"I ', "a/", "def ", "I'm ", "[image:", "``", "my \n", "x.y", "— ", "1."):
        found = of_text(piece * (2 * MOST_CHARS // len(piece)))
        assert all(0 <= value <= 1 for value in found)
