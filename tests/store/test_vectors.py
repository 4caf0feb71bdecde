"""Vectors: made once for a content, kept whatever happens, and never wrong."""

import json
import math
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctx.model import EmbeddingError
from ctx.rank import text
from ctx.store import vectors
from ctx.store.vectors import NAME, Vectors
from tests import hostile
from tests.store.parts import REPOSITORY, Embedder, Part, always, directory, fresh_cosines

np = pytest.importorskip("numpy")

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, modes and signals of POSIX")
many = settings(max_examples=60)
PARTS = directory(1)
OTHERS = directory(33)
TOTAL = sum(map(len, PARTS))
RIGHT = fresh_cosines(PARTS)
RIGHT_OTHERS = fresh_cosines(OTHERS)


def _lines(name: str, bodies: str) -> Part:
    """Return a part with an entry for each word of ``bodies``."""
    return Part(name, [("t", body) for body in bodies.split()])


def _refreshed(
    folder: Path | str, parts: Sequence[Part], embedder: Embedder | None = None
) -> tuple[list[str], list[float]]:
    """Return which bodies were embedded for ``parts``, and what is said then."""
    embedder = embedder or Embedder()
    with Vectors(str(folder), embedder) as kept:
        assert kept.refresh(parts, text, always) == (sum(map(len, parts)),) * 2 + ("",)
        embedded = [one.removeprefix("t\n") for one in embedder.texts]
        return embedded, kept.similarities("a query")


def _bodies(folder: Path | str, parts: Sequence[Part]) -> list[str]:
    return _refreshed(folder, parts)[0]


def _holds(folder: Path, parts: Sequence[Part] = PARTS) -> bool:
    return _refreshed(folder, parts)[1] == (RIGHT if parts is PARTS else RIGHT_OTHERS)


@pytest.fixture
def full(tmp_path: Path) -> Path:
    folder = tmp_path / "full"
    folder.mkdir()
    assert _holds(folder)
    assert _bodies(folder, PARTS) == []
    assert os.listdir(folder) == [NAME]
    return folder


# --- made once ----------------------------------------------------------------------------


def test_a_text_is_embedded_once(tmp_path: Path) -> None:
    parts = [_lines("a.md", "one two three"), _lines("b.md", "four"), _lines("c.md", "")]
    assert _bodies(tmp_path, parts) == ["one", "two", "three", "four"]
    assert _bodies(tmp_path, parts) == []
    assert _bodies(tmp_path, parts[::-1]) == []
    assert _bodies(tmp_path, parts[:1]) == []
    assert _bodies(tmp_path, parts) == []


@pytest.mark.parametrize(
    ("bodies", "embedded"),
    [
        ("one TWO three", ["TWO"]), ("three two one", []), ("two three", []), ("one", []),
        ("", []), ("zero one two three", ["zero"]), ("one one one two", []),
        ("one new new", ["new", "new"]),
    ],
)  # fmt: skip
def test_an_edit_embeds_what_is_new(tmp_path: Path, bodies: str, embedded: list[str]) -> None:
    other = _lines("b.md", "four five")
    _bodies(tmp_path, [_lines("a.md", "one two three"), other])
    edited = [_lines("a.md", bodies), other]
    found, said = _refreshed(tmp_path, edited)
    assert found == embedded
    assert said == fresh_cosines(edited)
    assert _bodies(tmp_path, edited) == []


_ROWS = st.lists(
    st.sampled_from(["one", "two", "", " ", "\ud800", "日本語", "a\0b", "one "]), max_size=5
)
_DIRECTORIES = st.lists(
    st.tuples(st.sampled_from(["a.md", "b.md", "odd\udcff.md", ""]), _ROWS),
    max_size=4,
    unique_by=lambda one: one[0],
)


@settings(many, max_examples=25)
@given(history=st.lists(_DIRECTORIES, min_size=2, max_size=4), batch=st.integers(1, 4))
def test_after_any_history_is_said_what_is_said_without_one(
    tmp_path_factory: pytest.TempPathFactory, history: list[Any], batch: int
) -> None:
    folder = tmp_path_factory.mktemp("store")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, "BATCH", batch)
        for files in history:
            parts = [Part(name, [("", body) for body in bodies]) for name, bodies in files]
            found, said = _refreshed(folder, parts)
            assert said == fresh_cosines(parts)
            assert len(found) <= sum(map(len, parts))
            assert _bodies(folder, parts) == []


def test_what_goes_on_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "BATCH", 2)
    told: list[tuple[int, int]] = []

    def go_on(done: int, total: int) -> bool:
        told.append((done, total))
        return True

    parts = [_lines("a.md", "a b c"), _lines("b.md", "d e")]
    with Vectors(str(tmp_path), Embedder()) as kept:
        kept.refresh(parts, text, go_on)
        kept.refresh([*parts, _lines("c.md", "f")], text, go_on)
    assert told == [(0, 5), (2, 5), (3, 5), (5, 6)]


