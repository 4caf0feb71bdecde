"""Choose the pieces that the heuristic counter knows, and write ``ctx/text/pieces.bin``.

    python benchmarks/choose_pieces.py 20:notes/**/*.md 4:/usr/share/man/man1/*.gz 1:src/**/*.py

Each argument is a weight and a pattern of files to fit on; files of weight 0 choose nothing and
only tell what misleads. Pieces are taken from what o200k and cl100k have in common: those that
the files use most, those that cl100k ranks highest, and all that are digits or not ASCII. Then
pieces go that mislead: with which words come out cheaper than they are.
"""

from __future__ import annotations

import argparse
import glob
import gzip
import random
import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rs_bpe.bpe import openai

from ctx.text import tokens

MOST_USED, HIGHEST_RANKED = 28_000, 9_000
MOST_FILES, MOST_BYTES = 800, 60_000
"""Files of a pattern, drawn with a fixed seed, and bytes of each."""
LISTED = {"o200k": 199_998, "cl100k": 100_256}
"""Tokens of the vocabularies, special ones apart."""
ROUNDS = 4
FREQUENT = 150
"""Uses from which on a piece stays although it misleads: it is mostly a word by itself."""
ALWAYS = re.compile(rb"\\\\[tnr]|([!-/:-@\[-`{-~])\1+")
"""What goes however frequent it is: escapes in JSON, which stand before every word, and runs."""


def main() -> int:
    """Choose, write, and say how many."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("files", nargs="+", metavar="WEIGHT:PATTERN")
    counts = words(parser.parse_args().files)
    vocabularies = {name: vocabulary(name) for name in LISTED}
    both = {
        piece: rank
        for piece, rank in vocabularies["cl100k"].items()
        if piece in vocabularies["o200k"] and 1 < len(piece) <= longest(piece)
    }
    used: Counter[bytes] = Counter()
    for word, count in counts.items():
        for piece in cut(word, both):
            used[piece] += count
    ranked = sorted(both, key=both.__getitem__)
    pieces = {piece for piece, _ in used.most_common(MOST_USED) if len(piece) > 1}
    pieces |= {
        *ranked[:HIGHEST_RANKED],
        *(piece for piece in ranked if piece.isdigit() or not piece.isascii()),
    }
    pieces = honest(pieces, counts)
    Path(tokens.PIECES).write_bytes(tokens.END.join(sorted(pieces)))
    print(f"{len(pieces):,} pieces, {Path(tokens.PIECES).stat().st_size:,} bytes")
    return 0


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


def cut(word: bytes, pieces: set[bytes] | dict[bytes, int]) -> list[bytes]:
    """Return the pieces of ``word`` as the counter cuts it."""
    found, start, most = [], 0, longest(word)
    while start < len(word):
        stop = min(len(word), start + most)
        while stop - start > 1 and word[start:stop] not in pieces:
            stop -= 1
        found.append(word[start:stop])
        start = stop
    return found


def honest(pieces: set[bytes], counts: Counter[bytes]) -> set[bytes]:
    """Return the pieces without those that make words of several pieces too cheap."""
    exact = _exact(counts)
    for _ in range(ROUNDS):
        wrong: dict[bytes, float] = {}
        uses: Counter[bytes] = Counter()
        for word, true in exact.items():
            parts = cut(word, pieces)
            under = true - 1 - (len(parts) - 1) * tokens.FURTHER / tokens.UNIT
            for part in parts if len(parts) > 1 else ():
                uses[part] += 1
                wrong[part] = wrong.get(part, 0.0) + under
        pieces = pieces - {
            part
            for part, under in wrong.items()
            if uses[part] >= 5
            and under > 0.15 * uses[part]
            and (counts[part] < FREQUENT or ALWAYS.fullmatch(part))
        }
    return pieces


def _exact(counts: Counter[bytes]) -> dict[bytes, int]:
    """Return what words cost by the dearer vocabulary; frequent ones with an escape as well."""
    frequent = [word for word, _ in counts.most_common(12_000)]
    plain = [word for word in frequent if re.fullmatch(rb" [A-Za-z]{2,}", word)]
    every = {word for word, count in counts.items() if count != 1 and len(word) > 1}
    every |= {escape + word[1:] for escape in (rb"\n", rb"\t", b'"') for word in plain[:5_000]}
    every |= {
        bytes([sign]) * size
        for sign in b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
        for size in range(2, 33)
    }
    counters = [tokens.counter(name) for name in LISTED]
    return {
        word: max(counter.count(text) for counter in counters)
        for word in every
        if (text := word.decode("utf-8", "ignore")).encode() == word
    }


if __name__ == "__main__":
    raise SystemExit(main())
