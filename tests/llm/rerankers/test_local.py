"""A cross-encoder in a directory: what is asked of the library, and what goes wrong."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ctx.errors import UsageError
from ctx.llm.rerankers import reranker
from ctx.model import Reranker, RerankError

pytest.importorskip("numpy")
import numpy as np

TEXT = "a secret that no message may hold"


class Library:
    """A library whose cross-encoder scores a text by its length."""

    def __init__(self) -> None:
        self.opened: list[tuple[str, dict[str, object]]] = []
        self.answer: Callable[[list[tuple[str, str]]], object] = lambda pairs: np.array(
            [1 / len(text) for _, text in pairs], np.float32
        )

    def cross_encoder(self, path: str, **options: object) -> Library:
        self.opened.append((path, options))
        return self

    def predict(self, pairs: list[tuple[str, str]], **_: object) -> object:
        return self.answer(pairs)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "cross-encoder"
    folder.mkdir()
    config = {"architectures": ["BertForSequenceClassification"]}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


@pytest.fixture
def library(sentence_transformers: SimpleNamespace) -> Library:
    found = Library()
    sentence_transformers.CrossEncoder = found.cross_encoder
    return found


def _made(path: Path, seconds: float = 60.0) -> Reranker:
    made = reranker(f"local:{path}", {}, seconds)
    assert made is not None
    return made


def test_none_is_no_reranker() -> None:
    assert reranker("none", {}, 1.0) is None


def test_scores_come_from_files_of_this_machine_alone(library: Library, model: Path) -> None:
    made = _made(model)
    assert library.opened == []  # until the first text
    assert made.scores("q", ["four", "of", "\ud800"]) == [0.25, 0.5, 1.0]
    assert made.scores("q", ["four"]) == [0.25]
    assert library.opened == [(str(model), {"local_files_only": True, "trust_remote_code": False})]


@pytest.mark.parametrize(
    ("spec", "part"),
    [
        ("local:", "rerank: 'local:' needs the whole path"),
        ("local:models/x", "rerank: 'local:' needs the whole path"),
        ("static", "rerank: this names no rerank"),
        ("none:x", "rerank: this names no rerank"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(spec: str, part: str) -> None:
    with pytest.raises(UsageError, match=part):
        reranker(spec, {}, 1.0)


@pytest.mark.parametrize(
    ("config", "part"),
    [
        (None, "there is no config.json"),
        ("{", "there is no config.json that can be read"),
        ("[]", "this is no cross-encoder"),
        ('{"architectures": ["BertModel"]}', "belongs into the setting embedder"),
    ],
)
def test_a_directory_without_a_cross_encoder_is_refused(
    tmp_path: Path, config: str | None, part: str
) -> None:
    if config is not None:
        (tmp_path / "config.json").write_text(config, encoding="utf-8")
    with pytest.raises(RerankError, match=part):
        _made(tmp_path)


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RerankError, match="gone: there is no such directory"):
        _made(tmp_path / "gone")


def test_a_missing_library_names_the_extra(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub.constants", None)
    with pytest.raises(RerankError, match=r"not installed, or broken: .*\[local\]"):
        _made(model).scores(TEXT, [TEXT])


def _raising(_: object) -> object:
    raise RuntimeError(TEXT)


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        (_raising, "cannot be used .RuntimeError."),
        (lambda pairs: np.zeros((len(pairs), 3)), "gives several scores for a text"),
        (lambda pairs: np.full(len(pairs), math.nan), "no numbers"),
        (lambda pairs: np.zeros(len(pairs) + 1), "several scores"),
    ],
)
def test_what_fails_is_one_line_without_a_text(
    library: Library, model: Path, answer: Callable[[list[tuple[str, str]]], object], part: str
) -> None:
    library.answer = answer
    with pytest.raises(RerankError, match=part) as failed:
        _made(model).scores(TEXT, [TEXT])
    assert TEXT not in str(failed.value)
    assert "\n" not in str(failed.value)


def test_a_real_cross_encoder_is_loaded(tmp_path: Path) -> None:
    """The library itself, with a model of random weights."""
    pytest.importorskip("sentence_transformers")
    transformers: Any = pytest.importorskip("transformers")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "zebra", "cache", "retry"]
    (tmp_path / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    transformers.BertTokenizer(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    config = transformers.BertConfig(
        vocab_size=len(words), hidden_size=8, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=8, num_labels=1,
    )  # fmt: skip
    transformers.BertForSequenceClassification(config).save_pretrained(tmp_path)
    texts = ["zebra", "cache retry", "zebra cache", ""]
    scores = _made(tmp_path).scores("zebra", texts)
    assert len(scores) == len(texts)
    assert all(0 < score < 1 for score in scores)
    assert scores == _made(tmp_path).scores("zebra", texts)
    transformers.BertModel(config).save_pretrained(tmp_path)
    with pytest.raises(RerankError, match="this is no cross-encoder"):
        _made(tmp_path)
