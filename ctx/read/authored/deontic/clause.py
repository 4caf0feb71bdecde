"""Sentences, their words, and how far a clause of one is read."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ctx.read.authored.deontic import lexicon as know
from ctx.read.authored.deontic.forms import (
    ADV,
    BETWEEN,
    BREAK,
    CLOSED,
    COND,
    DET,
    FINITE,
    FOLLOWS,
    ING,
    JOINT,
    LEAD,
    PREP,
    SUBJ,
    THIRD,
    VERB,
    tag,
)
from ctx.read.authored.deontic.lexicon import OPAQUE, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx.model import Modality


class Sentence(NamedTuple):
    """A sentence cut into words, punctuation that separates clauses among them."""

    words: list[str]
    """In lower case, contractions spelled out, code and quotations as ``OPAQUE``; then a
    few empty ones, so that a look ahead needs no question."""
    raws: list[str]
    """The same as written, without the empty ones."""
    start: int
    end: int
    asks: bool
    asides: list[Sentence]
    """What stands in parentheses."""


@cache
def _token() -> re.Pattern[str]:
    return re.compile(
        r"""
        (?P<link>https?://[^\s<>()]*+|www\.[^\s<>()]*+
          |\[(?:\d+\.[ ][^\[\]]{1,200}+
            |(?:(?:[A-Z]\w*+|an?|and|the|of|for|to|in)(?:[ ]|(?=\]))){2,9}+)
            \]\([^\s()]{1,400}+\))
      | (?P<word>[^\W_]+(?:['’._/&+-][^\W_]+)*+)
      | (?P<mark>[,;:](?!\w))
      | (?P<bold>(?<=[\w)`])\*\*(?=\s+[A-Z][a-z]))
      | (?P<gap>\n[^\S\n]*+\n)
      | (?P<code>(?<!`)`{2,}+[^`]++`{2,}+|(?<!`)`[^`]++`(?!`)
          |<[^<>\s][^<>]{0,100}>
          |(?<!\w)(?:\.{0,2}/|~/|\.(?=\w)|--?(?=[A-Za-z]))[\w./*=:@-]*[\w/*](?:\.\.\.)?)
      | (?P<quote>(?<!\w)"(?=\S)[^"]{1,600}+"(?!\w)|“[^“”]{1,600}+”
          |(?<!\w)'(?=\w)(?:[^']|(?<=\w)'(?=\w)){1,300}+'(?!\w)
          |‘(?:[^‘’]|(?<=\w)’(?=\w)){1,300}+’(?!\w))
      | (?P<aside>\([^()]{0,400}+\))
      | (?P<arrow>(?<![-=])[-=]{1,3}>|[→⇒➜])
      | (?P<dash>—|–|--+|(?<=\s)-(?=\s))
      | (?P<stop>(?<![.!?…])[.!?…]++(?=[\s"'”’)\]*_]|$)|[。！？])
        """,
        re.VERBOSE,
    )


_LONGEST = 250  # words of a sentence: what is longer has no end that can be found
_ABBREVIATIONS = listed("e.g i.e vs cf approx resp incl eg ie viz no fig sec dr mr mrs")
_CONTRACTED = {
    "dont": "do not", "cannot": "can not", "cant": "can not", "wont": "will not",
    "mustnt": "must not", "shouldnt": "should not", "doesnt": "does not", "isnt": "is not",
    "arent": "are not", "can't": "can not", "won't": "will not", "shan't": "shall not",
    "let's": "let us", "lets": "let us", "youre": "you are",
}  # fmt: skip
_ENDINGS = {"n't": "not", "'re": "are", "'ll": "will", "'ve": "have", "'d": "would", "'m": "am"}
_IS = listed("it that he she there what who here where this everything")
_SIGNS = {"code": OPAQUE, "link": OPAQUE, "quote": OPAQUE, "dash": "—", "arrow": "->",
          "bold": ":"}  # fmt: skip
_PAD = [""] * 8


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of ``text`` in order, in time linear in its length."""
    words: list[str] = []
    raws: list[str] = []
    asides: list[Sentence] = []
    start = end = 0
    for match in _token().finditer(text):
        kind, raw = match.lastgroup, match[0]
        if kind == "word" and len(raws) < _LONGEST:
            if not raws and not asides:
                start = match.start()
            end = match.end()
            word = raw.lower()
            if "'" in word or "’" in word or word in _CONTRACTED:
                spelled = _contracted(word.replace("’", "'"))
                words += spelled
                raws += [raw] * len(spelled)
            else:
                words.append(word)
                raws.append(raw)
            continue
        empty = not raws and not asides
        if kind == "aside":
            start = match.start() if empty else start
            asides += sentences(raw[1:-1])
            end = match.end()
            continue
        closes = kind == "gap" or (
            kind == "stop" and not (raw == "." and words and words[-1] in _ABBREVIATIONS)
        )
        if (closes or len(raws) >= _LONGEST) and not empty:
            stop = end if kind == "gap" else match.end()
            asks = "?" in raw and kind == "stop"
            words, raws = _unnumbered(words, raws)
            yield Sentence(words + _PAD, raws, start, stop, asks, asides)
            words, raws, asides = [], [], []
            empty = True
        inner = kind == "bold" and not _is_title(words, text[max(0, start - 2) : start])
        if closes or kind == "stop" or inner:
            continue
        start = match.start() if empty else start
        end = match.end()
        sign = [_SIGNS.get(kind or "", raw)]
        for word in _contracted(raw.lower().replace("’", "'")) if kind == "word" else sign:
            words.append(word)
            raws.append(raw)
    if raws or asides:
        words, raws = _unnumbered(words, raws)
        yield Sentence(words + _PAD, raws, start, end, asks=False, asides=asides)


def _is_title(words: list[str], mark: str) -> bool:
    """Whether bold words that open a sentence are no command, as "Never" and "Use" are."""
    known = bool(words) and tag(words[-1]) & (VERB | CLOSED)
    return mark == "**" and (len(words) > 1 or (len(words) == 1 and not known))


_NUMBER = re.compile(r"[A-Z]{0,4}-?[\dX]+(?:\.\d+)*|[A-Za-h]")


def _unnumbered(words: list[str], raws: list[str]) -> tuple[list[str], list[str]]:
    """Return a sentence without the numbers and marks before its first word: "1.2", "T017 US1"."""
    at = 0
    while at < len(raws) and at < _MARKS and _NUMBER.fullmatch(raws[at]):
        at += 1
    counted = 0 < at < len(raws) and raws[at - 1] != "I" and raws[at - 1] != "A"
    starts = counted and raws[at][:1].isupper() and not raws[at].isupper()
    return (words[at:], raws[at:]) if starts else (words, raws)


_MARKS = 3


def _contracted(word: str) -> list[str]:
    if word in _CONTRACTED:
        return _CONTRACTED[word].split()
    base, _, ending = word.rpartition("'")
    if word.endswith("n't"):
        return [word[:-3], "not"]
    if f"'{ending}" in _ENDINGS:
        return [base, _ENDINGS[f"'{ending}"]]
    return [base, "is"] if ending == "s" and base in _IS else [base or ending]


AHEAD = 25
"""Words that are looked at after a word: longer than a noun phrase and its verb."""

_LABEL = 3  # words before the last one of a label
UNFINISHED = (know.CLOSED | know.MODALS) - know.ADVERBS - know.OBJECTS
"""Words that leave a clause open."""

OPEN = know.listed("""
to you us them users means can by that helps for with will from often usually typically because
include includes including of
""")
"""Words after which a colon goes on with the clause."""
TELLING = know.listed("of provides handles includes contains supports offers features")
"""Those of a thing and its parts: what stands behind their labels tells, too."""


class Found(NamedTuple):
    """An instruction within a sentence."""

    modality: Modality
    cue: str
    subject: int
    """The word where the subject begins; ``verb``, where there is none."""
    verb: int
    under: tuple[str, ...] = ()
    """The condition it is under."""


class Clause:
    """The clause that a word stands in, as far as it is read."""

    __slots__ = (
        "aside", "begin", "condition", "finite", "found", "lead", "loose", "opened", "raws",
        "single", "size", "tags", "told", "words",
    )  # fmt: skip

    def __init__(self, said: Sentence, *, aside: bool = False) -> None:
        """Begin at the first word."""
        self.aside = aside  # whether it stands in parentheses
        self.words: Sequence[str] = said.words
        self.raws: Sequence[str] = said.raws
        self.size = len(said.raws)
        self.tags = [tag(word) for word in said.words]
        self.begin = 0  # where the clause begins
        self.opened = 0  # where the last strong break ended
        self.lead = False  # whether a lead-in opened it, so that a comma may bring an imperative
        self.condition = -1  # where a clause opened that binds nobody; -1 outside of one
        self.finite = -1  # the last finite verb since a strong break; -1 before one
        # Whether a finite verb had a singular subject: no base form can be coordinated with it.
        self.single = False
        # Whether the sentence is written without capitals, so perhaps without commas.
        self.told = False  # whether a list goes on to tell: "It consists of: …"
        self.loose = bool(said.raws) and said.raws[0][:1].islower()
        self.found: list[Found] = []

    def step(self, i: int) -> None:
        """Take note of word ``i``: where clauses begin, and what they have so far."""
        word, bits = self.words[i], self.tags[i]
        if bits & BREAK:
            self._breaks(i, word)
        elif word in {"but", "so", "then", "because"}:
            self.begin, self.condition = i + 1, -1
        elif bits & ING and self.lead and i and self.tags[i - 1] & LEAD:
            self.finite = i
        elif bits & COND:
            self.condition, self.begin = i, i + 1
        elif self._is_predicate(i):
            self.finite = i
            self.single |= word.endswith("s")
        elif self.finite > self.condition >= 0 and word in know.AGENTS:
            self.condition = -1
            self.begin = i - 1 if self.tags[i - 1] & DET else i

    def _breaks(self, i: int, word: str) -> None:
        self.begin, self.condition = i + 1, -1
        if word != "," or self.lead:
            self.finite, self.single = -1, False
        if word != ",":
            self.lead, self.opened = False, i + 1
        able = self.words[:i] in (["user", "can"], ["users", "can"])
        self.told |= word == ":" and (able or (i > 0 and self.words[i - 1] in TELLING))

    def _is_predicate(self, i: int) -> bool:
        bits, before = self.tags[i], self.tags[i - 1] if i else 0
        if bits & FINITE or (before & SUBJ and not bits & CLOSED):
            return True
        after = self.tags[i + 1]
        third = bits & THIRD and not before & DET
        return bool(third and (self.condition >= 0 or after & (FOLLOWS | PREP)))

    def opens(self, i: int) -> bool:
        """Whether a main clause may open at word ``i``."""
        before = self.words[i - 1] if i else ":"
        adverb = before in {"then", "yet"} or before.endswith("ly")
        if i > 1 and adverb and self.words[i - 2] in know.MODALS | {"not"}:
            return False  # "may silently return", "does not yet define"
        if before in {":", "—"} and i > 1 and self._goes_on(i - 2, before):
            return False
        if self.told and before in {":", "—"} and self.words[i] not in {"never", "do"}:
            return False
        if before in {":", ";", "—", "->"}:
            self.lead = self.leads(i)
            return True
        if self.tags[i - 1] & (BREAK | JOINT):
            return True
        return ((self.lead or self.loose) and before not in UNFINISHED) or self.raws[i].isupper()

    def _goes_on(self, last: int, mark: str) -> bool:
        """Whether what stands before a mark goes on behind it: "it helps you: …", "Benefits: …"."""
        never = self.words[last + 2] == "never"
        if last <= _LABEL and not (never or know.REASONS.isdisjoint(self.words[: last + 1])):
            return True
        word, bits = self.words[last], self.tags[last]
        acts = bits & THIRD and bits & FINITE and last and not self.leads(0)
        helps = not know.HELPING.isdisjoint(self.words[1:last])
        return mark == ":" and bool(word in OPEN or acts or helps)

    def subject(self, i: int) -> list[str] | None:
        """Return the words of the subject before word ``i``; None where it binds nobody."""
        if self.condition >= 0:
            return None
        subject = list(self.words[max(self.begin, i - AHEAD) : i])
        story = not know.NARRATORS.isdisjoint(subject[-2:]) or not know.WH.isdisjoint(subject[:1])
        related = (i and self.words[i - 1] in know.RELATIVES) or "which" in subject[-4:]
        return None if story or related else subject

    def skip(self, i: int) -> int:
        """Return the place of the first word from ``i`` on that is no adverb nor its comma."""
        while self.tags[i] & ADV or (self.words[i] == "," and self.tags[i - 1] & ADV):
            i += 1
        return i

    def between(self, j: int) -> tuple[int, bool, bool]:
        """Return where the verb of a modal stands, and whether "not" or a doubt comes before."""
        negated = hedged = False
        words = self.words
        while (
            self.tags[j] & BETWEEN
            or (self.tags[j] & ADV and words[j].endswith("ly"))
            or words[j] in know.HEDGES
        ):
            negated |= words[j] in {"not", "never"}
            hedged |= words[j] in know.HEDGES
            j += 1
        return j, negated, hedged

    def leads(self, i: int) -> bool:
        """Whether the clause at word ``i`` comes before the main clause."""
        words = self.words
        i = i if self.tags[i] & LEAD else self.skip(i) + (words[i] == "even")
        if words[i] == "instead" and words[i + 1] == "of":
            return True
        timed = words[i] in {"every", "each", "any", "the"} and words[i + 1] == "time"
        return timed or words[i].partition("_")[0] in know.LEADS - {"what"}

    def has(self, i: int, members: frozenset[str]) -> bool:
        """Whether the clause has one of ``members`` from word ``i`` on."""
        for word in self.words[i : i + AHEAD]:
            if word in members:
                return True
            if not word or word in {";", ":", "—"}:
                return False
        return False

    def shouts(self, i: int) -> bool:
        """Whether word ``i`` is in capitals, in a sentence that is not."""
        return self.raws[i].isupper() and not all(raw.isupper() for raw in self.raws[:3])

    def under(self, found: Found) -> tuple[str, ...]:
        """Return the condition that stands before an instruction."""
        first = min(found.subject, found.verb)
        if not self.lead or first <= self.opened:
            return ()
        if self.found and self.found[-1].verb > self.opened:
            return self.found[-1].under
        while self.tags[first - 1] & (ADV | BETWEEN) or self.words[first - 1] in {"do", ","}:
            first -= 1
        return tuple(self.words[self.opened : first])


def judged(modality: Modality, subject: int, verb: int, *, negated: bool) -> Found:
    """Return what a word of duty rules; "not" turns leave into a ban, and a duty into leave."""
    if negated:
        modality = "forbidden" if modality == "permitted" else "permitted"
    cue = {"permitted": "permission", "forbidden": "prohibition"}.get(modality, "modal")
    return Found(modality, cue, subject, verb)
