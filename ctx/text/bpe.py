"""Exact token counters, by optional libraries that are loaded when a counter needs one."""

from __future__ import annotations

import os
import stat
from importlib import import_module
from typing import Any

from ctx.errors import TokenizerError, install


class OpenAI:
    """Counts exactly as o200k_base or cl100k_base do; the names of special tokens are text.

    The library takes linear time on runs of one character too (10 MB of spaces: 50 ms, of
    hyphens, its worst: 6 s), so it gets the whole text: cutting it would change the count.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        library = _library("rs_bpe.bpe", "rs-bpe", name).openai
        self._bpe = library.o200k_base() if name == "o200k" else library.cl100k_base()

    def count(self, text: str) -> int:
        """Return the number of tokens in ``text``."""
        return int(self._bpe.count(_encodable(text)))


class HuggingFace:
    """Counts exactly as a ``tokenizer.json`` does, without the special tokens around a text."""

    def __init__(self, path: str) -> None:
        self.name = path
        try:
            _check(path)
            with open(path, encoding="utf-8") as file:
                definition = file.read()
        except OSError as error:
            raise _unreadable(path, error.strerror or str(error)) from error
        except UnicodeDecodeError as error:
            raise _damaged(path, error) from error
        library = _library("tokenizers", "tokenizers", path)
        try:
            self._tokenizer = library.Tokenizer.from_str(definition)
        except Exception as error:  # the library raises nothing narrower
            raise _damaged(path, error) from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        # "<|endoftext|>" in somebody's notes is text, not a token.
        self._tokenizer.encode_special_tokens = True

    def count(self, text: str) -> int:
        """Return the number of tokens in ``text``."""
        return len(self._tokenizer.encode(_encodable(text), add_special_tokens=False))


def _check(path: str) -> None:
    """Raise TokenizerError for a file that would block, or fill memory."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise _unreadable(path, "is no file")
    if status.st_size > _MOST_BYTES:
        raise _unreadable(path, f"is over {_MOST_BYTES:,} bytes")


_MOST_BYTES = 256 * 1024 * 1024
"""Of a tokenizer.json: ten times the largest in use."""


def _unreadable(path: str, why: str) -> TokenizerError:
    return TokenizerError(
        f"cannot read the tokenizer {path}: {why}",
        "name a tokenizer.json, or one of heuristic, o200k, cl100k",
    )


def _encodable(text: str) -> str:
    """Return ``text`` with ``?`` for lone surrogates, which no library takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _library(module: str, package: str, name: str) -> Any:  # noqa: ANN401  (optional, untyped)
    """Import a library that only the tokenizer ``name`` needs."""
    try:
        return import_module(module)
    except ImportError as error:
        raise TokenizerError(
            f"the tokenizer {name} needs the package {package}", install("tokenizers")
        ) from error


def _damaged(path: str, error: Exception) -> TokenizerError:
    reason = " ".join(str(error).split())
    return TokenizerError(
        f"not a tokenizer: {path}: {reason}",
        "it must be the tokenizer.json of a Hugging Face model",
    )
