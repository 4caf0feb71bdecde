"""The model that comes with ctx: what it promises of vectors, files and splitting."""

import os
import shutil
import socket
import subprocess
import sys
import unicodedata
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

pytest.importorskip("numpy")
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ctx.llm.embedders import embedder, static
from ctx.llm.embedders.static import Static
from ctx.model import EmbeddingError
from ctx.text.token_patterns import Memo

MEGABYTE = 1 << 20
TEXTS = [
    "We chose SQLite because it needs no server.", "Caroline went to the support group on 7 May.",
    "", "naïve café, Größe, ПРИВЕТ мир, 決済を実装する, 결제 카드, สวัสดี, हिन्दी",
    "def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]: ...",
    "\x00\x1f\u200b\ufffd", "the the the the", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 👩‍👩‍👧 e\u0301 \ud800",
]  # fmt: skip
OLD = [
    chr(code)
    for code in range(0x30000)
    if unicodedata.ucd_3_2_0.category(chr(code)) == unicodedata.category(chr(code))
    and unicodedata.category(chr(code)) not in {"Cn", "Cs"}
]
"""Characters that every table of Unicode in use knows, and knows alike."""


@cache
def model() -> Static:
    return static.load()


def embed(*texts: str) -> npt.NDArray[np.float32]:
    return model().embed(texts)


# --- vectors ------------------------------------------------------------------------------


def test_the_registry_knows_it() -> None:
    found = embedder("static", {}, 5.0)
    assert found is not None
    assert (found.name, found.dim, found.nested) == ("static-1", 192, True)


def test_what_says_nothing_is_a_row_of_zeros() -> None:
    for text in ("", " \n\t", "\x00\x7f", "\u200b", "\ufffd", "👍", "決済", chr(0xD800)):
        assert not embed(text).any(), text


@given(st.text())
@example("ﷺ" * 100)
@example("a" * 101)
@example("\ud800\udfff")
def test_any_text_is_a_unit_row_or_zeros(text: str) -> None:
    row = embed(text)[0].astype(np.float64)
    assert np.isfinite(row).all()
    assert not row.any() or abs(float(np.sqrt(row @ row)) - 1) < 1e-6


@given(st.lists(st.text() | st.sampled_from(TEXTS), max_size=8), st.integers(0, 8))
def test_a_text_has_the_same_bits_in_any_batch(texts: list[str], cut: int) -> None:
    whole = model().embed(texts)
    assert whole.tobytes() == b"".join(embed(text).tobytes() for text in texts)
    parts = [model().embed(texts[:cut]), model().embed(texts[cut:])]
    assert whole.tobytes() == b"".join(part.tobytes() for part in parts)


def test_a_text_has_the_same_bits_once_words_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    before = embed(*TEXTS)
    monkeypatch.setattr(Memo, "KEPT", 3)
    assert static.load().embed(TEXTS).tobytes() == before.tobytes()


def test_the_same_bits_with_any_number_of_threads() -> None:
    code = (
        "import sys; from ctx.llm.embedders.static import load;"
        "sys.stdout.buffer.write(load().embed(['We chose SQLite', '中文']).tobytes())"
    )
    env = {**os.environ, "OMP_NUM_THREADS": "7", "OPENBLAS_NUM_THREADS": "7"}
    ran = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
    assert ran.stdout == embed("We chose SQLite", "中文").tobytes()


def test_the_beginning_of_a_long_text_counts() -> None:
    start = "the parser reads a document in pieces. " * 500
    assert len(start) > static.LONGEST_TEXT
    assert embed(start).tobytes() == embed(start + "unrelated bananas " * 100_000).tobytes()
    assert len(model().pieces("中" * 16_000)) == static.MOST_PIECES
    assert abs(float(np.linalg.norm(embed("中" * 1_000_000))) - 1) < 1e-6


NEAR = [
    (
        "How do we store sessions?",
        "Conversations are kept in an append-only file.",
        "The cat sleeps on a warm windowsill.",
    ),
    (
        "The build is broken on Windows",
        "Compilation fails under Microsoft's operating system",
        "She adopted two puppies last summer",
    ),
    (
        "What did Caroline do on the weekend?",
        "Caroline went hiking with her family on Saturday.",
        "The database index was rebuilt after the upgrade.",
    ),
    ("reduce memory usage", "lower the RAM footprint", "add a dark theme to the settings page"),
]


