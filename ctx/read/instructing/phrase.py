"""What follows the verb of an instruction."""

from collections.abc import Sequence
from typing import NamedTuple

from ctx.read.authored.deontic.clause import is_participle, is_verb
from ctx.read.instructing import lexicon as lex
from ctx.read.instructing.words import (
    BEFORE_OBJECT,
    NO_WORD,
    Word,
    Words,
    base_of,
    is_adverb,
    joined,
    nouns_in,
    place_of,
    text_of,
    without,
)
from ctx.text.regex import regex

_INTO = regex(r"(?:back )?(?:to|with) ")


class Parts(NamedTuple):
    """What follows a verb."""

    direct: Words  # its object
    others: Sequence[tuple[str, Words]]  # what is behind each preposition
    scope: str  # stems of what "only" limits it to
    after: Words = ()  # what is joined to it
    joint: str = ""  # how: "and", "to", or "gap" where the second verb is left out
    instead: Words = ()  # what is behind "instead of" or "not"

    @property
    def every(self) -> list[Word]:
        """All words."""
        return [*self.direct, *(word for _, words in self.others for word in words)]


def plain(base: str, rest: Words) -> tuple[str, Words]:
    """Return a verb and what follows it without a verb that only helps."""
    following = rest[0].low if rest else ""
    if base in ("switch", "change", "go", "stick"):  # "switch back to tabs"
        if into := _INTO.match(text_of(rest)):
            return "use", rest[place_of(into[0], into.end()) :]
    elif base in ("is", "are", "be"):
        if is_participle(following):
            return following.removesuffix("ed"), rest[1:]
        if following in lex.PREPOSITIONS:
            return "use", rest  # "all titles should be in sentence case"
        return "be", rest
    return base, rest


def has_plural(rest: Words) -> bool:
    """Whether an object without an article begins, and is no subject of another verb."""
    for word, after in zip(rest[:4], [*rest[1:5], NO_WORD], strict=False):
        if word.low.endswith("s") and not word.low.endswith("ss"):
            return not is_verb(after.low) and after.low not in lex.STOPS
        if word.low in lex.PREPOSITIONS | lex.STOPS:
            return False
    return False


def parts_of(rest: Words) -> Parts:
    """Return what follows a verb, up to what is joined to it, or to what ends it."""
    groups: list[tuple[str, list[Word]]] = [("", [])]
    after, instead, joint, place = rest[:0], rest[:0], "", 0
    while place < len(rest):
        word, place = rest[place], place + 1
        following = rest[place].low if place < len(rest) else ""
        if (word.low, following) in (("instead", "of"), ("rather", "than")):
            first = place = place + 1
            while place < len(rest) and (place == first or rest[place].low not in lex.PREPOSITIONS):
                place += 1
            instead = rest[first:place]
        elif word.low in lex.STOPS and not (word.low in lex.PRONOUNS and place == 1):
            break
        elif joint := _joint(word.low, rest[place:], groups[-1]):
            after = rest[place:] if joint == "to" else without(rest[place:], lex.ADVERBS)
            break
        elif word.low in lex.PREPOSITIONS:
            only = place > 1 and rest[place - 2].low == "only"
            groups.append((f"only {word.low}" if only else word.low, []))
        elif not (word.low in lex.ADVERBS | lex.DETERMINERS or is_adverb(word)):
            groups[-1][1].append(word)
    limits = [word for prep, words in groups if prep.startswith("only ") for word in words]
    others = [(prep, words) for prep, words in groups[1:] if not prep.startswith("only ")]
    return Parts(groups[0][1], others, joined(nouns_in(limits)), after, joint, instead)


def _joint(low: str, rest: Words, group: tuple[str, Words]) -> str:
    """Return how a word joins ``rest`` to the ``group`` before it; empty where it does not."""
    after = without(rest, lex.ADVERBS)
    verb = base_of(after[0].low) if after else ""
    following = after[1] if len(after) > 1 else NO_WORD
    if low == "to":
        is_verb_here = verb and verb == after[0].low
        is_noun = following.low.endswith("s") and verb not in lex.ACTIONS
        return "to" if is_verb_here and not is_noun else ""
    if low not in ("and", "or") or not after:
        return ""
    takes = following.is_value or following.low in BEFORE_OBJECT or len(after) < len(rest)
    if verb and (takes or verb in lex.ACTIONS):
        return "and"
    valued = group[0] and any(word.is_value for word in group[1])
    return "gap" if valued and not after[0].is_value else ""
