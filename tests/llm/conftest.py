"""A stand-in for sentence-transformers, which is not installed, or loads a model for seconds."""

import sys
from types import ModuleType, SimpleNamespace

import pytest


@pytest.fixture
def sentence_transformers(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Nothing in place of the library; ``hub`` holds the switch of the network."""
    package = SimpleNamespace(hub=ModuleType("huggingface_hub.constants"))
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    monkeypatch.setitem(sys.modules, "huggingface_hub", ModuleType("huggingface_hub"))
    monkeypatch.setitem(sys.modules, "huggingface_hub.constants", package.hub)
    return package
