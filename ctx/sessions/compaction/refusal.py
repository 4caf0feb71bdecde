"""Why a summary is refused, and how good an accepted one is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from math import exp, floor, fsum
from typing import TYPE_CHECKING, NamedTuple

from ctx.text.sentences import pieces
from ctx.text.tokens import estimate
from ctx.text.words import STOPS, UNSPACED, index_words

if TYPE_CHECKING:
    from ctx.model import Cluster, Vectors


TAU = 0.65
"""τ_preserve: an abstractive summary with less alignment is refused (5.3)."""
LAMBDA = 0.8
"""λ: what the geometry weighs where a model says how sure it was; the rest is its (5.4)."""


def align(vectors: Vectors, summary_at: int, sources: Sequence[int]) -> float:
    """Return Q_align(s, C) = cos(v_s, mean v_i), in [-1, 1] (section 5.2).

    0 where the summary says nothing, or the sources cancel out.
    """
    return vectors.to_mean(sources)[summary_at] if sources else 0.0


def cover(vectors: Vectors, summary_at: int, sources: Sequence[int]) -> float:
    """Return Q_cover(s, C) = mean of max(0, cos(v_s, v_i)), in [0, 1] (section 5.2)."""
    cosines = vectors.cosines(summary_at)
    return fsum(_unit(cosines[place]) for place in sources) / max(len(sources), 1)


def confidence(align: float, cover: float, mean_logprob: float | None = None) -> float:
    """Return how far the summary is to be trusted, in [0, 1] (sections 5.2 and 5.4).

    The mean of alignment and coverage, clamped; where a model says how sure it was, λ of that
    and 1 − λ of exp(mean log p). A logarithm over 0 counts as 0; NaN, which says nothing, is
    0 for the former two, and no logarithm.
    """
    geometry = _unit((_number(align) + _number(cover)) / 2)
    if mean_logprob is None or mean_logprob != mean_logprob:  # noqa: PLR0124 - NaN
        return geometry
    return _unit(LAMBDA * geometry + (1 - LAMBDA) * exp(min(mean_logprob, 0.0)))


def _number(value: float) -> float:
    """Return ``value``, clamped to [-1, 1]; NaN is 0."""
    return max(-1.0, min(value, 1.0)) if value < 0 else _unit(value)


def _unit(value: float) -> float:
    """Return ``value`` clamped to [0, 1]; NaN is 0."""
    return min(value, 1.0) if value > 0 else 0.0


# No `from __future__ import annotations` here: see ``ctx.model.entries``.


class Offer(NamedTuple):
    """A draft beside all that it is judged by."""

    text: str
    cluster: Cluster
    instructions: str
    """What the writer was told; empty where that is not known."""
    align: float
    """Q_align of the text and the cluster, in [-1, 1]."""


Reason = Callable[[Offer], str]
"""Says in some words why an offer is refused; empty where it is not."""

LEAKED = 6
"""Words in a row from the instructions that nobody would write by chance."""
SAID_AGAIN = 3
"""Times that a sentence may not be said."""
_RUN, _LEAST_RUNS = 3, 8
_COPIED, _MOSTLY = 5, 0.8
_STEM = 5
"""Letters by which words are compared: most languages inflect behind them."""


def nothing(offer: Offer) -> str:
    """Refuse what has no words."""
    return "" if index_words(offer.text) else "empty: it holds no words"


def leaks(offer: Offer) -> str:
    """Refuse what repeats the instructions instead of following them."""
    told = _runs(index_words(offer.instructions), LEAKED)
    said = _runs(_said(offer.cluster), LEAKED)
    found = _runs(index_words(offer.text), LEAKED)
    return "leaked: it repeats the instructions" if (told & found) - said else ""


def repeats(offer: Offer) -> str:
    """Refuse what goes round in circles."""
    counts = Counter(text.casefold() for text, _ in pieces(offer.text))
    if counts and max(counts.values()) >= SAID_AGAIN:
        return "repetitive: it says a sentence again and again"
    words = index_words(offer.text)
    runs = len(words) - _RUN + 1
    if runs >= _LEAST_RUNS and 2 * len(_runs(words, _RUN)) < runs:
        return "repetitive: it says the same words again and again"
    return ""


def copies(offer: Offer) -> str:
    """Refuse what is most of the turns, word for word."""
    said = offer.cluster.said
    if 2 * estimate(offer.text) < sum(estimate(one.text) for one in said):
        return ""
    found = _runs(index_words(offer.text), _COPIED)
    held = found & _runs(_said(offer.cluster), _COPIED)
    copied = bool(found) and len(held) >= _MOSTLY * len(found)
    return "copied: it is most of the turns, word for word" if copied else ""


def strays(offer: Offer) -> str:
    """Refuse what says mostly words that the turns do not: another language, other matters."""
    words = _meant(offer.text)
    cluster = offer.cluster
    names = " ".join(one.speaker for one in cluster.said)
    told = _meant("\n".join([*(one.text for one in cluster.said), names, cluster.before]))
    strange = len(words - told)
    if 2 * strange <= len(words):
        return ""
    return f"strayed: {strange} of its {len(words)} words are not in the turns"


def drifts(offer: Offer) -> str:
    """Refuse what does not point where the turns do (``retrieval-math`` 5.3)."""
    if offer.align >= TAU:
        return ""
    # Cut rather than rounded: .6499 is not "0.65 under 0.65".
    return f"drifted: alignment {floor(offer.align * 100) / 100:.2f} under {TAU:.2f}"


REASONS: tuple[Reason, ...] = (nothing, leaks, repeats, copies, strays, drifts)
"""The registry, in the order in which they are asked."""


def refusal(offer: Offer) -> str:
    """Return the first reason why ``offer`` is refused; empty where it is taken."""
    return next(filter(None, (reason(offer) for reason in REASONS)), "")


def _said(cluster: Cluster) -> list[str]:
    return [word for one in cluster.said for word in index_words(one.text)]


def _runs(words: Sequence[str], size: int) -> set[tuple[str, ...]]:
    """Return the distinct runs of ``size`` words."""
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED}]")


def _meant(text: str) -> set[str]:
    """Return what words that mean something begin with, and single characters without spaces."""
    single = _unspaced()
    words = {word for word in index_words(text) if not single.match(word)} - STOPS
    return {word[:_STEM] for word in words}.union(single.findall(text))
