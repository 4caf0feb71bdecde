"""The model that comes with ctx: a vector for each piece of a word, and a text is their sum.

``scripts/distil.py`` made it of all-MiniLM-L6-v2; ``data/NOTICE.txt`` says how. No network, no
torch: numpy, and the splitting of words that BERT models use. That is written here since the
library for it (``tokenizers``) brings fifteen more packages, two more bare starts, and splits at
a quarter of the speed. A test holds that both split alike.

Sums are of whole numbers, so that neither their order nor the machine changes a bit of them.
"""

from __future__ import annotations

import os
import re
import unicodedata
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from ctx.errors import install
from ctx.model import EmbeddingError
from ctx.text.token_patterns import Memo

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

NAME = "static-1"  # what vectors are stored by: another model or splitting needs another
VOCABULARY = "vocab.txt"
VECTORS = "vectors.npy"
WEIGHTS = "weights.npy"
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")

LONGEST_TEXT = 16_384  # characters of a text that are read; recall falls below 8,000
MOST_PIECES = 2048  # pieces of a text that are summed: likewise, where each character is one
_LONGEST_WORD = 100  # characters; BERT takes longer words for unknown
_BLOCK = 1024  # texts whose sums are in memory at a time

_ASCII_WORD = re.compile(r"[a-z0-9]+|[^ a-z0-9]")
_LOWER = bytes(32 if c in b"\t\n\r" else c for c in range(128)).lower() + bytes(128)
_CONTROLS = bytes(c for c in range(128) if (c < 32 and c not in b"\t\n\r") or c == 127)  # noqa: PLR2004 - ASCII
_CONTINUED = "##"  # the beginning of pieces that continue a word
_DROPPED = frozenset({"Cc", "Cf", "Co", "Cs", "Mn"})  # left out; not ``Cn``, unlike BERT
_IDEOGRAPHS = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip
"""Code points, ends included, that are words of their own (BERT, ``tokenize_chinese_chars``). Not
``ctx.text.words.UNSPACED``: the vocabulary was made with these."""


class Static:
    """An ``Embedder`` whose vectors are looked up; nothing in it changes its answers."""

    name = NAME
    nested = True  # the components are principal ones, the greatest first

    def __init__(
        self, pieces: Sequence[str], vectors: npt.NDArray[np.int8], weights: npt.NDArray[np.int32]
    ) -> None:
        """Use ``vectors`` [pieces, dim] in [-127, 127], each times its weight in [0, 32,767].

        Raises EmbeddingError where the three do not have the same length.
        """
        if vectors.ndim != 2 or not len(pieces) == len(vectors) == len(weights):  # noqa: PLR2004 - a matrix
            raise _broken("its files do not belong together")
        self.dim = int(vectors.shape[1])
        self._rows = {piece: row for row, piece in enumerate(pieces)}
        self._longest = max(map(len, pieces), default=0)
        self._pieces = Memo(self._split)
        self._vectors = vectors
        self._weights = weights

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a row for each text, of unit length or zero; the same alone and in a batch."""
        rows = np.zeros((len(texts), self.dim), np.float32)
        for start in range(0, len(texts), _BLOCK):
            block = texts[start : start + _BLOCK]
            sums = np.zeros((len(block), self.dim), np.int64)
            for place, text in enumerate(block):
                if found := self.pieces(text):
                    which = np.array(found, np.intp)
                    scaled = self._vectors.take(which, axis=0) * self._weights.take(which)[:, None]
                    scaled.sum(axis=0, dtype=np.int64, out=sums[place])
            rows[start : start + _BLOCK] = _unit(sums)
        return rows

    def pieces(self, text: str) -> list[int]:
        """Return the rows of the pieces that ``text`` is made of, in order; at most 2,048."""
        found = map(self._pieces.__getitem__, basic_words(text[:LONGEST_TEXT]))
        return list(chain.from_iterable(found))[:MOST_PIECES]

    def _split(self, word: str) -> tuple[int, ...]:
        """Return the longest piece that begins ``word``, then that of the rest; () for none."""
        found: list[int] = []
        start, before = 0, ""
        while start < len(word) <= _LONGEST_WORD:
            for end in range(min(len(word), start + self._longest), start, -1):
                if (row := self._rows.get(before + word[start:end])) is not None:
                    break
            else:
                return ()
            found.append(row)
            start, before = end, _CONTINUED
        return tuple(found)


def load() -> Static:
    """Return the model that comes with ctx; EmbeddingError where its files are damaged."""
    try:
        with open(os.path.join(DATA, VOCABULARY), encoding="utf-8", newline="\n") as file:
            pieces = file.read().splitlines()
        vectors = np.load(os.path.join(DATA, VECTORS))
        weights = np.load(os.path.join(DATA, WEIGHTS)).astype(np.int32)
    except (OSError, ValueError, EOFError) as error:
        raise _broken(str(error) or type(error).__name__) from error
    return Static(pieces, vectors, weights)


def basic_words(text: str) -> list[str]:
    """Return words, signs and ideographs as BERT splits them, in lower case, without accents."""
    if text.isascii():
        plain = text.encode("ascii").translate(_LOWER, _CONTROLS).decode("ascii")
        return _ASCII_WORD.findall(plain)
    return unicodedata.normalize("NFD", text).translate(_FOLDED).split()


class _Folded(dict[int, str]):
    def __missing__(self, code: int) -> str:
        found = self[code] = _folded(chr(code))
        return found


_FOLDED = _Folded()


def _folded(char: str) -> str:
    category = unicodedata.category(char)
    if char in "\t\n\r" or category[0] == "Z":
        return " "
    if category in _DROPPED or char == "\ufffd":
        return ""
    if category[0] == "P" or _is_word(char):
        return f" {char} "
    return char.lower()


def _is_word(char: str) -> bool:
    """Whether ``char`` is an ideograph, or a sign of ASCII: BERT takes ``$`` for punctuation."""
    if char.isascii():
        return not char.isalnum()
    code = ord(char)
    return any(first <= code <= last for first, last in _IDEOGRAPHS)


def _unit(sums: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    """Return rows of unit length, zeros as they are, added in one order on every processor."""
    wide = sums.astype(np.float64)
    size = np.sqrt(np.add.accumulate(np.square(wide), axis=1)[:, -1:])
    np.divide(wide, size, out=wide, where=size > 0)
    return wide.astype(np.float32)


def _broken(why: str) -> EmbeddingError:
    return EmbeddingError(
        f"embedder static: the model that comes with ctx is damaged ({why}):"
        f" {install('embed')} --force-reinstall"
    )
