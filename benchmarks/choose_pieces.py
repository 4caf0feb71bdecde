"""Choose the pieces and merges that the heuristic counter knows, and write ``ctx/text/pieces.bin``.

    python benchmarks/choose_pieces.py 20:notes/**/*.md 4:/usr/share/man/man1/*.gz 1:src/**/*.py
    python benchmarks/choose_pieces.py --same

Each argument is a weight and a pattern of files to fit on. Pieces are taken from what o200k and
cl100k have in common: those that the files use most, those that cl100k ranks highest, and all that
are digits or not ASCII; with ``--same``, those that the file has. To them come the first merges of
each vocabulary, without a gap: all that can take place in a word.
"""

from __future__ import annotations

import argparse
import glob
import gzip
import random
import re
import struct
import sys
from collections import Counter
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rs_bpe.bpe import openai

from ctx.text import tokens

if TYPE_CHECKING:
    from ctx.model import Counter as Counting

MOST_USED, HIGHEST_RANKED = 28_000, 9_000
MOST_FILES, MOST_BYTES = 800, 60_000
"""Files of a pattern, drawn with a fixed seed, and bytes of each."""
LISTED = {"o200k": 199_998, "cl100k": 100_256}
"""Tokens of the vocabularies, special ones apart."""
MERGES = {"o200k": 8_000, "cl100k": 8_000}
"""Ranks below which all merges are carried out."""
WIDE = re.compile(rb"[\xe0\xe3-\xef][\x80-\xbf]{2}")
"""A character priced by itself; one that is listed with a space behind costs more after a space."""
ALONE = {
    "o200k": re.compile(rb" ?(?:[!-/:-@\[-`{-~]|[\xc2\xe2\x80-\xbf])*[\r\n]*"),
    "cl100k": re.compile(
        rb" ?(?:[!-/:-@\[-`{-~]|[\xc2\xe2\x80-\xbf])*[\r\n]*| ?[\xce-\xdf\x80-\xbf]+"
    ),
}
MERGES_ALONE = 50_000
"""The rank for merges of signs alone, and of letters of two bytes, which cl100k has few of.

No merge with an ASCII letter is in the way of these."""
STARTS = struct.Struct(f">{tokens.GROUPS + 1}I")
NEVER = re.compile(rb"[\xe0\xe3-\xff0-9]|.[ ]|[\r\n][^\r\n]")
"""What no word holds that is merged: spaces inside, digits, characters that are priced alone."""


