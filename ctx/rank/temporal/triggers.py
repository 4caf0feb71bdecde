"""The temporal patterns: which words they are, and when they are meant.

Source: ``temporal-retrieval``, section 9.2.
"""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

from collections.abc import Iterator
from typing import NamedTuple

from ctx.rank.temporal.dates import follows
from ctx.rank.temporal.lexicon import (
    BEING,
    DATES,
    DETERMINERS,
    EACH,
    EXACTLY,
    FIXED_FIRST,
    HAPPENED,
    MEASURED,
    NAMED_AFTER,
    UNITS,
    WHEN,
)
from ctx.rank.temporal.sentence import Sentence, asks_about_the_past

WORDS = {
    "before": "before/after",
    "after": "before/after",
    "first": "first/earlier",
    "earlier": "first/earlier",
    "since": "since/between",
    "between": "since/between",
}
"""Words that are a pattern by themselves, if what stands around them agrees."""
STRONG = frozenset(("how", "when", "what", "which"))
"""Words that a strong pattern begins with."""


class Mood(NamedTuple):
    """How a sentence asks."""

    is_open: bool
    """A strong pattern stands in it."""
    asks: bool
    """It asks for a time, or about the past."""
    happens: bool
    """It says that something happened, changed or passed."""


def strong(sentence: Sentence, at: int, *, guarded: bool = True) -> Iterator[tuple[str, int]]:
    """Yield a pattern that begins at ``at``, and its last word.

    "how many days" (hours to decades; not "days a week"), "how long" (not of a line or a
    message), "when did" (was, were, had) with its like "which day was".
    """
    texts = sentence.texts
    following = texts[at + 1 : at + 4]
    match [texts[at], *following]:
        case ["how", "many" | "much", *rest]:
            yield from _how_many(sentence, at, rest, guarded=guarded)
        case ["how", "long", *_] if not (guarded and _is_length(sentence, at)):
            yield "how long", at + 1
        case ["when", verb, *_] if verb in WHEN:
            yield "when did", at + 1
        case ["when", adverb, verb, *_] if adverb in EXACTLY and verb in WHEN:
            yield "when did", at + 2
        case ["what" | "which", noun, verb, *_] if noun in DATES and verb in WHEN:
            yield "when did", at + 2
        case _:
            pass


def _how_many(
    sentence: Sentence, at: int, rest: list[str], *, guarded: bool
) -> Iterator[tuple[str, int]]:
    """Yield "how many days", also with a word between: "how many more days"."""
    for place, word in enumerate(rest, at + 2):
        if word in UNITS:
            after = sentence.texts[place + 1 : place + 3]
            is_rate = len(after) > 1 and after[0] in EACH and after[1] in UNITS
            if not (guarded and is_rate):
                yield "how many days", place
            return


def _is_length(sentence: Sentence, at: int) -> bool:
    """Return whether "how long" asks for characters: "how long should a line be"."""
    words = sentence.texts[at + 2 : at + 10]
    place = next((n for n, word in enumerate(words) if word in MEASURED), None)
    if place is None or words[0] not in BEING:
        return False
    after = words[place + 1 : place + 2]
    return not after or after[0] in BEING or sentence.stops(at + 2 + place)


def mood(sentence: Sentence, *, is_open: bool) -> Mood:
    """Return how a sentence asks, worked out once for all its words."""
    return Mood(
        is_open=is_open,
        asks=is_open or asks_about_the_past(sentence),
        happens=not HAPPENED.isdisjoint(sentence.texts),
    )


def is_meant(sentence: Sentence, at: int, mood: Mood) -> bool:
    """Return whether the word of time at ``at`` asks for a relation in time."""
    texts = sentence.texts
    before = texts[at - 1] if at else ""
    after = texts[at + 1] if at + 1 < len(texts) else ""
    match texts[at]:
        case "first":
            # "First, what was …" counts the questions.
            return at > 0 and _is_first(before, after, mood)
        case "earlier":
            return mood.asks and before != "no"
        case "before":
            # "Have I ever done this before?" names nothing that it was before.
            is_related = at + 1 < len(texts) or before in UNITS
        case "after":
            is_related = before not in NAMED_AFTER and after != "all"
        case "since":
            is_related = at > 0 or after == "when"  # "Since it fails, …" gives a reason
        case _:
            is_related = mood.is_open or mood.happens or after == "when"
    return (mood.asks and is_related) or follows(sentence.text, sentence.spans[at][1])


def _is_first(before: str, after: str, mood: Mood) -> bool:
    """Return whether "first" is of time: "was first used", "when was the first release"."""
    if after in FIXED_FIRST:
        return False
    # "the first line" is a place in a file, unless the sentence asks when it was.
    is_place = before in DETERMINERS or before.endswith("'s")
    return mood.is_open if is_place else mood.asks
