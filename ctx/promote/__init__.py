"""Which turns deserve to become durable knowledge: the gate, and what an entry would say.

Source: ``compaction.md``, section Promotion; ``gate`` joins the signals, one a module. Text and
cosines in, figures and text out; nothing here reads a file.
"""

from ctx.promote.gate import LEAST, Parts, may_pass, of_text, passes, score
from ctx.promote.novelty import HELD, Novelty, of_cosines
from ctx.promote.prose import MOST_CHARS
from ctx.promote.twins import Entries, Twin, Twins
from ctx.promote.wording import Proposal, propose
from ctx.repeats import COMPARED

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
