"""Words and phrases of a query that are about time."""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from ctx.rank.coverage import STOP_WORDS, word_set
from ctx.rank.temporal.dates import follows

# Questions, section 9.2.

QUESTION = word_set("how what when where which who whom whose why")
AUXILIARY = word_set(
    "am is are was were do does did has have had can could will would may might shall should must"
    " didn't doesn't don't wasn't weren't isn't aren't hasn't haven't hadn't"
)
REQUEST = word_set(
    "tell show list find give get recall remind name order sort summarize summarise explain"
    " describe search"
)
"""Verbs of a request for an answer."""
LEADS = word_set("and but or so also in on at to for from by please ok okay hey then")
"""What may precede the word that a question begins with."""

# The past.

PAST = word_set("did didn't was wasn't were weren't had hadn't")
EVENTS = word_set(
    "came happened occurred began became went got took made said wrote chose broke changed decided"
)
NOW = word_set("is are be being am get gets isn't aren't to must should can may")
"""Before a participle these make it the present: "is changed"."""
PARTICIPLES = word_set(
    "been gone done made had said got come become kept built sent left lost won met read told"
    " bought brought put set run begun felt"
)
PARTICIPLE_ENDS = ("ed", "wn", "ten", "ken")

# What is to be done.

DUTY = word_set("should must shall ought shouldn't mustn't")
BIDDING = frozenset(
    [(verb, "to") for verb in ("have", "has", "need", "needs", "how")]
    + [(verb, who) for verb in ("do", "can") for who in ("i", "we", "one")]
)
"""Pairs of words that ask how to do something, not what was: "do we", "need to"."""
HOW_TO = frozenset(("how", verb, "you") for verb in ("do", "can", "would"))

# Strong patterns.

# Not seconds or minutes: those are timeouts far more often than ages.
UNITS = word_set(
    "hours day days night nights week weeks weekend weekends month months year years decades"
)
EACH = word_set("a an per each every")
WHEN = word_set("did didn't was wasn't were weren't had")
DATES = word_set("date day week month year")
EXACTLY = word_set("exactly precisely first last")
MEASURED = word_set(
    "line lines name names title titles message messages string strings text docstring docstrings"
    " subject identifier paragraph paragraphs sentence sentences summary summaries description"
    " prompt url"
)
"""Things that are long in characters."""
BEING = word_set("is are was were be can may should must will")

# Words of time.

DETERMINERS = word_set("the a an my your his her its our their this that each every very whose at")
FIXED_FIRST = word_set(
    "class party name hand principles principle aid glance person place prize half and of thing"
    " things"
)
"""After "first" these make it something else: "first class", "first and foremost"."""
NAMED_AFTER = word_set("named called look looks looked looking")
HAPPENED = word_set(
    "happened happen occurred occur changed change passed pass elapsed elapse decided"
)

# Slots, section 9.4.1.

BREAKS = QUESTION | AUXILIARY | word_set("and or but nor than if while then being been")
"""Words between two events, or between an event and the question about it."""
EMPTY = STOP_WORDS | word_set(
    "passed pass elapsed happen happened happens occur occurred come came comes go goes went take"
    " took takes taken get got time times number date day days week weeks month months year years"
    " hour hours night nights decades exactly precisely tell show list find"
)
"""Words that a slot neither begins nor ends with."""

WORDS = {
    "before": "before/after",
    "after": "before/after",
    "first": "first/earlier",
    "earlier": "first/earlier",
    "since": "since/between",
    "between": "since/between",
}
"""Words that are a pattern by themselves, if the words around them agree."""
STRONG = frozenset(("how", "when", "what", "which"))
"""Words that a strong pattern begins with."""

_CODE = re.compile(r"`[^`\n]*`")
_END = re.compile(r"(?<![.!?])[.!?]++(?=[\s\"'”’)\]]|\Z)|\n[ \t]*(?=\n|[-*#>+]|\d{1,3}[.)])")
_TRIGGER = re.compile(
    r"\b(?:how|when|what|which|before|after|first|earlier|since|between)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\s—]+")
_EDGES = "\"'“”‘’()[]{}.,;:!?…*"
"""Stripped from words. Not ``-``, ``_``, ``/`` and ``=``: ``--since`` is no word of time."""
_STOPS = ",;:?!)"
_REACH = 4
"""Words from "has" to its participle, at most: "has the test ever been"."""


