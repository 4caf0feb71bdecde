"""Directories of sentence-transformers, without torch: a stand-in records what is asked of it."""

from __future__ import annotations

import json
import os
import sys
import time
from types import ModuleType, SimpleNamespace

import pytest

pytest.importorskip("numpy")

from collections.abc import Callable
from pathlib import Path

import numpy as np

from ctx.llm.embedders import embedder
from ctx.model import Embedder, EmbeddingError

TEXT = "a secret that no message may hold"


class Library:
    def __init__(self, hub: ModuleType) -> None:
        self.opened: list[tuple[str, dict[str, object]]] = []
        self.encoded: list[tuple[list[str], dict[str, object]]] = []
        self.was_offline: object = None
        self.hub = hub
        self.answer: Callable[[list[str]], object] = lambda texts: np.array(
            [[3.0, 4.0 * len(text)] for text in texts], np.float32
        )

    def sentence_transformer(self, path: str, **options: object) -> Library:
        self.was_offline = getattr(self.hub, "HF_HUB_OFFLINE", None)
        self.opened.append((path, options))
        return self

    def encode(self, texts: list[str], **options: object) -> object:
        self.encoded.append((texts, options))
        return self.answer(texts)


@pytest.fixture
def library(sentence_transformers: SimpleNamespace) -> Library:
    found = Library(sentence_transformers.hub)
    sentence_transformers.SentenceTransformer = found.sentence_transformer
    return found


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "all-MiniLM-L6-v2"
    folder.mkdir()
    (folder / "modules.json").write_text("[]")
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "config.json").write_text("{}")
    (folder / "README.md").write_text("# A model")
    return folder


def using(path: object, seconds: float = 5.0) -> Embedder:
    made = embedder(f"local:{path}", {}, seconds)
    assert made is not None
    return made


def test_texts_are_embedded_by_the_directory_alone(library: Library, model: Path) -> None:
    made = using(model)
    assert library.opened == []
    found = made.embed(["a", "", "bb\ud800"])
    assert found.dtype == np.float32
    assert np.allclose(found, [[0.6, 0.8], [0, 0], np.array([3, 12]) / np.hypot(3, 12)])
    assert made.dim == 2
    options = {"local_files_only": True, "trust_remote_code": False}
    assert library.opened == [(str(model), options)]
    assert library.was_offline is True
    assert library.encoded[0][0] == ["a", "bb?"]


def test_the_name_changes_with_the_model_and_the_place(model: Path, tmp_path: Path) -> None:
    before = using(model).name
    assert before.startswith(f"local:{model}#")
    assert using(model).name == before
    (model / "README.md").write_text("# Another word about it")
    assert using(model).name == before
    os.utime(model / "model.safetensors", ns=(1, 1))
    after = using(model).name
    assert after != before
    moved = model.rename(tmp_path / "elsewhere")
    assert using(moved).name != after


def test_a_model_says_itself_whether_it_is_nested(model: Path) -> None:
    assert not using(model).nested
    (model / "config.json").write_text(json.dumps({"matryoshka_dimensions": [32, 64]}))
    assert using(model).nested
    (model / "config.json").write_text("not json")
    assert not using(model).nested
    assert using(model.rename(model.parent / "mxbai-embed-large-v1")).nested


@pytest.mark.parametrize("name", ["missing", "README.md", "folder"])
def test_a_place_without_a_model_is_an_error(model: Path, name: str) -> None:
    (model / "folder").mkdir()
    with pytest.raises(EmbeddingError, match="no directory of sentence-transformers"):
        using(model / name)


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_a_model_with_a_file_that_is_gone_is_an_error(model: Path) -> None:
    (model / "tokenizer.json").symlink_to(model / "gone")
    with pytest.raises(EmbeddingError, match="cannot be read: No such file"):
        using(model)


def test_a_missing_library_is_an_error_that_says_how_to_get_it(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub.constants", None)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    made = using(model)
    with pytest.raises(EmbeddingError, match=r"pip install '.\[local\]'"):
        made.embed(["a"])


def test_what_the_library_raises_is_an_error_without_the_text(
    library: Library, model: Path
) -> None:
    def fail(texts: list[str]) -> object:
        raise RuntimeError(texts[0])

    library.answer = fail
    with pytest.raises(EmbeddingError, match="RuntimeError") as caught:
        using(model).embed([TEXT])
    assert TEXT not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_model_that_is_slow_is_left_in_time(library: Library, model: Path) -> None:
    def slow(texts: list[str]) -> object:
        time.sleep(0.5)
        return texts

    library.answer = slow
    with pytest.raises(EmbeddingError, match=r"not done within 0\.1 s"):
        using(model, 0.1).embed(["a"])