def test_what_is_current_is_counted_and_nothing_changed(full: Path) -> None:
    whole = (full / NAME).read_bytes()
    for read_only in (True, False):
        with Vectors(str(full), Embedder(), read_only=read_only) as kept:
            assert kept.current(PARTS) == TOTAL
            assert kept.current([Part(PARTS[0].name, [("a", "b")]), *PARTS[1:]]) == TOTAL - len(
                PARTS[0]
            )
            assert kept.current([]) == 0
        with Vectors(str(full), Embedder("other"), read_only=read_only) as kept:
            assert kept.current(PARTS) == 0
    assert (full / NAME).read_bytes() == whole


# --- interrupted --------------------------------------------------------------------------


class _Failing(Embedder):
    """Fails at the call ``last`` and from then on."""

    def __init__(self, last: int, error: BaseException) -> None:
        super().__init__()
        self._last, self._error = last, error

    def embed(self, texts: Sequence[str]) -> Any:  # noqa: ANN401
        if self.calls >= self._last:
            raise self._error
        return super().embed(texts)


@pytest.fixture
def by_two(monkeypatch: pytest.MonkeyPatch) -> list[Part]:
    monkeypatch.setattr(vectors, "BATCH", 2)
    return [_lines("a.md", "a b c d e"), _lines("b.md", "f"), _lines("c.md", "g h")]


@pytest.mark.parametrize("batches", [0, 3, 5])
def test_a_run_that_is_stopped_by_hand_keeps_its_batches(
    tmp_path: Path, by_two: list[Part], batches: int
) -> None:
    stopped = _Failing(batches, KeyboardInterrupt())
    if batches < 5:
        with Vectors(str(tmp_path), stopped) as kept, pytest.raises(KeyboardInterrupt):
            kept.refresh(by_two, text, always)
    found, said = _refreshed(tmp_path, by_two)
    done = [one.removeprefix("t\n") for one in stopped.texts]
    assert done + found == list("abcdefgh")
    assert said == fresh_cosines(by_two)


@pytest.mark.parametrize("batches", [0, 3, 5])
def test_a_backend_that_fails_is_said_and_costs_a_batch(
    tmp_path: Path, by_two: list[Part], batches: int
) -> None:
    error: Exception = OSError("net") if batches else EmbeddingError("it is down")
    failing = _Failing(batches, error)
    with Vectors(str(tmp_path), failing) as kept:
        state = kept.refresh(by_two, text, always)
    assert state.done == len(failing.texts)
    assert state.total == 8
    assert state.whole is (batches == 5)
    assert bool(state.why) is (batches < 5)
    found, said = _refreshed(tmp_path, by_two)
    assert [one.removeprefix("t\n") for one in failing.texts] + found == list("abcdefgh")
    assert said == fresh_cosines(by_two)


def _few(embedder: Embedder, batches: int, _done: int, _total: int) -> bool:
    return embedder.calls < batches


@pytest.mark.parametrize("batches", [0, 3, 5])
def test_a_run_that_has_no_time_goes_on_the_next_time(
    tmp_path: Path, by_two: list[Part], batches: int
) -> None:
    states = []
    for _ in range(6):
        embedder = Embedder()
        with Vectors(str(tmp_path), embedder) as kept:
            states.append(kept.refresh(by_two, text, partial(_few, embedder, batches)))
        assert embedder.calls <= batches
    assert all(state.whole is (state.why == "") for state in states)
    if batches:
        assert states[-1] == (8, 8, "")
        assert _refreshed(tmp_path, by_two) == ([], fresh_cosines(by_two))
    else:
        assert {state.done for state in states} == {0}


def test_old_vectors_do_not_make_up_for_missing_ones(tmp_path: Path) -> None:
    _bodies(tmp_path, [_lines("a.md", "one two"), _lines("b.md", "three four five")])
    edited = [_lines("a.md", "six seven"), _lines("b.md", "eight")]
    with Vectors(str(tmp_path), Embedder()) as kept:
        state = kept.refresh(edited, text, lambda _done, _total: False)
        assert state.done == 0
        assert not state.whole


# --- models -------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", [True, False], ids=["asked", "unasked"])
def test_a_model_that_answers_with_more_components_is_another(full: Path, asked: bool) -> None:
    larger = Embedder(dim=12)
    edited = [Part(part.name, [*_pairs(part), ("new", "entry")], part.source) for part in PARTS]
    with Vectors(str(full), larger) as kept:
        if asked:
            kept.ask("a query")
        assert kept.refresh(edited, text, always).whole
        assert kept.similarities("a query") == fresh_cosines(edited, dim=12)
    assert _refreshed(full, edited, Embedder(dim=12)) == ([], fresh_cosines(edited, dim=12))


