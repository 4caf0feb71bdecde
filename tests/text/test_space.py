"""Spaces that texts are compared in: cosines worked out by hand, and what holds for any text."""

import os
import subprocess
import sys
from collections.abc import Sequence
from math import log, sqrt

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.model import Vectors, VectorSpace
from ctx.text.vector_space import EmbeddedSpace, TermSpace

ODD = ["", " ", "a", "決", "決済", "🙂🙂", "\x00\x1f", "\ud800", "é" * 50, "the the the", "... !!"]
TEXTS = st.lists(
    st.text(max_size=30) | st.sampled_from(ODD) | st.sampled_from(["cache token", "token parser"]),
    max_size=8,
)


class Letters:
    """An embedder that counts three letters; blank texts would be an error."""

    name = "letters"
    dim = 3
    nested = False

    def __init__(self) -> None:
        self.asked: list[int] = []

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        assert all(text.strip() for text in texts)
        self.asked.append(len(texts))
        rows = np.array([[text.count(c) for c in "abc"] for text in texts], np.float32)
        rows -= np.array([[0, 0, 2 * text.count("-")] for text in texts], np.float32)
        size = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
        found: npt.NDArray[np.float32] = np.divide(
            rows, size, out=np.zeros_like(rows), where=size > 0
        )
        return found


def spaces() -> list[VectorSpace]:
    """Return both, typed as the protocol that they implement."""
    return [TermSpace(), EmbeddedSpace(Letters())]


# --- TF-IDF -------------------------------------------------------------------------------


def test_cosine_of_words_by_hand() -> None:
    found = TermSpace().of(["cache parser", "cache token", "queue"])
    common, rare = 1 + log(4 / 3), 1 + log(4 / 2)
    expected = common**2 / (common**2 + rare**2)
    assert found.cosines(0) == pytest.approx([1, expected, 0])


def test_words_meet_by_their_stems() -> None:
    assert TermSpace().of(["caching parsers", "cached parser"]).cosines(0) == [1, 1]
    for known in (0, -3, 1, 99):  # a word that all know still joins them
        cosines = TermSpace().of(["cache parser", "cache token"], known).cosines(0)
        assert cosines[0] == 1
        assert 0 < cosines[1] < 1


def test_a_word_that_is_repeated_weighs_by_the_logarithm() -> None:
    found = TermSpace().of(["cache cache token", "cache"])
    often, once = (1 + log(2)) * 1, 1 + log(3 / 2)
    assert found.cosines(1)[0] == pytest.approx(often / sqrt(often**2 + once**2))


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    texts = ["cache parser", "cache one", "cache two", "parser three"]
    cosines = TermSpace().of(texts).cosines(0)
    assert cosines[3] > cosines[1] == cosines[2] > 0


def test_only_the_known_texts_tell_what_is_rare() -> None:
    alone = TermSpace().of(["cache parser", "cache token"], known=2).cosines(0)
    beside = TermSpace().of(["cache parser", "cache token", "cache", "cache"], known=2).cosines(0)
    assert beside[:2] == alone
    assert (
        TermSpace().of(["cache parser", "cache token", "cache", "cache"]).cosines(0)[1] < alone[1]
    )


def test_mean_of_words_by_hand() -> None:
    found = TermSpace().of(["cache", "token", "queue"])
    half = 1 / sqrt(2)
    assert found.to_mean([0, 1]) == pytest.approx([half, half, 0])
    assert found.to_mean([2]) == [0, 0, 1]


def test_scripts_without_spaces_are_compared() -> None:
    cosines = TermSpace().of(["我们决定缓存令牌", "缓存令牌很快", "天气很好"]).cosines(0)
    assert cosines[0] == 1
    assert cosines[1] > cosines[2] == 0


