"""Vectors compared by the cascade: tiers are derived, kept, and made anew when they are dirty."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from ctx.store.vectors import NAME, Vectors
from tests.store.parts import Part

DIM = 300
COUNT = 1_500
"""More than the cascade compares exactly."""
DRAWN = np.random.default_rng(7).normal(size=(COUNT, DIM)) / np.arange(1, DIM + 1) ** 0.5
PART = Part("a.md", [("", f"text {number}") for number in range(COUNT)])


class Model:
    """A nested model: the first components of its vectors say most."""

    name = "model"
    dim = DIM

    def __init__(self, *, nested: bool = True) -> None:
        self.nested = nested

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        rows = DRAWN[[int(text.rpartition(" ")[2]) for text in texts]]
        unit: npt.NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit.astype(np.float32)


def _cosines(folder: Path, *, cascade: bool, nested: bool = True) -> list[float]:
    with Vectors(str(folder), Model(nested=nested), cascade=cascade) as vectors:
        assert vectors.refresh([PART], lambda one: one.body, lambda _done, _total: True).whole
        return vectors.similarities("text 700")


def _tiers(folder: Path) -> list[tuple[int, bytes]]:
    with closing(sqlite3.connect(folder / NAME)) as database:
        return database.execute("SELECT dim, rows FROM tiers ORDER BY dim").fetchall()


def test_the_nearest_are_compared_by_all_components(tmp_path: Path) -> None:
    exact = _cosines(tmp_path, cascade=False)
    coarse = _cosines(tmp_path, cascade=True)
    best = sorted(range(COUNT), key=lambda at: -exact[at])
    assert sorted(range(COUNT), key=lambda at: -coarse[at])[:3] == best[:3]
    assert coarse[best[0]] == pytest.approx(exact[best[0]], abs=1e-5)
    assert coarse != pytest.approx(exact, abs=1e-3)  # the others are not


def test_tiers_are_kept(tmp_path: Path) -> None:
    first = _cosines(tmp_path, cascade=True)
    kept = _tiers(tmp_path)
    assert [(dim, len(rows)) for dim, rows in kept] == [(64, 64 * COUNT), (256, 256 * COUNT)]
    assert _cosines(tmp_path, cascade=True) == first
    assert _tiers(tmp_path) == kept


def test_a_tier_that_is_missing_or_dirty_is_derived_again(tmp_path: Path) -> None:
    right = _cosines(tmp_path, cascade=True)
    kept = _tiers(tmp_path)
    for harm in (
        "DELETE FROM tiers", "DELETE FROM tiers WHERE dim = 64",
        "UPDATE tiers SET source = source + 1", "UPDATE tiers SET rows = zeroblob(length(rows))",
        "UPDATE tiers SET rows = substr(rows, 65)", "UPDATE tiers SET rows = 'text'",
        "UPDATE tiers SET seal = 'none'",
    ):  # fmt: skip
        with closing(sqlite3.connect(tmp_path / NAME)) as database, database:
            database.execute(harm)
        assert _cosines(tmp_path, cascade=True) == right, harm
        assert _tiers(tmp_path) == kept, harm


def test_a_model_that_is_not_nested_has_no_tiers(tmp_path: Path) -> None:
    exact = _cosines(tmp_path, cascade=False)
    assert _cosines(tmp_path, cascade=True, nested=False) == exact
    assert _tiers(tmp_path) == []


def test_no_tier_is_as_long_as_the_full_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.store.test_vector_tiers.DRAWN", DRAWN[:, :256])
    _cosines(tmp_path, cascade=True)
    assert [dim for dim, _ in _tiers(tmp_path)] == [64]
