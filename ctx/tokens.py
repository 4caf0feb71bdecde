"""Token counters: a calibrated heuristic, and the way to the exact ones.

The heuristic reduces a text to its *shape*: every lower-case letter becomes ``a``, every
capital ``A``, every digit ``0``, every character of another script one byte that names the
script; punctuation stays.  It cuts the shape into lines, the lines at spaces, and adds up
what the chunks cost.  Real texts repeat few shapes, so that nearly every chunk is one
look-up in a dictionary, and no Python code runs for each character.

``benchmarks/calibrate_tokens.py`` measures it and derives its weights.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctx.errors import TokenizerError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.model import Counter

NAMES = ("heuristic", "o200k", "cl100k")
"""The counters that need no file; a path ending in ``.json`` names one that does."""

# --- What pieces of a text cost -----------------------------------------------------------

UNIT = 64
"""Costs are whole numbers of 1/64 token, so that sums are exact on every machine."""

# Costs of a piece of 1, 2, 3 … characters; each character more costs ``DENSE``.
# Letters at the start of a chunk stand bare, after punctuation with ``+``, next to other
# letters or digits with ``&`` (humps of CamelCase, hashes, base64): those merge worse.
# The rows began as a fit (``calibrate_tokens.py --fit``) to packets of two sets of Markdown,
# the corpora and a folder of specifications, and were then set by hand: eased by 2 %, with
# ``&``, ``box`` and runs of punctuation kept above the fit, since neither set holds much
# base64 or line art.  A new ``--fit`` starts from these figures and gives others.
# fmt: off
WEIGHTS: dict[str, tuple[int, ...]] = {
    "lower":  (63, 63, 63, 63, 63, 63, 69, 77, 87, 90, 93, 111, 111, 113, 122, 129),
    "Title":  (66, 66, 66, 66, 68, 68, 68, 86, 86, 97, 107, 109, 112, 122, 130, 137),
    "UPPER":  (63, 65, 75, 91, 124, 132, 147, 165, 183, 206, 216, 223, 235, 245, 255, 265),
    "lower+": (55, 59, 71, 71, 84, 86, 86, 94, 94, 95, 106, 108, 109, 117, 122, 129),
    "Title+": (65, 67, 69, 69, 69, 69, 69, 76, 83, 92, 97, 103, 113, 122, 129, 137),
    "UPPER+": (63, 67, 80, 91, 119, 137, 146, 164, 185, 206, 216, 225, 235, 245, 255, 265),
    "lower&": (88, 90, 90, 90, 90, 90, 90, 90, 90, 92, 96, 102, 108, 115, 124, 132),
    "Title&": (88, 90, 90, 90, 90, 90, 90, 90, 92, 96, 101, 108, 115, 124, 132, 140),
    "UPPER&": (94, 116, 128, 135, 140, 145, 152, 170, 190, 210, 220, 230, 240, 250, 260, 270),
    "punct":  (59, 65, 80, 102, 104, 110, 118, 127),
    "punct+": (74, 82, 84, 105, 108, 112, 120, 129),
    "joint":  (33,),
    "box":    (78, 110, 134, 148, 162, 176, 190, 206),
    "newline": (73, 32),
    "escape": (84,),
}
# fmt: on
"""``punct`` are runs of ASCII punctuation, ``joint`` one of ``- . / _`` between words,
``newline`` a line feed after a word (1) or after punctuation (2), which often takes it in,
``escape`` a ``\\n`` in a JSON string."""

DENSE = 28
"""Cost of a character past the end of a row: so long a run is data rather than a word."""

SCRIPTS: dict[str, int] = {
    "latin": 120,
    "central": 208,
    "greek": 71,
    "cyrillic": 46,
    "hebrew": 82,
    "arabic": 60,
    "indic": 100,
    "extended": 190,
    "rare": 170,
    "sign": 70,
    "symbol": 170,
    "kana": 75,
    "han": 97,
    "hangul": 90,
    "form": 130,
    "emoji": 200,
}
"""Cost of one character of another script: what it takes not to undercount cl100k, which
splits most of them finer than o200k does.  Set by hand on the short texts in
``tests/test_tokens.py``, one or two a script.  An accented Latin letter counts as a letter of
its word too; what it costs here is how much it breaks up the word."""

# --- From text to shape -------------------------------------------------------------------

BLANK = b"\x04"
"""The chunk that is only the end of a line."""

_ESCAPE, _GAP = b"\x0e", b"\x02"
"""Bytes of a shape that stand for ``\\n`` in a JSON string and for a run of white space."""

_LEADS: dict[str, bytes] = {
    "box": b"\xc1",  # occurs in no UTF-8: free for the lines of boxes
    "sign": b"\xc2",
    "latin": b"\xc3",
    "central": bytes(range(0xC4, 0xCE)),
    "greek": b"\xce\xcf",
    "cyrillic": b"\xd0\xd1\xd2\xd3",
    "rare": b"\xd4\xd5\xd6" + bytes(range(0xDC, 0xE0)),
    "hebrew": b"\xd7",
    "arabic": b"\xd8\xd9\xda\xdb",
    "indic": b"\xe0",
    "extended": b"\xe1",
    "symbol": b"\xe2",
    "kana": b"\xe3",
    "han": bytes(range(0xE4, 0xEA)),
    "hangul": b"\xea\xeb\xec\xed",
    "form": b"\xee\xef",
    "emoji": bytes(range(0xF0, 0x100)),
}
"""First bytes of a character in UTF-8, which tell its script well enough."""

_SPLIT_LEADS = (
    (b"\xe2\x80", b"\xc2"),  # dashes, quotation marks, ellipsis
    (b"\xe2\x86", b"\xc2"),  # arrows
    (b"\xe2\x94", b"\xc1"),  # lines of boxes
    (b"\xe2\x95", b"\xc1"),
    (b"\xe1\xba", b"\xc3"),  # Vietnamese vowels
    (b"\xe1\xbb", b"\xc3"),
)
"""Where one byte tells too little: the first two, and the first byte they count as."""

_SCRIPT_OF = {leads[0]: name for name, leads in _LEADS.items()}


def _classes() -> bytes:
    """Return the table that takes each byte of UTF-8 to its byte in a shape."""
    table = bytearray(range(256))
    for members, stand_in in (
        (bytes(range(32)) + b"\x7f", 1),
        (b"\t\v\f\r\x1c\x1d\x1e\x1f", _GAP[0]),
        (b"\n", 10),
        (_ESCAPE, _ESCAPE[0]),
        (range(97, 123), 97),
        (range(65, 91), 65),
        (range(48, 58), 48),
        *((leads, leads[0]) for leads in _LEADS.values()),
    ):
        for byte in members:
            table[byte] = stand_in
    return bytes(table)


_CLASSES = _classes()
_CONTINUATION = bytes(range(0x80, 0xC0))
_GAPS = re.compile(rb"[ \x02]{2,}")
_GAP_WIDTH = 16
"""Characters of white space that one gap stands for; both tokenizers merge at least so many."""


def _gaps(match: re.Match[bytes]) -> bytes:
    """Return what stands for a run of white space."""
    return _GAP * -(-len(match[0]) // _GAP_WIDTH) + b" "


def _shape(text: str) -> bytes:
    """Return the shape of ``text``, each end of a line marked by ``BLANK``."""
    raw = text.encode("utf-8", "surrogatepass")
    if not text.isascii():
        for lead, stand_in in _SPLIT_LEADS:
            raw = raw.replace(lead, stand_in)
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n")
    if b"\\n" in raw:
        raw = raw.replace(b"\\n", _ESCAPE)
    shape = raw.translate(_CLASSES, _CONTINUATION)
    if b"  " in shape or _GAP in shape:
        shape = _GAPS.sub(_gaps, shape)
    return shape.replace(b"\n", BLANK + b"\n")


# --- From shape to cost -------------------------------------------------------------------

_PIECE = re.compile(
    rb"(?P<letters>A+(?=A[a\xc3\xc4])|A?[a\xc3\xc4]+|A+)"
    rb"|(?P<digits>0+)"
    rb"|(?P<newline>\x04)"
    rb"|(?P<escape>\x0e)"
    rb"|(?P<rule>([-=_*#.~])\6{3,})"
    rb"|(?P<joint>[-_./](?=[aA]))"
    rb"|(?P<punct>(?:(?![-_./][aA]|([-=_*#.~])\9{3})[!-/:-@\[-`{-~])+)"
    rb"|(?P<script>([\xc1-\xff])\11*)"
    rb"|(?P<other>[\x00-\x20\x7f])"
)


def pieces(chunk: bytes, before: str = "") -> Iterator[tuple[str, int]]:
    """Yield what a chunk of shape is made of: the kind of each piece and its length.

    ``before`` is the kind of the piece that the chunk follows without a space.
    """
    for match in _PIECE.finditer(chunk):
        kind, found = match.lastgroup or "other", match[0]
        if kind == "letters":
            yield from _letters(found, before)
        elif kind == "digits":
            yield "digits+" if before else "digits", len(found)
        elif kind == "punct" or (kind == "joint" and not before):
            yield "punct+" if before else "punct", len(found)
        elif kind == "newline":
            yield kind, 2 if before in {"punct", "joint", "rule"} else 1
        elif kind == "script":
            yield _SCRIPT_OF[found[0]], len(found)
        else:
            yield kind, len(found)
        before = kind


def _letters(found: bytes, before: str) -> Iterator[tuple[str, int]]:
    """Yield the pieces of a run of Latin letters that stands after a piece ``before``."""
    if b"\xc3" in found:
        yield "latin", found.count(b"\xc3")
    if b"\xc4" in found:
        yield "central", found.count(b"\xc4")
    if not found.startswith(b"A"):
        case = "lower"
    elif found.endswith(b"A") and len(found) > 1:
        case = "UPPER"
    else:
        case = "Title"
    place = "&" if before in {"letters", "digits"} else "+" if before else ""
    yield case + place, len(found)


def piece_price(kind: str, size: int) -> int:
    """Return the cost of one piece, in 1/64 token."""
    row = WEIGHTS.get(kind)
    if row is not None:
        return row[size - 1] if size <= len(row) else row[-1] + DENSE * (size - len(row))
    if kind in SCRIPTS:
        return SCRIPTS[kind] * size
    if kind == "rule":
        # Vocabularies hold long runs of these: ``----`` up to 128 characters.
        return UNIT + UNIT * size // 8
    if kind == "digits":
        # Three digits a token, and a space before them is a token of its own.
        return UNIT * (1 + -(-size // 3))
    if kind == "digits+":
        return UNIT * -(-size // 3)
    return UNIT * size


def chunks(text: str) -> list[bytes]:
    """Return the chunks of all lines of ``text``, for calibration."""
    return [chunk for line in _shape(text).split(b"\n") for chunk in line.split(b" ")]


_PART = re.compile(rb"[^0Aa\xc3\xc4]+[0Aa\xc3\xc4]*|[0Aa\xc3\xc4]+")
"""Signs and the word after them.  A part inside a chunk always follows a letter or digit,
so that its price does not depend on where it stands and can be remembered too."""

_REMEMBERED = 20_000
"""Most shapes that a memory holds, about 2 MB; a large repository has some 12,000."""
_SHORT = 40
"""Longest shape, in bytes, that is worth remembering."""


class _Parts(dict[bytes, int]):
    """Remembers what parts of chunks cost that follow a piece of the kind ``before``."""

    def __init__(self, before: str) -> None:
        """Price parts as they stand after ``before``; empty for the start of a chunk."""
        super().__init__()
        self._before = before

    def __missing__(self, part: bytes) -> int:
        """Return the cost of a part not seen before, in 1/64 token."""
        cost = sum(piece_price(*piece) for piece in pieces(part, self._before))
        if len(part) <= _SHORT and len(self) < _REMEMBERED:
            self[part] = cost
        return cost


class _Chunks(dict[bytes, int]):
    """Remembers what chunks cost."""

    def __missing__(self, chunk: bytes) -> int:
        """Return the cost of a chunk not seen before, in 1/64 token."""
        if chunk == BLANK:
            return UNIT
        first, *rest = _PART.findall(chunk)
        cost = _first_price(first) + sum(map(_part_price, rest))
        if len(chunk) <= _SHORT and len(self) < _REMEMBERED:
            self[chunk] = cost
        return cost


_first_price = _Parts("").__getitem__
_part_price = _Parts("letters").__getitem__
_price = _Chunks({b"": 0}).__getitem__

_SLAB = 1 << 20
"""Characters worked on at once, so that memory does not grow by the number of words."""


def _line(shape: bytes) -> int:
    """Return what one line of shape costs, in whole tokens: at least 1."""
    total = start = 0
    while len(shape) - start > _SLAB:
        stop = shape.find(b" ", start + _SLAB // 2, start + _SLAB)
        if stop < 0:  # half a million characters without a space: cut anywhere
            stop = start + _SLAB
        total += sum(map(_price, shape[start:stop].split(b" ")))
        start = stop
    total += sum(map(_price, shape[start:].split(b" ")))
    return (total + UNIT // 2) // UNIT or 1


def _lines(text: str) -> int:
    """Return the estimate for some whole lines."""
    lines = _shape(text).split(b"\n")
    return lines.count(BLANK) + sum(_line(line) for line in lines if line and line != BLANK)


def estimate(text: str) -> int:
    """Return about how many tokens ``text`` is; 0 only for the empty string.

    Never less than a sixteenth of the characters.  Every line is rounded by itself, its line
    feed included, and nothing crosses a line: wherever ``a`` ends in a line feed,
    ``estimate(a + b) == estimate(a) + estimate(b)``.
    """
    total = start = 0
    while len(text) - start > _SLAB and (stop := text.find("\n", start + _SLAB)) >= 0:
        total += _lines(text[start : stop + 1])
        start = stop + 1
    return total + _lines(text[start:])


# --- Counters -----------------------------------------------------------------------------


class Heuristic:
    """Counts with ``estimate``."""

    name = "heuristic"

    def count(self, text: str) -> int:
        """Return the estimated number of tokens in ``text``."""
        return estimate(text)


def counter(name: str) -> Counter:
    """Return the counter called ``name``: one of ``NAMES``, or a path ending in ``.json``.

    Raises ``TokenizerError`` for another name, a package that is not installed, and a file
    that is missing or damaged.
    """
    if name == "heuristic":
        return Heuristic()
    if name in NAMES or name.endswith(".json"):
        from ctx.exact import HuggingFace, OpenAI  # optional libraries

        return OpenAI(name) if name in NAMES else HuggingFace(name)
    raise TokenizerError(
        f"unknown tokenizer {name!r}", f"one of {', '.join(NAMES)}, or a path to a tokenizer.json"
    )