def test_what_is_compared_does_not_depend_on_the_seed_of_hashes() -> None:
    code = (
        "from ctx.text.vector_space import TermSpace\n"
        "v = TermSpace().of(['a cache of tokens', 'the cache', 'tokens of the parser, cached'])\n"
        "print([v.cosines(i) for i in range(3)], v.to_mean([0, 1, 2]))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_importing_the_spaces_loads_neither_numpy_nor_the_stemmer() -> None:
    heavy = {"numpy", "Stemmer", "ctx.text.words"}
    code = f"import sys, ctx.text.vector_space; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "set()"


# --- An embedder's ------------------------------------------------------------------------


def test_cosine_of_rows_by_hand() -> None:
    found = EmbeddedSpace(Letters()).of(["aaab", "ab", "c-", "c"])
    assert found.cosines(1) == [pytest.approx(4 / sqrt(20), abs=1e-6), 1, 0, 0]
    assert found.cosines(2)[3] == -1


def test_means_that_cancel_out_are_near_to_nothing() -> None:
    found = EmbeddedSpace(Letters()).of(["c", "c-", "a"])
    assert found.to_mean([0, 1]) == [0, 0, 0]
    assert found.to_mean([0, 2]) == pytest.approx([sqrt(0.5), -sqrt(0.5), sqrt(0.5)], abs=1e-6)


def test_what_is_left_of_vectors_that_nearly_cancel_out_is_noise() -> None:
    class Nearly(Letters):
        def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            return np.array([[1, 0, 0], [-1, 1e-8, 0], [0, 1, 0]][: len(texts)], np.float32)

    found = EmbeddedSpace(Nearly()).of(["a", "b", "c"])
    assert found.to_mean([0, 1]) == [0, 0, 0]


def test_texts_are_embedded_in_batches_in_their_order() -> None:
    embedder = Letters()
    found = EmbeddedSpace(embedder).of(["a", "", *["b"] * 600, " ", "a"])
    assert embedder.asked == [256, 256, 90]
    cosines = found.cosines(0)
    assert (cosines[0], cosines[-1], sum(cosines)) == (1, 1, 2)


def test_rows_that_are_no_numbers_or_too_long_do_not_spread() -> None:
    class Broken(Letters):
        def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
            rows = [[np.nan, 0, 0], [np.inf, 0, 0], [0, 5, 0], [0, 0, 1]]
            return np.array(rows[: len(texts)], np.float32)

    found = EmbeddedSpace(Broken()).of(["a", "b", "c", "d"])
    assert [found.cosines(at) for at in range(4)] == [
        [0, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
    ]


# --- Both ---------------------------------------------------------------------------------


@given(TEXTS)
def test_cosines_of_any_texts_are_bounded_and_mutual(texts: list[str]) -> None:
    for space, other in zip(spaces(), spaces(), strict=True):
        found: Vectors = space.of(texts)
        assert other.of(texts).to_mean(range(len(texts))) == found.to_mean(range(len(texts)))
        assert len(found) == len(texts)
        rows = [found.cosines(at) for at in range(len(texts))]
        for at, row in enumerate(rows):
            assert len(row) == len(texts)
            assert all(-1 <= value <= 1 for value in row)  # NaN is not
            assert row[at] in {0, 1}
            assert row == pytest.approx([back[at] for back in rows], abs=1e-6)
            assert found.to_mean([at]) == pytest.approx(row, abs=1e-6)
        assert all(-1 <= value <= 1 for value in found.to_mean(range(len(texts))))


def test_texts_that_say_nothing_are_near_to_nothing() -> None:
    for space in spaces():
        found = space.of(["", " \n", "abc"])
        assert found.cosines(0) == found.cosines(1) == [0, 0, 0]
        assert found.to_mean([0, 1]) == [0, 0, 0]
        assert found.cosines(2) == [0, 0, 1]


def test_no_texts_and_no_places_are_no_error() -> None:
    for space in spaces():
        assert len(space.of([])) == 0
        assert space.of([]).to_mean([]) == []
        assert space.of(["abc"]).to_mean([]) == [0]
