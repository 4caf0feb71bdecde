"""Who the reader is to be: "you are a …", "act as …", "your job is to …", "as X, you check …".

Taken: a role or a name given to "you", and what "you" do in the present as a part of it. Not
taken: praise ("you are the best"), what a reader sees, knows, holds in memory or gets, and what
follows from an "if".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.read.deontic import lexicon as know
from ctx.read.deontic.clause import Found
from ctx.read.deontic.forms import VERB

if TYPE_CHECKING:
    from ctx.read.deontic.being import Being
    from ctx.read.deontic.clause import Clause


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


def rule(clause: Clause, i: int) -> Found | None:
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
RULES = (("you", rule),)
