"""Duties and leave: modals, what something "is" and so must be, and what "we" do as a policy.

Not taken: what we are, think, have or once did; what we do without a word that makes it a habit.
"""

from collections.abc import Sequence

from ctx.model import Modality
from ctx.read.authored.deontic import lexicon as lex
from ctx.read.authored.deontic.clause import (
    CODE,
    DET,
    PLURAL,
    SUBJ,
    VERB,
    Clause,
    Found,
    Rule,
    is_participle,
    is_verb,
    judged,
)
from ctx.text.english import listed, words_of
from ctx.text.regex import regex
from ctx.typed import NamedTuple

_SHOWN = words_of("shown")
_UNABLE = listed("distinguish tell know understand infer detect determine")  # an inability, no ban
_CAUSES = words_of("causes")
_PEOPLE = lex.AGENTS | {"users", "user", "people", "customers", "clients"}
_LIVED = words_of("lived")
_REMEMBERED = listed("memory memories mind head knowledge experience expertise instinct")
"""What "you" do with these tells of the agent; it is no task."""
_PRODUCT = regex(r"[a-z](?:[A-Z]|\.[a-z])|\d")  # only in names of products: "Node.js", "3.11"


def modal(clause: Clause, i: int) -> Found | None:
    """Return what the modal at word ``i`` rules."""
    subject, words = clause.subject(i), clause.words
    if subject is None or (i and words[i - 1] in {"a", "the", "another"}):
        return None  # a noun
    j, negated, hedged = clause.between(i + 1)
    modal, verb = words[i], words[j]
    if modal == "will" and verb in {"need", "want", "have"} and words[j + 1] == "to":
        if negated:
            return None
        return _necessity(clause, i, subject, j)
    shown = modal in {"will", "can"} and verb in _SHOWN and words[i - 1] == "you"
    idle = not verb or (verb in lex.IDLE and subject[-1:] in (["you"], ["we"], []))
    idle &= bool(subject or verb not in {"be", "have"})  # "must have a name"
    expected = clause.aside and modal == "should" and not subject  # "(should return nothing)"
    expected |= verb == "have" and is_participle(words[j + 1])  # "must have been"
    if hedged or shown or idle or expected:
        return None
    if (modality := _ruled(clause, i, subject, negated=negated)) is None:
        return None
    cue = {"permitted": "permission", "forbidden": "prohibition"}.get(modality, "modal")
    return Found(modality, cue, i - len(subject), j)


def _ruled(clause: Clause, i: int, subject: list[str], *, negated: bool) -> Modality | None:
    """Return what the modal at word ``i`` rules, None where it says what can happen."""
    modal, words = clause.words[i], clause.words
    j, _, _ = clause.between(i + 1)
    none = not lex.NONE.isdisjoint(subject[:2])
    if modal in {"must", "shall", "should"} or (modal == "may" and none):
        there = words[i - 1] == "there" and not _CAUSES.isdisjoint(words[j + 1 : j + 4])
        return None if there else "forbidden" if negated or none else "obligatory"
    agent = not lex.AGENTS.isdisjoint(subject[-3:]) or subject[:1] == ["only"]
    only = not {"always", "only"}.isdisjoint(words[i + 1 : j])
    if modal == "can" and negated and words[j] in _UNABLE:
        return None
    if modal == "will":
        duty = agent and (only or negated or (subject[-1:] != ["you"] and is_verb(words[j])))
        return None if not duty else "forbidden" if negated else "obligatory"
    guarded = clause.has(j, lex.GUARDS - ({"without"} if modal == "can" and not negated else set()))
    passive = words[j] == "be" and is_participle(words[j + 1]) and guarded
    passive |= negated and words[j] == "be" and is_participle(words[j + 1]) and modal == "may"
    size = len(subject)
    kind = bool(size and clause.tags[i - 1] & PLURAL and not clause.tags[i - size] & (DET | SUBJ))
    passive |= kind and negated and modal == "may" and is_verb(words[j])  # "plugins may not …"
    acts = agent and (
        is_verb(words[j]) or subject[:1] == ["only"] or (negated and words[j] == "be")
    )
    if not (acts or clause.shouts(i) or passive or (only and not negated)):
        return None
    return "forbidden" if negated else "permitted"


