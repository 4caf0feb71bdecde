"""Token counters: an estimate from above, and the registry of the exact ones.

The estimate cuts a text where the tokenizers of o200k and cl100k cut it, into words, numbers, and
runs of signs, and each of these into the longest pieces that it knows to be one token in both, or
else its bytes, at most one token each: an unknown word costs too much, not too little.
``benchmarks/calibrate_tokens.py`` measures it and chooses the pieces.
"""

import os
import stat
from functools import cache
from importlib import import_module

from ctx.errors import TokenizerError, install
from ctx.model import Counter
from ctx.text import encodable
from ctx.text.regex import regex
from ctx.typed import Any

NAMES = ("heuristic", "o200k", "cl100k")  # they need no file; others are paths to a ``.json``

UNIT = 64  # costs are whole numbers of 1/64 token, so that sums are exact on every machine
FURTHER = 72  # cost of each piece after a word's first: tokenizers do not always find the longest
LONGEST = 16  # bytes of a known piece, and characters of a known run of three-byte signs at most

PIECES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pieces.bin")
"""The known pieces, each ended by a byte that occurs in no UTF-8."""
END = b"\xff"

WORD = regex(
    rb"\t+(?=\t)"
    rb"|[^A-Za-z0-9\r\n\x80-\xff]?[A-Za-z\xc3-\xdf\xe1\x80-\xbf]{1,36}"
    rb"|[0-9]{1,3}"
    rb"| ?(?:[!-/:-@\[-`{-~]|\xe2[\x80-\xbf]{2}|\xc2[\x80-\xbf]){1,32}[\r\n]*"
    rb"| ?(?:[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3})"
    rb"|[\r\n]+"
    rb"|[\x00-\xff]"
)
"""What is priced by itself.  Both tokenizers end a piece wherever this does, except inside of a
script of three or four bytes, where they join characters and this does not."""

_REMEMBERED = 20_000  # most words in a cache, about 2 MB; a large repository has some 12,000
_SHORT = 40  # longest word, in bytes, that is cached

_MOST_BYTES = 256 * 1024 * 1024  # of a tokenizer.json: ten times the largest in use


@cache
def _known() -> frozenset[bytes]:
    """Return the known pieces, read when the first word is priced."""
    with open(PIECES, "rb") as file:
        return frozenset(file.read().split(END))


def cuts(word: bytes) -> int:
    """Return the number of pieces of a word: each the longest known one, or one byte."""
    pieces = _known()
    if word in pieces:
        return 1
    longest = LONGEST * 3 if b"\xe2" in word else LONGEST
    found, start, size = 0, 0, len(word)
    while start < size:
        stop = min(size, start + longest)
        while stop - start > 1 and word[start:stop] not in pieces:
            stop -= 1
        start, found = stop, found + 1
    return found


class _Words(dict[bytes, int]):
    def __missing__(self, word: bytes) -> int:
        cost = UNIT + FURTHER * (cuts(word) - 1)
        if len(word) <= _SHORT and len(self) < _REMEMBERED:
            self[word] = cost
        return cost


class _Chunks(dict[bytes, int]):
    """A cache of the costs of texts between two spaces, after a space or at a line's start."""

    def __init__(self, before: bytes) -> None:
        super().__init__()
        self._before = before

    def __missing__(self, chunk: bytes) -> int:
        text = self._before + chunk
        cost = UNIT if text in _known() else sum(map(_word_price, WORD.findall(text)))
        if len(chunk) <= _SHORT and len(self) < _REMEMBERED:
            self[chunk] = cost
        return cost


_word_price = _Words().__getitem__
_first_price = _Chunks(b"").__getitem__
_price = _Chunks(b" ").__getitem__

_GAP = b"\x02"  # replaces a run of spaces; a character of its own costs as much
_GAPS = regex(rb" {2,}")
_SLAB = 1 << 20  # characters counted at once, so that memory does not grow with the number of words


def _line(line: bytes) -> int:
    """Return the cost of one line, in whole tokens: at least 1."""
    total = start = 0
    while len(line) - start > _SLAB:
        stop = line.find(b" ", start + _SLAB // 2, start + _SLAB)
        if stop < 0:  # half a million characters without a space: cut anywhere
            stop = start + _SLAB
        total += _cost(line[start:stop])
        start = stop
    return (total + _cost(line[start:]) + UNIT * 5 // 8) // UNIT or 1


def _cost(line: bytes) -> int:
    """Return the cost of a line, or of a part that starts at a space, in 1/64 token."""
    first, *rest = line.split(b" ")
    return _first_price(first) + sum(map(_price, rest))


def _lines(text: str) -> int:
    raw = text.encode("utf-8", "replace")
    if b"  " in raw:
        # The last space of a run belongs to the word after it.
        raw = _GAPS.sub(lambda run: _GAP * -(-len(run[0]) // LONGEST) + b" ", raw)
    lines = raw.split(b"\n")
    last = lines.pop()
    blank = lines.count(b"")
    total = sum([_line(line + b"\n") for line in lines if line])
    return blank + total + (_line(last) if last else 0)


def estimate(text: str) -> int:
    """Return tokens that ``text`` hardly exceeds in o200k or cl100k; 0 only for the empty string.

    Never less than a sixteenth of the characters.  Every line is rounded by itself, its line
    feed included, and nothing crosses a line: wherever ``a`` ends in a line feed,
    ``estimate(a + b) == estimate(a) + estimate(b)``.
    """
    total = start = 0
    while len(text) - start > _SLAB and (stop := text.find("\n", start + _SLAB)) >= 0:
        total += _lines(text[start : stop + 1])
        start = stop + 1
    return total + _lines(text[start:])


class Heuristic:
    """Counts with ``estimate``."""

    name = "heuristic"

    def count(self, text: str) -> int:
        """Return the estimated number of tokens in ``text``."""
        return estimate(text)


class OpenAI:
    """Counts as o200k_base or cl100k_base do, in whole texts: cuts would change the count."""

    def __init__(self, name: str) -> None:
        self.name = name
        library = _library("rs_bpe.bpe", "rs-bpe", name).openai
        self._bpe = library.o200k_base() if name == "o200k" else library.cl100k_base()

    def count(self, text: str) -> int:
        """Return the number of tokens in ``text``."""
        return int(self._bpe.count(encodable(text)))


class HuggingFace:
    """Counts exactly as a ``tokenizer.json`` does, without the special tokens around a text."""

    def __init__(self, path: str) -> None:
        self.name = path
        try:
            status = os.stat(path)  # some files would block, or fill memory
            if not stat.S_ISREG(status.st_mode):
                raise _unreadable(path, "is no file")
            if status.st_size > _MOST_BYTES:
                raise _unreadable(path, f"is over {_MOST_BYTES:,} bytes")
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
        return len(self._tokenizer.encode(encodable(text), add_special_tokens=False))


def _unreadable(path: str, why: str) -> TokenizerError:
    return TokenizerError(
        f"cannot read the tokenizer {path}: {why}",
        "name a tokenizer.json, or one of heuristic, o200k, cl100k",
    )


def _library(module: str, package: str, name: str) -> Any:  # noqa: ANN401  (optional, untyped)
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


def counter(name: str) -> Counter:
    """Return the counter ``name``: of ``NAMES``, or a ``.json`` path; else TokenizerError."""
    if name == "heuristic":
        return Heuristic()
    if name in NAMES or name.endswith(".json"):
        return OpenAI(name) if name in NAMES else HuggingFace(name)
    raise TokenizerError(
        f"unknown tokenizer {name!r}", f"one of {', '.join(NAMES)}, or a path to a tokenizer.json"
    )
