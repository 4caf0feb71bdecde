"""Near-duplicates: whether one text repeats another, for ``ctx add``, promotion and ``ctx check``.

By words here; ``ctx.text.distinguishing_features`` tells texts apart that share their words.
"""

from __future__ import annotations

from rapidfuzz import fuzz, utils

ALIKE = 90.0
"""Ratio of rapidfuzz, in [0, 100], from which two texts are near-duplicates."""
MEANT = 0.85
"""Cosine above which two texts are near-duplicates by their meaning."""
LEAST_SHARE = 0.5
"""Shares of a longer text below which a shorter one is no near-duplicate: the words of a sentence
may all occur in a page about something else."""
COMPARED = 4_000
"""Characters of a text that are compared."""
_NO_PART = frozenset({"status", "supersedes", "source"})


def bare(text: str) -> str:
    """Return ``text`` in lower case, without punctuation."""
    return utils.default_process(text)


def titles(one: str, two: str) -> float:
    """Return how alike two titles are, in other words or another order, in [0, 100].

    0 below ``ALIKE``.
    """
    first, second = bare(one), bare(two)
    if not first or not second:
        return 100.0 if one.strip() == two.strip() else 0.0
    return float(fuzz.token_sort_ratio(first, second, score_cutoff=ALIKE))


def texts(one: str, two: str) -> float:
    """Return how alike two bare texts are, one of which may be longer, in [0, 100].

    0 below ``ALIKE``, and where one is less than ``LEAST_SHARE`` of the other.
    """
    short, long = sorted((len(one), len(two)))
    if not short or short < LEAST_SHARE * long:
        return 0.0
    return float(fuzz.token_set_ratio(one, two, score_cutoff=ALIKE))


def without_labels(body: str) -> str:
    """Return the body of an entry without its labels, as ``ctx add`` is given it."""
    paragraphs = []
    for paragraph in body.split("\n\n"):
        label, mark, rest = paragraph.removeprefix("**").partition("**:")
        is_part = bool(mark) and paragraph.startswith("**") and "\n" not in label
        if is_part and label.lower() in _NO_PART:
            continue
        paragraphs.append(rest.strip() if is_part else paragraph)
    return "\n\n".join(paragraphs)
