"""The standing instructions of one turn, sentence by sentence."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctx.read.instructing.register import Clause
from ctx.text.regex import regex
from ctx.text.sentences import is_question
from ctx.text.words import index_words

MOST_CHARS = 20_000  # characters of a turn that are read: longer ones were pasted
LONGEST = 300  # characters of the longest sentence that is taken
ECHOES = 12  # turns after an instruction that may repeat it: the answer to it, a summary
_SHARED = 3  # letters that a stem shares with each of its words
_SENTENCE = regex(r"[^\n.!?…]+(?:[.!?…]+(?![\s\"'”’)]|$)[^\n.!?…]*)*[.!?…]*[\"'”’)]*")
_FENCED = regex(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)|^[ \t]*>[^\n]*")


class Instruction(NamedTuple):
    """A standing instruction in a text."""

    start: int  # where its sentences begin, in characters of the text
    end: int
    weight: int  # how clearly it is general and lasting: 1 to 3
    clause: Clause


def instructions(text: str) -> Iterator[Instruction]:
    """Yield the standing instructions in the ``text`` of one turn, in order."""
    # Many patterns: for turns that are new only.
    from ctx.read.instructing.sentence import Sentence, may_instruct, topics_of

    own = _FENCED.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text[:MOST_CHARS])
    topics: frozenset[str] = frozenset()
    above, goes_on = 0, False
    unread: tuple[int, str] | None = None  # the sentence before, if it does not instruct
    for found in _SENTENCE.finditer(own):
        written = found[0].strip()
        if not written or len(written) > LONGEST:
            continue
        start = found.start() + found[0].index(written[0])
        if is_question(written) or not may_instruct(written):
            goes_on, unread = False, (start, written)
            continue
        if unread and (named := topics_of(unread[1])):
            topics, above = named, unread[0]
        unread = None
        sentence = Sentence(written, topics, goes_on=goes_on)
        clauses = sentence.clauses()
        goes_on = bool(clauses)
        # A sentence about "them" is nothing without the one that names them.
        begin = above if sentence.refers and found.end() - above <= LONGEST else start
        yield from (Instruction(begin, found.end(), sentence.weight, each) for each in clauses)
        if sentence.topics:
            topics, above = sentence.topics, start


def rows(texts: Sequence[str], place: int) -> Iterator[tuple[object, ...]]:
    """Yield instructions for the parse cache: text, weight, clauses, places of echoes, if whole."""
    sentences: dict[tuple[int, int, int], list[Clause]] = {}
    for start, end, weight, clause in instructions(texts[place]):
        sentences.setdefault((start, end, weight), []).append(clause)
    for (start, end, weight), clauses in sentences.items():
        after = range(place + 1, min(place + 1 + ECHOES, len(texts)))
        echoes = [at for at in after if any(_repeats(texts[at], clause) for clause in clauses)]
        text = " ".join(texts[place][start:end].split())
        yield text, weight, clauses, echoes, text == " ".join(texts[place].split())


def _repeats(text: str, clause: Clause) -> bool:
    """Whether a sentence of ``text`` names the things of an instruction, and its value."""
    things, value = clause.about.split(), clause.value
    low = text[:MOST_CHARS].lower()
    if not all(word[:_SHARED] in low for word in (*things, *value.split())):
        return False
    for found in _SENTENCE.finditer(low):
        named = {*index_words(found[0])}
        if named.issuperset(things) and (value in found[0] or named.issuperset(value.split())):
            return True
    return False
