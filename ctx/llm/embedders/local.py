"""A directory of sentence-transformers on this machine.

Nothing is downloaded, no code of the model's directory is run, and nothing of torch is
imported before the first text has to be embedded: that takes seconds.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ctx.errors import install
from ctx.llm.deadline import Deadline
from ctx.llm.embedders import rows
from ctx.llm.spec import EMBEDDING, Client, directory
from ctx.model import EmbeddingError

_Result = TypeVar("_Result")
_MODULES = "modules.json"  # the file that makes a directory one of sentence-transformers
_IGNORED = (".md", ".gitattributes", ".lock", ".png")  # files that change no vector
_BATCH = 32
LONGEST = 32_000  # characters of a text that are read: models read 8,192 tokens at most


class Local:
    """An ``Embedder`` that runs a model in this process, with a time limit for each call."""

    def __init__(self, path: str, seconds: float) -> None:
        self.name = f"local:{path}#{_signature(path)}"
        self.dim = 0
        self.nested = rows.is_nested(os.path.basename(path)) or _is_nested(path)
        self._path = path
        self._seconds = seconds
        self._encode: Callable[..., object] | None = None

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a row for each text, zero for a blank one. Raises EmbeddingError."""
        return rows.beside_blanks(texts, self.dim, self._in_time)

    def _in_time(self, texts: list[str]) -> npt.NDArray[np.float32]:
        who = f"local:{self._path}"
        chosen = [text[:LONGEST] for text in texts]

        def run() -> object:
            if self._encode is None:
                model = offline().SentenceTransformer(
                    self._path, local_files_only=True, trust_remote_code=False
                )
                self._encode = model.encode
            return self._encode(
                chosen, batch_size=_BATCH, show_progress_bar=False, convert_to_numpy=True
            )

        found = in_time(who, self._seconds, EMBEDDING, run)
        numbers = rows.numbers(found, len(texts), self.dim, who)
        self.dim = numbers.shape[1]
        return rows.unit(numbers, who)


def load(argument: str, environ: Mapping[str, str], seconds: float) -> Local:
    """Return the embedder of ``local:argument``; UsageError, EmbeddingError."""
    return Local(directory(argument, environ), seconds)


def in_time(who: str, seconds: float, client: Client, work: Callable[[], _Result]) -> _Result:
    """Return what ``work`` makes with a model; the client's error for all that goes wrong."""

    def run() -> _Result:
        try:
            return work()
        except ImportError as error:
            raise client.error(
                f"{who}: {error.name or 'a library'} is not installed, or broken:"
                f" {install('local')}"
            ) from error
        except Exception as error:  # noqa: BLE001 - torch raises anything
            # Only the kind of error: its message may quote a text.
            raise client.error(
                f"{who}: the model cannot be used ({type(error).__name__}):"
                " is the directory whole, and memory left?"
            ) from None

    return Deadline(who, seconds, client).hold(run)


def offline() -> Any:  # noqa: ANN401 - a module without types
    """Return sentence-transformers, for files of this machine alone."""
    # Before transformers is imported: a directory may refer to another model by its name, and
    # the libraries would fetch it, or ask for a newer one. They read the switch at every use.
    hub: Any = import_module("huggingface_hub.constants")
    hub.HF_HUB_OFFLINE = True
    return import_module("sentence_transformers")


def _signature(path: str) -> str:
    """Return a digest of names, sizes and times of the model's files, as to read them is slow."""
    if not os.path.isfile(os.path.join(path, _MODULES)):
        raise EmbeddingError(
            f"local:{path}: this is no directory of sentence-transformers, which has a"
            f" {_MODULES}: check the path, or save the model there"
        )
    digest = blake2b(digest_size=8)
    try:
        for name, size, changed in sorted(_files(path)):
            digest.update(f"{name}\0{size}\0{changed}\n".encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise EmbeddingError(
            f"local:{path}: cannot be read: {error.strerror or type(error).__name__}"
        ) from error
    return digest.hexdigest()


def _files(path: str) -> list[tuple[str, int, int]]:
    found = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.endswith(_IGNORED):
                file = os.path.join(folder, name)
                relative = os.path.relpath(file, path).replace(os.sep, "/")
                status = os.stat(file)
                found.append((relative, status.st_size, status.st_mtime_ns))
    return found


def _is_nested(path: str) -> bool:
    """Return whether the model's own configuration names lengths that it may be cut to."""
    try:
        with open(os.path.join(path, "config.json"), encoding="utf-8") as file:
            settings = json.load(file)
    except (OSError, ValueError):
        return False  # sentence-transformers reports what is wrong with it
    return isinstance(settings, dict) and "matryoshka_dimensions" in settings
