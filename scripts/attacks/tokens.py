"""Texts that the default token counter could count too low, against both real tokenizers.

A unit is repeated, with and without blanks between, and the estimate of the whole text is compared
with the dearer of o200k and cl100k. All cases take two processes about half an hour.
"""

from __future__ import annotations

import random
import string
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING

from ctx.errors import TokenizerError
from ctx.text import tokens
from scripts.attacks.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).resolve().parents[2]
PRINTABLE = "".join(map(chr, range(32, 127)))
OTHERS = (
    "éüßñçøœşğżąắệơµªº¿«»×°§©\u00a0\u00ad\u0301"  # Latin, marks and signs
    "аеиоптжщїєёАβλΣάאבשלوالمپ١"  # Cyrillic, Greek, Hebrew, Arabic
    "कािनतমதకกราไมကងខაბአ"  # scripts of three bytes
    "中的国人一。，「の日アン한국어가"  # CJK
    "—–…“’”•→✓✅│─█▶€™‑\u200b\u200d\u3000\ufeff\ufe0f"  # signs of three bytes
    "😀🚀👍🏽🇩𝐀𓀀"
)
VOCABULARIES = {"o200k": 199_998, "cl100k": 100_256}
TIMES = 40
SAMPLE, CHUNK = 2_000, 4_000
GLUED = 5
SEED = 34


@cache
def exact_counters() -> tuple[tokens.OpenAI, ...]:
    """Return the counters that are never to exceed the estimate."""
    return tuple(tokens.OpenAI(name) for name in VOCABULARIES)


def exact(text: str) -> int:
    """Return what a text costs by the dearer of both tokenizers."""
    return max(counter.count(text) for counter in exact_counters())


@cache
def vocabulary() -> tuple[str, ...]:
    """Return the tokens of both vocabularies that are texts."""
    from rs_bpe.bpe import openai  # an extra package: without it the attack is skipped

    found = set()
    for name, size in VOCABULARIES.items():
        bpe = getattr(openai, f"{name}_base")().bpe()
        for rank in range(size):
            try:
                found.add(bytes(bpe.decode_tokens([rank])).decode())
            except UnicodeDecodeError:
                continue
    return tuple(sorted(found))


def short(alphabet: str, most: int) -> Iterator[str]:
    """Yield all units of one to ``most`` characters."""
    for size in range(1, most + 1):
        yield from map("".join, product(alphabet, repeat=size))


def chance(alphabet: str, low: int, high: int) -> Iterator[str]:
    """Yield random units without end, of ``low`` to ``high`` characters."""
    drawn = random.Random(SEED)  # noqa: S311  (no secret)
    while True:
        yield "".join(drawn.choices(alphabet, k=drawn.randint(low, high)))


def glued(words: tuple[str, ...]) -> Iterator[str]:
    """Yield two to five tokens of the vocabularies in one word, without end."""
    drawn = random.Random(SEED)  # noqa: S311
    while True:
        yield "".join(drawn.choices(words, k=drawn.randint(2, GLUED))).strip()


def identifiers(words: tuple[str, ...]) -> Iterator[str]:
    """Yield names as programs have them: camelCase, snake_case, numbers, hexadecimal, base64."""
    drawn = random.Random(SEED)  # noqa: S311
    while True:
        parts = [word.strip().lower() for word in drawn.choices(words, k=drawn.randint(2, 4))]
        digits = "".join(drawn.choices(string.hexdigits, k=drawn.randint(4, 16)))
        base64 = drawn.choices(string.ascii_letters + string.digits + "+/", k=drawn.randint(8, 76))
        yield "".join([parts[0], *(part.capitalize() for part in parts[1:])])
        yield "".join(part.capitalize() for part in parts)
        yield drawn.choice("_-./:").join(parts)
        yield "_".join(parts).upper()
        yield digits if drawn.random() < 0.5 else digits.lower()  # noqa: PLR2004
        yield "".join(base64)
        yield f"{parts[0]}{drawn.randint(0, 10_000)}{parts[1]}"
        yield drawn.choice(("'s", "'t", "'re", "'ll", "’s")).join(parts)


