"""Which words a query is about, how many of them an entry holds, and what that adds.

Source: ``retrieval-math``, section 7.5; the symbols are its own.
"""

from functools import cache
from math import isfinite

from ctx.rank.score import unit

KAPPA = 0.3
"""κ: what full keyword coverage adds to the similarity, before it is normalised (7.6)."""


def word_set(text: str) -> frozenset[str]:
    """Return the words of a list that is written as a sentence: so it can be read."""
    return frozenset(text.split())


STOP_WORDS = word_set(
    # Who, what, when: what every question begins with.
    "how what when where which who whom whose why"
    # Articles, pronouns and what points.
    " a an the i me my mine we us our ours you your yours he him his she her hers it its they"
    " them their theirs myself yourself himself herself itself ourselves themselves this that"
    " these those there here some any each every all both either neither none such same other"
    " another own one"
    # Auxiliaries, and what is left of them where an apostrophe cuts.
    " am is are was were be been being do does did done doing have has had having can could may"
    " might must shall should will would ought didn doesn don isn aren wasn weren hasn haven"
    " hadn wouldn couldn shouldn ain let"
    # Prepositions and conjunctions.
    " about above across against along among around as at by down for from in into near of off"
    " on onto out over per than through to toward towards under until till up upon via with"
    " within without and but or nor so if then because while whether although though unless"
    # Words of time that a query asks by, and not for: section 9 reads them.
    " after before since between during earlier later ever ago"
    # Adverbs that add nothing.
    " also again always just more most much many few less least no not never now only quite"
    " rather really still too very yes yet please"
)
"""English words that a question is asked with, and not about; lower case, not stemmed."""


def keywords(query: str) -> frozenset[str]:
    """Return K = KeyExt(q): the distinct content words of ``query`` (section 7.5).

    Split and stemmed by ``ctx.text.words``, as entries are, or the two would not meet. Question and
    stop words are left out: |K| divides, so each would take from the entries that answer, and
    give to those that happen to say "what". Empty where nothing else is left.
    """
    from ctx.text.words import words  # loads the stemmer: only for a query

    return frozenset(words(query)) - _stop_stems()


def m_norm(held: int, keywords_: int) -> float:
    """Return M_norm(K,d) = |K ∩ terms(d)| / max(|K|, 1), in [0, 1] (section 7.5).

    ``held`` of the ``keywords_`` stand in the entry. 0 without keywords.
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
    # The share first: it is at most 1, so that no rounding lifts the product over ω.
    return unit(omega) * (unit(sim) * min((1 + kappa * unit(covered)) / (1 + kappa), 1.0))


@cache
def _stop_stems() -> frozenset[str]:
    """Return ``STOP_WORDS`` as ``ctx.text.words`` stems them: what ``keywords`` leaves out."""
    from ctx.text.words import words

    return frozenset(words(" ".join(STOP_WORDS)))
