"""Which turns deserve to become durable knowledge: the gate, and what an entry would say.

Source: ``compaction.md``, section Promotion; ``gate`` joins the signals, one a module. Text and
cosines in, figures and text out; nothing here reads a file.
"""

from ctx.sessions.promotion.gate import (
    HELD,
    LEAST,
    Novelty,
    Parts,
    may_pass,
    of_cosines,
    of_text,
    passes,
    score,
)
from ctx.sessions.promotion.near_duplicates import Entries, Twin, Twins
from ctx.sessions.promotion.prose import MOST_CHARS
from ctx.sessions.promotion.wording import Proposal, propose
from ctx.text.similarity import COMPARED

__all__ = [
    "COMPARED",
    "HELD",
    "LEAST",
    "MOST_CHARS",
    "Entries",
    "Novelty",
    "Parts",
    "Proposal",
    "Twin",
    "Twins",
    "may_pass",
    "of_cosines",
    "of_text",
    "passes",
    "propose",
    "score",
]