def main() -> int:
    """Choose, write, and say how many."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("files", nargs="*", metavar="WEIGHT:PATTERN")
    parser.add_argument("--same", action="store_true", help="keep the pieces, choose the merges")
    given = parser.parse_args()
    vocabularies = {name: vocabulary(name) for name in LISTED}
    both = {
        piece: rank
        for piece, rank in vocabularies["cl100k"].items()
        if piece in vocabularies["o200k"] and 1 < len(piece) <= longest(piece)
    }
    pieces = same() if given.same else chosen(words(given.files), both)
    counters = [tokens.counter(name) for name in LISTED]
    merges = {
        name: [
            piece
            for piece, rank in sorted(vocabularies[name].items(), key=lambda one: one[1])
            if rank < (MERGES_ALONE if ALONE[name].fullmatch(piece) else most)
            and len(piece) > 1
            and not NEVER.search(piece)
        ]
        for name, most in MERGES.items()
    }
    pieces |= {piece for name in MERGES for piece in merges[name] if piece in both}
    pieces = {piece for piece in pieces if is_one(piece, counters)}
    pieces |= {
        piece + b" "
        for piece in pieces
        if WIDE.fullmatch(piece)
        and max(counter.count(f" {piece.decode()}") for counter in counters) > 2
    }
    made = [{piece: digits(place) for place, piece in enumerate(merges[name])} for name in MERGES]
    groups: list[list[bytes]] = [[] for _ in range(tokens.GROUPS)]
    for piece in sorted({*pieces, *made[0], *made[1]}):
        places = [merges_of.get(piece, tokens.NEVER) for merges_of in made]
        known = piece in pieces
        merge = tokens.MERGE.pack(known, *places) if {*places} != {tokens.NEVER} else b""
        record = tokens.START + piece + tokens.END + merge
        groups[int.from_bytes(piece, "big") % tokens.GROUPS].append(record)
    joined = [b"".join(group) for group in groups]
    starts = [*accumulate(map(len, joined), initial=STARTS.size)]
    Path(tokens.PIECES).write_bytes(STARTS.pack(*starts) + b"".join(joined) + tokens.START)
    size = Path(tokens.PIECES).stat().st_size
    print(f"{len(pieces):,} pieces, {len(made[0]) + len(made[1]):,} merges, {size:,} bytes")
    return 0


def digits(place: int) -> int:
    """Return a number of two bytes below 128 that is greater for a greater place."""
    return place >> 7 << 8 | place & 127


def same() -> set[bytes]:
    """Return the pieces that the file has; those with a space behind are chosen anew."""
    raw = Path(tokens.PIECES).read_bytes()[STARTS.size :]
    found = re.findall(rb"\xff([^\xfe]+)\xfe([\x00\x01]?)", raw)
    return {piece for piece, known in found if known != b"\x00" and piece[-1:] != b" "}


def chosen(counts: Counter[bytes], both: dict[bytes, int]) -> set[bytes]:
    """Return the pieces that the words use most, and what is known however they are used."""
    used: Counter[bytes] = Counter()
    for word, count in counts.items():
        for piece in cut(word, both):
            used[piece] += count
    ranked = sorted(both, key=both.__getitem__)
    return {
        *(piece for piece, _ in used.most_common(MOST_USED) if len(piece) > 1),
        *ranked[:HIGHEST_RANKED],
        *(piece for piece in ranked if piece.isdigit() or not piece.isascii()),
    }


def is_one(piece: bytes, counters: list[Counting]) -> bool:
    """Tell whether a piece by itself is one token in both vocabularies; parts of characters are."""
    text = piece.decode("utf-8", "ignore")
    return text.encode() != piece or all(counter.count(text) == 1 for counter in counters)


def vocabulary(name: str) -> dict[bytes, int]:
    """Return the tokens of a vocabulary with their ranks."""
    bpe = getattr(openai, f"{name}_base")().bpe()
    return {bytes(bpe.decode_tokens([rank])): rank for rank in range(LISTED[name])}


def longest(word: bytes) -> int:
    """Return the greatest length of a piece in ``word``."""
    return tokens.LONGEST * (3 if b"\xe2" in word else 1)


def words(patterns: list[str]) -> Counter[bytes]:
    """Return what the counter prices by itself in the files, and how often, by weight."""
    found: Counter[bytes] = Counter()
    for argument in patterns:
        weight, _, pattern = argument.partition(":")
        files = sorted(glob.glob(pattern, recursive=True))
        for name in random.Random(3).sample(files, min(MOST_FILES, len(files))):
            for word in tokens.WORD.findall(_text(Path(name))):
                found[word] += int(weight)
    return found


def _text(path: Path) -> bytes:
    if not path.is_file():
        return b""
    raw = path.read_bytes()
    if path.suffix == ".gz":  # a manual page: without its macros
        raw = re.sub(rb"(?m)^[.'].*\n", b"", gzip.decompress(raw))
    return re.sub(rb" {2,}", b" ", raw[:MOST_BYTES])


def cut(word: bytes, pieces: dict[bytes, int]) -> list[bytes]:
    """Return the pieces of ``word``, each the longest."""
    found, start, most = [], 0, longest(word)
    while start < len(word):
        stop = min(len(word), start + most)
        while stop - start > 1 and word[start:stop] not in pieces:
            stop -= 1
        found.append(word[start:stop])
        start = stop
    return found


if __name__ == "__main__":
    raise SystemExit(main())
