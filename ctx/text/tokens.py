"""Token counters: an estimate from above, and the registry of the exact ones.

The estimate cuts a text into words, numbers and runs of signs, where the tokenizers of o200k and
cl100k cut it.  These build each word from bytes by the merges of their vocabularies, the first
ones first, and each merge makes one token of two.  So what the first few thousand merges leave of
a word is never less than its tokens, and these are all that the estimate carries out, for both.
``benchmarks/calibrate_tokens.py`` measures it, ``benchmarks/choose_pieces.py`` chooses what it
knows, and ``benchmarks/calibration.md`` has what is proven and what was only searched for.
"""

import os
import stat
import struct
from functools import cache
from importlib import import_module
from itertools import islice

from ctx.errors import TokenizerError, install
from ctx.model import Counter
from ctx.text import encodable
from ctx.text.regex import regex
from ctx.typed import Any

NAMES = ("heuristic", "o200k", "cl100k")  # they need no file; others are paths to a ``.json``

LONGEST = 16  # characters for which a token is charged at least

PIECES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pieces.bin")
"""What is known: three numbers, the merges of both vocabularies, and the pieces.

The numbers say how many pieces are one token in both, how many merges of o200k follow, and how many
of cl100k.  A merge is the place of the piece that it makes."""
END = b"\xff"  # between pieces; a byte that occurs in no UTF-8
NUMBERS = struct.Struct("<3H")

_LETTERS = rb"[A-Za-z\xc3-\xdf\xe1\x80-\xbf]"
_SIGN = (
    rb"(?:[!-/:-@\[-`{-~]|\xc2[\x80-\x84\x86-\x9f\xa1-\xbf]"
    rb"|\xe2(?!\x80[\x80-\x8a\xa8\xa9\xaf]|\x81\x9f)[\x80-\xbf]{2})"
)
WIDE = rb" ?(?:[\xe0\xe3-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3})"
WORD = regex(
    rb"(?s)\t+(?=\t)"
    rb"|(?:(?<![\xe0\xe3-\xef]..)(?<!\xe1[\x80-\xb7\xbc-\xbf].)"
    rb"(?<![\xf0-\xf7]...)(?<![\xcc\xd5\xd6].|\xcd\xbe|\xce\x87|\xdb\x94)"
    rb"(?<!\xd7[\x80\x83\x86\xbe\xb3\xb4]|\xd8[\x8c\x9b\x9f]|\xd9[\xaa-\xad]|\xc3[\x97\xb7])"
    rb"(?:[^A-Za-z0-9\r\n\x80-\xff]|\xc2[\x80-\xbf]|\xe2[\x80-\xbf]{2}))?"
    rb"%(letters)s+(?:\xc2[\xaa\xb5\xba]%(letters)s*)*(?:'(?i:[sdmt]|re|ve|ll))?"
    rb"|(?<!\xc2[\xb2\xb3\xb9\xbc-\xbe]|\xd9[\xa0-\xa9])"
    rb"(?<!\xe0.{2}|\xe2[\x81\x82\x85\x91].|\xef\xbc[\x90-\x99])[0-9]{1,3}"
    rb"| ?%(sign)s+[\r\n]*"
    rb"| ?[\xe1\xe3-\xef](?=[\x80-\xbf](?:\x80\xe0|[\xa0\xa4]\xed))"  # tokens of two halves
    rb"|%(wide)s|\xe2[\x80-\xbf]{2}|\xc2[\x80-\xbf]"
    rb"|[\r\n]+"
    rb"|." % {b"letters": _LETTERS, b"sign": _SIGN, b"wide": WIDE}
)
"""What is priced by itself: both tokenizers end a piece wherever this does, except in scripts of
three or four bytes, whose characters this prices one by one."""

_REMEMBERED = 20_000  # most words in a cache, about 2 MB; a large repository has some 12,000
_SHORT = 40  # longest word, in bytes, that is cached
_MERGED = 512  # longest word, in bytes, that is merged: of a longer one each byte costs a token
_NEVER = 1 << 16  # the place of what is no merge

_MOST_BYTES = 256 * 1024 * 1024  # of a tokenizer.json: ten times the largest in use