@pytest.mark.parametrize(("text", "near", "far"), NEAR)
@pytest.mark.parametrize("dim", [64, 192])
def test_a_paraphrase_is_nearer_than_another_matter(
    text: str, near: str, far: str, dim: int
) -> None:
    rows = embed(text, near, far)[:, :dim].astype(np.float64)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.15


# --- splitting ----------------------------------------------------------------------------


def _vocabulary() -> list[str]:
    with open(os.path.join(static.DATA, static.VOCABULARY), encoding="utf-8") as file:
        return file.read().splitlines()


@cache
def reference() -> Callable[[str], list[int]]:
    """Return the splitting of the library that BERT models are used with."""
    library = pytest.importorskip("tokenizers")
    rows = {piece: row for row, piece in enumerate(_vocabulary())}
    unknown = rows.setdefault("[UNK]", len(rows))
    made = library.Tokenizer(
        library.models.WordPiece(rows, unk_token="[UNK]", max_input_chars_per_word=100)  # noqa: S106 - no secret
    )
    made.normalizer = library.normalizers.BertNormalizer()
    made.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()

    def pieces(text: str) -> list[int]:
        return [row for row in made.encode(text).ids if row != unknown]

    return pieces


@pytest.mark.parametrize("text", [text for text in TEXTS if "\ud800" not in text])
def test_splits_as_the_reference(text: str) -> None:
    assert model().pieces(text) == reference()(text)


@given(st.text(st.sampled_from(OLD), max_size=40))
@example("a\x0bb\x1cc\x85d\u2028e")
@example("İstanbul ΣΊΣΥΦΟΣ ǅ ﬁ Å Ⅻ ² ½")
@example("x" * 100 + " " + "x" * 101)
@example("don't `code` $1 + 2^3 = <tag> ~|~ “quoted” — ‹so›")
def test_splits_any_text_as_the_reference(text: str) -> None:
    assert model().pieces(text) == reference()(text)


def test_splits_every_character_as_the_reference() -> None:
    parted = [OLD[start : start + 500] for start in range(0, len(OLD), 500)]
    for chars in parted:
        text = " ".join(f"a{char}b" for char in chars)
        assert model().pieces(text) == reference()(text)


# --- files --------------------------------------------------------------------------------


def test_data_is_small_and_says_what_it_is() -> None:
    files = {entry.name: entry.stat().st_size for entry in os.scandir(static.DATA)}
    assert sum(files.values()) <= 10 * MEGABYTE
    assert set(files) == {
        *(static.VOCABULARY, static.VECTORS, static.WEIGHTS),
        *("LICENSE.txt", "NOTICE.txt"),
    }
    with open(os.path.join(static.DATA, "LICENSE.txt"), encoding="utf-8") as file:
        assert "Apache License" in file.read()
    with open(os.path.join(static.DATA, "NOTICE.txt"), encoding="utf-8") as file:
        notice = file.read()
    for said in (static.NAME, "all-MiniLM-L6-v2", "scripts/distil.py", "torch 2.13.0", "changed"):
        assert said in notice


def test_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        pytest.fail("the network was used")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert static.load().embed(["hello"]).any()


def _copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    shutil.copytree(static.DATA, folder)
    monkeypatch.setattr(static, "DATA", str(folder))
    return folder


@pytest.mark.parametrize("name", [static.VOCABULARY, static.VECTORS, static.WEIGHTS])
def test_damaged_files_are_an_error_of_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = _copied(tmp_path, monkeypatch) / name
    torn = file.read_bytes()[: file.stat().st_size // 2]
    for damaged in (b"", torn, b"\xff\x00" * 99, None):
        if damaged is None:
            file.unlink()
        else:
            file.write_bytes(damaged)
        with pytest.raises(EmbeddingError, match=r"^embedder static: .* damaged .*pip install.*$"):
            static.load()


def test_without_numpy_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ctx.llm.embedders.static")
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(EmbeddingError, match=r"numpy.*pip install '.\[embed\]'"):
        embedder("static", {}, 5)
