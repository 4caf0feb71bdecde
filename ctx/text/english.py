"""English words by class, which each reader puts together to a set of its own, and the calendar.

The classes are in ``words.txt``, which is read at the first use.
"""

from __future__ import annotations

import os
from functools import cache

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SHORT = (*(month[:3] for month in MONTHS), "sept")  # "sep" is "sept" as well
FUNCTION = (
    "question", "personal", "determiners", "auxiliaries", "contracted", "prepositions",
    "conjunctions", "adverbs",
)  # fmt: skip
"""The classes of words that name nothing by themselves."""
_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.txt")


def listed(text: str) -> frozenset[str]:
    """Return the words of a list that is written as one text, so that it can be read."""
    return frozenset(text.split())


@cache
def words_of(*classes: str) -> frozenset[str]:
    """Return the words of ``classes``, by their names in ``words.txt``; lower case, not stemmed."""
    return listed(" ".join(map(_classes().__getitem__, classes)))


@cache
def _classes() -> dict[str, str]:
    with open(_FILE, encoding="utf-8") as file:
        heads = (block.partition("\n") for block in file.read().split("\n\n[")[1:])
        return {head.partition("]")[0]: members for head, _, members in heads}
