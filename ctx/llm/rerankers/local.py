"""A cross-encoder of sentence-transformers in a directory on this machine."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any

from ctx.llm.embedders.local import LONGEST, in_time, offline
from ctx.llm.spec import RERANKING, directory
from ctx.model import RerankError
from ctx.text import encodable

_CONFIG = "config.json"
_CLASSIFIER = "ForSequenceClassification"  # of other models the weights would be made up
_BATCH = 32
_DIGITS = 6  # decimals of scores: smaller differences are rounding errors, which differ by machine


class Local:
    """A ``Reranker`` that runs a model in this process, with a time limit for each call."""

    def __init__(self, path: str, seconds: float) -> None:
        _check(path)
        self._path = path
        self._seconds = seconds
        self._predict: Callable[..., Any] | None = None

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return for each text how well it answers ``query``, in [0, 1]. Raises RerankError."""
        who = f"local:{self._path}"
        asked = _readable(query)
        pairs = [(asked, _readable(text)) for text in texts]

        def run() -> Any:  # noqa: ANN401 - what the library returns
            if self._predict is None:
                model: Any = offline().CrossEncoder(
                    self._path, local_files_only=True, trust_remote_code=False
                )
                self._predict = model.predict
            return self._predict(
                pairs,
                batch_size=_BATCH,
                show_progress_bar=False,
                # Of [0, 1] whatever the model's own settings ask for.
                activation_fn=lambda logits: logits.sigmoid(),
                convert_to_numpy=True,
            )

        found = in_time(who, self._seconds, RERANKING, run)
        if getattr(found, "shape", ()) != (len(pairs),):
            raise RerankError(f"{who}: gives several scores for a text: this is no reranker")
        scores = [round(float(score), _DIGITS) for score in found]
        if not all(map(isfinite, scores)):
            raise RerankError(f"{who}: gives scores that are no numbers: is the model damaged?")
        return scores


def load(argument: str, environ: Mapping[str, str], seconds: float) -> Local:
    """Return the reranker of ``local:argument``; UsageError, RerankError."""
    return Local(directory(argument, environ, setting=RERANKING.setting), seconds)


def _readable(text: str) -> str:
    """Return the beginning of a text, without halves of surrogate pairs, which no model takes."""
    return encodable(text[:LONGEST])


def _check(path: str) -> None:
    who = f"local:{path}"
    if not os.path.isdir(path):
        raise RerankError(f"{who}: there is no such directory: check the path")
    try:
        with open(os.path.join(path, _CONFIG), encoding="utf-8") as file:
            settings = json.load(file)
    except (OSError, ValueError) as error:
        raise RerankError(
            f"{who}: there is no {_CONFIG} that can be read: save a cross-encoder of"
            " sentence-transformers there"
        ) from error
    names = settings.get("architectures") if isinstance(settings, dict) else None
    if not isinstance(names, list) or not any(str(name).endswith(_CLASSIFIER) for name in names):
        raise RerankError(
            f"{who}: this is no cross-encoder, whose architecture ends in {_CLASSIFIER}"
            " (a model of embeddings belongs into the setting embedder)"
        )
