"""What an instruction is about, and how it wants it: by this a later one replaces an earlier."""

import os
from collections.abc import Sequence
from functools import cache

from ctx.text.regex import regex
from ctx.text.words import index_words, is_common

_MOST = 12
_VALUE = regex(
    r"'[^'\n]{1,40}'(?!\w)|\"[^\"\n]{1,40}\"|“[^”\n]{1,40}”|`[^`\n]{1,60}`|(?<!\w)@\w+"
    r"|\b[a-z]+[A-Z]\w*|\b(?:[A-Z][a-z0-9]+){2,}|\b[A-Z][A-Z0-9]+\b|\b\w*_\w*|\d[\w.%-]*"
)  # a word that is written as no other: a quotation, a name, a piece of code, a number
_SHAPE = regex(
    r"(?i)['\"“`](?:(?P<start>\w+_)|(?P<end>_\w+))['\"”`]"
    r"|(?P<case>\b(?:snake|kebab|camel|pascal|upper|lower)[_ -]?case\b|\ball[ -]caps\b)"
)  # how names begin, end and are written: each thing has one of each
_BEHIND = regex(r"\W*(?:(?:as )?(?:an? |the )?(?:prefix|suffix) )?(?:for|in|on|to) ")


@cache
def _stems(kind: str) -> dict[str, str]:
    """Return the words of a kind, each with what it means."""
    found: dict[str, str] = {}
    with open(f"{os.path.dirname(__file__)}/topics.txt", encoding="utf-8") as file:
        for head, _, stems in (line.partition(":") for line in file):
            if head.split(" ")[0] == kind:
                found |= dict.fromkeys(stems.split(), head[len(kind) + 1 :])
    return found


def _things(text: str) -> list[str]:
    """Return what a text names that has a name: of "function argument" the argument."""
    stems = [*index_words(text), ""]
    named = [stem in _stems("thing") for stem in stems]
    return [stem for at, stem in enumerate(stems) if named[at] and not named[at + 1]]


def shapes_of(written: str, before: str) -> dict[str, str]:
    """Return how names of each thing begin (``start class``), end or are written.

    The key ``""`` stands for what a sentence says besides. ``before``: the sentence before it, for
    what a pronoun refers to.
    """
    shapes: dict[str, str] = {}
    thing, begin = (_things(before) or [""])[-1], 0
    for one in _SHAPE.finditer(written):
        behind = _SHAPE.split(written[one.end() :], 1)[0]
        named = _things(behind)[:1] if _BEHIND.match(behind) else []
        thing = (named or _things(written[begin : one.start()]) or [thing])[-1]
        shapes[f"{one.lastgroup} {thing}"] = one[0].strip("'\"“”`").lower()
        begin = one.end()
    rest = _SHAPE.sub(" ", written)
    others = _stems("form").keys() - _stems("names").keys()
    if shapes and (_VALUE.search(rest) or not others.isdisjoint(index_words(rest))):
        shapes[""] = ""
    return shapes


def names_form(terms: Sequence[str]) -> bool:
    """Return whether an instruction is about how code is named, commented or laid out."""
    return not _stems("form").keys().isdisjoint(terms)


def topic_of(written: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the stems of what an instruction is about, in their order, and its values, sorted."""
    values = {found[0].strip("'\"“”`").lower() for found in _VALUE.finditer(written)}
    same = _stems("same") | _stems("empty")
    stems = [same.get(stem, stem) for stem in index_words(_VALUE.sub(" ", written))]
    named = dict.fromkeys(stem for stem in stems if stem and not is_common(stem))
    return tuple(list(named)[:_MOST]), tuple(sorted(values))