def need(clause: Clause, i: int) -> Found | None:
    """Return what "need to", "have to" and "needs two …" oblige to."""
    subject, words = clause.subject(i), clause.words
    before = words[i - 1] if i else ""
    if not subject:
        return None
    if words[i + 1] != "to":
        return _needs(clause, i, subject)
    if before in lex.MODALS | {"to", "the", "a", "no"}:
        return None
    if before in {"not", "never"}:
        excused = not lex.AGENTS.isdisjoint(subject[-4:])
        return Found("permitted", "permission", i - len(subject), i + 2) if excused else None
    return _necessity(clause, i, subject, i)


def _necessity(clause: Clause, i: int, subject: list[str], at: int) -> Found | None:
    """Return what "need to" at word ``at`` obliges to."""
    verb = at + 2
    words = clause.words
    if words[verb] in lex.IDLE - {"be", "have", "get"}:
        return None
    teller = subject[-2] if subject[-1] == "now" and len(subject) > 1 else subject[-1]
    story = words[at] == "have" and teller in {"we", "they", "people", "i"}
    story |= words[at] == "want" and subject[-1] not in lex.AGENTS
    story |= subject[-1] == "one" or (words[i] == "will" and subject[-1] in {"we", "they"})
    story |= words[i - 1] in {"only", "just"} and words[i] == "need"
    story |= "will" in words[max(0, at - 3) : at] and teller in {"we", "however"}
    story |= words[at - 1] == "longer" or (teller == "users" and words[verb] == "have")
    return None if story else Found("obligatory", "modal", i - len(subject), verb)


def _needs(clause: Clause, i: int, subject: list[str]) -> Found | None:
    """Return what "every X needs a Y" or "releases need two signatures" oblige to."""
    if not clause.words[i].startswith("need") or clause.words[i - 1] in {"not", "to", "would"}:
        return None
    first, size = subject[0], len(subject)
    if _PEOPLE.intersection(subject[-2:]):
        return None  # who lacks something
    generic = first in lex.ALL or first in {"a", "an"}
    plural = any(bits & PLURAL for bits in clause.tags[i - size : i])
    bare = plural and not clause.tags[i - size] & (DET | SUBJ) and clause.words[i] == "need"
    follows = clause.tags[i + 1] & (DET | CODE) or clause.tags[i + 2] & PLURAL
    if not (generic or (bare and follows)):
        return None
    return Found("obligatory", "modal", i - size, i)


def power(clause: Clause, i: int) -> Found | None:
    """Return the leave or duty of who "has the right to" do something."""
    words = clause.words
    for j in range(i + 1, i + 5):
        if words[j] in lex.POWERS and words[j + 1] == "to":
            duty = words[j] in {"duty", "obligation", "responsibility", "mandate"}
            return Found("obligatory" if duty else "permitted", "permission", i, j + 2)
    return need(clause, i)


def identity(clause: Clause, i: int) -> Found | None:
    """Return the role or task that "you" with a verb in the present gives."""
    words = clause.words
    j, negated, hedged = clause.between(i + 1)
    verb, after = words[j], words[j + 1]
    opens = all(word in lex.ADVERBS or word == "," for word in words[clause.opened : i])
    if i > 1 and words[i - 2] == "i" and words[i - 1] in {"want", "need", "ask"} and verb == "to":
        return Found("obligatory", "identity", j + 1, j + 1)
    if negated or hedged or clause.condition >= 0 or not clause.tags[j] & VERB:
        return None
    acts = after == "as" and verb in {"act", "behave", "work", "serve"}
    if acts or not {"always", "only"}.isdisjoint(words[i + 1 : j]):
        return Found("obligatory", "identity", j, j)
    cast = words[clause.opened] in {"as", "before", "after", "whenever", "when", "every"}
    if verb in lex.IDLE | _LIVED or not (opens or (cast and clause.begin <= i)):
        return None
    aside = opens and clause.begin < i and not clause.tags[i - 1] and words[i - 1] != ","
    tells = aside or clause.has(j, _REMEMBERED)
    return None if tells else Found("obligatory", "identity", j, j)


class _Being(NamedTuple):
    """A clause with "is" or "are", taken apart."""

    subject: list[str]
    words: Sequence[str]
    raws: Sequence[str]
    at: int  # the place of "is"
    value: int  # where what follows begins, adverbs passed over
    negated: bool

    @property
    def begin(self) -> int:
        return self.at - len(self.subject)

    @property
    def pair(self) -> tuple[str, str]:
        """The first two words of what follows."""
        return self.words[self.value], self.words[self.value + 1]


