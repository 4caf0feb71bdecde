"""Vetoes, which the families ask: words that report, guess, marvel or console rule nothing."""

from itertools import pairwise

from ctx.read.authored.deontic import lexicon as lex
from ctx.read.authored.deontic.clause import (
    BREAK,
    FOLLOWS,
    NOUN,
    Clause,
    Sentence,
)

_LABEL = 6  # words of a label, its mark among them
_BINDING = frozenset(("you", "never", "not"))
_MANY = 3


def tells_of_self(clause: Clause, i: int) -> bool:
    """Whether from word ``i`` on somebody speaks of himself: "As a user, I want to list, …"."""
    opens = not i or clause.tags[i - 1] & BREAK
    binds = clause.raws[i + 1 : i + 2] in (["MUST"], ["SHALL"])  # an agent that speaks of itself
    return bool(clause.words[i] == "i" and opens and not binds and "you" not in clause.words)


def explains(sentence: Sentence) -> bool:
    """Whether it weighs ("Bad, because …", "Option 2: …"), and neither binds nor denies."""
    words = sentence.words
    if words[0] in lex.VERDICTS and "because" in words[1:3]:
        return True
    end = next((i for i in range(1, _LABEL) if words[i] in {":", "—"}), 0)
    choice = words[0] in {"option", "alternative"} and len(words[1]) == 1
    tells = choice or words[0] == "why" or not lex.WEIGHING.isdisjoint(words[:end])
    owed = any(a in lex.AGENTS and b in lex.MODALS - {"can"} for a, b in pairwise(words))
    shouted = not {"MUST", "SHALL", "SHOULD"}.isdisjoint(sentence.raws)
    return bool(end and tells and not (owed or shouted or not _BINDING.isdisjoint(words)))


def lists(clause: Clause) -> bool:
    """Whether commands are but a few of many dashed items: "Images - Upload files - Limits - …"."""
    dashes = [i for i, word in enumerate(clause.words) if word == "—"]
    if len(dashes) < _MANY or not clause.found or dashes[0] > _LABEL:
        return False
    opened = {i + 1 for i in dashes}
    plain = all(
        command.verb in opened
        and clause.tags[command.verb] & NOUN
        and not clause.tags[command.verb + 1] & FOLLOWS
        for command in clause.found
    )
    return plain and 2 * len(clause.found) < len(dashes)
