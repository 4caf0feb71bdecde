"""Token counters: an estimate from above, and the registry of the exact ones.

The estimate cuts a text into words, numbers and runs of signs, where the tokenizers of o200k and
cl100k cut it.  These build each word from bytes by the merges of their vocabularies, the first ones
first, and each makes one token of two.  So the few thousand merges that the estimate carries out,
for both, leave no less of a word than its tokens.  ``benchmarks/calibration.md`` has figures, what
is proven, and what was only searched for; ``benchmarks/choose_pieces.py`` chooses what is known.
"""

import os
import stat
import struct
from collections.abc import Callable
from functools import cache
from importlib import import_module

from ctx.errors import TokenizerError, install
from ctx.model import Counter
from ctx.text import encodable
from ctx.text.regex import regex
from ctx.typed import Any

NAMES = ("heuristic", "o200k", "cl100k")  # they need no file; others are paths to a ``.json``

LONGEST = 16  # characters for which a token is charged at least

PIECES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pieces.bin")
"""What is known, looked up without reading all of it: a packet asks for few pieces.

First where each group starts and the last one ends.  A piece is in the group that its bytes, as a
number modulo ``GROUPS``, name: ``START``, the piece, ``END``, and ``MERGE`` if a merge makes it."""
GROUPS = 8191
START, END = b"\xff", b"\xfe"  # occur in no UTF-8, and no number of ``MERGE`` has such a byte
MERGE = struct.Struct(">?HH")  # is it one token in both, and its place among the merges of each
NEVER = 0x7F7F  # the place of what is no merge

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
    rb"| ?(?:[!-/:-@\[-`{-~]|\xc2[\x80-\x84\x86-\x9f\xa1-\xbf]"
    rb"|\xe2(?!\x80[\x80-\x8a\xa8\xa9\xaf]|\x81\x9f|[\x80-\xbf]\x80\xe0)[\x80-\xbf]{2})+[\r\n]*"
    rb"| (?=(?:\xe3\x80|\xef[\xbc\xbd])[\x80-\xbf](?:[!-/:-@\[-`{-~\xc2\xe2\xef]|\xe3\x80))"  # torn
    rb"| ?[\xe1-\xef](?=[\x80-\xbf](?:\x80\xe0|[\xa0\xa4]\xed))"  # tokens of two halves
    rb"|%(wide)s|\xe2[\x80-\xbf]{2}|\xc2[\x80-\xbf]|[\r\n]+|."
    % {b"letters": rb"[A-Za-z\xc3-\xdf\xe1\x80-\xbf]", b"wide": WIDE}
)
"""What is priced by itself: both tokenizers end a piece wherever this does, except in scripts of
three or four bytes, whose characters this prices one by one."""

_REMEMBERED = 20_000  # most words in a cache, about 2 MB; a large repository has some 12,000
_SHORT = 40  # longest word, in bytes, that is cached
_MERGED = 512  # longest word, in bytes, that is merged: of a longer one each byte costs a token

_MOST_BYTES = 256 * 1024 * 1024  # of a tokenizer.json: ten times the largest in use


class _Cache(dict[bytes, Any]):
    """What a function returns for short words; once full, it starts anew."""

    def __init__(self, function: Callable[[bytes], object]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, word: bytes) -> Any:  # noqa: ANN401 (of a function of any kind)
        found = self._function(word)
        if len(word) <= _SHORT:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[word] = found
        return found


@cache
def _file() -> tuple[bytes, tuple[int, ...]]:
    """Return the file, and where in it the groups start."""
    with open(PIECES, "rb") as file:
        return (raw := file.read()), struct.unpack_from(f">{GROUPS + 1}I", raw)


def look_up(piece: bytes) -> tuple[bool, int, int]:
    """Return whether a piece is one token in both, and its place among the merges of each."""
    raw, starts = _file()
    group = int.from_bytes(piece, "big") % GROUPS
    start = raw.find(START + piece + END, starts[group], starts[group + 1])
    stop = start + len(piece) + 2
    if start < 0 or raw[stop] > 1:  # nothing is there, or no merge but the next piece
        return start >= 0, NEVER, NEVER
    return MERGE.unpack_from(raw, stop)


