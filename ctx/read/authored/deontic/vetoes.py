"""Vetoes, which the families ask: words that report, guess, marvel or console rule nothing."""

from itertools import pairwise

from ctx.read.authored.deontic import lexicon as lex
from ctx.read.authored.deontic.clause import (
    AHEAD,
    BREAK,
    DET,
    FOLLOWS,
    ING,
    LEAD,
    NOUN,
    Clause,
    Sentence,
    is_participle,
    is_verb,
)

_LABEL = 6  # words of a label, its mark among them
_BINDING = frozenset(("you", "never", "not"))
_SOME = lex.listed("a an some something another forty fifty hundred hundreds many")
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


def reported(clause: Clause, i: int) -> bool:
    """Whether from word ``i`` on the sentence is somebody's words."""
    words, word = clause.words, clause.words[i]
    before = words[i - 1] if i else ""
    if not i or before in lex.BE | {"the", ","} or clause.tags[i - 1] & LEAD:
        return before == "to" and words[i - 2] == "used" and word in lex.SAYS
    if before in {"could", "might", "would", "can", "may"}:
        return word in lex.SAYS
    since = words[clause.begin : i]
    if "that" in words[i + 1 : i + 4] and lex.AGENTS.isdisjoint(words):
        return lex.LAWGIVERS.isdisjoint(since)  # "the mark tells CI that it must not run"
    if word in lex.SAID:
        return "as" not in since
    return not lex.SPEAKERS.isdisjoint(since[-3:])


def guesses(clause: Clause, i: int, j: int) -> bool:
    """Whether a modal says what is likely: "must have been", "should arrive on Monday"."""
    words, modal = clause.words, clause.words[i]
    verb, after = words[j], words[j + 1]
    if verb == "have":
        return is_participle(after) or after == "to"
    if verb == "be":
        return _guesses_state(clause, words[i - 1] if i else "", j)
    you = "you" in words[max(0, j - 4) : j]
    if modal != "should" or you:
        return modal == "should" and verb in {"see", "find", "notice", "get", "feel", "know"}
    if verb == "help" and after in {"us", "you", "with", "to"}:
        return True
    definite = words[clause.begin] in {"the", "this", "that", "it", "our", "we", "i", "another"}
    return verb in lex.UNSURE_VERBS and definite


def _guesses_state(clause: Clause, subject: str, j: int) -> bool:
    k, _, hedged = clause.between(j + 1)
    words = clause.words
    state, bits = words[k], clause.tags[k]
    acts = bits & ING and (subject == "it" or is_verb(state[:-3]))
    compared = words[k + 1] == "than" or (state == "more" and "than" in words[k : k + 5])
    if subject == "there" and words[k] in _SOME:
        return not clause.has(k, frozenset(("each", "every", "per")))
    tells = subject in {"that", "this", "he", "she", "they"} and bits & DET
    tells = tells and not (words[j - 1] == "should" and state in {"a", "an"})
    if state == "able" and words[k + 1] == "to":
        return hedged  # "users must be able to …"
    return bool(hedged or acts or compared or tells or state in lex.UNSURE)


def marvels(clause: Clause, j: int) -> bool:
    """Whether the verb at ``j`` is what nobody is ordered to: "you have to laugh"."""
    words = clause.words
    if words[j] not in lex.MARVEL:
        return False
    return words[j] not in {"hand", "give"} or words[j + 1] == "it"


def is_figure(clause: Clause, i: int) -> bool:
    """Whether an imperative is a figure of speech: "keep in mind", "take …, for example"."""
    words = clause.words
    rest = list(words[i : i + AHEAD])
    if rest[:2] == ["apply", "to"] and words[i - 1] == "only":
        return True  # what holds for whom
    if rest[:3] in (["keep", "in", "mind"], ["bear", "in", "mind"], ["work", "in", "progress"]):
        return True
    pairs = set(pairwise(rest))
    if ("and", "you") in pairs and "will" in rest:
        return True  # "ask anyone and you will hear"
    example = not pairs.isdisjoint((("for", "example"), ("for", "instance")))
    return example and words[i] in {"take", "consider"}


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


def is_tally(clause: Clause, i: int) -> bool:
    """Whether a phrase with "no" reports or consoles: "no errors so far", "no wonder"."""
    words = clause.words
    for word, bits in zip(words[i + 1 : i + AHEAD], clause.tags[i + 1 : i + AHEAD], strict=True):
        if not word or bits & BREAK:
            break
        if word in lex.STATUS or word in {"was", "were", "had", "did"}:
            return True
    return words[i + 1] in lex.NO_RULE
