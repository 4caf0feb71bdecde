"""The extractive summariser: what it takes, in which order, and within which limit."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.model import Cluster, Summariser, Utterance
from ctx.sessions.compaction.extractive import Extractive, attributed
from ctx.text.sentences import pieces
from ctx.text.tokens import estimate
from ctx.text.vector_space import EmbeddedSpace, TermSpace
from tests.sessions.compaction.talk import CLUSTERS, TALK

ROOT = Path(__file__).resolve().parents[3]


def summary(cluster: Cluster, limit: int) -> str:
    summariser: Summariser = Extractive(TermSpace())
    draft = summariser.summarise(cluster, limit)
    assert draft.mean_logprob is None
    return draft.text


def said(*texts: str, before: str = "", speaker: str = "Ann") -> Cluster:
    return Cluster(tuple(Utterance(speaker, text) for text in texts), before)


def test_where_all_fits_all_is_said_in_order_with_a_line_for_each_run_of_a_speaker() -> None:
    talk = Cluster(
        (
            Utterance("Ann", "The cache is slow. Redis forgets tokens."),
            Utterance("Ann", "It costs money."),
            Utterance("Bob\n", "Berlin is cold."),
            Utterance("", "Nobody knows why."),
        )
    )
    assert summary(talk, 1000) == (
        "Ann: The cache is slow. Redis forgets tokens. … It costs money.\n"
        "Bob: Berlin is cold.\n"
        "Nobody knows why."
    )


def test_a_speaker_precedes_a_text_on_one_line() -> None:
    assert attributed(Utterance("Ann\n  Lee", ""), "It costs money.") == "Ann Lee: It costs money."
    assert attributed(Utterance(" ", ""), "It costs money.") == "It costs money."


def test_a_sentence_that_stands_for_many_comes_first() -> None:
    talk = said("Parser slow.", "Cache parser.", "Cache small.", "Lunch good.")
    assert summary(talk, 6) == "Ann: Cache parser."


def test_what_was_said_is_not_said_twice() -> None:
    talk = said(
        "The login cache keeps tokens.",
        "The login cache keeps its tokens.",
        "The login cache keeps the tokens.",
        "Printers in Potsdam jam.",
    )
    assert summary(talk, 22) == "Ann: The login cache keeps tokens. … Printers in Potsdam jam."


def test_the_same_words_of_two_people_are_said_once() -> None:
    talk = said("Doors must open. Tokens live long.", "Doors must open. Printers jam often.")
    assert summary(talk, 1000).count("Doors must open.") == 1


def test_what_the_summary_before_says_counts_less() -> None:
    turns = ("The login cache keeps tokens.", "The old printer often jams.")
    first = {
        before: summary(said(*turns, before=before), 14)
        for before in ("Ann: The old printer often jams.", "Ann: The login cache keeps tokens.")
    }
    assert list(first.values()) == [
        "Ann: The login cache keeps tokens.",
        "Ann: The old printer often jams.",
    ]


@pytest.mark.parametrize(
    ("dull", "telling"),
    [
        ("Does the cache keep the tokens?", "Now the cache keeps the tokens."),
        ("So the cache keeps many tokens.", "So the cache keeps 7 tokens."),
        ("So the cache keeps them for somebody.", "So the cache keeps them for Dana."),
        ("The cache breaks down regularly.", "The cache broke down yesterday."),
        ("```\ncache keeps tokens here\n```", "cache keeps tokens alive"),
    ],
)
def test_facts_are_taken_before_questions_code_and_generalities(dull: str, telling: str) -> None:
    for turns in ((dull, telling), (telling, dull)):
        limit = estimate(f"Ann: {telling}") + 2
        assert telling in summary(said(*turns), limit)
        assert dull.strip("`\n") not in summary(said(*turns), limit)


def test_the_name_of_who_speaks_is_no_fact() -> None:
    talk = Cluster(
        (
            Utterance("Ann", "That is so kind of you, Bob, dear."),
            Utterance("Bob", "That is so kind of you, Dana, dear."),
        )
    )
    limit = estimate("Bob: That is so kind of you, Dana, dear.") + 1  # and the end of its line
    assert summary(talk, limit) == "Bob: That is so kind of you, Dana, dear."


SEAMS = 3
"""Tokens that a sentence may cost more behind a name: where words are cut changes there."""


@given(CLUSTERS, st.integers(1, 80))
def test_a_summary_keeps_its_limit_and_says_only_what_was_said(
    cluster: Cluster, limit: int
) -> None:
    found = [text for one in cluster.utterances for text, _ in pieces(one.text)]
    text = summary(cluster, limit)
    assert bool(text) == bool(found)
    shortest = min(map(estimate, found), default=0)
    if estimate(text) > limit:
        # One sentence and its speaker, since none fits.
        assert estimate(text) <= shortest + estimate("user: ") + SEAMS
    for line in text.splitlines():
        assert any(sentence in line for sentence in found)


@given(CLUSTERS, st.integers(1, 80))
def test_the_same_cluster_gives_the_same_summary(cluster: Cluster, limit: int) -> None:
    assert summary(cluster, limit) == summary(cluster, limit)


def test_a_summary_does_not_depend_on_the_seed_of_hashes() -> None:
    code = (
        "from ctx.sessions.compaction.extractive import Extractive\n"
        "from ctx.text.vector_space import TermSpace\n"
        "from tests.sessions.compaction.talk import TALK\n"
        "print(Extractive(TermSpace()).summarise(TALK, 40).text)"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2", "3")
    }
    assert texts == {summary(TALK, 40).replace("\n", os.linesep).encode()}


def test_any_space_will_do() -> None:
    pytest.importorskip("numpy")
    from ctx.llm.embedders.static import load

    text = Extractive(EmbeddedSpace(load())).summarise(TALK, 40).text
    assert 0 < estimate(text) <= 40
    assert all(line.startswith(("Ann: ", "Bob: ")) for line in text.splitlines())
