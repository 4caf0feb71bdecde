"""Which events an English query relates in time (``temporal-retrieval``, 9.2 and 9.4.1)."""

from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from itertools import islice, pairwise
from math import fsum

from ctx.rank.temporal.dates import follows
from ctx.text.english import FUNCTION, listed, words_of
from ctx.text.regex import regex
from ctx.text.words import words as stemmed
from ctx.typed import NamedTuple

THETA_XI = 0.3  # θ_ξ: the ξ from which a query is temporal (9.2)
XI_NORM = 1.5  # θ_ξ^norm: the weight of patterns that saturates ξ (9.2)
M_MAX = 4  # m_max: most event slots of a query (9.4.1)
MAX_WORDS = 6  # content words of a slot: a longer run is several
_MAX_SENTENCES = 4  # sentences that are searched: they name more events than there are slots
WEIGHTS = {  # s_i of the patterns tpat_i. Each counts once, however often it matches
    "how many days": 1.0, "how long": 0.9, "before/after": 0.8, "first/earlier": 0.8,
    "since/between": 0.7, "when did": 0.7,
}  # fmt: skip

STOP_WORDS = words_of(*FUNCTION)  # what questions are made of and not about; not stemmed

# Questions, section 9.2.
QUESTION = words_of("question")
WHOSE = listed("what which whose")  # words that ask about the noun after them
AUXILIARY = words_of("asking auxiliaries")
REQUEST = words_of("requests")
LEADS = listed("and but or so also in on at to for from by please ok okay hey then")  # at first

# The past.
PAST = listed("did didn't was wasn't were weren't had hadn't")
EVENTS = words_of("pasts")
NOW = listed("is are be being am get gets isn't aren't to must should can may")  # "is changed"
PARTICIPLES = words_of("done")
PARTICIPLE_ENDS = ("ed", "wn", "ten", "ken")
DOERS = listed("i we you they he she it who what")  # before a word in -ed: "we merged" is past

# What is to be done.
DUTY = listed("should must shall ought shouldn't mustn't")
BIDDING = frozenset(
    [(verb, "to") for verb in ("have", "has", "need", "needs", "how")]
    + [(verb, who) for verb in ("do", "can") for who in ("i", "we", "one")]
)  # pairs of words that ask how to do something, not what was: "do we", "need to"
HOW_TO = frozenset(("how", verb, "you") for verb in ("do", "can", "would"))

# Strong patterns.
# Not seconds or minutes: those are timeouts far more often than ages.
UNITS = words_of("units")
COUNTED = listed("number amount count of the time")  # before the unit: "the number of days"
EACH = listed("a an per each every")
WHEN = listed("did didn't was wasn't were weren't had")
DATES = listed("date day week month year")
EXACTLY = listed("exactly precisely first last")
MEASURED = words_of("measured")
BEING = listed("is are was were be can may should must will")

# Words of time.
DETERMINERS = listed("the a an my your his her its our their this that each every very whose at")
FIXED_FIRST = words_of("behind first")  # these make it something else: "first class"
NAMED_AFTER = listed("named called look looks looked looking")
HAPPENED = words_of("happened")

# Slots, section 9.4.1.
BREAKS = QUESTION | AUXILIARY | listed("and or but nor than if while then being been")
"""Words between two events, or between an event and the question about it."""
EMPTY = STOP_WORDS | words_of("empty slots")

WORDS = {  # words that are a pattern by themselves, if the words around them agree
    "before": "before/after", "after": "before/after", "first": "first/earlier",
    "earlier": "first/earlier", "since": "since/between", "between": "since/between",
}  # fmt: skip
STRONG = frozenset(("how", "when", "what", "which"))  # words that a strong pattern begins with

_CODE = regex(r"`[^`\n]*`")
# Not ``sentences.split``: a stop is looked up in the query, and what it separates is code as well.
_END = regex(r"(?<![.!?])[.!?]++(?=[\s\"'”’)\]]|\Z)|\n[ \t]*(?=\n|[-*#>+]|\d{1,3}[.)])")
_TRIGGER = regex(r"(?i)\b(?:how|when|what|which|before|after|first|earlier|since|between)\b")
_WORD = regex(r"[^\s—]+")
_EDGES = "\"'“”‘’()[]{}.,;:!?…*"  # stripped from words; not -_/=: "--since" is no word of time
_STOPS = ",;:?!)"
_REACH = 4  # words from "has" to its participle, at most: "has the test ever been"