def repeated(unit: str) -> Iterator[str]:
    """Yield texts that consist of a unit."""
    yield unit * TIMES
    yield f"{unit} " * TIMES
    yield f"{unit}\n" * 10
    yield unit


def under(texts: Iterable[str]) -> tuple[int, list[str]]:
    """Return how many texts were compared, and a line for each that is counted too low."""
    tried, failed = 0, []
    for text in texts:
        tried += 1
        if (most := exact(text)) > (estimate := tokens.estimate(text)):
            failed.append(f"{most} tokens, estimate {estimate}: {text[:40]!r}, {len(text)} long")
    return tried, failed


def units_under(units: list[str]) -> tuple[int, list[str]]:
    """Return the same for units, repeated."""
    return under(text for unit in units for text in repeated(unit))


def searched(what: str, units: Iterable[str], *, processes: int) -> Result:
    """Compare units, repeated, in ``processes`` processes."""
    pending = iter(units)
    chunks = iter(lambda: list(islice(pending, CHUNK)), [])
    if processes == 1:
        found = [*map(units_under, chunks)]
    else:
        with ProcessPoolExecutor(processes) as pool:
            found = [*pool.map(units_under, chunks)]
    failed = [line for _, lines in found for line in lines]
    return Result(what, sum(tried for tried, _ in found), tuple(sorted(failed, key=_ratio)))


def _ratio(line: str) -> float:
    """Return by what share a line is too low, lowest first."""
    true, estimate = line.split(":", maxsplit=1)[0].split(" tokens, estimate ")
    return int(estimate) / int(true)


def lines() -> Iterator[str]:
    """Yield the lines of documents and of the shared corpora, each once."""
    seen: set[str] = set()
    for folder in (ROOT / "docs", ROOT / "fixtures", ROOT / "ctx", ROOT.parent / "shared"):
        for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
            if path.suffix in {".md", ".py", ".txt", ".json", ".jsonl"} and path.is_file():
                found = path.read_text("utf-8", "replace")[:200_000].splitlines(keepends=True)
                seen.update(line for line in found if len(line) > 1)
    return iter(sorted(seen))


def attack(*, full: bool) -> Iterator[Result]:
    """Compare units of each kind, and the lines of real texts."""
    try:
        exact_counters()
    except TokenizerError as error:
        yield Result("the default counter", 0, skipped=str(error))
        return
    words = vocabulary()
    ascii_words = tuple(word for word in words if word.isascii() and word.strip())
    small = [word for word in words if len(word) <= 6]  # noqa: PLR2004  (as the name below says)
    mixed = PRINTABLE + OTHERS
    letters = string.ascii_letters
    million = 1_000_000 if full else SAMPLE
    drawn = random.Random(SEED)  # noqa: S311
    kinds: dict[str, list[str] | Iterator[str]] = {
        "units of one to three printable characters": [*short(PRINTABLE, 3)],
        "units of one or two characters of any script": [*short(mixed, 2)],
        "tokens of up to six characters": small,
        "units of three characters of any script": islice(chance(mixed, 3, 3), million),
        "random units of four to six characters": islice(chance(PRINTABLE, 4, 6), million),
        "random units of four to six letters": islice(chance(letters, 4, 6), million),
        "random units of four to six small letters": islice(chance(letters[:26], 4, 6), million),
        "random units of four to six of any script": islice(chance(mixed, 4, 6), million // 2),
        "two to five tokens in a word": islice(glued(ascii_words), million),
        "two to five tokens of any script": islice(glued(words), million // 2),
        "identifiers, numbers and codes": islice(identifiers(ascii_words), million // 2),
    }
    for what, units in kinds.items():
        if isinstance(units, list) and not full:
            units = drawn.sample(units, SAMPLE)  # noqa: PLW2901
        yield searched(what, units, processes=2 if full else 1)
    real = list(lines())
    tried, failed = under(real if full else drawn.sample(real, min(len(real), SAMPLE)))
    yield Result("lines of documents and corpora", tried, tuple(sorted(failed, key=_ratio)))
