"""What something "is", and by that is ruled: forbidden, required, the priority, off limits.

Taken: predicates of duty in the present ("is not allowed", "are to be", "is fine as long as",
"it is vital to"). Not taken: the past, and what somebody or something is required by.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctx.read.deontic import identity
from ctx.read.deontic import lexicon as know
from ctx.read.deontic.clause import Found, judged
from ctx.read.deontic.forms import is_participle, is_verb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.model import Modality
    from ctx.read.deontic.clause import Clause


class Being(NamedTuple):
    """A clause with "is" or "are", taken apart."""

    subject: list[str]
    words: Sequence[str]
    raws: Sequence[str]
    at: int
    """Where "is" stands."""
    value: int
    """Where what follows begins, adverbs passed over."""
    negated: bool

    @property
    def begin(self) -> int:
        """Where the subject begins."""
        return self.at - len(self.subject)

    @property
    def pair(self) -> tuple[str, str]:
        """The first two words of what follows."""
        return self.words[self.value], self.words[self.value + 1]

    @property
    def agent(self) -> bool:
        """Whether the subject can be given duties."""
        return not know.AGENTS.isdisjoint(self.subject[-4:])


def rule(clause: Clause, i: int) -> Found | None:
    """Return what "is" or "are" at word ``i`` rules."""
    subject = clause.subject(i)
    j, negated, hedged = clause.between(i + 1)
    if subject is None or hedged:
        return None
    one = Being(subject, clause.words, clause.raws, i, j, negated)
    return next((found for kind in _KINDS if (found := kind(one))), None)


def _role(one: Being) -> Found | None:
    return identity.of_being(one)


def _predicate(one: Being) -> Found | None:
    """Return what "is required", "is not allowed" or "is off limits" rule."""
    word, after = one.pair
    if word in {"optional", "negotiable"}:
        return Found("obligatory", "modal", one.begin, one.value) if one.negated else None
    if (word, after) == ("off", "limits") or after == "no-go":
        return judged("forbidden", one.begin, one.value, negated=one.negated)
    if word in know.PREDICATES and after not in {"by", "since", "because"}:
        return judged(know.PREDICATES[word], one.begin, one.value, negated=one.negated)
    return _tolerated(one)


def _tolerated(one: Being) -> Found | None:
    """Return the leave that "it is fine to" or "is okay as long as" gives."""
    word, after = one.pair
    if word in know.TOLERATED and after == "to":
        return judged("permitted", one.begin, one.value + 2, negated=one.negated)
    tolerable = word in {"enabled", "fine", "ok", "okay", "good"} and not one.negated
    always = "always" in one.words[one.at + 1 : one.value]
    if tolerable and (after == "in" or always or _guarded(one)):
        return Found("permitted", "permission", one.begin, one.value)
    return None


def _guarded(one: Being) -> bool:
    return not know.GUARDS.isdisjoint(one.words[one.value : one.value + 6])


def _duty(one: Being) -> Found | None:
    """Return what "you are expected to", "tests are to be" or "it is vital to" oblige to."""
    word, after = one.pair
    if one.agent and word in know.DUTIES and after in {"to", "for"}:
        if word == "supposed" and one.negated:
            return Found("forbidden", "prohibition", one.begin, one.value + 2)
        return judged(know.DUTIES[word], one.begin, one.value + 2, negated=one.negated)
    if one.agent and word == "allowed":
        return judged("permitted", one.begin, one.value, negated=one.negated)
    return _destined(one) or _weighty(one)


def _destined(one: Being) -> Found | None:
    """Return what "tests are to be" or "it is up to you to" oblige to."""
    word, after = one.pair
    if word == "to" and (after == "be" or (one.agent and is_verb(after))):
        found = one.words[one.value + 2] == "found"  # "is nowhere to be found"
        ruled: Modality = "forbidden" if one.negated else "obligatory"
        return None if found else judged(ruled, one.begin, one.value + 1, negated=False)
    if (word, after) == ("up", "to") and one.words[one.value + 2] == "you":
        return Found("obligatory", "identity", one.value, one.value + 4)
    return None


def _weighty(one: Being) -> Found | None:
    """Return what "it is vital to" obliges to."""
    word, after = one.pair
    it = one.subject[-1:] == ["it"]
    heavy = word in know.WEIGHTY or (it and word in {"best", "better"})
    said = one.words[one.value + 2] in know.THOUGHT  # "it is important to note"
    if heavy and after in {"to", "that"} and not said:
        return Found("obligatory", "modal", one.value, one.value + 2)
    return None


def _priority(one: Being) -> Found | None:
    """Return what "is our top priority", "is the first concern" or "is a must" put first."""
    words, word = one.words, one.words[one.value]
    if one.negated or word not in {"the", "our", "a", "top", "priority", "your"}:
        return None
    named = [word for word in words[one.value : one.value + 4] if word in know.PRIORITIES]
    ranked = named and (named[0] != "must" or word == "a")
    return Found("obligatory", "priority", one.begin, one.value) if ranked else None


def _never(one: Being) -> Found | None:
    """Return what "a migration is never edited" forbids: a kind of thing, and what is done."""
    words = one.words
    generic = one.subject[:1] in (["a"], ["an"], ["no"], ["nothing"]) or (
        words[one.at] == "are" and not know.DETERMINERS.intersection(one.subject[:1])
    )
    passive = is_participle(one.pair[0]) and generic
    none = one.subject[:1] == ["nothing"] and "as" not in words[one.value : one.value + 3]
    never = "never" in words[one.at + 1 : one.value]
    if passive and (never or none):
        return Found("forbidden", "prohibition", one.begin, one.value)
    return None


_KINDS = (_role, _predicate, _duty, _priority, _never)
RULES = (("is are", rule),)
