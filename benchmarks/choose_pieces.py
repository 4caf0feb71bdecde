"""Write the pieces and merges that the heuristic counter knows: ``ctx/text/pieces.bin``.

    python benchmarks/choose_pieces.py

The pieces are all that o200k and cl100k have in common: looking one up costs the same however many
there are. To them come the first merges of each vocabulary, without a gap: all that can take place
in a word.
"""

from __future__ import annotations

import re
import struct
import sys
from itertools import accumulate
from pathlib import Path

from ctx.model import Counter as Counting

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rs_bpe.bpe import openai

from ctx.text import tokens

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
    vocabularies = {name: vocabulary(name) for name in LISTED}
    both = {
        piece
        for piece in vocabularies["cl100k"].keys() & vocabularies["o200k"].keys()
        if 1 < len(piece) <= tokens.LONGEST * (3 if b"\xe2" in piece else 1)
    }
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
    pieces = {piece for piece in both if is_one(piece, counters)}
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


if __name__ == "__main__":
    raise SystemExit(main())