def _pairs(part: Part) -> list[tuple[str, str]]:
    return [(one.title, one.body) for one in map(part.entry, range(len(part)))]


def test_a_model_that_changes_unasked_is_an_embedding_error(full: Path) -> None:
    with Vectors(str(full), Embedder(dim=12)) as kept:
        assert kept.refresh(PARTS, text, always).whole
        with pytest.raises(EmbeddingError):
            kept.similarities("a query")


class _Wavering(Embedder):
    def embed(self, texts: Sequence[str]) -> Any:  # noqa: ANN401
        self.dim = 4 + self.calls % 2
        return super().embed(texts)


def test_a_model_that_wavers_is_an_embedding_error(tmp_path: Path, by_two: list[Part]) -> None:
    for asked in (False, True):
        with Vectors(str(tmp_path), _Wavering()) as kept:
            if asked:
                kept.ask("a query")
            state = kept.refresh(by_two, text, always)
            assert not state.whole
            assert "components" in state.why


@pytest.mark.parametrize(
    "answer",
    [
        lambda _texts: np.zeros((0, 4)),
        lambda texts: np.zeros((len(texts) + 1, 4)),
        lambda texts: np.zeros((len(texts), 0)),
        lambda texts: np.zeros(len(texts)),
        lambda texts: np.full((len(texts), 4), np.nan),
        lambda texts: np.full((len(texts), 4), np.inf),
        lambda texts: [["a"] * 4 for _ in texts],
        lambda texts: [[1.0] * n for n, _ in enumerate(texts)],
        lambda _texts: None,
    ],
)
def test_what_is_no_vectors_is_an_embedding_error(
    full: Path, answer: Callable[[Sequence[str]], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Embedder, "embed", lambda _self, texts: answer(texts))
    with Vectors(str(full), Embedder()) as kept:
        state = kept.refresh([*PARTS, _lines("new.md", "a b")], text, always)
        assert (state.done, state.total, state.whole) == (TOTAL, TOTAL + 2, False)
        with pytest.raises(EmbeddingError):
            kept.ask("a query")
    monkeypatch.undo()
    assert _bodies(full, PARTS) == []


def test_what_is_gone_is_forgotten_of_every_model(full: Path) -> None:
    _refreshed(full, PARTS, Embedder("other"))
    with Vectors(str(full), Embedder()) as kept:
        kept.forget_others(PARTS[1:])
        assert kept.current(PARTS) == TOTAL - len(PARTS[0])
    with Vectors(str(full), Embedder("other")) as kept:
        assert kept.current(PARTS) == TOTAL - len(PARTS[0])
    with closing(sqlite3.connect(full / NAME)) as database:
        (rows,) = database.execute("SELECT count(*) FROM vectors").fetchone()
    assert rows == 2 * (len(PARTS) - 1)


def test_a_model_is_forgotten_alone(full: Path) -> None:
    _refreshed(full, PARTS, Embedder("other"))
    with Vectors(str(full), Embedder()) as kept:
        kept.forget()
        assert kept.current(PARTS) == 0
    assert _refreshed(full, PARTS, Embedder("other"))[0] == []
    assert _holds(full)


# --- what is said -------------------------------------------------------------------------


def _quantised(row: Sequence[float]) -> list[int]:
    most = max(map(abs, row)) or 1
    return [round(value / most * 127) for value in row]


def test_similarities_are_cosines_of_whole_numbers() -> None:
    # Worked out here without numpy: the sums are exact, so nothing may differ.
    embedder = Embedder(dim=16)
    asked = _quantised(np.array(embedder.row("a query"), np.float32).tolist())
    expected = []
    for part in PARTS:
        for place in range(len(part)):
            row = _quantised(np.array(embedder.row(text(part.entry(place))), np.float32).tolist())
            dot = sum(a * b for a, b in zip(row, asked, strict=True))
            lengths = math.sqrt(sum(a * a for a in row)) * math.sqrt(sum(a * a for a in asked))
            expected.append(dot / lengths)
    assert fresh_cosines(PARTS, dim=16) == expected
    assert all(-1 <= one <= 1 for one in expected)


class _Extreme(Embedder):
    """Vectors whose products are as large as can be."""

    def row(self, one: str) -> list[float]:
        sign = -1.0 if "b" in one else 1.0
        return [sign * (1 - 2 * (at % 7 == 6 and "q" not in one)) for at in range(self.dim)]


def test_sums_are_exact_with_any_number_of_components() -> None:
    for dim in (1, 1_040, 1_041, 2_000):
        with Vectors("", _Extreme(dim=dim)) as kept:
            kept.refresh([_lines("a.md", "a b q c")], text, always)
            flipped = sum(at % 7 == 6 for at in range(dim))
            near = (dim - 2 * flipped) / dim
            assert kept.similarities("q") == pytest.approx([near, -near, 1.0, near], abs=1e-12)
            scores = kept.similarities("q")
            assert scores[0] == -scores[1]
            assert max(map(abs, scores)) <= 1.0


def test_however_entries_are_divided_the_same_is_said() -> None:
    bodies = [f"body{n}" for n in range(60)]
    whole = fresh_cosines([_lines("a.md", " ".join(bodies))], dim=96)
    for size in (1, 2, 7, 59):
        parts = [_lines(f"{at}.md", " ".join(bodies[at : at + size])) for at in range(0, 60, size)]
        parts.insert(1, _lines("empty.md", ""))
        assert fresh_cosines(parts, dim=96) == whole


def test_the_same_is_said_on_any_number_of_threads() -> None:
    said = set()
    for threads in ("1", "2"):
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
        ran = subprocess.run(
            [sys.executable, "-m", "tests.store.parts", "threads"],
            cwd=REPOSITORY,
            env=hostile.environment(**dict.fromkeys(names, threads)),
            capture_output=True,
            check=True,
        )
        said.add(json.loads(ran.stdout))
    assert len(said) == 1


def test_how_near_random_pairs_are_is_measured_once(full: Path) -> None:
    measured = []

    class Measuring(Vectors):
        def _measured(self) -> Any:  # noqa: ANN401 - as it is there
            measured.append(1)
            return super()._measured()

    def beyond(parts: Sequence[Part], folder: Path | str = full) -> list[float]:
        with Measuring(str(folder), Embedder()) as kept:
            kept.refresh(parts, text, always)
            return kept.beyond("a query", range(sum(map(len, parts))))

    expected, others = beyond(PARTS, ""), beyond(OTHERS, "")
    assert len(set(expected)) > 1
    measured.clear()
    assert [beyond(PARTS) for _ in range(3)] == [expected] * 3
    assert len(measured) == 1
    assert (beyond(OTHERS), beyond(PARTS)) == (others, expected)
    assert len(measured) == 3
    with closing(sqlite3.connect(full / NAME)) as database, database:
        database.execute("UPDATE tiers SET rows = x'00'")
    assert beyond(PARTS) == expected
    assert len(measured) == 4


def test_what_says_nothing_is_near_to_nothing(tmp_path: Path) -> None:
    parts = [Part("a.md", [("", " "), ("t", "body")]), Part("b.md", []), Part("c.md", [("", "")])]
    for _ in range(2):
        with Vectors(str(tmp_path), Embedder()) as kept:
            assert kept.refresh(parts, text, always) == (3, 3, "")
            said = kept.similarities("a query")
            assert (said[0], said[2]) == (0.0, 0.0)
            assert said[1] != 0
            assert kept.similarities(" ") == [0.0] * 3
            assert kept.joined(" ", [range(2)]) == [0.0]


def test_of_nothing_nothing_is_said(tmp_path: Path) -> None:
    for parts in ([], [Part("a.md", [])]):
        with Vectors(str(tmp_path), Embedder()) as kept:
            assert kept.refresh(parts, text, always) == (0, 0, "")
            assert kept.similarities("a query") == []
            assert kept.joined("a query", []) == []


def test_a_query_is_embedded_once(full: Path) -> None:
    embedder = Embedder()
    with Vectors(str(full), embedder) as kept:
        kept.refresh(PARTS, text, always)
        kept.ask("one")
        kept.similarities("one")
        kept.joined("one", [[0]])
        kept.similarities("one")
        assert embedder.texts == ["one"]
        first = kept.similarities("two")
        assert embedder.texts == ["one", "two"]
        assert kept.similarities("one") != first


def test_a_group_of_one_entry_is_as_near_as_that_entry() -> None:
    with Vectors("", Embedder()) as kept:
        kept.refresh(PARTS, text, always)
        alone = kept.similarities("a query")
        joined = kept.joined("a query", [[at] for at in range(TOTAL)])
        assert joined == pytest.approx(alone, abs=1e-5)
        assert kept.joined("a query", [()]) == [0.0]
        groups = [range(3), (2, 5, 9), [TOTAL - 1], range(TOTAL)]
        assert kept.joined("a query", groups) == [
            one for group in groups for one in kept.joined("a query", [group])
        ]


# --- the world ----------------------------------------------------------------------------


def test_no_damage_makes_vectors_those_of_another_model(tmp_path: Path) -> None:
    parts = [_lines("a.md", "one two")]
    _refreshed(tmp_path, parts, Embedder("m2"))
    with closing(sqlite3.connect(tmp_path / NAME, isolation_level=None)) as database:
        database.execute("UPDATE vectors SET model = CAST('m3' AS BLOB)")  # a bit
    assert _refreshed(tmp_path, parts, Embedder("m3"))[1] == fresh_cosines(parts, "m3")