def merged(word: bytes, pieces: dict[bytes, Any], vocabulary: int) -> list[bytes]:
    """Return what the merges of a vocabulary, the lowest place first, leave of a word."""
    parts = [word[place : place + 1] for place in range(len(word))]
    pairs = [pieces[a + b][vocabulary] for a, b in zip(parts, parts[1:])]  # noqa: B905, RUF007
    while pairs and (first := min(pairs)) < NEVER:
        place = pairs.index(first)
        made = parts[place] = parts[place] + parts.pop(place + 1)
        del pairs[place]
        if place < len(pairs):
            pairs[place] = pieces[made + parts[place + 1]][vocabulary]
        if place:
            pairs[place - 1] = pieces[parts[place - 1] + made][vocabulary]
    return parts


def price(word: bytes) -> int:
    """Return the most tokens that a word can be in either vocabulary."""
    if len(word) > _MERGED:
        return len(word)
    is_wide = not word.isascii() and _is_wide(word)
    cost = _cut(word) if is_wide and not _pieces[word][0] else _built(word)
    if word[:1] == b"'" and (end := _contraction(word)) and word[end.end() :]:  # cut by cl100k
        cost = max(cost, price(end[0]) + price(word[end.end() :]))
    if word[-1:] == b"\n":  # in "}\n\n" it may join the blank line, or what ends the line may
        cost = max(cost, _built(word + b"\n") - 1, price(word.rstrip(b"\r\n")))
    return max(cost, -(-len(word) // (LONGEST * 3 if b"\xe2" in word else LONGEST)))


def _built(word: bytes) -> int:
    """Return the most tokens that the merges of either vocabulary can leave of a word."""
    if _pieces[word][0]:
        return 1
    return max([_most(merged(word, _pieces, vocabulary)) for vocabulary in (1, 2)])


def _most(parts: list[bytes]) -> int:
    """Return the greatest number of tokens that all later merges can leave of parts.

    Two neighbours that make a known piece do not both stay.  At the least one merge, with which of
    them ever, takes place among three pairs of neighbours in a row.
    """
    saved = place = 0
    while place < len(parts) - 1:
        known = _pieces[parts[place] + parts[place + 1]][0]
        saved += known
        place += 3 if known else 1
    return len(parts) - saved


def _cut(character: bytes) -> int:
    """Return the number of pieces of a character, each the longest known one, or one byte."""
    if character[:1] == b" ":  # listed with a space behind: what is torn by one before it
        return 1 + _cut(character[1:]) + _pieces[character[1:] + b" "][0]
    stop = next((stop for stop in (4, 3, 2) if _pieces[character[:stop]][0]), 1)
    return 1 + _cut(character[stop:]) if character[stop:] else 1


def _chunk(text: bytes) -> int:
    """Return the cost of what a space or a line's start begins, and no other space ends."""
    is_one = text[-1:] != b"\n" and look_up(text)[0]
    cost = 1 if is_one else sum(map(_word_price, WORD.findall(text)))
    if text[:1] != b"/" or not (rest := text.lstrip(b"/")):
        return cost
    return max(cost, _word_price(text[: -len(rest)]) + _first_price(rest))  # "/" joins a line above


_is_wide = regex(WIDE).fullmatch
_contraction = regex(rb"(?i)'(?:[sdmt]|re|ve|ll)").match
_pieces: dict[bytes, tuple[bool, int, int]] = _Cache(look_up)
_word_price: Callable[[bytes], int] = _Cache(price).__getitem__
_first_price: Callable[[bytes], int] = _Cache(_chunk).__getitem__
_price: Callable[[bytes], int] = _Cache(lambda chunk: _chunk(b" " + chunk)).__getitem__

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
    in a line feed, ``estimate(a + b) == estimate(a) + estimate(b)``.
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
