"""The deontic reader: whether a paragraph instructs, told from its words.

One pass over the words of each sentence. What opens a clause is asked whether it is an
imperative; a modal, or a word that stands for one, is asked whose duty it states. Code, paths
and quoted speech are one opaque word each: they can be an object, and say nothing themselves.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

from ctx.read import deontic_words as know
from ctx.read.deontic_words import OPAQUE, is_adverb, is_clear, is_finite, is_verb
from ctx.words import words as stems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ctx.model import Modality

_AHEAD = 25  # words that are looked at after a word: longer than a noun phrase and its verb
_ACTION = 8  # words that tell one action from another


class Instruction(NamedTuple):
    """One thing that the agent is told."""

    modality: Modality
    start: int
    """Where its sentence begins, in characters of the text."""
    end: int
    """Where its sentence ends."""
    cue: str
    """What showed it: modal, prohibition, permission, imperative, identity, default, lead-in,
    label, fragment, priority."""
    action: str
    """What is to be done, as stems; empty where that cannot be told."""


class Reading(NamedTuple):
    """What a paragraph instructs."""

    instructions: tuple[Instruction, ...]
    """In the order of the text; empty for a paragraph that does not instruct."""

    @property
    def modality(self) -> Modality | Literal[""]:
        """The modality that binds: forbidden over obligatory over permitted."""
        found = {one.modality for one in self.instructions}
        return next((one for one in _BINDING if one in found), "")

    @property
    def conflicts(self) -> tuple[tuple[Instruction, Instruction], ...]:
        """The same action obliged and forbidden: the first of each, in the order of the text."""
        first: dict[str, dict[str, Instruction]] = {}
        for one in self.instructions:
            if one.action and one.modality != "permitted":
                first.setdefault(one.action, {}).setdefault(one.modality, one)
        pairs = [sorted(both.values(), key=_place) for both in first.values() if len(both) > 1]
        return tuple((one, other) for one, other in sorted(pairs))


_BINDING: tuple[Modality, ...] = ("forbidden", "obligatory", "permitted")


def _place(one: Instruction) -> tuple[int, int]:
    return one.start, one.end


def read(text: str) -> Reading:
    """Return what ``text``, one paragraph of Markdown or plain prose, instructs."""
    return Reading(tuple(one for said in sentences(text) for one in _instructions(said)))


def _instructions(said: Sentence) -> Iterator[Instruction]:
    if said.asks:
        return
    for found in _walk(said):
        action = _action(said.words, found)
        yield Instruction(found.modality, said.start, said.end, found.cue, action)
    for aside in said.asides:
        yield from (one._replace(start=said.start, end=said.end) for one in _instructions(aside))


# Sentences


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


_TOKEN = re.compile(
    r"""
    (?P<gap>\n[^\S\n]*+\n)
  | (?P<code>(?<!`)`{2,}+[^`]++`{2,}+|(?<!`)`[^`]++`(?!`)|(?:https?://|www\.)[^\s<>()]*+
      |<[^<>\s][^<>]{0,100}>
      |(?<!\w)(?:\.{0,2}/|~/|\.(?=\w)|--?(?=[A-Za-z]))[\w./*=:@-]*[\w/*](?:\.\.\.)?)
  | (?P<quote>(?<!\w)"(?=\S)[^"]{1,600}+"(?!\w)|“[^“”]{1,600}+”
      |(?<!\w)'(?=\w)(?:[^']|(?<=\w)'(?=\w)){1,300}+'(?!\w)
      |‘(?:[^‘’]|(?<=\w)’(?=\w)){1,300}+’(?!\w))
  | (?P<aside>\([^()]{0,400}+\))
  | (?P<word>[^\W_]+(?:['’._/&+-][^\W_]+)*+)
  | (?P<arrow>(?<![-=])[-=]{1,3}>|[→⇒➜])
  | (?P<dash>—|–|--+|(?<=\s)-(?=\s))
  | (?P<stop>(?<![.!?…])[.!?…]++(?=[\s"'”’)\]*_]|$)|[。！？])
  | (?P<mark>[,;:](?!\w))
    """,
    re.VERBOSE,
)
_LONGEST = 250  # words of a sentence: what is longer has no end that can be found
_ABBREVIATIONS = frozenset(
    (
        "e.g",
        "i.e",
        "vs",
        "cf",
        "approx",
        "resp",
        "incl",
        "eg",
        "ie",
        "viz",
        "no",
        "fig",
        "sec",
        "dr",
        "mr",
        "mrs",
    )
)
_CONTRACTED = {
    "dont": "do not", "cannot": "can not", "cant": "can not", "wont": "will not",
    "mustnt": "must not", "shouldnt": "should not", "doesnt": "does not", "isnt": "is not",
    "arent": "are not", "can't": "can not", "won't": "will not", "shan't": "shall not",
    "let's": "let us", "youre": "you are",
}  # fmt: skip
_ENDINGS = {"n't": "not", "'re": "are", "'ll": "will", "'ve": "have", "'d": "would", "'m": "am"}
_IS = frozenset(
    ("it", "that", "he", "she", "there", "what", "who", "here", "where", "this", "everything")
)
_PAD = [""] * 8


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of ``text`` in order, in time linear in its length."""
    words: list[str] = []
    raws: list[str] = []
    asides: list[Sentence] = []
    start = end = 0
    for match in _TOKEN.finditer(text):
        kind, raw = match.lastgroup, match[0]
        if not raws and not asides:
            start = match.start()
        if kind == "aside":
            asides += sentences(raw[1:-1])
            end = match.end()
            continue
        closes = kind == "gap" or (
            kind == "stop" and not (raw == "." and words and words[-1] in _ABBREVIATIONS)
        )
        if closes or len(raws) >= _LONGEST:
            if raws or asides:
                stop = end if kind == "gap" else match.end()
                yield Sentence(
                    words + _PAD, raws, start, stop, "?" in raw and kind == "stop", asides
                )
            words, raws, asides = [], [], []
            if closes:
                continue
            start = match.start()
        if kind == "stop":
            continue
        end = match.end()
        for word in _spelled(kind or "", raw):
            words.append(word)
            raws.append(raw)
    if raws or asides:
        yield Sentence(words + _PAD, raws, start, end, asks=False, asides=asides)


def _spelled(kind: str, raw: str) -> list[str]:
    if kind == "word":
        word = raw.lower().replace("’", "'")
        return _contracted(word) if "'" in word or word in _CONTRACTED else [word]
    if kind in {"code", "quote"}:
        return [OPAQUE]
    return ["—"] if kind == "dash" else ["->"] if kind == "arrow" else [raw]


def _contracted(word: str) -> list[str]:
    if word in _CONTRACTED:
        return _CONTRACTED[word].split()
    base, _, ending = word.rpartition("'")
    if word.endswith("n't"):
        return [word[:-3], "not"]
    if f"'{ending}" in _ENDINGS:
        return [base, _ENDINGS[f"'{ending}"]]
    return [base, "is"] if ending == "s" and base in _IS else [base or ending]


# The walk through a sentence


class _Found(NamedTuple):
    """An instruction within a sentence."""

    modality: Modality
    cue: str
    subject: int
    """The word where the subject begins; ``verb``, where there is none."""
    verb: int


class _At:
    """How far a sentence is read."""

    __slots__ = (
        "begin", "condition", "finite", "found", "lead", "loose", "raws", "single", "words",
    )  # fmt: skip

    def __init__(self, said: Sentence) -> None:
        self.words: Sequence[str] = said.words
        self.raws: Sequence[str] = said.raws
        self.begin = 0  # where the clause begins
        self.lead = False  # whether a lead-in opened it, so that a comma may bring an imperative
        self.condition = -1  # where a clause opened that binds nobody; -1 outside of one
        self.finite = -1  # the last finite verb since a strong break; -1 before one
        # Whether a finite verb had a singular subject: no base form can be coordinated with it.
        self.single = False
        # Whether the sentence is written without capitals, so perhaps without commas.
        self.loose = bool(said.raws) and said.raws[0][:1].islower()
        self.found: list[_Found] = []


def _walk(said: Sentence) -> list[_Found]:
    """Return the instructions of a sentence, in order."""
    at = _At(said)
    fragment = _fragment(said)
    if fragment:
        return [fragment]
    for i in range(len(said.raws)):
        if _reported(at, i):
            break
        found = _opening(at, i) or _trigger(at, i)
        if found:
            at.found.append(found)
        _step(at, i)
    return at.found


def _step(at: _At, i: int) -> None:
    """Take note of word ``i``: where clauses begin, and what they have so far."""
    word = at.words[i]
    if word in know.BREAKS:
        at.begin, at.condition = i + 1, -1
        if word != "," or at.lead:
            at.finite, at.single = -1, False
        if word != ",":
            at.lead = False
    elif word in {"but", "so", "then", "because"}:
        at.begin, at.condition = i + 1, -1
    elif at.lead and word.endswith("ing") and i and at.words[i - 1] in know.LEADS:
        at.finite = i
    elif word in know.CONDITIONS:
        at.condition, at.begin = i, i + 1
    elif _is_predicate(at, i):
        at.finite = i
        at.single |= word.endswith("s")
    elif at.condition >= 0 and at.finite > at.condition and word in know.AGENTS:
        at.condition = -1
        at.begin = i - 1 if at.words[i - 1] in know.DETERMINERS else i


def _is_predicate(at: _At, i: int) -> bool:
    word = at.words[i]
    if is_finite(word) or (i and at.words[i - 1] in know.SUBJECTS and word not in know.CLOSED):
        return True
    if not word.endswith("s") or (i and at.words[i - 1] in know.DETERMINERS):
        return False
    after = at.words[i + 1]
    base = word[:-1] if is_verb(word[:-1]) else word[:-2]
    return is_verb(base) and (
        at.condition >= 0 or after in know.DETERMINERS | know.PREPOSITIONS | know.OBJECTS | {OPAQUE}
    )


def _reported(at: _At, i: int) -> bool:
    """Whether from word ``i`` on the sentence is somebody's words."""
    word, before = at.words[i], at.words[i - 1] if i else ""
    if i == 0 or before in know.BE | know.LEADS | {"the", ","}:
        return before == "to" and at.words[i - 2] == "used" and word in know.SAYS
    if before in {"could", "might", "would", "can", "may"}:
        return word in know.SAYS
    if word in know.SAID:
        return not any(one == "as" for one in at.words[at.begin : i])
    return word in know.SAYS and any(one in know.SPEAKERS for one in at.words[at.begin : i][-3:])


# What opens a clause


def _opening(at: _At, i: int) -> _Found | None:
    """Return the imperative that begins at word ``i``, where one may begin there."""
    before = at.words[i - 1] if i else ":"
    if before in _STRONG:
        at.lead = _leads(at.words, i)
        return _command(at, i, _floor_after_break(at, i, before), "imperative")
    if before in {"so", ","} or (before == "then" and at.lead):
        sure_place = before == "so" or at.lead or at.found
        return _command(at, i, 1 if sure_place else 3, "lead-in")
    if before in know.JOINTS:
        floor = 3 if before in {"and", "or", "nor", "plus"} else 2
        apart = at.found or at.single or before == "then"
        return _command(at, i, floor if apart else 4, "imperative")
    shouted = at.raws[i].isupper() and not at.raws[0].isupper()
    if shouted and at.words[i] in {"please", "do", "never"}:
        return _command(at, i, 3, "imperative")
    return _run_on(at, i) if _may_run_on(at, i) else None


_STRONG = frozenset((":", ";", "—", "->"))
"""Breaks after which a clause stands on its own."""


def _floor_after_break(at: _At, i: int, before: str) -> int:
    """Return how sure an imperative after a strong break, or at the start, has to be."""
    if i == _AFTER_KEY and len(at.raws) == i + 1 and _is_key(at.raws[0]):
        return 1 if _leads(at.words, 0) else 5  # "LOG_LEVEL: debug"
    if before in {":", ";"}:
        return 1
    named = before == "—" and at.finite < 0 and i < 5  # noqa: PLR2004 - "naming — use …"
    return 1 if named or (before == "->" and _leads(at.words, 0)) else 2


_AFTER_KEY = 2


def _leads(words: Sequence[str], i: int) -> bool:
    """Whether the clause at word ``i`` comes before the main clause."""
    i = i if words[i] in know.LEADS else _skip(words, i)
    if words[i] == "instead" and words[i + 1] == "of":
        return True
    word, after = words[i], words[i + 1]
    return (word in know.TIMES and after == "time") or word.partition("_")[0] in know.LEADS


def _may_run_on(at: _At, i: int) -> bool:
    """Whether a main clause may begin at word ``i`` without a sign: after a whole clause."""
    before = at.words[i - 1]
    forbids = at.lead and at.words[i : i + 2] == ["do", "not"]
    if not (at.loose or at.lead) or (at.finite < at.begin and not forbids):
        return False
    if before in _UNFINISHED or (before.endswith("s") and not at.lead):
        return False
    return not (forbids and at.finite < 0 and before.endswith("s"))


_UNFINISHED = (know.CLOSED | know.MODALS) - know.ADVERBS - know.OBJECTS
"""Words that leave a clause open."""


def _run_on(at: _At, i: int) -> _Found | None:
    """Return the imperative after a clause that ends without a comma."""
    word, after = at.words[i : i + 2]
    negated = word == "do" and after == "not"
    if not after:
        return _command(at, i, 1, "lead-in") if at.lead and is_clear(word) else None
    known = is_verb(word) and (after in _FOLLOWS or after == OPAQUE)
    return _command(at, i, 2, "lead-in") if negated or known or after in _THEM else None


_FOLLOWS = know.DETERMINERS | know.OBJECTS
_THEM = frozenset(("it", "them"))


def _skip(words: Sequence[str], i: int) -> int:
    """Return the place of the first word from ``i`` on that is not an adverb or its comma."""
    while (
        words[i] in know.ADVERBS
        or is_adverb(words[i])
        or (words[i] == "," and (words[i - 1] in know.ADVERBS or is_adverb(words[i - 1])))
    ):
        i += 1
    return i


def _command(at: _At, i: int, floor: int, cue: str) -> _Found | None:
    """Return the imperative at word ``i`` if it is at least ``floor`` sure.

    1: a verb that could be a noun, were it not for what follows. 2: a verb with its object.
    3: a marker that statements do not have ("do not", "always" and a verb). 4: "make sure".
    """
    words = at.words
    verb = _skip(words, i)
    if words[verb] == "never" or (words[verb] == "do" and words[verb + 1] == "not"):
        return _prohibition(words, verb, floor)
    if words[verb] in {"no", "nothing"} and cue == "imperative" and floor == 1:
        return _no(words, verb)
    if words[verb : verb + 2] == ["feel", "free"]:
        return _Found("permitted", "permission", verb, verb + 2)
    sure = max(_sure(words, verb), 3 if _pressed(words, i, verb) and _sure(words, verb) else 0)
    return _Found("obligatory", cue, verb, verb) if sure >= floor else None


def _pressed(words: Sequence[str], i: int, verb: int) -> bool:
    return any(word in {"please", "always"} for word in words[i:verb])


def _prohibition(words: Sequence[str], i: int, floor: int) -> _Found | None:
    """Return what "never" or "do not" at word ``i`` forbids."""
    verb = _skip(words, i + (1 if words[i] == "never" else 2))
    if words[verb] == "," and "," in words[verb + 1 : verb + 6]:
        verb = words.index(",", verb + 1) + 1  # never, under any circumstances, …
    if words[verb] in know.BETWEEN:
        verb = _skip(words, verb + 1)
    word, after = words[verb], words[verb + 1]
    idiom = (word in know.IDIOMS and after != "to") or (word == "ask" and after == "me")
    if floor > _MARKED or not word or idiom or (word == "be" and after in know.UNSURE):
        return None
    known = is_verb(word) or word in _AUXILIARIES or word in know.EXPOSITION
    follows = words[i] == "do" or after in know.DETERMINERS or after in know.PREPOSITIONS
    if known or (_is_open_verb(word) and follows):
        return _Found("forbidden", "prohibition", verb, verb)
    return None


_MARKED = 3
_AUXILIARIES = frozenset(("be", "do", "have", "let", "under", OPAQUE))


def _sure(words: Sequence[str], i: int) -> int:
    """Return how sure it is that word ``i`` is an imperative; 0: it is none."""
    word = words[i]
    if _is_idle(words, i):
        return 0
    if word == "ensure" or words[i : i + 2] in (["make", "sure"], ["be", "sure"]):
        return 4
    if "_" in word:
        return 2 if i and is_verb(word.partition("_")[0]) and _leads(words, 0) else 0
    if word in _IRREGULAR or word in know.EXPOSITION:
        return 2 if _asks(words, i) else 0
    if is_verb(word):
        return _sure_of_verb(words, i)
    return 2 if _is_open_verb(word) and words[i + 1] in know.ARTICLES | _THEM else 0


_IRREGULAR = frozenset(("be", "do", "have", "let"))


def _is_idle(words: Sequence[str], i: int) -> bool:
    """Whether an imperative is a figure of speech: "keep in mind", "take …, for example"."""
    rest = list(words[i : i + _AHEAD])
    pairs = set(pairwise(rest))
    if words[i] == "back":
        return words[i + 1] not in know.DETERMINERS | {"up", "off", "out"}
    return (
        rest[:3] in (["keep", "in", "mind"], ["bear", "in", "mind"], ["work", "in", "progress"])
        or (("and", "you") in pairs and "will" in rest)  # "ask anyone and you will hear"
        or (words[i] in {"take", "consider"} and not pairs.isdisjoint(_EXAMPLES))
    )


_EXAMPLES = (("for", "example"), ("for", "instance"))


def _is_open_verb(word: str) -> bool:
    """Whether a word before an article can only be a verb, though none that is known."""
    return (
        word.isalpha() and word not in know.CLOSED and not word.endswith(("s", "ed", "ing", "ly"))
    )


def _asks(words: Sequence[str], i: int) -> bool:
    """Whether "be", "do", "have", "let" or a verb of thinking asks for something to be done."""
    word, after = words[i], words[i + 1]
    rest = words[i + 1 : i + _AHEAD]
    if word == "be":
        return after not in know.BREAKS and after not in {"that", "it", "", "there", "not"}
    if word == "do":
        return after in know.DETERMINERS or after in {"it", "so"} or is_clear(after)
    if word == "have":
        return after in know.DETERMINERS and any(map(is_verb, rest[2:5]))
    if word == "let":
        return (after == "us" and is_clear(rest[1])) or after in {"the", "it", "them", "your"}
    if word == "see" and not {"before", "first", "when", "if"}.isdisjoint(rest):
        return True
    return after in know.THOUGHT.get(word, ()) or (word == "consider" and after.endswith("ing"))


def _sure_of_verb(words: Sequence[str], i: int) -> int:
    word, after = words[i], words[i + 1]
    if _is_noun(words, i):
        return 0
    if not after or after in know.BREAKS - {","}:
        return int(is_clear(word) and after not in {":", "->"})
    if after in _FOLLOWS:
        return 2
    if after in {",", "and", "or"}:
        following = i + 2 + (words[i + 2] in {"and", "or"})
        other = is_verb(words[following]) and _sure_of_verb(words, following)
        return other or int(is_clear(word))
    return 2 if is_clear(word) else int(not _has_predicate(words, i))


def _is_noun(words: Sequence[str], i: int) -> bool:
    """Whether what follows a verb shows that it is a noun here."""
    word, after, second = words[i : i + 3]
    if after.endswith("ed") and (not second or second in know.BREAKS):
        return True  # "rest assured"
    if after == "of":
        return word not in {"dispose", "beware"}
    if is_finite(after):
        return not (after.endswith("ed") and second.endswith("s"))  # but "restart failed jobs"
    if is_clear(word):
        return False
    label = after not in _FOLLOWS and ":" in words[i + 1 : i + 4]  # "target audience: …"
    return label or (after in {"one", "two", "three"} and _has_predicate(words, i))


def _has_predicate(words: Sequence[str], i: int) -> bool:
    """Whether the clause of word ``i`` has a finite verb, so that the word is its subject."""
    complemented = words[i] in know.COMPLEMENTED and words[i + 1] not in know.COMPOUNDED
    for j in range(i + 2, min(i + _AHEAD, len(words) - 1)):
        word = words[j]
        if not word or word in _ENDS_SUBJECT:
            return False
        if is_finite(word) or word in know.NO_NOUN or _is_past_or_third(words, j):
            return True
        if word == "range" and words[j + 1] in {"from", "between"}:
            return True
        if words[j - 1].endswith("s") and not complemented and _is_base(words, j):
            return True
    return False


_ENDS_SUBJECT = (
    know.SUBJECTS | know.CONDITIONS | know.RELATIVES | know.BREAKS | {"but", "so", "than"}
)


def _is_base(words: Sequence[str], j: int) -> bool:
    """Whether word ``j``, after a plural noun, is its verb: "writers use the", "lists hold"."""
    word, after = words[j], words[j + 1]
    if word in know.PLURAL_FINITE or is_clear(word):
        return True
    plain = (
        word.isalpha() and word not in know.CLOSED and not word.endswith(("s", "ing", "ed", "ly"))
    )
    return plain and (
        after in know.ARTICLES or (after in know.PREPOSITIONS and word not in know.BOTH)
    )


def _is_past_or_third(words: Sequence[str], j: int) -> bool:
    """Whether word ``j``, after a noun, is its verb: "support arrived with", "theory plays a"."""
    word, before, after = words[j], words[j - 1], words[j + 1]
    if before in know.CLOSED or is_adverb(before):
        return False
    if word == "used" and after == "to":
        return True
    if word.endswith("ed") and len(word) > 4:  # noqa: PLR2004
        ends = not after or after in know.BREAKS or is_adverb(after) or after in know.PREPOSITIONS
        ends |= after in know.ARTICLES or after in know.OBJECTS
        return ends and after not in {"by", "as"}
    return (
        _is_third(word)
        and not before.endswith("s")
        and (after in know.ARTICLES or after in know.OBJECTS)
    )


def _is_third(word: str) -> bool:
    return word.endswith("s") and (is_verb(word[:-1]) or is_verb(word[:-2]))


def _no(words: Sequence[str], i: int) -> _Found | None:
    """Return what a noun phrase with "no" forbids: "no new dependencies"."""
    head = words[i + 1]
    if head in know.NO_RULE or head in know.BREAKS or not head or head in know.SUBJECTS:
        return None
    rest = words[i + 1 : i + _AHEAD]
    end = next((j for j, word in enumerate(rest) if not word or word in know.BREAKS), len(rest))
    phrase = rest[:end]
    passive = {"without", "unless", "until"}.intersection(phrase) and not (
        {"was", "were", "had", "did", "has", "have"}.intersection(phrase)
    )
    if any(word in know.MODALS for word in phrase):
        return None  # the modal tells
    if words[i] == "nothing" and not passive:
        return None
    if any(word in know.STATUS for word in phrase):
        return None
    if not passive and _has_predicate(words, i):
        return None
    return _Found("forbidden", "prohibition", i, i + 1)


# What a clause says with a modal, or with a word that stands for one


def _trigger(at: _At, i: int) -> _Found | None:
    rule = _TRIGGERS.get(at.words[i])
    return rule(at, i) if rule else None


def _clause(at: _At, i: int) -> list[str] | None:
    """Return the words of the subject before word ``i``; None where the clause binds nobody."""
    subject = list(at.words[max(at.begin, i - _AHEAD) : i])
    story = not know.NARRATORS.isdisjoint(subject[-2:]) or not know.WH.isdisjoint(subject[:1])
    related = (i and at.words[i - 1] in know.RELATIVES) or "which" in subject[-4:]
    return None if at.condition >= 0 or story or related else subject


def _modal(at: _At, i: int) -> _Found | None:
    """Return what a modal at word ``i`` rules."""
    subject, words = _clause(at, i), at.words
    if subject is None or (i and words[i - 1] in {"a", "the", "another"}):
        return None
    j, negated, hedged = _between(words, i + 1)
    modal, verb = words[i], words[j]
    if hedged or _is_unsure(words, modal, j) or (modal == "can" and verb in know.SHOWN):
        return None
    agent = not know.AGENTS.isdisjoint(subject[-3:]) or subject[:1] == ["only"]
    modality = _ruled(at, i, agent=agent, negated=negated)
    if modality is None or (verb in know.IDLE and subject[-1:] in (["you"], ["we"], [])):
        return None
    cue = {"permitted": "permission", "forbidden": "prohibition"}.get(modality, "modal")
    return _Found(modality, cue, i - len(subject), j)


def _between(words: Sequence[str], j: int) -> tuple[int, bool, bool]:
    """Return where the verb of a modal stands, and whether "not" or a doubt comes before it."""
    negated = hedged = False
    while words[j] in know.BETWEEN or words[j] in know.HEDGES or is_adverb(words[j]):
        negated |= words[j] in {"not", "never"}
        hedged |= words[j] in know.HEDGES
        j += 1
    return j, negated, hedged


def _is_unsure(words: Sequence[str], modal: str, j: int) -> bool:
    """Whether a modal before word ``j`` says what is likely: "must have been", "should be fine"."""
    verb, after = words[j], words[j + 1]
    if verb == "have":
        return know.is_participle(after) or after == "to"
    if verb == "be":
        k, _, hedged = _between(words, j + 1)
        state = words[k]
        return hedged or state in know.UNSURE or (state.endswith("ing") and is_verb(state[:-3]))
    you = "you" in words[max(0, j - 4) : j]
    return modal == "should" and verb in (know.UNSURE_OF_YOU if you else know.UNSURE_VERBS)


def _ruled(at: _At, i: int, *, agent: bool, negated: bool) -> Modality | None:
    """Return what the modal at word ``i`` rules, None where it says what can happen."""
    modal, words = at.words[i], at.words
    j, _, _ = _between(words, i + 1)
    none = not know.NONE.isdisjoint(words[at.begin : at.begin + 2])
    if modal in {"must", "shall", "should"} or (modal == "may" and none):
        there = words[i - 1] == "there" and not know.CAUSES.isdisjoint(words[j + 1 : j + 4])
        return None if there else "forbidden" if negated or none else "obligatory"
    only = not {"always", "only"}.isdisjoint(words[i + 1 : j])
    if modal == "will":
        return (
            None if not (agent and (only or negated)) else "forbidden" if negated else "obligatory"
        )
    guarded = modal == "may" or (negated and not know.GUARDS.isdisjoint(words[j : j + _AHEAD]))
    passive = words[j] == "be" and know.is_participle(words[j + 1]) and guarded
    if passive and not negated:
        passive = not know.GUARDS.isdisjoint(words[j : j + _AHEAD])
    acts = agent and (is_verb(words[j]) or (negated and words[j] == "be"))
    shouted = at.raws[i].isupper() and not at.raws[0].isupper()
    if not (acts or shouted or passive or (only and not negated)):
        return None
    return "forbidden" if negated else "permitted"


def _need(at: _At, i: int) -> _Found | None:
    """Return what "need to" and "have to" oblige to."""
    subject, words = _clause(at, i), at.words
    before = words[i - 1] if i else ""
    if subject and words[i] in {"need", "needs"} and subject[0] in know.ALL:
        return _Found("obligatory", "modal", i - len(subject), i)  # "every X needs a Y"
    if not subject or words[i + 1] != "to" or before in know.MODALS or before == "to":
        return None
    if before == "not":
        excused = not know.AGENTS.isdisjoint(subject[-4:])
        return _Found("permitted", "permission", i - len(subject), i + 2) if excused else None
    if words[i + 2] in know.IDLE - {"be", "have"}:
        return None
    story = words[i] == "have" and before in {"we", "they", "people"}
    return None if story else _Found("obligatory", "modal", i - len(subject), i + 2)


class _Is(NamedTuple):
    """A clause with "is" or "are", taken apart."""

    subject: list[str]
    words: Sequence[str]
    at: int
    """Where "is" stands."""
    value: int
    """Where what follows begins, adverbs passed over."""
    negated: bool
    word: str
    after: str

    @property
    def begin(self) -> int:
        """Where the subject begins."""
        return self.at - len(self.subject)

    @property
    def agent(self) -> bool:
        """Whether the subject can be given duties."""
        return not know.AGENTS.isdisjoint(self.subject[-4:])


def _being(at: _At, i: int) -> _Found | None:
    """Return what "is" and "are" rule: "is forbidden", "are to be", "is the priority"."""
    subject = _clause(at, i)
    j, negated, hedged = _between(at.words, i + 1)
    if subject is None or hedged:
        return None
    clause = _Is(subject, at.words, i, j, negated, at.words[j], at.words[j + 1])
    return next(filter(None, (rule(clause) for rule in _BEING)), None)


def _identity(one: _Is) -> _Found | None:
    """Return the role that "you are a …" and "your job is to …" give."""
    if one.subject[:1] == ["your"] and one.subject[-1] in know.ROLES:
        return _Found("obligatory", "identity", one.begin, one.value)
    if one.word == "your" and one.after in know.ROLES and one.words[one.value + 2] == "to":
        return _Found("obligatory", "identity", one.value, one.value + 3)
    cast = one.subject == ["you"] and one.word in {"a", "an", "the"} and one.value == one.at + 1
    given = cast and one.after not in know.PRAISE
    return _Found("obligatory", "identity", one.at, one.value) if given else None


def _predicate(one: _Is) -> _Found | None:
    """Return what "is required", "is not allowed" or "is fine only if" rule."""
    if one.word == "optional":
        return _Found("obligatory", "modal", one.begin, one.value) if one.negated else None
    if one.word == "negotiable" and one.negated:
        return _Found("obligatory", "modal", one.begin, one.value)
    if one.word in know.PREDICATES and one.after != "by":
        return _judged(know.PREDICATES[one.word], one.begin, one.value, negated=one.negated)
    if one.word in know.TOLERATED and one.after == "to":
        return _judged("permitted", one.begin, one.value + 2, negated=one.negated)
    if one.word in _TOLERABLE and know.GUARDS.intersection(one.words[one.value : one.value + 6]):
        return _Found("permitted", "permission", one.begin, one.value)
    return None


_TOLERABLE = frozenset(("enabled", "fine", "ok", "okay", "good"))


def _duty(one: _Is) -> _Found | None:
    """Return what "you are expected to", "tests are to be" or "it is vital to" oblige to."""
    if one.agent and one.word in know.DUTIES and one.after in {"to", "for"}:
        return _judged(know.DUTIES[one.word], one.begin, one.value + 2, negated=one.negated)
    if one.word == "to" and (one.after == "be" or (one.agent and is_verb(one.after))):
        found = one.words[one.value + 2] == "found"  # "is nowhere to be found"
        ruled: Modality = "forbidden" if one.negated else "obligatory"
        return None if found else _judged(ruled, one.begin, one.value + 1, negated=False)
    heavy = one.word in know.WEIGHTY or (one.subject[-1:] == ["it"] and one.word in _BETTER)
    said = one.words[one.value + 2] in know.EXPOSITION  # "it is important to note"
    if heavy and one.after in {"to", "that"} and not said:
        return _Found("obligatory", "modal", one.value, one.value + 2)
    return None


_BETTER = frozenset(("best", "better"))


def _priority(one: _Is) -> _Found | None:
    """Return what "is the only metric", "is our top priority" or "is a must" put first."""
    if one.negated or one.word not in {"the", "our", "a", "top", "priority", "your"}:
        return None
    named = [word for word in one.words[one.value : one.value + 4] if word in know.PRIORITIES]
    ranked = named and (named[0] != "must" or one.word == "a")
    return _Found("obligatory", "priority", one.begin, one.value) if ranked else None


_BEING = (_identity, _predicate, _duty, _priority)


def _judged(modality: Modality, subject: int, verb: int, *, negated: bool) -> _Found:
    if negated:
        modality = "forbidden" if modality == "permitted" else "permitted"
    cue = {"permitted": "permission", "forbidden": "prohibition"}.get(modality, "modal")
    return _Found(modality, cue, subject, verb)


def _power(at: _At, i: int) -> _Found | None:
    """Return the leave or duty of who "has the right to" do something."""
    words = at.words
    for j in range(i + 1, i + 5):
        if words[j] in know.POWERS and words[j + 1] == "to":
            duty = words[j] in {"duty", "obligation", "responsibility", "mandate"}
            return _Found("obligatory" if duty else "permitted", "permission", i, j + 2)
    return _need(at, i)


def _policy(at: _At, i: int) -> _Found | None:
    """Return what "we do not …", "we always …" or "you never …" rules."""
    words = at.words
    j, negated, hedged = _between(words, i + 1)
    if words[j] == "do" and words[j + 1] == "not":
        j, _, hedged = _between(words, j + 2)
        negated = True
    if (
        at.condition >= 0
        or hedged
        or words[j] in know.IDLE
        or not (is_verb(words[j]) or words[j] == "do")
        or i > at.begin + 1
    ):
        return None
    if negated:
        return _Found("forbidden", "prohibition", j, j)
    if (
        words[i] == "you"
        and words[j + 1] == "as"
        and words[j] in {"act", "behave", "work", "serve"}
    ):
        return _Found("obligatory", "identity", j, j)
    ruled = {"always", "only"}.intersection(words[i + 1 : j]) or words[j] in know.RULING
    return _Found("obligatory", "modal", j, j) if ruled else None


def _sure_anywhere(at: _At, i: int) -> _Found | None:
    """Return "make sure" and "ensure", which need no clause to open with them."""
    before = at.words[i - 1] if i else ""
    subject = before in _UNFINISHED or (before.endswith("s") and at.finite < 0)
    return None if subject else _command(at, i, 4, "imperative")


def _precedence(at: _At, i: int) -> _Found | None:
    """Return what "comes first", "takes precedence" and "outranks" put before other things."""
    words = at.words
    wins = words[i] == "wins" and (not words[i + 1] or words[i + 1] == "over")
    first = words[i + 1] in {"first", "precedence", "priority"} or words[i] in know.OUTRANKS
    first |= words[i] == "matters" and words[i + 1] in {"more", "less", "most"}
    first |= words[i] == "beats" and len(at.raws) < 7  # noqa: PLR2004
    none = know.NONE.intersection(at.words[at.begin : at.begin + 1])
    if at.condition >= 0 or not i or none or not (first or wins):
        return None
    return _Found("obligatory", "priority", at.begin, i)


def _demand(at: _At, i: int) -> _Found | None:
    """Return what "the project requires" or "our policy forbids"."""
    subject = _clause(at, i)
    if not subject or not (know.LAWGIVERS.intersection(subject[-2:]) or subject[0] in know.ALL):
        return None
    obliges = at.words[i].startswith(("requ", "dem", "mand", "insist"))
    return _Found("obligatory" if obliges else "forbidden", "modal", i + 1, i + 1)


def _sanction(at: _At, i: int) -> _Found | None:
    """Return what "will be rejected" forbids."""
    before = at.words[max(0, i - 2) : i]
    sure = before[-1:] == ["are"] or before == ["will", "be"]
    return _Found("forbidden", "prohibition", at.begin, i) if sure and at.condition < 0 else None


def _better(at: _At, i: int) -> _Found | None:
    """Return what "you had better" obliges to."""
    better = at.words[i - 1 if i else 0] in {"would", "had"} and "you" in at.words[at.begin : i]
    return _Found("obligatory", "modal", i + 1, i + 1) if better and at.condition < 0 else None


_TRIGGERS: dict[str, Callable[[_At, int], _Found | None]] = {
    **dict.fromkeys(("must", "shall", "should", "may", "can", "will"), _modal),
    **dict.fromkeys(("need", "needs", "ought"), _need),
    **dict.fromkeys(("has", "have"), _power),
    **dict.fromkeys(("is", "are"), _being),
    **dict.fromkeys(("we", "you", "agents"), _policy),
    **dict.fromkeys(("requires", "forbids", "prohibits", "demands", "mandates", "bans"), _demand),
    **dict.fromkeys(("rejected", "refused", "reverted"), _sanction),
    "better": _better,
    **dict.fromkeys(("make", "be", "ensure"), _sure_anywhere),
    **dict.fromkeys(
        ("come", "comes", "take", "takes", "wins", "matters", "beats", *know.OUTRANKS), _precedence
    ),
}


# What rules without a verb


def _fragment(said: Sentence) -> _Found | None:
    """Return what a label, a key or a few words rule: "Required: …", "ON_X: Do_Y", "tabs only"."""
    words, size = said.words, len(said.raws)
    if size > _AFTER_KEY and words[1] == "->" and "_" in words[0] and _leads(words, 0):
        return _Found("obligatory", "label", 2, 2)
    colon = next((i for i in range(min(size, _SHORT)) if words[i] == ":"), 0)
    if colon and colon < size - 1:
        return next(filter(None, (rule(said, colon) for rule in _LABELS)), None)
    if not 0 < size <= _SHORT or any(is_finite(word) or is_clear(word) for word in words):
        return None
    last, noun = words[size - 1], not is_verb(words[0]) and words[0] not in know.CLOSED
    if last in know.VERDICTS:
        negated = words[0] in {"no", "zero", "not"}
        return _judged(know.PREDICATES[last], 0, 0, negated=negated)
    motto = (last == "first" and size <= 4) or "over" in words[1:4]  # noqa: PLR2004
    if (motto and noun and size > 1) or (last == "only" and words[size - 2] != "read"):
        return _Found("obligatory", "fragment", 0, 0)
    return None


_SHORT = 8  # words of a label or of a motto


def _default(said: Sentence, colon: int) -> _Found | None:
    """Return what "Default: …", "Required: …" or "Do not: …" rule."""
    label = " ".join(said.words[:colon])
    modality = know.DEFAULTS.get("never" if label == "do not" else label)
    if not modality or said.words[colon + 1] in know.GRADES:
        return None
    return _Found(modality, "default", colon + 1, colon + 1)


def _key(said: Sentence, colon: int) -> _Found | None:
    """Return what a key and its value rule: "REQUIRE_X: true", "X: Y_Only", "ON_X: Do"."""
    words, value = said.words, said.words[colon + 1]
    if colon != 1 or len(said.raws) > 4 or not _is_key(said.raws[0]):  # noqa: PLR2004
        return None
    switch = know.SWITCHES.get(words[0].partition("_")[0]) if "_" in words[0] else None
    if switch and value in know.SWITCHED:
        return _judged(switch, 0, 2, negated=know.SWITCHED[value])
    found = {know.VALUES.get(part) for part in value.replace("-", "_").split("_")}
    modality = next((one for one in _BINDING if one in found), None)
    if modality:
        return _Found(modality, "label", 0, 2)
    return _Found("obligatory", "label", 2, 2) if _leads(words, 0) and is_verb(value) else None


def _shell(said: Sentence, colon: int) -> _Found | None:
    """Return the command that a label gives: "Build: `make`", "Run tests: npm test"."""
    value, raw = said.words[colon + 1], said.raws[colon + 1]
    code = raw.strip("` ")
    typed = raw.startswith("`") and (len(code.split()) > 1 or code.isalpha() or "-" in code)
    if know.COMMANDS.isdisjoint(said.words[:colon]) or not (typed or value in know.TOOLS):
        return None
    return _Found("obligatory", "label", colon + 1, colon + 1)


_LABELS = (_default, _key, _shell)


def _is_key(raw: str) -> bool:
    return "_" in raw or raw.isupper()


# What is to be done


def _action(words: Sequence[str], found: _Found) -> str:
    """Return verb and objects as stems, with a subject that is not the agent before them."""
    subject = words[found.subject : found.verb]
    if know.AGENTS.intersection(subject) or "we" in subject:
        subject = ()
    kept: list[str] = []
    for word in words[found.verb : found.verb + _AHEAD]:
        if not word or word in know.BREAKS or word in know.ENDS or len(kept) == _ACTION:
            break
        kept.append(word)
    named = [word for word in (*subject, *kept) if word not in know.UNNAMED]
    return " ".join(stems(" ".join(named)))