@cache
def _known() -> tuple[frozenset[bytes], tuple[dict[bytes, int], ...]]:
    """Return the pieces that are one token in both, and the places of the merges of each."""
    with open(PIECES, "rb") as file:
        raw = file.read()
    known, *sizes = NUMBERS.unpack_from(raw)
    start = NUMBERS.size + 2 * sum(sizes)
    pieces = raw[start:].split(END)
    made = map(pieces.__getitem__, struct.unpack_from(f"<{sum(sizes)}H", raw, NUMBERS.size))
    return frozenset(pieces[:known]), tuple(
        [dict(zip(islice(made, size), range(size), strict=True)) for size in sizes]
    )


def merged(word: bytes, merges: dict[bytes, int]) -> list[bytes]:
    """Return what ``merges``, each carried out before all later ones, leave of the word."""
    parts = [word[place : place + 1] for place in range(len(word))]
    pairs = [merges.get(a + b, _NEVER) for a, b in zip(parts, parts[1:])]  # noqa: B905, RUF007
    while pairs and (first := min(pairs)) < _NEVER:
        while first in pairs:  # all that there are of it, from left to right
            place = pairs.index(first)
            parts[place] += parts.pop(place + 1)
            del pairs[place]
            if place < len(pairs):
                pairs[place] = merges.get(parts[place] + parts[place + 1], _NEVER)
            if place:
                pairs[place - 1] = merges.get(parts[place - 1] + parts[place], _NEVER)
    return parts


def price(word: bytes) -> int:
    """Return the most tokens that a word can be in either vocabulary."""
    known, both = _known()
    if word in known:
        cost = 1
    elif len(word) > _MERGED:
        return len(word)
    elif _IS_WIDE(word):
        cost = _cut(word, known)
    else:
        cost = max([_most(merged(word, merges), known) for merges in both])
    if word[-1:] == b"\n" and (signs := word.rstrip(b"\r\n")):
        cost = max(cost, price(signs))  # the line feed goes to what follows in "}\n\n"
    return max(cost, -(-len(word) // (LONGEST * 3 if b"\xe2" in word else LONGEST)))


def _most(parts: list[bytes], known: frozenset[bytes]) -> int:
    """Return the greatest number of tokens that all later merges can leave of parts.

    Two neighbours that make a known piece do not both stay.  At the least one merge, with which of
    them ever, takes place among three pairs of neighbours in a row.
    """
    most, place = len(parts), 1
    while place < len(parts):
        if parts[place - 1] + parts[place] in known:
            most -= 1
            place += 2
        place += 1
    return most


def _cut(character: bytes, known: frozenset[bytes]) -> int:
    """Return the number of pieces of a character, each the longest known one, or one byte."""
    if character[:1] == b" ":  # listed with a space behind: what is torn by one before it
        return 1 + _cut(character[1:], known) + (character[1:] + b" " in known)
    found = start = 0
    while start < len(character):
        stop = len(character)
        while stop - start > 1 and character[start:stop] not in known:
            stop -= 1
        start, found = stop, found + 1
    return found


class _Words(dict[bytes, int]):
    def __missing__(self, word: bytes) -> int:
        cost = price(word)
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
        cost = 1 if text in _known()[0] else sum(map(_word_price, WORD.findall(text)))
        if text[:1] == b"/" and (rest := text.lstrip(b"/")):  # o200k joins it to a line above
            cost = max(cost, _word_price(text[: -len(rest)]) + self[rest])
        if len(chunk) <= _SHORT and len(self) < _REMEMBERED:
            self[chunk] = cost
        return cost


_IS_WIDE = regex(WIDE).fullmatch
_word_price = _Words().__getitem__
_first_price = _Chunks(b"").__getitem__
_price = _Chunks(b" ").__getitem__

_GAP = b"\x02"  # replaces a run of spaces; a character of its own costs as much
_GAPS = regex(rb" {2,}")
_SLAB = 1 << 20  # characters counted at once, so that memory does not grow with the number of words


def _line(line: bytes) -> int:
    """Return the cost of one line: at least 1."""
    total = start = 0
    while len(line) - start > _SLAB:
        stop = line.find(b" ", start + _SLAB // 2, start + _SLAB)
        if stop < 0:  # half a million characters without a space: cut anywhere
            stop = start + _SLAB
        total += _cost(line[start:stop])
        start = stop
    return total + _cost(line[start:])


def _cost(line: bytes) -> int:
    """Return the cost of a line, or of a part that starts at a space."""
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

    Never less than a sixteenth of the characters, and nothing crosses a line: wherever ``a`` ends
    in a line feed,
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
