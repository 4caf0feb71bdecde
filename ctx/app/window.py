"""Context pressure: how much may be retrieved into a context that is already part full.

Source: ``strategy``, section "Context pressure". A heuristic that can be checked by hand: one
division, one table, one list of phrases. Nothing here reads, counts or knows an entry.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from ctx.text.words import UNSPACED

Amount = Literal["stuff", "hybrid", "selective", "skip"]  # how much is retrieved, most first

MOST = 10**18  # maximum of any figure in tokens; more, and infinity, count as this


def pressure(context_length: float, used_tokens: float, threshold_tokens: float = 0) -> float:
    """Return used ÷ threshold, or used ÷ context length without a threshold.

    All are tokens; ``threshold_tokens`` is where the host compacts, 0 for nowhere. 0.0 if the
    divisor is 0; over 1 if more is used than there should be. Negative figures and NaN are 0,
    figures over ``MOST`` are ``MOST``: the result is finite.
    """
    whole = tokens(threshold_tokens) or tokens(context_length)
    return tokens(used_tokens) / whole if whole else 0.0


def free_tokens(context_length: float, used_tokens: float) -> int:
    """Return the free tokens: max(0, context length - used - a quarter of it, rounded up)."""
    length = tokens(context_length)
    return max(0, length - tokens(used_tokens) - kept_tokens(length))


def kept_tokens(context_length: float) -> int:
    """Return the tokens that are kept for the answer: a quarter, rounded up."""
    return -(-tokens(context_length) // 4)


def tokens(figure: float) -> int:
    """Return ``figure`` as a number of tokens from 0 to ``MOST``; NaN is 0."""
    return int(min(figure, MOST)) if figure > 0 else 0


class Limits(NamedTuple):
    """How much is retrieved at one pressure."""

    strategy: Amount  # ``skip`` includes only the hard tier
    entries: int  # most entries of each variant section
    least_trust: float  # entries with a lower trust, in [0, 1], are omitted


HYBRID_FROM, SELECTIVE_FROM, SKIP_ABOVE = 0.30, 0.70, 0.95
ROWS: tuple[tuple[Callable[[float], bool], Limits], ...] = (
    # The table of the source, in its order: the first row that is for a pressure decides. The
    # entries are 3, 1, 0.4 and 0 times a base of 5.
    (lambda full: full < HYBRID_FROM, Limits("stuff", 15, 0.2)),
    (lambda full: full < SELECTIVE_FROM, Limits("hybrid", 5, 0.3)),
    (lambda full: full <= SKIP_ABOVE, Limits("selective", 2, 0.5)),
    (lambda full: full > SKIP_ABOVE, Limits("skip", 0, 1.0)),
)


def limits(full: float) -> Limits:
    """Return what may be retrieved at the pressure ``full``; a negative one and NaN are 0."""
    return next(allowed for holds, allowed in ROWS if holds(full if full > 0 else 0.0))


ALWAYS_BELOW = 0.50
SHORT_FROM = 0.80  # from this pressure on a query must also be short
SHORT = 200  # characters that a short query has fewer than


def retrieves(full: float, query: str, signals: Iterable[str]) -> bool:
    """Return whether anything is retrieved for ``query`` at the pressure ``full``.

    Always under .50; from there only for a query with one of the ``signals``; from .80 on only
    if it also has fewer than 200 characters, white space around it not counted. A negative
    pressure and NaN are 0.
    """
    if not full >= ALWAYS_BELOW:
        return True
    if full >= SHORT_FROM and len(query.strip()) >= SHORT:
        return False
    return phrase_in(query, signals) != ""


def phrase_in(text: str, phrases: Iterable[str], *, beginnings: bool = False) -> str:
    """Return the first of ``phrases`` that is in ``text``, empty where none is.

    Words are compared, whatever their case and the punctuation between them: ``self-harm`` is
    in "Self harm!", ``idea`` not in "ideal", and ``config`` not in the name ``load_config``.
    With ``beginnings`` the last word of a phrase may be the beginning of a longer one, unless
    it is a number: ``verify`` is in "verifying". "what's" counts as ``what is``, "who'd" as
    ``who did``. In scripts that put no spaces between words every character is a word.
    """
    words = _spaced(text)
    for phrase in phrases:
        wanted = _spaced(phrase)
        if beginnings and not wanted[-2].isdecimal():
            wanted = wanted[:-1]
        if wanted.strip() and wanted in words:
            return phrase
    return ""


_WORD = re.compile(rf"(?<=\w)'[sd]\b|[{UNSPACED}]|[^\W{UNSPACED}]+")
_SHORTENED = {"'s": "is", "'d": "did"}  # so "project's" is the word ``project``, as it should be


def _spaced(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    return f" {' '.join(_SHORTENED.get(word, word) for word in _WORD.findall(text))} "


TRUST = {  # trust in an entry by its kind, if its author gave none
    "rule": 1.0, "convention": 1.0, "task": 1.0, "lore": 1.0,
    "decision": 0.8, "learning": 0.8,
}  # fmt: skip
UNRATED = 0.5  # trust in a turn, and in a summary without a confidence


def trust(kind: str, front_trust: float | None, confidence: float | None = None) -> float:
    """Return the trust in an entry, in [0, 1].

    ``front_trust``, of its frontmatter, decides if given. Else 1.0 for what was authored, 0.8
    for decisions and learnings, ``confidence`` for a summary, 0.5 for a turn. Figures are
    clamped; NaN counts as not given.
    """
    for figure in (front_trust, TRUST.get(kind), confidence):
        if figure is not None and figure == figure:  # noqa: PLR0124 -- not NaN
            return min(max(figure, 0.0), 1.0)
    return UNRATED