class Sentence(NamedTuple):
    """One sentence of a query."""

    text: str  # the query
    end: int  # of the sentence in it
    spans: list[tuple[int, int]]  # where each word starts and ends in ``text``, edges stripped
    texts: list[str]  # the words in lower case; code between backticks is one empty word

    def stops(self, at: int) -> bool:
        """Return whether the clause ends after the word at ``at``."""
        end = self.spans[at][1]
        after = self.spans[at + 1][0] if at + 1 < len(self.spans) else self.end + 1
        return any(char in _STOPS for char in self.text[end : min(after, end + 4)])

    @property
    def asks(self) -> bool:
        """Whether this is a question or a request for an answer."""
        if self.text[self.end : self.end + 1] == "?":
            return True
        opening = next((text for text in self.texts[:3] if text not in LEADS), "")
        return opening in QUESTION or opening in AUXILIARY or opening in REQUEST


def sentences(query: str) -> Iterator[Sentence]:
    """Yield the sentences and items of ``query`` that hold a word of a temporal pattern."""
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
        if text := raw.strip(_EDGES):
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
        or _is_done(texts, at)
        or (
            text in ("has", "have")
            and any(
                word in PARTICIPLES or word.endswith(PARTICIPLE_ENDS)
                for word in texts[at + 1 : at + 1 + _REACH]
            )
        )
        for at, text in enumerate(texts)
    )


def _is_done(texts: list[str], at: int) -> bool:
    """Whether a word in -ed is the past of what precedes it: "we merged", "which tests failed"."""
    text = texts[at]
    if not text.endswith("ed") or text.endswith("eed") or not at:
        return False
    if at == len(("which", "tests")) and texts[0] in WHOSE:
        return texts[1] not in NOW | AUXILIARY
    return texts[at - 1] in DOERS and (at == 1 or texts[at - 2] not in NOW | AUXILIARY)


class Mood(NamedTuple):
    """How a sentence asks."""

    is_open: bool  # it holds a strong pattern
    asks: bool  # it asks for a time, or about the past
    happens: bool  # it says that something happened, changed or passed


def strong(sentence: Sentence, at: int) -> Iterator[tuple[str, int]]:
    """Yield a pattern that begins at ``at``, and the place of its last word."""
    # "how many days" (hours to decades; not "days a week"), "how long" (not of a line or a
    # message), "when did" (was, were, had) with its like "which day was".
    texts = sentence.texts
    following = texts[at + 1 : at + 4]
    match [texts[at], *following]:
        case [unit, "between" | "since", *rest] if unit in UNITS and _is_span(texts[:at], rest):
            yield "how many days", at
        case ["how", "many" | "much", *rest]:
            yield from _how_many(sentence, at, rest)
        case ["how", "long", *_] if not _is_length(sentence, at):
            yield "how long", at + 1
        case ["when", verb, *_] if verb in WHEN:
            yield "when did", at + 1
        case ["when", adverb, verb, *_] if adverb in EXACTLY and verb in WHEN:
            yield "when did", at + 2
        case ["what" | "which", noun, verb, *_] if noun in DATES and verb in WHEN:
            yield "when did", at + 2
        case _:
            pass


def _how_many(sentence: Sentence, at: int, rest: list[str]) -> Iterator[tuple[str, int]]:
    """Yield "how many days", also with a word between: "how many more days"."""
    for place, word in enumerate(rest, at + 2):
        if word in UNITS:
            after = sentence.texts[place + 1 : place + 3]
            is_rate = len(after) > 1 and after[0] in EACH and after[1] in UNITS
            if not is_rate:
                yield "how many days", place
            return


def _is_span(before: list[str], after: list[str]) -> bool:
    """Return whether a sentence asks for a span at once: "days between kickoff and launch"."""
    begun = LEADS | REQUEST | COUNTED
    return begun.issuperset(before) and bool({"and", "the"}.intersection(after))


def _is_length(sentence: Sentence, at: int) -> bool:
    """Return whether "how long" asks for characters: "how long should a line be"."""
    words = sentence.texts[at + 2 : at + 10]
    place = next((n for n, word in enumerate(words) if word in MEASURED), None)
    if place is None or words[0] not in BEING:
        return False
    after = words[place + 1 : place + 2]
    return not after or after[0] in BEING or sentence.stops(at + 2 + place)


def is_meant(sentence: Sentence, at: int, mood: Mood) -> bool:
    """Return whether the word of time at ``at`` asks for a relation in time."""
    texts = sentence.texts
    before = texts[at - 1] if at else ""
    after = texts[at + 1] if at + 1 < len(texts) else ""
    match texts[at]:
        case "first":
            if not at or after in FIXED_FIRST:  # "First, what was …" numbers the questions
                return False
            # "the first line" is a place in a file, unless the sentence asks when it was.
            return mood.is_open if _is_owned(texts, at) else mood.asks
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


def _is_owned(texts: list[str], at: int) -> bool:
    """Whether a word follows "the", "my", "Ann's" or the like."""
    before = texts[at - 1] if at else ""
    return before in DETERMINERS or before.endswith("'s")


class Hit(NamedTuple):
    """A temporal pattern at its place in a sentence."""

    pattern: str  # a key of ``WEIGHTS``
    first: int  # its first word, counted from 0
    last: int  # its last word, inclusive


