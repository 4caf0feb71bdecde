"""Which summaries are refused, and how good those are that are not."""

from collections.abc import Sequence
from math import inf, log, nan, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.model import Cluster, Utterance, Vectors
from ctx.sessions.compaction import refusal
from ctx.sessions.compaction.abstractive import prompt
from ctx.sessions.compaction.refusal import (
    LAMBDA,
    REASONS,
    TAU,
    Offer,
    align,
    confidence,
    copies,
    cover,
    drifts,
    leaks,
    nothing,
    repeats,
    strays,
)
from tests.sessions.compaction.talk import CLUSTERS, FAITHFUL, TALK, TEXT

# --- refusals ----------------------------------------------------------------------------

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


def test_what_has_no_words_is_refused() -> None:
    for text in ("", " \n", "...!", "🙂"):
        assert nothing(offer(text)) == "empty: it holds no words", text
        assert refusal.refusal(offer(text)) == "empty: it holds no words", text


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


def test_what_goes_round_in_circles_is_refused() -> None:
    for text in (
        "The cache is slow. It is. The cache is slow. It is. The cache is slow.",
        "tokens in the cache " * 5,
        "缓存令牌的时间" * 5,
        "the the the the the the the the the the the",
    ):
        assert repeats(offer(text)).startswith("repetitive: "), text


def test_what_says_a_thing_twice_is_not() -> None:
    for text in (
        FAITHFUL,
        "The cache is slow. Yes. The cache is slow.",
        "ha ha ha",
        CHINESE.utterances[0].text,
        RUSSIAN.utterances[0].text,
        "Ann has 3 cats, Bob has 3 dogs, Dana has 3 birds, and Eve has 3 fish.",
    ):
        assert repeats(offer(text)) == "", text


def test_most_of_the_turns_word_for_word_is_refused() -> None:
    text = " ".join(one.text for one in TALK.utterances[:5])
    assert copies(offer(text)) == "copied: it is most of the turns, word for word"


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


def test_what_points_elsewhere_is_refused() -> None:
    for figure, expected in (
        (0.41, "drifted: alignment 0.41 under 0.65"),
        (0.6499, "drifted: alignment 0.64 under 0.65"),
        (-0.2, "drifted: alignment -0.20 under 0.65"), (0.65, ""), (1.0, ""),
    ):  # fmt: skip
        assert drifts(offer(FAITHFUL, align=figure)) == expected, figure
        assert refusal.refusal(offer(FAITHFUL, align=figure)) == expected, figure


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


# --- quality -----------------------------------------------------------------------------

ANY = st.floats(allow_nan=True, allow_infinity=True)
UNIT = st.floats(0, 1)


class Flat:
    """Vectors in a plane, which are worked with by hand."""

    def __init__(self, *rows: tuple[float, float]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def cosines(self, at: int) -> list[float]:
        x, y = self._rows[at]
        return [x * a + y * b for a, b in self._rows]

    def to_mean(self, places: Sequence[int]) -> list[float]:
        x, y = (sum(self._rows[at][axis] for at in places) for axis in (0, 1))
        length = sqrt(x * x + y * y)
        return [(x * a + y * b) / length if length else 0.0 for a, b in self._rows]


EAST, NORTH, WEST, NOWHERE = (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, 0.0)


def judged(*rows: tuple[float, float]) -> tuple[float, float]:
    """Return Q_align and Q_cover of the last row, which summarises the others."""
    vectors: Vectors = Flat(*rows)
    last = len(rows) - 1
    return align(vectors, last, range(last)), cover(vectors, last, range(last))


def test_alignment_and_coverage_by_hand() -> None:
    assert judged(EAST, NORTH, EAST) == pytest.approx((sqrt(0.5), 0.5))
    assert judged(EAST, EAST) == (1, 1)


def test_what_points_the_other_way_covers_nothing_and_is_not_subtracted() -> None:
    assert judged(EAST, EAST, WEST, EAST) == pytest.approx((1, 2 / 3))
    assert judged(EAST, WEST) == (-1, 0)


def test_what_says_nothing_stands_for_nothing() -> None:
    assert judged(EAST, NORTH, NOWHERE) == (0, 0)
    assert judged(EAST, WEST, NORTH) == (0, 0)
    assert judged(EAST) == (0, 0)  # no sources


def test_confidence_by_hand() -> None:
    assert (TAU, LAMBDA) == (0.65, 0.8)
    assert confidence(0.9, 0.5) == pytest.approx(0.7)
    assert confidence(-0.9, 0.5) == 0
    assert confidence(1, 1) == 1
    assert confidence(0.9, 0.5, log(0.5)) == pytest.approx(0.8 * 0.7 + 0.2 * 0.5)
    assert confidence(0.9, 0.5, 0) == pytest.approx(0.76)


def test_logarithms_that_cannot_be() -> None:
    for logprob, expected in ((-inf, 0.56), (-1e300, 0.56), (3.0, 0.76), (inf, 0.76), (nan, 0.7)):
        assert confidence(0.9, 0.5, logprob) == pytest.approx(expected), logprob


@given(ANY, ANY, ANY | st.none())
def test_confidence_is_bounded(one: float, other: float, logprob: float | None) -> None:
    sure = confidence(one, other, logprob)
    assert 0 <= sure <= 1
