"""Why a summary is refused, and how good an accepted one is."""

from collections import Counter
from collections.abc import Callable, Sequence
from math import exp, floor, fsum
from typing import NamedTuple

from ctx.model import Cluster, Vectors
from ctx.text.regex import regex
from ctx.text.sentences import pieces
from ctx.text.tokens import estimate
from ctx.text.words import STOPS, UNSPACED, index_words

TAU = 0.65  # τ_preserve: an abstractive summary with less alignment is refused (5.3)
LAMBDA = 0.8  # λ: weight of the geometry where a model gives its own confidence, the rest (5.4)
LEAKED = 6  # consecutive words of the instructions that nobody would write by chance
SAID_AGAIN = 3  # occurrences of a sentence that make a summary repetitive
_RUN, _LEAST_RUNS = 3, 8
_COPIED, _MOSTLY = 5, 0.8
_STEM = 5  # letters by which words are compared: most languages inflect behind them
_SINGLE = regex(f"[{UNSPACED}]")


def align(vectors: Vectors, summary_at: int, sources: Sequence[int]) -> float:
    """Return Q_align(s, C) = cos(v_s, mean v_i), in [-1, 1]; 0 where one is (section 5.2)."""
    return vectors.to_mean(sources)[summary_at] if sources else 0.0


def cover(vectors: Vectors, summary_at: int, sources: Sequence[int]) -> float:
    """Return Q_cover(s, C) = mean of max(0, cos(v_s, v_i)), in [0, 1] (section 5.2)."""
    cosines = vectors.cosines(summary_at)
    return fsum(_unit(cosines[place]) for place in sources) / max(len(sources), 1)


def confidence(align: float, cover: float, mean_logprob: float | None = None) -> float:
    """Return the confidence in a summary, in [0, 1] (sections 5.2 and 5.4).

    The mean of alignment and coverage, clamped, NaN as 0; if a model gives its own, λ of that and 1
    − λ of exp(mean log p), where a logarithm over 0 is 0 and NaN is none.
    """
    geometry = _unit((_number(align) + _number(cover)) / 2)
    if mean_logprob is None or mean_logprob != mean_logprob:  # noqa: PLR0124 - NaN
        return geometry
    return _unit(LAMBDA * geometry + (1 - LAMBDA) * exp(min(mean_logprob, 0.0)))


def _number(value: float) -> float:
    """Return ``value`` clamped to [-1, 1]; NaN is 0."""
    return max(-1.0, min(value, 1.0)) if value < 0 else _unit(value)


def _unit(value: float) -> float:
    return min(value, 1.0) if value > 0 else 0.0


class Offer(NamedTuple):
    """A draft, and what it is judged by."""

    text: str
    cluster: Cluster
    instructions: str  # those of the writer; empty if they are unknown
    align: float  # q_align of the text and the cluster, in [-1, 1]


Reason = Callable[[Offer], str]  # returns in some words why an offer is refused; empty if it is not


def nothing(offer: Offer) -> str:
    """Refuse text without words."""
    return "" if index_words(offer.text) else "empty: it holds no words"


def leaks(offer: Offer) -> str:
    """Refuse text that repeats the instructions instead of following them."""
    instructions = _runs(index_words(offer.instructions), LEAKED)
    leaked = instructions & _runs(index_words(offer.text), LEAKED)
    by_turns = _runs(_words_of(offer.cluster), LEAKED)
    return "leaked: it repeats the instructions" if leaked - by_turns else ""


def repeats(offer: Offer) -> str:
    """Refuse text that repeats itself."""
    counts = Counter(text.casefold() for text, _ in pieces(offer.text))
    if counts and max(counts.values()) >= SAID_AGAIN:
        return "repetitive: it repeats a sentence"
    words = index_words(offer.text)
    runs = len(words) - _RUN + 1
    if runs >= _LEAST_RUNS and 2 * len(_runs(words, _RUN)) < runs:
        return "repetitive: it repeats the same words"
    return ""


def copies(offer: Offer) -> str:
    """Refuse text that is mostly the turns, word for word."""
    if 2 * estimate(offer.text) < sum(estimate(turn.text) for turn in offer.cluster.utterances):
        return ""
    runs = _runs(index_words(offer.text), _COPIED)
    copied = runs & _runs(_words_of(offer.cluster), _COPIED)
    is_copy = bool(runs) and len(copied) >= _MOSTLY * len(runs)
    return "copied: it is most of the turns, word for word" if is_copy else ""


def strays(offer: Offer) -> str:
    """Refuse text whose words are mostly not in the turns: another language, other matters."""
    words = _meant(offer.text)
    cluster = offer.cluster
    names = " ".join(turn.speaker for turn in cluster.utterances)
    known = _meant("\n".join([*(turn.text for turn in cluster.utterances), names, cluster.before]))
    strange = len(words - known)
    if 2 * strange <= len(words):
        return ""
    return f"strayed: {strange} of its {len(words)} words are not in the turns"


def drifts(offer: Offer) -> str:
    """Refuse text that does not point where the turns do (``retrieval-math`` 5.3)."""
    if offer.align >= TAU:
        return ""
    # Cut rather than rounded: .6499 is not "0.65 under 0.65".
    return f"drifted: alignment {floor(offer.align * 100) / 100:.2f} under {TAU:.2f}"


REASONS: tuple[Reason, ...] = (nothing, leaks, repeats, copies, strays, drifts)  # in their order


def refusal(offer: Offer) -> str:
    """Return the first reason why ``offer`` is refused; empty if it is accepted."""
    return next(filter(None, (reason(offer) for reason in REASONS)), "")


def _words_of(cluster: Cluster) -> list[str]:
    return [word for turn in cluster.utterances for word in index_words(turn.text)]


def _runs(words: Sequence[str], size: int) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


def _meant(text: str) -> set[str]:
    """Return the beginnings of words that mean something, and characters of unspaced scripts."""
    words = {word for word in index_words(text) if not _SINGLE.match(word)} - STOPS
    return {word[:_STEM] for word in words}.union(_SINGLE.findall(text))
