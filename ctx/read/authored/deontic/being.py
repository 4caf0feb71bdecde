"""What something "is" and so must be, and who the reader is told to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctx.read.authored.deontic import lexicon as know
from ctx.read.authored.deontic.clause import Found, judged
from ctx.read.authored.deontic.forms import VERB, is_participle, is_verb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.model import Modality
    from ctx.read.authored.deontic.clause import Clause


def of_being(one: Being) -> Found | None:
    """Return the role that "you are a …", "you are Mara" and "the pilot's job is to …" give."""
    subject, words, at, value = one.subject, one.words, one.at, one.value
    word, after = one.pair
    given = bool(subject) and subject[0] == "your" and subject[-1] in know.ROLES
    if given or (word == "to" and not know.ROLES.union(("rule",)).isdisjoint(subject)):
        return Found("obligatory", "identity", at - len(subject), value)
    if word == "your" and after in know.ROLES and words[value + 2] == "to":
        return Found("obligatory", "identity", value, value + 3)
    named = _is_name(one)
    if subject == ["your", "name"] and named:
        return Found("obligatory", "identity", at - 2, value)
    given = word in {"a", "an", "the", "our", "my"} and after not in know.PRAISE
    given |= named or word in {"called", "named"} or (word, after) == ("in", "charge")
    cast = subject[-1:] == ["you"] and len(subject) <= 2 and value == at + 1  # noqa: PLR2004
    return Found("obligatory", "identity", at, value) if cast and given else None


def _is_name(one: Being) -> bool:
    """Whether what follows is a proper name: in capitals where the verb is not, or quoted."""
    word, after = one.pair
    if word == know.OPAQUE:
        return not after or after in know.BREAKS
    raw = one.raws[one.value] if word else ""
    known = word in know.CLOSED | know.UNSURE or word in know.PREDICATES or word in know.DUTIES
    return raw[:1].isupper() and not known and not one.raws[one.at].isupper()


def identity_rule(clause: Clause, i: int) -> Found | None:
    """Return the role or task that "you" with a verb in the present gives."""
    words = clause.words
    j, negated, hedged = clause.between(i + 1)
    verb, after = words[j], words[j + 1]
    opens = all(word in know.ADVERBS or word == "," for word in words[clause.opened : i])
    if i > 1 and words[i - 2] == "i" and words[i - 1] in {"want", "need", "ask"} and verb == "to":
        return Found("obligatory", "identity", j + 1, j + 1)
    if negated or hedged or clause.condition >= 0 or not clause.tags[j] & VERB:
        return None
    acts = after == "as" and verb in {"act", "behave", "work", "serve"}
    if acts or not {"always", "only"}.isdisjoint(words[i + 1 : j]):
        return Found("obligatory", "identity", j, j)
    cast = words[clause.opened] in {"as", "before", "after", "whenever", "when", "every"}
    if verb in know.IDLE | _LIVED or not (opens or (cast and clause.begin <= i)):
        return None
    aside = opens and clause.begin < i and not clause.tags[i - 1] and words[i - 1] != ","
    told = aside or clause.has(j, _REMEMBERED)
    return None if told else Found("obligatory", "identity", j, j)


_LIVED = know.listed("""
live come go happen grow win lose die reach meet pay buy sit stand sleep carry hold contain possess
bring retain recall inherit embody span bear
""")
_REMEMBERED = know.listed("memory memories mind head knowledge experience expertise instinct")
"""What "you" do with these tells of the agent; it is no task."""
IDENTITY_RULES = (("you", identity_rule),)


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
    return of_being(one)


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
