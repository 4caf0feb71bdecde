"""What entries have to do with a query: signals in [0, 1], alike however a corpus is cut."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx.model import KINDS, Entry, Nearness, Part, Question
from ctx.rank import fields
from ctx.rank.corpus import Corpus
from ctx.rank.relevance import CANDIDATES, FACTORS, MOST_WORDS, WEIGHTS, relevance
from ctx.rank.stopping import AROUND, NEARBY, Relevant
from ctx.store.words import Lexicon
from tests.rank.hands import (
    TODAY,
    Asked,
    Hand,
    Piece,
    Told,
    Work,
    corpora,
    is_unit,
    means,
    turn,
)  # fmt: skip
from tests.read.samples import entry

quick = settings(max_examples=60)
SAID = (
    "I bought a zebra", "Really?", "Yes, last Friday!", "cache", "What of the zebra?", "It eats",
    "支付 cache", "", "🎉", "cache cache retry", "and so on", "no",
)  # fmt: skip


def _relevance(
    parts: Sequence[Part], query: str, near: Nearness | None = None, since: str = ""
) -> dict[int, Relevant]:
    corpus = Corpus(parts)
    question = Question(query, (), TODAY, kinds=KINDS, since=since, least=0.0)
    askable = corpus.asked_for(question)
    return relevance(corpus, question, askable, means(parts, query).lexicon, near)


def _turns(texts: Sequence[str], speakers: Sequence[str] = ("user",)) -> list[Entry]:
    return [
        turn(text, speaker=speakers[number % len(speakers)], number=number)
        for number, text in enumerate(texts)
    ]


def _at(found: dict[int, Relevant], position: int) -> dict[str, float]:
    return dict(found[position].parts)


@quick
@given(corpora())
def test_signals_are_in_0_1_and_the_best_is_1(asked: Asked) -> None:
    found = _relevance(asked.parts, asked.query, asked.near, asked.since)
    assert not found or max(one.sim for one in found.values()) == 1.0
    for one in found.values():
        assert is_unit(one.sim)
        assert one.sim > 0
        assert {name for name, _ in one.parts} <= WEIGHTS.keys() | FACTORS.keys()
        assert all(0 < value <= 1 for _, value in one.parts)


def test_nothing_is_found_in_nothing() -> None:
    for query in ("", "cache", "🎉", "the of and", "x" * 10_000):
        assert _relevance([], query) == _relevance([Hand([])], query, Told([])) == {}


def test_an_answer_is_found_by_the_question_beside_it() -> None:
    texts = ["zebra", *["filler"] * 3, *["other"] * 9]
    found = _relevance([Hand(_turns(texts))], "zebra")
    assert set(found) == set(range(AROUND + 1))
    for position in range(len(texts)):
        names = set(_at(found, position)) if position in found else set()
        assert ("words" in names) == (position == 0)
        assert ("words nearby" in names) == (position <= NEARBY)
        assert ("words around" in names) == (position <= AROUND)


def test_what_was_found_is_next_to_what_was_asked_however_many_steps_are_between() -> None:
    texts = ["why is zebra slow?", *["let me look", "zebra zebra", "ok"] * 30, "the cache is cold"]
    steps = frozenset(range(1, len(texts) - 1))
    found = _relevance([Work(_turns(texts), steps)], "zebra")
    (first, answer), others = sorted(found.keys() - steps), found.keys() & steps
    assert (first, answer) == (0, len(texts) - 1)
    assert "words nearby" in _at(found, answer)
    assert others == {at for at, said in enumerate(texts) if said == "zebra zebra"}
    # A word that steps alone repeat is rare, and none of them is before what was said.
    assert max(found[at].sim for at in others) < found[answer].sim < found[first].sim
    same = _relevance([Hand(_turns(texts))], "zebra")
    assert same[answer].relevance < found[answer].relevance


def test_an_answer_is_found_by_the_words_of_its_question() -> None:
    texts = ["x", "Where is the zebra?", "At home.", "x", "The zebra eats.", "At home.", *["x"] * 9]
    found = _relevance([Hand(_turns(texts))], "zebra")
    assert _at(found, 2)["question"] == 1.0
    assert "question" not in _at(found, 5)
    assert found[2].sim > found[5].sim
    assert _at(found, 1)["asks"] == 1.0
    assert found[1].sim < found[4].sim


def test_what_the_user_of_an_agent_says_counts_more() -> None:
    said = _turns(["zebra", *["x"] * 9, "zebra"], ["user", *["assistant"] * 9, "assistant"])
    found = _relevance([Hand(said)], "zebra")
    assert found[0].sim == pytest.approx(FACTORS["user"] * found[10].sim)


@pytest.mark.parametrize(
    ("query", "first"), [("how should I feed a zebra", 10), ("which zebra did I feed", 0)]
)
def test_a_preference_counts_where_advice_is_asked(query: str, first: int) -> None:
    texts = ["I feed a zebra.", *["x"] * 9, "I prefer hay when I feed a zebra."]
    found = _relevance([Hand(_turns(texts, ["Ann"]))], query)
    assert max(found, key=lambda at: found[at].sim) == first


def test_what_stands_beside_in_another_session_is_not_nearby() -> None:
    parts = [Hand([turn("zebra", session="a")]), Hand([turn("other", session="b")])]
    parts.append(Hand([turn("more of the others", session="c")]))
    assert set(_relevance(parts, "zebra")) == {0}


def test_a_word_said_again_and_again_nearby_tells_nothing_more() -> None:
    once = [*["x"] * 20, "filler", "zebra", *["x"] * 20]
    often = [*["x"] * 20, "zebra", "filler", "zebra", *["x"] * 19]
    position = {"once": 20, "often": 21}
    nearby = {
        name: _at(_relevance([Hand(_turns(texts))], "zebra"), position[name])["words nearby"]
        for name, texts in (("once", once), ("often", often))
    }
    assert nearby["once"] == nearby["often"] == 1.0


def test_title_and_file_name_of_a_document_count_for_its_sections() -> None:
    def section(file: str, title: str, group: str) -> Piece:
        made = entry(title, "about zebra", kind="lore", group=group, source=f"specs/{file}.md")
        return Piece([made], file)

    parts: list[Part] = [
        section("a", "Problem", "Zebra retry"),
        section("zebra-retry", "Problem", "Other"),
        section("b", "Problem", "Other"),
        section("c", "Retry of zebra", "Other"),  # a heading, not the title of its document
        Hand([entry("Zebra retry", source="D.md")]),
        Hand(_turns(["zebra retry"])),
    ]
    found = _relevance(parts, "zebra retry")
    assert [_at(found, at).get("title") for at in range(6)] == [1.0, 1.0, *[None] * 4]


def test_meaning_finds_what_shares_no_word() -> None:
    parts = [Hand([entry(str(n), source=f"{n}.md")]) for n in range(9)]
    sims = [0.1, 0.1, 0.9, 0.1, 0.1, 0.1, 0.1, 0.5, 0.1]
    found = _relevance(parts, "never-written", Told(sims))
    assert found[2].sim == 1.0
    assert found[7].sim < 1.0
    assert _at(found, 2)["meaning"] == 1.0
    assert _at(found, 7)["meaning"] == pytest.approx(0.5)
    assert set(found) == {2, 7}


def test_a_turn_among_turns_that_mean_the_query_is_lifted() -> None:
    sims = [0.1] * 20
    sims[4] = sims[6] = 0.9
    sims[12] = 0.1
    parts = [Hand(_turns([f"w{n}" for n in range(20)]))]
    found = _relevance(parts, "never-written", Told(sims))
    assert found[5].sim > (found[12].sim if 12 in found else 0.0)
    assert "meaning" not in _at(found, 5)
    assert _at(found, 5)["meaning nearby"] > 0


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("What did Mira say?", "Mira"), ("what did MIRA say", "Mira"),
        ("what did Jan Ole say", "Jan Ole"), ("what did Mira and Jan Ole say", ""),
        ("what did Jan say", ""), ("what did the user say", ""),
        ("what did the assistant and Mira say", "Mira"), ("cache", ""), ("", ""),
    ],
)  # fmt: skip
def test_turns_of_the_one_speaker_who_is_named_are_lifted(query: str, named: str) -> None:
    speakers = ("Mira", "user", "Jan Ole", "assistant", "tool")
    parts = [Hand(_turns(["cache it"] * 30, speakers))]
    found = _relevance(parts, f"{query} cache")
    lifted = {speakers[at % 5] for at, one in found.items() if "speaker" in dict(one.parts)}
    assert lifted == ({named} if named else set())


@pytest.mark.parametrize("speaker", ["🎉", "…", "---"])
def test_a_name_without_words_is_named_by_no_query(speaker: str) -> None:
    parts = [Hand(_turns(["cache", "retry", "more"] * 5, (speaker, "Mira")))]
    found = _relevance(parts, "what did Mira say of the cache")
    lifted = {at % 2 for at, one in found.items() if "speaker" in dict(one.parts)}
    assert lifted == {1}


@quick
@given(
    st.lists(st.sampled_from(SAID), min_size=1, max_size=12),
    st.sets(st.integers(1, 11)),
    st.sampled_from(("zebra", "cache retry", "支付", "what", "🎉", "the zebra and Mira")),
    st.none() | st.lists(st.floats(-1, 1, width=32), min_size=12, max_size=12),
)
def test_a_session_in_pieces_of_any_size_is_ranked_alike(
    texts: list[str], cuts: set[int], query: str, sims: list[float] | None
) -> None:
    turns = _turns(texts, ("Mira", "user"))
    near = Told(sims[: len(turns)]) if sims else None
    places = [0, *sorted(cut for cut in cuts if cut < len(turns)), len(turns)]
    pieces = [
        Piece(turns[first:last], f"s1/{number}")
        for number, (first, last) in enumerate(pairwise(places))
    ]
    others = [Hand([turn("zebra again", session="s2")]), Hand([entry("Cache"), entry("Retry")])]
    sims_of_others = [0.3, 0.2, 0.1]
    if near and sims:
        near = Told([*sims[: len(turns)], *sims_of_others])
    assert _relevance([*pieces, *others], query, near) == _relevance(
        [Hand(turns), *others], query, near
    )


@pytest.mark.parametrize("most", [CANDIDATES, 4])
def test_whatever_order_the_words_were_stored_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("ctx.rank.relevance.CANDIDATES", most)
    texts = {
        "a": "zebra cache",
        "b": "cache zebra",
        "c": "retry the zebra",
        **dict.fromkeys("defgh", "payment"),
    }
    parts = [
        Hand([turn(body, session=name, number=n) for n in range(3)]) for name, body in texts.items()
    ]
    corpus = Corpus(parts)
    query = "zebra cache retry of Mira"
    question = Question(query, (), TODAY, least=0.0)
    askable = corpus.asked_for(question)
    orders: list[list[Hand]] = [parts, parts[::-1], [parts[2]], parts[1:], []]
    expected = _relevance(parts, query)
    assert len(expected) == (9 if most == CANDIDATES else 6)
    for number, order in enumerate(orders):
        folder = tmp_path / str(number)
        folder.mkdir()
        with Lexicon(str(folder), "1") as earlier:
            earlier.refresh(order, fields)
        with Lexicon(str(folder), "1") as lexicon:
            lexicon.refresh(parts, fields)
            assert relevance(corpus, question, askable, lexicon) == expected


@pytest.mark.parametrize("count", [MOST_WORDS, MOST_WORDS + 1, 5_000])
def test_a_long_query_is_asked_by_its_rarest_words(count: int) -> None:
    class Counting(Lexicon):
        asked = 0

        def holding(self, word: str) -> list[tuple[int, int]]:
            self.asked += 1
            return super().holding(word)

    parts = [Hand([entry(f"Common {n}", source=f"{n}.md") for n in range(9)])]
    parts.append(Hand([entry("Zebra", source="z.md")]))
    lexicon = Counting("", "")
    lexicon.refresh(parts, fields)
    corpus = Corpus(parts)
    query = " ".join(["zebra", *(f"common{n} common" for n in range(count))])
    question = Question(query, (), TODAY)
    found = relevance(corpus, question, corpus.asked_for(question), lexicon)
    assert max(found, key=lambda at: found[at].sim) == 9
    assert lexicon.asked <= MOST_WORDS


def test_the_session_that_speaks_of_it_lifts_its_turns() -> None:
    about = [turn("zebra", session="a", number=n) for n in range(20)]
    about[10] = turn("cache", session="a", number=10)
    others = [
        Hand([turn("x" if n else "cache", session=f"s{m}", number=n) for n in range(20)])
        for m in range(6)
    ]
    found = _relevance([Hand(about), *others], "zebra cache")
    assert _at(found, 10)["source"] == 1.0
    assert all(_at(found, 20 * (m + 1)).get("source", 0.0) < 1.0 for m in range(6))


def test_talk_does_not_crowd_out_what_was_decided() -> None:
    talk = Hand(_turns(["zebra zebra", "zebra"] * CANDIDATES))
    decision = Hand([entry("Stripes", "A long text in which the word zebra stands once " * 3)])
    found = _relevance([talk, decision], "zebra")
    assert len(talk) in found


def test_what_is_not_asked_for_takes_no_place() -> None:
    old = [entry(f"Zebra {n}", timestamp="2020-01-01", source="o.md") for n in range(CANDIDATES)]
    young = entry("Stripes", "Much is said before the zebra", timestamp="2026-01-01", source="o.md")
    found = _relevance([Hand([*old, *old, young])], "zebra", since="2025-01-01")
    assert list(found) == [2 * CANDIDATES]


def test_a_name_of_several_words_counts_where_it_is_said_as_such() -> None:
    said = entry("a", body="Called from `src/net/retry.py` only.", kind="learning")
    words = entry("b", body="retry in py, net of the src tree", kind="learning")
    found = _relevance([Hand([said, words])], "what of src/net/retry.py")
    assert _at(found, 0)["names"] == 1.0  # the path, and the file's own name
    assert "names" not in _at(found, 1)


def test_names_are_looked_for_where_all_their_words_are() -> None:
    said = entry("a", body="Acme Cloud is slow, says Acme Cloud.", kind="learning")
    other = entry("b", body="The cloud over the Acme building", kind="learning")
    found = _relevance([Hand([said, other])], "is it the Acme Cloud again")
    assert _at(found, 0)["names"] == 1.0
    assert "names" not in _at(found, 1)


def test_names_of_one_word_are_words() -> None:
    found = _relevance([Hand([entry("a", body="Redis and `Redis`")])], "do we use Redis here")
    assert "names" not in _at(found, 0)
