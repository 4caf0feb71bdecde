"""Keywords of a query, and how many of them an entry holds.

Source: ``retrieval-math``, section 7.5; the symbols are its own.
"""

from functools import cache
from math import isfinite

from ctx.rank.score import unit
from ctx.text.words import words

KAPPA = 0.3
"""κ: what full keyword coverage adds to the similarity, before it is normalised (7.6)."""


def word_set(text: str) -> frozenset[str]:
    """Return the words of a list that is written as one text, so that it can be read."""
    return frozenset(text.split())


STOP_WORDS = word_set(
    # Question words.
    "how what when where which who whom whose why"
    # Articles, pronouns and demonstratives.
    " a an the i me my mine we us our ours you your yours he him his she her hers it its they"
    " them their theirs myself yourself himself herself itself ourselves themselves this that"
    " these those there here some any each every all both either neither none such same other"
    " another own one"
    # Auxiliaries, and their stems before an apostrophe.
    " am is are was were be been being do does did done doing have has had having can could may"
    " might must shall should will would ought didn doesn don isn aren wasn weren hasn haven"
    " hadn wouldn couldn shouldn ain let"
    # Prepositions and conjunctions.
    " about above across against along among around as at by down for from in into near of off"
    " on onto out over per than through to toward towards under until till up upon via with"
    " within without and but or nor so if then because while whether although though unless"
    # Words of time that a query asks by, not for: section 9 reads them.
    " after before since between during earlier later ever ago"
    # Adverbs that add nothing.
    " also again always just more most much many few less least no not never now only quite"
    " rather really still too very yes yet please"
)
"""English words that questions are made of and not about; lower case, not stemmed."""


def keywords(query: str) -> frozenset[str]:
    """Return K = KeyExt(q): the distinct content words of ``query`` (section 7.5).

    Split and stemmed as entries are. Question and stop words are left out: |K| divides, so each
    would lower entries that answer and raise those that happen to hold "what". May be empty.
    """
    return frozenset(words(query)) - _stop_stems()


def m_norm(held: int, keywords_: int) -> float:
    """Return M_norm(K,d) = |K ∩ terms(d)| / max(|K|, 1), in [0, 1] (section 7.5).

    ``held`` of the ``keywords_`` are in the entry. 0 without keywords.
    """
    return unit(held / max(keywords_, 1))


def s_final(omega: float, sim: float, covered: float, kappa: float = KAPPA) -> float:
    """Return S_final(d) = ω·max(sim, 0)·(1 + κ·M_norm) / (1 + κ), in [0, ω] (sections 7.5, 7.6).

    ``omega`` is ω(d) in [0, 1], ``sim`` in [-1, 1], ``covered`` is M_norm, in [0, 1]; all are
    clamped, NaN is 0.

    Raises ValueError unless ``kappa`` is finite and at least 0.
    """
    if not (isfinite(kappa) and kappa >= 0):
        raise ValueError(f"κ is finite and at least 0, not {kappa}")
    # The quotient first: it is at most 1, so that rounding never lifts the product over ω.
    return unit(omega) * (unit(sim) * min((1 + kappa * unit(covered)) / (1 + kappa), 1.0))


@cache
def _stop_stems() -> frozenset[str]:
    return frozenset(words(" ".join(STOP_WORDS)))
