"""Secrets of every kind in every text around them, and what looks like a secret and is none.

A sample has 4,000 tokens, the full attack 20,000, in the texts of ``tests/text/secret_kinds.py``.
Each is another one, drawn from what its vendor publishes; none of them opens anything.
"""

from __future__ import annotations

from collections import defaultdict
from html import unescape
from itertools import count
from typing import TYPE_CHECKING

from ctx.text.secrets import find, mask
from scripts.attacks.result import Result
from tests.text.secret_kinds import (
    CONTEXTS,
    PLACES,
    harmless,
    in_context,
    kinds,
    remains,
    with_word,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.text.secret_kinds import Kind

_SAMPLE, _FULL = 4_000, 20_000
_GOAL = 0.98
_CONTEXTS = [*CONTEXTS]


def attack(*, full: bool) -> Iterator[Result]:
    """Yield a row for tokens by their form, with a word in them, by their name, and for none."""
    most = _FULL if full else _SAMPLE
    yield _counted("tokens of a known form", _by_form(most // 2, words=False))
    yield _counted("the same with a word of placeholders in them", _by_form(most // 4, words=True))
    yield _counted("secrets by name, header, command and address", _by_place(most // 4))
    lines = [line for seed in range(most // 200) for line in harmless(f"attack {seed}")]
    alarms = tuple(line for line in lines if find(line))
    yield Result("lines without a secret", len(lines), alarms)


def _counted(what: str, tried: Iterator[tuple[str, str, bool]]) -> Result:
    """Return a row in which a kind or a text fails that is found in less than 98 % of its cases.

    One miss is no failure: of a kind there may be fewer than fifty cases.
    """
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    total = missed = 0
    for kind, place, is_missed in tried:
        total += 1
        missed += is_missed
        for name in (kind, f"every kind, {place}"):
            counts[name][0] += 1
            counts[name][1] += is_missed
    failed = tuple(
        f"{name}: {lost:,} of {cases:,} missed"
        for name, (cases, lost) in sorted(counts.items(), key=lambda row: -row[1][1])
        if lost > max(1, cases * (1 - _GOAL))
    )
    return Result(f"{what} ({missed:,} missed)", total, failed)


def _by_form(most: int, *, words: bool) -> Iterator[tuple[str, str, bool]]:
    """Try tokens of each kind in turn, each another one and in the next text."""
    for done, (number, kind, seed) in enumerate(_drawn("forms", words=words)):
        if done >= most:
            return
        context = _CONTEXTS[(number + seed) % len(_CONTEXTS)]
        token = (with_word(kind, seed) if words else None) or kind.text
        yield kind.label, context, remains(token, _as_read(mask(in_context(token, context))))


def _drawn(name: str, *, words: bool) -> Iterator[tuple[int, Kind, int]]:
    for seed in count():
        for number, kind in enumerate(kinds(f"attack {name} {words} {seed}")):
            if kind.is_form and (not words or with_word(kind, seed)):
                yield number, kind, seed


def _as_read(masked: str) -> str:
    return unescape(masked.replace("\\", ""))


def _by_place(most: int) -> Iterator[tuple[str, str, bool]]:
    done = 0
    for seed in count():
        for number, kind in enumerate(kinds(f"attack by name {seed}")):
            if kind.is_form:
                continue
            if done >= most:
                return
            done += 1
            place = PLACES[(number + seed) % len(PLACES)]
            yield kind.label, place, remains(kind.secret, mask(written(kind, place)))
