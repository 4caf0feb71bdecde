"""Modals and permissions: must, shall, should, may, can; need to, feel free to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.read.authored.deontic import lexicon as know
from ctx.read.authored.deontic import narrative
from ctx.read.authored.deontic.clause import Found
from ctx.read.authored.deontic.forms import CODE, DET, PLURAL, SUBJ, is_participle, is_verb

if TYPE_CHECKING:
    from ctx.model import Modality
    from ctx.read.authored.deontic.clause import Clause


def permission_rule(clause: Clause, i: int) -> Found | None:
    """Return the leave that the clause at word ``i`` gives."""
    words = clause.words
    verb = clause.skip(i)
    if words[verb : verb + 2] != ["feel", "free"]:
        return None
    return Found("permitted", "permission", verb, verb + 2)


_SHOWN = know.listed(
    "read learn try reach follow watch tell count compare get hear visit look think access"
)
"""What "you can" invites to."""
_ABLE = know.listed("""
prove tell see know understand read speak recognise recognize find detect infer recall remember
guess hear learn benefit reach grasp sense perceive explain determine judge spot derive deduce
""")
"""What "can" says somebody is able to, rather than has leave to."""
_TOLD = know.listed("distinguish tell know understand infer detect determine")
"""What "cannot" says somebody is unable to."""
_CAUSES = know.listed(
    "reason way bug mistake something some explanation catch ways reasons better cause link"
)
"""What "there must be" guesses at."""


def rule(clause: Clause, i: int) -> Found | None:
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
    idle = not verb or (verb in know.IDLE and subject[-1:] in (["you"], ["we"], []))
    idle &= bool(subject or verb not in {"be", "have"})  # "must have a name"
    expected = clause.aside and modal == "should" and not subject  # "(should return nothing)"
    if (
        hedged
        or shown
        or idle
        or expected
        or narrative.guesses(clause, i, j)
        or (narrative.marvels(clause, j) and verb not in {"respect", "give"})
    ):
        return None
    modality = _ruled(clause, i, subject, negated=negated)
    if modality is None:
        return None
    cue = {"permitted": "permission", "forbidden": "prohibition"}.get(modality, "modal")
    return Found(modality, cue, i - len(subject), j)


def _ruled(clause: Clause, i: int, subject: list[str], *, negated: bool) -> Modality | None:
    """Return what the modal at word ``i`` rules, None where it says what can happen."""
    modal, words = clause.words[i], clause.words
    j, _, _ = clause.between(i + 1)
    none = not know.NONE.isdisjoint(subject[:2])
    if modal in {"must", "shall", "should"} or (modal == "may" and none):
        there = words[i - 1] == "there" and not _CAUSES.isdisjoint(words[j + 1 : j + 4])
        return None if there else "forbidden" if negated or none else "obligatory"
    agent = not know.AGENTS.isdisjoint(subject[-3:]) or subject[:1] == ["only"]
    only = not {"always", "only"}.isdisjoint(words[i + 1 : j])
    if modal == "can" and (words[j] in _TOLD if negated else _is_able(clause, i, j)):
        return None
    if modal == "will":
        duty = agent and (only or negated or (subject[-1:] != ["you"] and is_verb(words[j])))
        return None if not duty else "forbidden" if negated else "obligatory"
    guarded = clause.has(
        j, know.GUARDS - ({"without"} if modal == "can" and not negated else set())
    )
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


def _is_able(clause: Clause, i: int, j: int) -> bool:
    """Whether "can" at word ``i`` tells an ability or an effect: "so you can …", "can prove"."""
    words, subject = clause.words, clause.words[clause.begin : i]
    if subject[:1] == ["only"]:
        return False
    effect = clause.begin and words[clause.begin - 1] == "so"
    passive = words[j] == "be" or not know.AGENTS.isdisjoint(subject)
    return bool(effect or words[j] in _ABLE or ("only" in words[i:j] and not passive))


def need(clause: Clause, i: int) -> Found | None:
    """Return what "need to", "have to" and "needs two …" oblige to."""
    subject, words = clause.subject(i), clause.words
    before = words[i - 1] if i else ""
    if not subject:
        return None
    if words[i + 1] != "to":
        return _needs(clause, i, subject)
    if before in know.MODALS | {"to", "the", "a"} or narrative.marvels(clause, i + 2):
        return None
    if before in {"not", "never"}:
        excused = not know.AGENTS.isdisjoint(subject[-4:])
        return Found("permitted", "permission", i - len(subject), i + 2) if excused else None
    return _necessity(clause, i, subject, i)


def _necessity(clause: Clause, i: int, subject: list[str], at: int) -> Found | None:
    """Return what "need to" at word ``at`` obliges to."""
    verb = at + 2
    words = clause.words
    if words[verb] in know.IDLE - {"be", "have", "get"} or narrative.marvels(clause, verb):
        return None
    teller = subject[-2] if subject[-1] == "now" and len(subject) > 1 else subject[-1]
    story = words[at] == "have" and teller in {"we", "they", "people", "i"}
    story |= words[at] == "want" and subject[-1] not in know.AGENTS
    story |= subject[-1] == "one" or (words[i] == "will" and subject[-1] in {"we", "they"})
    story |= words[i - 1] in {"only", "just"} and words[i] == "need"
    story |= "will" in words[max(0, at - 3) : at] and teller in {"we", "however"}
    story |= words[at - 1] == "longer" or (teller == "users" and words[verb] == "have")
    return None if story else Found("obligatory", "modal", i - len(subject), verb)


_PEOPLE = know.AGENTS | {"users", "user", "people", "customers", "clients"}


def _needs(clause: Clause, i: int, subject: list[str]) -> Found | None:
    """Return what "every X needs a Y" or "releases need two signatures" oblige to."""
    if not clause.words[i].startswith("need") or clause.words[i - 1] in {"not", "to", "would"}:
        return None
    first, size = subject[0], len(subject)
    if _PEOPLE.intersection(subject[-2:]):
        return None  # who lacks something
    generic = first in know.ALL or first in {"a", "an"}
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
        if words[j] in know.POWERS and words[j + 1] == "to":
            duty = words[j] in {"duty", "obligation", "responsibility", "mandate"}
            return Found("obligatory" if duty else "permitted", "permission", i, j + 2)
    return need(clause, i)


def better(clause: Clause, i: int) -> Found | None:
    """Return what "you had better" and "better to ask" oblige to."""
    words = clause.words
    advised = i == clause.begin and words[i + 1] == "to" and clause.has(i, frozenset(("than",)))
    had = i and words[i - 1] in {"would", "had"} and "you" in words[clause.begin : i]
    if not (had or advised) or clause.condition >= 0:
        return None
    verb = i + 1 + advised
    return Found("obligatory", "modal", verb, verb)


def demand(clause: Clause, i: int) -> Found | None:
    """Return what "the project requires" or "our policy forbids"."""
    subject = clause.subject(i)
    if not subject or not (know.LAWGIVERS.intersection(subject[-2:]) or subject[0] in know.ALL):
        return None
    obliges = clause.words[i].startswith(("requ", "dem", "mand", "insist"))
    return Found("obligatory" if obliges else "forbidden", "modal", i + 1, i + 1)


def sanction(clause: Clause, i: int) -> Found | None:
    """Return what "will be rejected" forbids."""
    before = clause.words[max(0, i - 2) : i]
    sure = before[-1:] == ["are"] or before == ["will", "be"]
    if not sure or clause.condition >= 0:
        return None
    return Found("forbidden", "prohibition", clause.begin, i)


RULES = (
    ("must shall should may can will", rule),
    ("need needs ought", need),
    ("has have", power),
    ("requires forbids prohibits demands mandates bans", demand),
    ("rejected refused reverted", sanction),
    ("better", better),
)