def being(clause: Clause, i: int) -> Found | None:
    """Return what "is" or "are" at word ``i`` rules."""
    subject = clause.subject(i)
    j, negated, hedged = clause.between(i + 1)
    if subject is None or hedged:
        return None
    be = _Being(subject, clause.words, clause.raws, i, j, negated)
    return next((found for kind in _KINDS if (found := kind(be))), None)


def _role(be: _Being) -> Found | None:
    """Return the role that "you are a …" and "the pilot's job is to …" give."""
    subject, words, at, value = be.subject, be.words, be.at, be.value
    word, after = be.pair
    given = bool(subject) and subject[0] == "your" and subject[-1] in lex.ROLES
    if given or (word == "to" and not lex.ROLES.union(("rule",)).isdisjoint(subject)):
        return Found("obligatory", "identity", at - len(subject), value)
    if word == "your" and after in lex.ROLES and words[value + 2] == "to":
        return Found("obligatory", "identity", value, value + 3)
    given = word in {"a", "an", "the", "our", "my"} and after not in lex.PRAISE
    given |= word in {"called", "named"} or (word, after) == ("in", "charge")
    cast = subject[-1:] == ["you"] and len(subject) <= 2 and value == at + 1  # noqa: PLR2004
    return Found("obligatory", "identity", at, value) if cast and given else None


def _predicate(be: _Being) -> Found | None:
    """Return what "is required", "is not allowed" or "is off limits" rule."""
    word, after = be.pair
    if word in {"optional", "negotiable"}:
        return Found("obligatory", "modal", be.begin, be.value) if be.negated else None
    if (word, after) == ("off", "limits") or after == "no-go":
        return judged("forbidden", be.begin, be.value, negated=be.negated)
    machine = word == "required" and any(map(_PRODUCT.search, be.raws[be.begin : be.at]))
    if machine and after != "for":
        return None  # "Node.js 20 is required", but "TypeScript is required for new code"
    if word in lex.PREDICATES and after not in {"by", "since", "because"}:
        return judged(lex.PREDICATES[word], be.begin, be.value, negated=be.negated)
    return None


def _priority(be: _Being) -> Found | None:
    """Return what "is our top priority", "is the first concern" or "is a must" put first."""
    words, word = be.words, be.words[be.value]
    if be.negated or word not in {"the", "our", "a", "top", "priority", "your"}:
        return None
    named = [word for word in words[be.value : be.value + 4] if word in lex.PRIORITIES]
    ranked = named and (named[0] != "must" or word == "a")
    return Found("obligatory", "priority", be.begin, be.value) if ranked else None


def _never(be: _Being) -> Found | None:
    """Return what "a migration is never edited" forbids: a kind of thing, and what is done."""
    words = be.words
    generic = be.subject[:1] in (["a"], ["an"], ["no"], ["nothing"]) or (
        words[be.at] == "are" and not lex.DETERMINERS.intersection(be.subject[:1])
    )
    passive = is_participle(be.pair[0]) and generic
    if passive and "never" in words[be.at + 1 : be.value]:
        return Found("forbidden", "prohibition", be.begin, be.value)
    return None


_KINDS = (_role, _predicate, _priority, _never)


def policy(clause: Clause, i: int) -> Found | None:
    """Return what "we do not …", "we always …" or "you never …" rules."""
    words = clause.words
    j, negated, hedged = clause.between(i + 1)
    if words[j] == "do" and words[j + 1] == "not":
        j, _, hedged = clause.between(j + 2)
        negated = True
    verb = words[j]
    ruling = words[i] != "you" and verb in lex.RULING and not negated
    if clause.condition >= 0 or hedged or (verb in lex.IDLE and not ruling):
        return None
    some = words[i] == "agents" and words[i - 1] in {"some", "many", "most", "other", "different"}
    if some or i > clause.begin + 1 or not (clause.tags[j] & VERB or verb in {"do", "want"}):
        return None
    if negated:
        return Found("forbidden", "prohibition", j, j)
    if words[i] == "you":
        return None
    thanks = words[j + 1] == "to" and (verb == "want" or words[j + 2] in lex.THOUGHT)
    habit = ruling or not {"always", "only"}.isdisjoint(words[i + 1 : j])
    if thanks or not (habit or clause.has(j, lex.HABIT)):
        return None
    return Found("obligatory", "modal", j, j)


RULES: tuple[tuple[str, Rule], ...] = (
    ("must shall should may can will", modal), ("need needs ought", need), ("has have", power),
    ("is are", being), ("we you agents", policy), ("you", identity),
)  # fmt: skip
