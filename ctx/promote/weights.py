"""What each mark weighs: the one table of the gate's signals.

The source (``compaction.md``, Promotion) names the marks and leaves their weights open, but for
those of the gate itself. They are coarse on purpose: tenths, chosen on two public sets of talk
(``benchmarks/promotion.py``), not fitted to them.
"""

from __future__ import annotations

# --- the gate: the source's own figures ---------------------------------------------------

NOVELTY, RECURRENCE, CONVERSATIONAL = 0.35, 0.40, 0.25
"""Of H, R and D_nl in G_conv."""
SPECIFICS, SETTLED, CONSTRUCTION = 0.40, 0.35, 0.25
"""Of P, A and D_tech in G_tech."""

# --- T: what makes a turn technical -------------------------------------------------------

TECHNICAL_WHOLE = 1.5
"""The sum that makes a turn wholly technical."""
TECHNICAL = {
    "fence": 1.0, "trace": 1.0, "definition": 0.7, "shell": 0.7, "path": 0.4, "hash": 0.4,
    "url": 0.2,
}  # fmt: skip
"""Each pattern counts once, however often it occurs."""

# --- D_nl: what makes talk worth keeping --------------------------------------------------

TALK = {"standing": 0.6, "preference": 0.6, "decision": 0.5, "date": 0.4, "quotation": 0.3,
        "assertion": 0.2, "name": 0.1, "number": 0.1}  # fmt: skip
"""Marks of a statement in the first person, or of what is to be kept in mind whoever it is said
of; each counts once a sentence."""
CHANCE = 0.3
"""What marks of a sentence may weigh by chance: D_nl counts what is above it."""
FAINT = 0.2
"""A turn whose marks of knowledge are all below this says nothing worth keeping."""

# --- P, A, D_tech: what makes a technical turn worth keeping ------------------------------

CONCRETE = {"error": 0.3, "path": 0.2, "endpoint": 0.2, "identifier": 0.1}
"""Each distinct one counts."""
RESOLVED = {"decided": 0.6, "root cause": 0.6, "fixed": 0.4, "merged": 0.4, "configured": 0.4,
            "because": 0.2}  # fmt: skip
"""Each counts once a sentence."""
BUILT = {"definition": 0.4, "dependency": 0.4, "test": 0.3}
"""Each counts once a sentence."""

PER_TOKENS = 100
"""Tokens of prose that the marks of a turn are counted against; fewer count as so many."""
