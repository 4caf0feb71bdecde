"""Phrases that a base form may open: whether they have a finite verb of their own.

"Display cases … have", "stock prices fell": then the first word is a noun, no imperative.
Taken as a verb: finite forms; the third person before an object; a past before one or at the end;
a base form after a plural.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.read.deontic import lexicon as know
from ctx.read.deontic.clause import AHEAD
from ctx.read.deontic.forms import (
    ADV,
    BREAK,
    CLOSED,
    COND,
    DET,
    ED,
    FINITE,
    JOINT,
    LONE,
    NOUN,
    OBJ,
    PLURAL,
    PREP,
    REL,
    SUBJ,
    THIRD,
    VERB,
    is_bare,
)  # fmt: skip

if TYPE_CHECKING:
    from ctx.read.deontic.clause import Clause

_STOPS = SUBJ | COND | REL | BREAK
_COMPLEMENTED = know.listed("check assume let help make have see verify confirm")
"""Verbs that take a clause without "that": "check tests pass"."""


_ENDS = know.listed("but so than after before indicating saying stating explaining")
"""Words behind which no predicate of the phrase stands."""


def has_predicate(clause: Clause, i: int) -> bool:
    """Whether the phrase that word ``i`` opens is followed by a finite verb, as its subject."""
    words, tags = clause.words, clause.tags
    plain = words[i] not in _COMPLEMENTED or words[i + 1] in {"marks", "boxes", "lists", "digits"}
    for j in range(i + 2, min(i + AHEAD, clause.size)):
        word, bits, before = words[j], tags[j], tags[j - 1]
        if (bits & _STOPS and not (bits & DET and before & PREP)) or word in _ENDS:
            return False
        if before & JOINT or words[j - 1] == "to" or words[j - 1] in {"not", "never"}:
            continue
        denied = word == "do" and words[j + 1] == "not" and before & PLURAL and not clause.loose
        if plain and (bits & FINITE or word == "have" or denied):
            return True
        if plain and (_is_third(clause, i, j) or _is_past(clause, j) or _is_base(clause, i, j)):
            return True
    return False


def _is_base(clause: Clause, i: int, j: int) -> bool:
    """Whether word ``j``, after a plural noun, is its verb: "writers use the", "lists hold"."""
    word, bits, after = clause.words[j], clause.tags[j], clause.tags[j + 1]
    lone = bits & LONE and bits & VERB
    if (bits & CLOSED and not lone) or clause.tags[j - 1] & CLOSED:
        return False
    clear = bits & (VERB | NOUN) == VERB
    if not clause.tags[j - 1] & PLURAL:
        return bool((lone and clear) or (clause.tags[i + 1] & PLURAL and (lone or clear)))
    if lone or clear:
        return True
    if word == "use":
        return True
    if bits & NOUN:
        second = j == i + _NEXT and clause.words[j + _NEXT] and not after & (BREAK | JOINT)
        return bool(after & DET or second)
    return is_bare(word) and bool(after & (DET | PREP))


_NEXT = 2


def _is_third(clause: Clause, i: int, j: int) -> bool:
    """Whether word ``j`` is the verb of a singular noun: "practice makes a"."""
    before = clause.tags[j - 1]
    if clause.tags[j] & THIRD and clause.words[j - 1].endswith("ly") and j > i + 2:
        return not clause.tags[j - 2] & (CLOSED | PLURAL)  # "tag mode generally produces labels"
    if not clause.tags[j] & THIRD or before & (CLOSED | PLURAL | ADV | ED):
        return False
    unknown = not clause.tags[i] & (VERB | CLOSED) and clause.tags[j + 1] & PREP
    follows = clause.tags[j + 1]
    follows = 0 if follows & (JOINT | COND) else follows & (DET | OBJ | ADV)
    return bool(unknown or clause.tags[j] & LONE or follows)


def _is_past(clause: Clause, j: int) -> bool:
    """Whether word ``j`` is the past of a noun before it: "wind turned", "used to"."""
    if not clause.tags[j] & ED or clause.tags[j - 1] & (CLOSED | ADV):
        return False
    after, follows = clause.words[j + 1], clause.tags[j + 1]
    return not after or after == "to" or bool(follows & (BREAK | ADV | DET | OBJ))
