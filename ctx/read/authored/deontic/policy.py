"""Policies and priorities: what "we" do or never do, and what comes before what.

Taken: "we never …", "we always …", "we expect …", "we test … before every …"; "X beats Y". Not
taken: what we are, think, have or once did; what we do without a word that makes it a habit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.read.authored.deontic import lexicon as know
from ctx.read.authored.deontic.clause import Found
from ctx.read.authored.deontic.forms import BREAK, VERB

if TYPE_CHECKING:
    from ctx.read.authored.deontic.clause import Clause


def rule(clause: Clause, i: int) -> Found | None:
    """Return what "we do not …", "we always …" or "you never …" rules."""
    words = clause.words
    j, negated, hedged = clause.between(i + 1)
    if words[j] == "do" and words[j + 1] == "not":
        j, _, hedged = clause.between(j + 2)
        negated = True
    verb = words[j]
    ruling = words[i] != "you" and verb in know.RULING and not negated
    if clause.condition >= 0 or hedged or (verb in know.IDLE and not ruling):
        return None
    some = words[i] == "agents" and words[i - 1] in {"some", "many", "most", "other", "different"}
    if some or i > clause.begin + 1 or not (clause.tags[j] & VERB or verb in {"do", "want"}):
        return None
    if negated:
        return Found("forbidden", "prohibition", j, j)
    if words[i] == "you":
        return None
    thanks = words[j + 1] == "to" and (verb == "want" or words[j + 2] in know.THOUGHT)
    habit = ruling or not {"always", "only"}.isdisjoint(words[i + 1 : j])
    if thanks or not (habit or clause.has(j, know.HABIT)):
        return None
    return Found("obligatory", "modal", j, j)


def precedence(clause: Clause, i: int) -> Found | None:
    """Return what "comes first", "takes precedence" and "outranks" put before other things."""
    words = clause.words
    after = words[i + 1]
    first = after in {"first", "precedence", "priority"} or words[i] in know.OUTRANKS
    first |= after == "before" and words[i].startswith("come") and i - clause.begin < 4  # noqa: PLR2004
    first |= words[i] == "matters" and after in {"more", "less", "most"}
    wins = words[i] == "wins" and (not after or after == "over")
    none = know.NONE.intersection(words[clause.begin : clause.begin + 1])
    told = clause.begin < i and words[i - 1] in {"the", "a", "to"}
    noun = not after or clause.tags[i + 1] & (BREAK | VERB) or words[clause.begin] == "it"
    told |= words[i] == "overrides" and bool(noun)
    if clause.condition >= 0 or not i or none or told or not (first or wins):
        return None
    return Found("obligatory", "priority", clause.begin, i)


RULES = (
    ("we you agents", rule),
    (" ".join(("come comes take takes wins matters", *sorted(know.OUTRANKS))), precedence),
)
