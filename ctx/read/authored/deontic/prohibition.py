"""Prohibitions that open a clause: "never", "do not", "no …", "hands off".

Taken: what a negated base form or a noun phrase with "no" forbids; "do not forget to X" obliges.
Not taken: consolation ("don't worry"), reports ("no errors so far"), idioms ("no wonder").
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ctx.read.authored.deontic import lexicon as know
from ctx.read.authored.deontic import narrative
from ctx.read.authored.deontic.clause import AHEAD, Found, judged
from ctx.read.authored.deontic.forms import (
    BETWEEN,
    BREAK,
    CODE,
    DET,
    LONE,
    PREP,
    SUBJ,
    VERB,
    is_open,
    tag,
)
from ctx.read.authored.deontic.imperative import MARKED, NOUN_LIKE, floor_at, has_predicate

if TYPE_CHECKING:
    from ctx.read.authored.deontic.clause import Clause

_VERBAL = frozenset(("be", "do", "have", "let", "under", "back", "own", "mean", "need", "even"))
_CASES = know.listed("circumstance circumstances time point case account event condition")
_OMIT = frozenset(("forget", "fail", "neglect", "omit"))
_AVOIDING = know.listed("avoid beware refrain abstain stop resist")


def rule(clause: Clause, i: int) -> Found | None:
    """Return what the clause that begins at word ``i`` forbids."""
    words = clause.words
    at = clause.skip(i)
    word, after = words[at], words[at + 1]
    if word == "never" or (word == "do" and after == "not"):
        return _negated(clause, i, at)
    if after == "no" and words[at + 2] in _CASES and clause.tags[at] & PREP:
        return Found("forbidden", "prohibition", at + 3, at + 3)
    off = (word, after) in {("hands", "off"), ("keep", "out"), ("keep", "off"), ("steer", "clear")}
    avoids = word in _AVOIDING and after and not clause.tags[at + 1] & BREAK
    avoids = avoids and (after.endswith("ing") or word != "stop")
    joined = i and words[i - 1] in {"and", "or"} and not clause.found  # "to allow … and avoid …"
    if (off or avoids) and not joined and floor_at(clause, i) <= MARKED:
        return Found("forbidden", "prohibition", at + (not off), at + (not off))
    if word in {"no", "nothing"} and floor_at(clause, i) == NOUN_LIKE and not clause.aside:
        listed = i and words[i - 1] in {",", "so", "—"}
        if i > 1 and words[i - 2] in {"if", "when"}:  # "Not done if: no tests"
            return None
        return None if listed and not clause.found and clause.finite >= 0 else _no(clause, at)
    return None


def _negated(clause: Clause, i: int, at: int) -> Found | None:
    """Return what "never" or "do not" at word ``at`` forbids."""
    words, tags = clause.words, clause.tags
    verb = clause.skip(at + (1 if words[at] == "never" else 2))
    if words[verb] == "," and "," in words[verb + 1 : verb + 6]:
        verb = words.index(",", verb + 1) + 1  # never, under any circumstances, …
    if tags[verb] & BETWEEN:
        verb = clause.skip(verb + 1)
    if floor_at(clause, i) > MARKED:
        return None
    return _forbidden(clause, i, at, verb)


def _forbidden(clause: Clause, i: int, at: int, verb: int) -> Found | None:
    words, tags = clause.words, clause.tags
    word, after = words[verb], words[verb + 1]
    if not word:  # "…, so don't."
        return Found("forbidden", "prohibition", at, at) if words[at] == "do" else None
    if word in _OMIT and (after in {"to", "that"} or word == "forget"):
        start = verb + 2 if after in {"to", "that"} else verb + 1
        return Found("obligatory", "imperative", start, start)
    if word == "hesitate":
        return Found("permitted", "permission", verb + 2, verb + 2)
    idiom = (word in know.IDIOMS and after != "to") or (word == "ask" and after == "me")
    if idiom or (word == "be" and after in know.UNSURE - {"lost"}):
        return None
    known = tags[verb] & (VERB | CODE) or word in _VERBAL or word in know.THOUGHT
    follows = words[at] == "do" or tags[verb + 1] & (DET | PREP)
    if i and words[i - 1] in {"—", ":"}:  # "keys in the vault - never hardcoded"
        known = known or clause.raws[at] == "NEVER" or _is_ed(word)
    if known or (is_open(word) and follows) or not words[at + 1 + (words[at] == "do")]:
        return Found("forbidden", "prohibition", verb, verb)
    return None


def _no(clause: Clause, i: int) -> Found | None:
    """Return what a noun phrase with "no" forbids: "no new dependencies"."""
    words = clause.words
    head = words[i + 1]
    if not head or clause.tags[i + 1] & BREAK or head in know.SUBJECTS or head == "more":
        more = head == "more" and words[i + 2] == "than"
        return Found("forbidden", "prohibition", i, i + 1) if more else None
    pairs = list(pairwise(words[i : i + AHEAD]))
    status = any((a == "—" and b in _LACKING) or (a, b) == (",", "so") for a, b in pairs)
    if narrative.is_tally(clause, i) or status:
        return None
    phrase = []
    for word in words[i + 1 : i + AHEAD]:
        if not word or word in know.BREAKS:
            break
        phrase.append(word)
    guarded = not {"without", "unless", "until"}.isdisjoint(phrase)
    needed = not _NEEDED.isdisjoint((phrase[-1], *(a for a, b in pairs if tag(b) & PREP)))
    if not know.MODALS.isdisjoint(phrase) or (needed and not guarded):
        return None  # the modal tells; "no coding required for basic use"
    if words[i] == "nothing":
        passive = {"is", "gets", "goes"}.intersection(phrase) and not {"as"}.intersection(phrase)
        done = guarded or words[i + 1] == "goes" or any(map(_is_ed, phrase))
        return Found("forbidden", "prohibition", i, i + 1) if passive and done else None
    if not guarded and has_predicate(clause, i):
        return None
    return Found("forbidden", "prohibition", i, i + 1)


_NEEDED = frozenset(("required", "needed", "necessary"))
_LACKING = frozenset(("need", "limited", "missing", "lacks"))
"""Words of a status: "No automated tests - Need unit tests"."""


def _is_ed(word: str) -> bool:
    return word.endswith("ed") or word in know.PARTICIPLES


def nobody(clause: Clause, i: int) -> Found | None:
    """Return what "everyone signs …" obliges to, and "nobody merges …" forbids."""
    words, tags = clause.words, clause.tags
    if clause.condition >= 0 or clause.finite >= clause.begin:
        return None
    one = words[i : i + 2] == ["no", "one"]
    every = words[i] in {"everyone", "everybody"}
    j = i + 1 + one
    if i == clause.begin and (one or every or words[i] == "nobody"):
        base = words[j][:-1] if words[j].endswith("s") else ""
        bits = tags[j]
        acts = base and not bits & DET and base not in know.IDLE | _STATES
        ruled = acts and (base.endswith("e") or _acts(base) or _acts(base[:-1]))
        if ruled:
            return judged("obligatory" if every else "forbidden", j, j, negated=False)
    return None


_STATES = know.listed("live remain exist happen seem look work sit stand sleep use doe ha i wa")


def _acts(base: str) -> bool:
    return tag(base) & (VERB | LONE) == VERB


def placed(clause: Clause, i: int) -> Found | None:
    """Return what "X never appear in …", "X do not belong in …" and "belongs in" rule."""
    words = clause.words
    j, negated, hedged = clause.between(i + 1 if words[i] != "belong" else i)
    before = clause.words[clause.begin : i]
    related = words[i - 1] in know.RELATIVES
    if clause.condition >= 0 or hedged or related or not before or clause.tags[clause.begin] & SUBJ:
        return None
    place = words[j + 1] in {"in", "into", "on", "under", "inside", "at", "near", "here", "there"}
    verb = words[j] in {"belong", "go", "appear", "leave", "enter"} and place
    negated |= words[i] == "never"
    definite = before[0] in {"the", "our", "this", "that", "my"}
    if not verb or (negated and definite and words[j] == "appear"):
        return None
    if negated and words[i] in {"never", "do", "does"}:
        return Found("forbidden", "prohibition", clause.begin, j)
    owned = (
        words[i] == "belong"
        and words[i - 1] != "not"
        and words[i + 1] in {"in", "on", "under", "inside", "at"}
    )
    return Found("obligatory", "modal", clause.begin, i) if owned else None


RULES = (("nobody no everyone everybody", nobody), ("never do does belong", placed))