class Sentence:
    """One sentence of a query."""

    def __init__(self, text: str, end: int, spans: list[tuple[int, int]], texts: list[str]) -> None:
        """Take the whole query, where the sentence ends in it, its words and their spans."""
        self.text = text
        self.end = end
        self.spans = spans
        """Where each word starts and ends in ``text``, edges stripped."""
        self.texts = texts
        """The words in lower case; code between backticks is one empty word."""

    def stops(self, at: int) -> bool:
        """Return whether the clause ends after the word at ``at``."""
        end = self.spans[at][1]
        after = self.spans[at + 1][0] if at + 1 < len(self.spans) else self.end + 1
        return any(char in _STOPS for char in self.text[end : min(after, end + 4)])

    @cached_property
    def asks(self) -> bool:
        """Whether this is a question or a request for an answer."""
        if self.text[self.end : self.end + 1] == "?":
            return True
        opening = next((text for text in self.texts[:3] if text not in LEADS), "")
        return opening in QUESTION or opening in AUXILIARY or opening in REQUEST


def sentences(query: str) -> Iterator[Sentence]:
    """Yield the sentences of ``query`` that hold any word of a temporal pattern.

    They end at ``.``, ``!`` or ``?`` before white space, at blank lines and at list items.
    """
    masked = _CODE.sub(lambda code: "`" * len(code[0]), query)
    start = 0
    for end in _END.finditer(masked):
        if _TRIGGER.search(masked, start, end.start()):
            yield _sentence(query, masked, start, end.start())
        start = end.end()
    if _TRIGGER.search(masked, start):
        yield _sentence(query, masked, start, len(masked))


def _sentence(query: str, masked: str, start: int, end: int) -> Sentence:
    spans, texts = [], []
    for match in _WORD.finditer(masked, start, end):
        raw = match[0]
        left = match.start() + len(raw) - len(raw.lstrip(_EDGES))
        text = raw.strip(_EDGES)
        if text:
            is_call = "(" in raw.lstrip(_EDGES)
            spans.append((left, left + len(text)))
            texts.append("" if "`" in text or is_call else text.lower().replace("’", "'"))
    return Sentence(query, end, spans, texts)


def asks_about_the_past(sentence: Sentence) -> bool:
    """Return whether a sentence asks what was, not what one should do or how."""
    texts = sentence.texts
    is_procedure = (
        not DUTY.isdisjoint(texts)
        or not BIDDING.isdisjoint(pairwise(texts))
        or not HOW_TO.isdisjoint(zip(texts, texts[1:], texts[2:], strict=False))
    )
    return sentence.asks and _is_past(texts) and not is_procedure


def _is_past(texts: list[str]) -> bool:
    if not PAST.isdisjoint(texts):
        return True
    before = ["", *texts]
    return any(
        (text in EVENTS and before[at] not in NOW)
        or (
            text in ("has", "have")
            and any(
                word in PARTICIPLES or word.endswith(PARTICIPLE_ENDS)
                for word in texts[at + 1 : at + 1 + _REACH]
            )
        )
        for at, text in enumerate(texts)
    )


class Mood(NamedTuple):
    """How a sentence asks."""

    is_open: bool
    """It holds a strong pattern."""
    asks: bool
    """It asks for a time, or about the past."""
    happens: bool
    """It says that something happened, changed or passed."""


def strong(sentence: Sentence, at: int, *, guarded: bool = True) -> Iterator[tuple[str, int]]:
    """Yield a pattern that begins at ``at``, and the place of its last word."""
    # "how many days" (hours to decades; not "days a week"), "how long" (not of a line or a
    # message), "when did" (was, were, had) with its like "which day was".
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
    """Return how a sentence asks, computed once for all its words."""
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
            # "First, what was …" numbers the questions.
            return at > 0 and _is_first(before, after, mood)
        case "earlier":
            return mood.asks and before != "no"
        case "before":
            # "Have I ever done this before?" does not name what it was before.
            is_related = at + 1 < len(texts) or before in UNITS
        case "after":
            is_related = before not in NAMED_AFTER and after != "all"
        case "since":
            is_related = at > 0 or after == "when"  # "Since it fails, …" gives a reason
        case _:
            is_related = mood.is_open or mood.happens or after == "when"
    return (mood.asks and is_related) or follows(sentence.text, sentence.spans[at][1])


def _is_first(before: str, after: str, mood: Mood) -> bool:
    """Return whether "first" is about time: "was first used", "when was the first release"."""
    if after in FIXED_FIRST:
        return False
    # "the first line" is a place in a file, unless the sentence asks when it was.
    is_place = before in DETERMINERS or before.endswith("'s")
    return mood.is_open if is_place else mood.asks
