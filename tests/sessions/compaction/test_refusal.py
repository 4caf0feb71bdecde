"""Refusals: each reason by an example that it refuses, and by what it must let pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.model import Cluster, Utterance
from ctx.sessions.compaction import refusal
from ctx.sessions.compaction.abstractive import prompt
from ctx.sessions.compaction.refusal import (
    REASONS,
    Offer,
    copies,
    drifts,
    leaks,
    nothing,
    repeats,
    strays,
)
from tests.sessions.compaction.talk import CLUSTERS, FAITHFUL, TALK, TEXT

TOLD = prompt(TALK, 30).instructions
CHINESE = Cluster(
    (
        Utterance("小明", "我们在星期三的会议上决定把缓存令牌的时间从三十分钟改为五分钟。"),
        Utterance("小红", "因为登录太慢了，柏林的同事都在抱怨。我来写迁移脚本。"),
    )
)
RUSSIAN = Cluster(
    (
        Utterance("Анна", "Мы решили хранить токены в кэше пять минут вместо тридцати."),
        Utterance("Борис", "Хорошо, я напишу миграцию до пятницы."),
    )
)


def offer(text: str, cluster: Cluster = TALK, align: float = 0.9) -> Offer:
    return Offer(text, cluster, TOLD, align)


def test_the_order_of_the_reasons() -> None:
    assert (nothing, leaks, repeats, copies, strays, drifts) == REASONS


@pytest.mark.parametrize("text", ["", " \n", "...!", "🙂"])
def test_what_has_no_words_is_refused(text: str) -> None:
    assert nothing(offer(text)) == "empty: it holds no words"
    assert refusal.refusal(offer(text)) == "empty: it holds no words"


@pytest.mark.parametrize("text", ["a", "决", "7"])
def test_one_word_is_something(text: str) -> None:
    assert nothing(offer(text)) == ""


def test_what_repeats_the_instructions_is_refused() -> None:
    text = f"{FAITHFUL} Use the language that most of the turns are written in."
    assert leaks(offer(text)) == "leaked: it repeats the instructions"
    assert leaks(offer(FAITHFUL)) == ""


def test_five_words_of_the_instructions_may_be_chance_and_six_are_not() -> None:
    assert leaks(offer("We use the language that most prefer")) == ""
    assert leaks(offer("We use the language that most of all prefer")) != ""


def test_instructions_that_the_turns_repeat_are_not_leaked() -> None:
    text = "Use the language that most of the turns are written in."
    assert leaks(offer(text, Cluster((Utterance("Ann", f"It says: {text}"),)))) == ""


@pytest.mark.parametrize(
    "text",
    [
        "The cache is slow. It is. The cache is slow. It is. The cache is slow.",
        "tokens in the cache " * 5,
        "缓存令牌的时间" * 5,
        "the the the the the the the the the the the",
    ],
)
def test_what_goes_round_in_circles_is_refused(text: str) -> None:
    assert repeats(offer(text)).startswith("repetitive: ")


@pytest.mark.parametrize(
    "text",
    [
        FAITHFUL,
        "The cache is slow. Yes. The cache is slow.",
        "ha ha ha",
        CHINESE.utterances[0].text,
        RUSSIAN.utterances[0].text,
        "Ann has 3 cats, Bob has 3 dogs, Dana has 3 birds, and Eve has 3 fish.",
    ],
)
def test_what_says_a_thing_twice_is_not(text: str) -> None:
    assert repeats(offer(text)) == ""


def test_most_of_the_turns_word_for_word_is_refused() -> None:
    text = " ".join(one.text for one in TALK.utterances[:5])
    assert copies(offer(text)) == "copied: it is most of the turns, word for word"


def test_a_few_sentences_word_for_word_are_not() -> None:
    assert copies(offer(TALK.utterances[3].text)) == ""


def test_as_many_words_of_its_own_are_not_copied() -> None:
    turns = Cluster((Utterance("Ann", "We keep tokens for five minutes, as login is slow."),))
    assert copies(offer("Tokens live five minutes from now on: login was too slow.", turns)) == ""


@pytest.mark.parametrize(
    ("text", "cluster"),
    [
        ("Die Anmeldung war langsam, deshalb leben Marken nun kürzer.", TALK),
        ("Wir sprachen über Fußball und Wetter.", TALK),
        ("They decided to keep cached tokens for five minutes.", CHINESE),
        ("They decided to keep cached tokens for five minutes.", RUSSIAN),
        ("今天天气很好，我们去公园散步吃饭看电影。", TALK),
        ("今天天气很好，去公园散步吃饭看电影。", CHINESE),
    ],
)
def test_other_words_than_those_of_the_turns_are_refused(text: str, cluster: Cluster) -> None:
    assert strays(offer(text, cluster)).startswith("strayed: ")


def test_strange_words_are_counted() -> None:
    text = "Football weather, tokens"
    assert strays(offer(text)) == "strayed: 2 of its 3 words are not in the turns"
    assert strays(offer("Football tokens")) == ""  # half is not most


@pytest.mark.parametrize(
    ("text", "cluster"),
    [
        (FAITHFUL, TALK),
        ("会议决定缓存令牌改为五分钟，因为登录慢；小红写迁移脚本。", CHINESE),
        ("Токены теперь хранятся в кэше пять минут. Борис пишет миграцию к пятнице.", RUSSIAN),
        ("Токенам кэша пятницу миграцией", RUSSIAN),
        ("Anna: nothing", TALK._replace(before="Nothing from Anna")),
        ("Bob, Ann", Cluster((Utterance("Ann", "hi"), Utterance("Bob", "hi")))),
    ],
)
def test_the_words_of_the_turns_in_other_forms_pass(text: str, cluster: Cluster) -> None:
    assert strays(offer(text, cluster)) == ""


@pytest.mark.parametrize(
    ("align", "expected"),
    [
        (0.41, "drifted: alignment 0.41 under 0.65"),
        (0.6499, "drifted: alignment 0.64 under 0.65"),
        (-0.2, "drifted: alignment -0.20 under 0.65"),
        (0.65, ""),
        (1.0, ""),
    ],
)
def test_what_points_elsewhere_is_refused(align: float, expected: str) -> None:
    assert drifts(offer(FAITHFUL, align=align)) == expected
    assert refusal.refusal(offer(FAITHFUL, align=align)) == expected


@given(TEXT, CLUSTERS, st.floats(-1, 1))
def test_reasons_are_short_lines_and_the_first_one_counts(
    text: str, cluster: Cluster, align: float
) -> None:
    judged = Offer(text, cluster, TOLD, align)
    reasons = [reason(judged) for reason in REASONS]
    for reason in filter(None, reasons):
        assert len(reason) < 80
        assert len(reason.splitlines()) == 1
    assert refusal.refusal(judged) == next(filter(None, reasons), "")
