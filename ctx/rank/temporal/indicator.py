"""ξ: whether a query asks for a relation in time.

Source: ``temporal-retrieval``, section 9.2. A word alone does not tell: "run the tests before
merging" asks for nothing in the past. So "before", "first" and their like count in sentences
that ask about what was, beside a strong pattern ("how many days", "how long", "when did"), or
right before a date. Each sentence is walked once, with a look at a few words around: the cost
is linear in the length of the query.
"""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

from collections.abc import Iterator
from math import fsum
from typing import NamedTuple

from ctx.rank.temporal.sentence import Sentence, sentences
from ctx.rank.temporal.settings import DEFAULTS, Settings
from ctx.rank.temporal.triggers import STRONG, WORDS, is_meant, mood, strong

WEIGHTS = {
    "how many days": 1.0,
    "how long": 0.9,
    "before/after": 0.8,
    "first/earlier": 0.8,
    "since/between": 0.7,
    "when did": 0.7,
}
"""s_i of the patterns tpat_i. Each counts once, however often it matches."""


class Hit(NamedTuple):
    """A temporal pattern at its place in a sentence."""

    pattern: str
    """A key of ``WEIGHTS``."""
    first: int
    """Its first word, counted from 0."""
    last: int
    """Its last word, inclusive."""


class Indication(NamedTuple):
    """ξ(q), and what speaks for it."""

    xi: float
    """In [0, 1]."""
    active: bool
    """ξ ≥ θ_ξ, and the extension is enabled."""
    patterns: tuple[str, ...]
    """What matched, in the order of ``WEIGHTS``."""


def indicate(query: str, settings: Settings = DEFAULTS) -> Indication:
    """Return ξ(q) = min(Σ s_i·1[tpat_i(q)] / θ_ξ^norm, 1) (section 9.2).

    0 where nothing matches. Raises ValueError unless ``settings.xi_norm`` is over 0.
    """
    if not settings.xi_norm > 0:
        raise ValueError(f"θ_ξ^norm is over 0, not {settings.xi_norm}")
    found: set[str] = set()
    for _, hits in temporal(query, settings):
        found.update(hit.pattern for hit in hits)
        if len(found) == len(WEIGHTS):
            break
    patterns = tuple(pattern for pattern in WEIGHTS if pattern in found)
    xi = min(fsum(WEIGHTS[pattern] for pattern in patterns) / settings.xi_norm, 1.0)
    return Indication(xi, settings.enabled and xi >= settings.theta_xi, patterns)


def temporal(query: str, settings: Settings = DEFAULTS) -> Iterator[tuple[Sentence, list[Hit]]]:
    """Yield the sentences of ``query`` in which a pattern matches, and where."""
    for sentence in sentences(query):
        hits = _hits(sentence, guarded=settings.guarded)
        if hits:
            yield sentence, hits


def _hits(sentence: Sentence, *, guarded: bool) -> list[Hit]:
    """Return the matches of all patterns in a sentence, by place."""
    texts = sentence.texts
    hits = [
        Hit(pattern, at, last)
        for at, text in enumerate(texts)
        if text in STRONG
        for pattern, last in strong(sentence, at, guarded=guarded)
    ]
    taken = {at for hit in hits for at in range(hit.first, hit.last + 1)}
    how = mood(sentence, is_open=bool(hits))
    for at, text in enumerate(texts):
        pattern = WORDS.get(text)
        if pattern and at not in taken and (not guarded or is_meant(sentence, at, how)):
            hits.append(Hit(pattern, at, at))
    return sorted(hits, key=lambda hit: hit.first)
