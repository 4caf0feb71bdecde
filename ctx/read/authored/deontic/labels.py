"""Rules without a verb: a label, a key and its value, an arrow, a few words.

Taken: "Required: …", "Default branch: trunk", "Docs: `make docs`", "ON_X -> Do_Y",
"FORCE_PUSH: forbidden", "tabs only", "X over Y". Not taken: labels of facts ("Status: draft").
"""

from ctx.read.authored.deontic import lexicon as lex
from ctx.read.authored.deontic.clause import (
    CODE,
    FINITE,
    PLURAL,
    THIRD,
    Clause,
    Found,
    is_clear,
    is_key,
    is_verb,
    judged,
)
from ctx.text.english import listed, words_of

_SHORT = 8  # words of a label or of a motto
_FIRST = listed("default required mandatory preferred forbidden recommended")
_VERDICTS = listed("allowed permitted required mandatory forbidden prohibited")
_TOOLS = words_of("tools")
_SHELLS = listed("bash sh shell zsh console powershell")
_DUTIES = listed("build test tests lint format run install check deploy benchmark benchmarks")


def rule(clause: Clause) -> Found | None:
    """Return what the whole sentence rules as a label or as a motto."""
    words, size = clause.words, clause.size
    if size > 2 and words[1] == "->" and "_" in words[0] and clause.leads(0):  # noqa: PLR2004
        return Found("obligatory", "label", 2, 2)
    head = min(size, _SHORT)
    colon = next((i for i in range(head) if words[i] == ":"), 0)
    dash = next((i for i in range(head) if words[i] == "—"), 0)
    tells = any(bits & FINITE for bits in clause.tags[:size])
    if words[size - 2 : size - 1] == [","] and words[size - 1] in _VERDICTS and not tells:
        verdict = lex.PREDICATES[words[size - 1]]
        return None if clause.aside else judged(verdict, 0, 0, negated=False)
    if 0 < colon < size - 1 and lex.REASONS.isdisjoint(words[: colon + 2]):
        return next((found for kind in _LABELS if (found := kind(clause, colon))), None)
    if 0 < dash == size - 2 and (command := _shell(clause, dash)):
        return command
    return _motto(clause) if 0 < size <= _SHORT else None


def _motto(clause: Clause) -> Found | None:
    words, size = clause.words, clause.size
    if any(bits & FINITE for bits in clause.tags[:size]) or any(map(is_clear, words[:size])):
        return None
    if words[size - 2] == "," and words[size - 1] in {"please", "always"}:
        size -= 2
    last, noun = words[size - 1], not is_verb(words[0]) and words[0] not in lex.CLOSED
    if last in _VERDICTS:
        if clause.aside and words[0] in {"no", "not"}:
            return None
        return judged(lex.PREDICATES[last], 0, 0, negated=words[0] in {"no", "zero", "not"})
    motto = (last == "first" and size <= 4) or "over" in words[1:4]  # noqa: PLR2004
    motto &= not clause.aside  # "(newest first)" tells an order
    if (motto and noun and size > 1) or (
        last == "only" and words[size - 2] != "read" and not clause.aside
    ):
        return Found("obligatory", "fragment", 0, 0)
    return None


def _default(clause: Clause, colon: int) -> Found | None:
    """Return what "Default: …", "Required before …: …" or "Do not: …" rule."""
    words, value = clause.words, clause.words[colon + 1]
    label = " ".join(words[:colon])
    modality = lex.DEFAULTS.get("never" if label == "do not" else label)
    if not modality and not is_key(clause.raws[0]):
        first = words[0] in _FIRST
        last = words[colon - 1] in {"policy", "rule", "rules", "default", "convention"}
        modality = lex.DEFAULTS[words[0]] if first else "obligatory" if last else None
    tells = clause.tags[colon + 1] & (THIRD | PLURAL) == THIRD  # "Dark by default: reduces strain"
    tells |= clause.aside and words[0] in {"default", "defaults"}  # "(default: 3)"
    if not modality or tells or (value in lex.GRADES and colon == 1):
        return None
    return Found(modality, "default", colon + 1, colon + 1)


def _key(clause: Clause, colon: int) -> Found | None:
    """Return what a key and its value rule: "REQUIRE_X: true", "X: Y_Only", "ON_X: Do"."""
    words, value = clause.words, clause.words[colon + 1]
    if colon != 1 or clause.size > 4 or not is_key(clause.raws[0]):  # noqa: PLR2004
        return None
    switch = lex.SWITCHES.get(words[0].partition("_")[0]) if "_" in words[0] else None
    if switch and value in lex.SWITCHED:
        return judged(switch, 0, 2, negated=lex.SWITCHED[value])
    found = {lex.VALUES.get(part) for part in value.replace("-", "_").split("_")}
    for modality in ("forbidden", "obligatory", "permitted"):
        if modality in found:
            return Found(modality, "label", 0, 2)
    acts = is_verb(value.partition("_")[0])
    return Found("obligatory", "label", 2, 2) if clause.leads(0) and acts else None


def _shell(clause: Clause, colon: int) -> Found | None:
    """Return the command that a label gives: "Build: `make`", "Run tests: npm test"."""
    if not lex.REASONS.isdisjoint(clause.words[:colon]):
        return None
    raw = clause.raws[colon + 1]
    code = raw.strip("` ")
    typed = clause.tags[colon + 1] & CODE and raw.startswith("`")
    first, *rest = code.split() or [""]
    several = rest and first[:1].isalpha() and not first.endswith(":") and "→" not in rest
    several = several and (not raw.startswith("```") or first in _SHELLS)
    command = typed and (several or first in _TOOLS or first.endswith(".sh"))
    alone = clause.size == colon + 2 or not set(clause.words[:colon]).isdisjoint(_DUTIES)
    named = (raw in _TOOLS and clause.size > colon + 2) or (typed and code.isalpha())
    if not alone or not (command or (named and is_verb(clause.words[0]))):
        return None
    return Found("obligatory", "label", colon + 1, colon + 1)


_LABELS = (_default, _key, _shell)
