"""What a word can be by itself: bits, told from the lists and from its ending."""

from __future__ import annotations

from functools import lru_cache

from ctx.read.authored.deontic import lexicon as know
from ctx.read.authored.deontic.lexicon import INTRANSITIVE, NOUNY, VERBS

DET, OBJ, SUBJ, PREP, ADV, COND, LEAD, REL, BREAK, JOINT, BETWEEN, CLOSED = (
    1 << n for n in range(12)
)
FINITE, VERB, NOUN, THIRD, ED, ING, PLURAL, LONE, CODE = (1 << n for n in range(12, 21))
"""``VERB``: a base form; ``NOUN``: one that can be a noun as well; ``LONE``: intransitive."""
FOLLOWS = DET | OBJ | CODE
"""What shows the word before it to be a verb."""

_LISTS = (
    (know.DETERMINERS, DET), (know.OBJECTS, OBJ), (know.SUBJECTS, SUBJ), (know.PREPOSITIONS, PREP),
    (know.ADVERBS, ADV), (know.CONDITIONS, COND), (know.LEADS, LEAD), (know.RELATIVES, REL),
    (know.BREAKS, BREAK), (know.JOINTS, JOINT), (know.BETWEEN, BETWEEN), (know.CLOSED, CLOSED),
    (know.FINITE, FINITE), (VERBS, VERB), (NOUNY, VERB | NOUN), (INTRANSITIVE, VERB | LONE),
    ((know.OPAQUE,), CODE),
)  # fmt: skip
_PREFIXES = know.listed("re pre un double cross auto over force hard co soft fast dry self unit")
_SHORT = 4  # letters of "used" and "only", whose endings say nothing
_CACHED = 1 << 15


@lru_cache(_CACHED)
def tag(word: str) -> int:
    """Return all that ``word`` can be."""
    found = _listed(word)
    prefix, _, base = word.rpartition("-")
    if prefix in _PREFIXES:
        found |= _listed(base) & (VERB | NOUN)
    one, _, other = word.partition("/")  # "add/adjust", but "read/write"
    kinds = _listed(one) & (VERB | NOUN), _listed(other) & (VERB | NOUN)
    if VERB in kinds and all(kinds):
        found |= kinds[0] | kinds[1]
    return found if found & (VERB | BREAK) else found | _ending(word, found)


def _listed(word: str) -> int:
    found = 0
    for members, bits in _LISTS:
        if word in members:
            found |= bits
    return found


def _ending(word: str, known: int) -> int:
    if word.endswith("s") and not word.endswith("ss"):
        base = 0 if known & CLOSED else _base_of_third(word)
        if not base:
            return PLURAL
        return THIRD | base & LONE | (PLURAL if base & NOUN else FINITE)
    if word.endswith("ed") and len(word) >= _SHORT:
        return ED | (FINITE if (_listed(word[:-2]) | _listed(word[:-1])) & LONE else 0)
    if word.endswith("ing"):
        return ING
    return ADV if word.endswith("ly") and len(word) > _SHORT else 0


def _base_of_third(word: str) -> int:
    bases = [word[:-1]]
    if word.endswith("es"):
        bases += [word[:-2], f"{word[:-3]}y"]
    return next((found for base in bases if (found := _listed(base)) & VERB), 0)


def is_verb(word: str) -> bool:
    """Whether ``word`` is a base form."""
    return bool(tag(word) & VERB)


def is_clear(word: str) -> bool:
    """Whether ``word`` is a verb and nothing else."""
    return tag(word) & (VERB | NOUN) == VERB


def is_participle(word: str) -> bool:
    """Whether ``word`` can follow "have"."""
    return bool(tag(word) & ED) or word in know.PARTICIPLES


_NOMINAL = ("tion", "ment", "ness", "ity", "ance", "ence", "ism", "ist", "al", "ous", "ive",
            "able", "ible", "ful", "less", "ic", "er", "or", "ary", "ship", "hood")  # fmt: skip


def is_bare(word: str) -> bool:
    """Whether ``word`` is unknown and has no ending that a base form cannot have."""
    ended = tag(word) & (CLOSED | ED | ING | ADV | PLURAL | FINITE | THIRD)
    return not ended and word.isascii() and word.isalpha()


def is_open(word: str) -> bool:
    """Whether ``word`` is unknown and, by its ending, perhaps a base form but no noun."""
    return is_bare(word) and not word.endswith(_NOMINAL)