class Indication(NamedTuple):
    """ξ(q), and the patterns behind it."""

    xi: float  # in [0, 1]
    active: bool  # ξ ≥ θ_ξ
    patterns: tuple[str, ...]  # what matched, in the order of ``WEIGHTS``


def indicate(query: str) -> Indication:
    """Return ξ(q) = min(Σ s_i·1[tpat_i(q)] / θ_ξ^norm, 1), 0 where nothing matches (9.2)."""
    found: set[str] = set()
    for _, hits in temporal(query):
        found.update(hit.pattern for hit in hits)
        if len(found) == len(WEIGHTS):
            break
    patterns = tuple(pattern for pattern in WEIGHTS if pattern in found)
    xi = min(fsum(WEIGHTS[pattern] for pattern in patterns) / XI_NORM, 1.0)
    return Indication(xi, xi >= THETA_XI, patterns)


def temporal(query: str) -> Iterator[tuple[Sentence, list[Hit]]]:
    """Yield the sentences of ``query`` in which a pattern matches, and where."""
    for sentence in sentences(query):
        if hits := _hits(sentence):
            yield sentence, hits


def _hits(sentence: Sentence) -> list[Hit]:
    texts = sentence.texts
    hits = [
        Hit(pattern, at, last)
        for at, text in enumerate(texts)
        if text in STRONG or text in UNITS
        for pattern, last in strong(sentence, at)
    ]
    taken = {at for hit in hits for at in range(hit.first, hit.last + 1)}
    is_open = bool(hits)
    happens = not HAPPENED.isdisjoint(texts)
    mood = Mood(is_open, is_open or asks_about_the_past(sentence), happens)
    for at, text in enumerate(texts):
        pattern = WORDS.get(text)
        if pattern and at not in taken and is_meant(sentence, at, mood):
            hits.append(Hit(pattern, at, at))
    return sorted(hits, key=lambda hit: hit.first)


class Slot(NamedTuple):
    """e_j: one event that a query names."""

    text: str  # as written, to embed
    words: frozenset[str]  # its content words as ``ctx.text.words`` stems them; never empty


class _Run(NamedTuple):
    """Words between two breaks, from a content word to a content word."""

    first: int
    last: int
    distance: int  # words to the nearest temporal pattern


def slots(query: str) -> tuple[Slot, ...]:
    """Return E(q): at most m_max noun phrases around the temporal patterns (section 9.4.1).

    Runs of words between patterns, conjunctions, auxiliaries and punctuation, less empty words at
    their ends; of too many those nearest to a pattern, in their order. Empty without a pattern.
    """
    found: dict[frozenset[str], Slot] = {}
    for sentence, hits in islice(temporal(query), _MAX_SENTENCES):
        chosen: dict[frozenset[str], tuple[int, Slot]] = {}
        for run in sorted(_runs(sentence, hits), key=lambda run: (run.distance, run.first)):
            if len(found) + len(chosen) >= M_MAX:
                break
            text = sentence.text[sentence.spans[run.first][0] : sentence.spans[run.last][1]]
            words = keywords(text)
            if words and words not in found:
                chosen.setdefault(words, (run.first, Slot(text, words)))
        for _, slot in sorted(chosen.values(), key=lambda pair: pair[0]):
            found[slot.words] = slot
    return tuple(found.values())


def _runs(sentence: Sentence, hits: list[Hit]) -> Iterator[_Run]:
    texts = sentence.texts
    places = [at for hit in hits for at in range(hit.first, hit.last + 1)]
    # "my first draft" is a noun phrase.
    taken = {at for at in places if texts[at] != "first" or not _is_owned(texts, at)}
    run: list[int] = []
    for at, text in enumerate(texts):
        is_break = at in taken or text in BREAKS
        if not is_break and (run or text not in EMPTY):
            run.append(at)
        if run and (is_break or sentence.stops(at) or at == len(texts) - 1):
            content = [word for word in run if texts[word] not in EMPTY]
            for start in range(0, len(content), MAX_WORDS):
                piece = content[start : start + MAX_WORDS]
                yield _Run(piece[0], piece[-1], _distance(piece[0], piece[-1], places))
            run = []


def _distance(first: int, last: int, places: list[int]) -> int:
    """Return the words from a run to the nearest of ``places``; 0 where it holds one."""
    at = bisect_left(places, first)
    before = first - places[at - 1] if at else None
    after = max(places[at] - last, 0) if at < len(places) else None
    return min(gap for gap in (before, after) if gap is not None)


def keywords(query: str) -> frozenset[str]:
    """Return K = KeyExt(q): the distinct content words of ``query``, stemmed (section 7.5)."""
    return frozenset(stemmed(query)) - _stop_stems()


@cache
def _stop_stems() -> frozenset[str]:
    return frozenset(stemmed(" ".join(STOP_WORDS)))
