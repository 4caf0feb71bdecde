"""One sentence of talk, and what it instructs."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from ctx.read.authored.deontic.clause import FINITE, is_bare, is_participle, is_verb, tag
from ctx.read.instructing import lexicon as lex
from ctx.read.instructing.register import Clause
from ctx.text.words import index_words

_TOKEN = re.compile(
    r"(?<!\w)'[^'\n]{1,40}'(?!\w)|\"[^\"\n]{1,40}\"|“[^”\n]{1,40}”|`[^`\n]{1,60}`"
    r"|@?\w+(?:[-./'’]\w+)*[_%]?|[,;:()—–]"
)
_CONTRACTED = {
    "i'd": "i would", "we'd": "we would", "i'll": "i will", "we'll": "we will", "we're": "we are",
    "i'm": "i am", "we've": "we have", "i've": "i have", "don't": "do not", "can't": "can not",
    "cannot": "can not", "shouldn't": "should not", "mustn't": "must not", "won't": "will not",
    "let's": "let us", "it's": "it is", "that's": "that is", "you're": "you are",
    "you'll": "you will", "needn't": "need not",
}  # fmt: skip
_VALUE = re.compile(
    r"['\"“`].*|@\w+|[a-z]+[A-Z]\w*|(?:[A-Z][a-z0-9]+){2,}|[A-Z][A-Z0-9]+|\w*_\w*|\d[\w.%-]*"
)
"""A word that is written as no other: a quotation, a name, a number, a piece of code."""
_JOINED = re.compile(r"(?:and|but|or) (?!(?:i|we|you|please|always|never)\b)")
"""What continues a clause that does not instruct: "I want to read it, and also show …"."""
_LISTED = re.compile(r"[-*+•#|]|\d+[.)]\s")
_FOR = ("for", "of", "when")
_CACHED = 1 << 14
"""Words whose reading is kept."""
_QUOTES = "'\"“”`"
_NO_NOUN = lex.ADVERBS | lex.DETERMINERS | lex.PREPOSITIONS | lex.STOPS | lex.PRONOUNS
_BEFORE_OBJECT = lex.DETERMINERS | lex.PRONOUNS | lex.PREPOSITIONS


def may_instruct(written: str) -> bool:
    """Return whether it is worth while to read a sentence word by word; most of a talk is not."""
    low = written.lower().replace("’", "'")
    return bool(lex.CUE.search(low)) or any(map(is_verb, lex.FIRST.findall(low)))


class _Word(NamedTuple):
    text: str
    low: str
    is_value: bool = False


_Words = Sequence[_Word]
_NO_WORD = _Word("", "")


class _Parts(NamedTuple):
    """What follows a verb."""

    direct: _Words
    """Its object."""
    others: Sequence[tuple[str, _Words]]
    """What is behind each preposition."""
    scope: str
    """Stems of what "only" limits it to."""
    after: _Words = ()
    """What is joined to it."""
    joint: str = ""
    """How: "and", "to", or "gap" where the second verb is left out."""
    instead: _Words = ()
    """What is behind "instead of" or "not"."""

    @property
    def every(self) -> list[_Word]:
        """All words."""
        return [*self.direct, *(word for _, words in self.others for word in words)]


class Sentence:
    """One sentence of a turn."""

    def __init__(self, written: str, before: frozenset[str], *, goes_on: bool) -> None:
        """Read a sentence; ``before`` is what those above it are about.

        It ``goes_on`` where the sentence right above it instructs.
        """
        words = _words(written)
        self._text = _text(words)
        gone = {
            place
            for found in lex.DATED.finditer(self._text)
            for place in range(_place(self._text, found.start()), _place(self._text, found.end()))
        }
        self._words = [word for place, word in enumerate(words) if place not in gone]
        self._before, self._goes_on = before, goes_on
        self._is_listed = bool(_LISTED.match(written))
        self._is_told = bool(lex.ONCE.search(self._text))
        self._valued = any(word.is_value for word in self._words[1:])
        self._quoted = any(word.text[0] in f"{_QUOTES}@" or "_" in word.text for word in words)
        self._scope = ""
        self._fronted = False
        """Whether it begins with the class of things that it is about."""
        self._dangling = False
        """Whether the chunk that was read last ends before it names what is to be done."""
        self.topics: frozenset[str] = frozenset()
        """What it is about, for pronouns in it and after it."""
        self.refers = False
        """Whether it cannot be understood without the sentence above."""

    @property
    def weight(self) -> int:
        """How clearly it is about a class of things, and to hold from then on: 1 to 3."""
        lasting = lex.LASTING.search(self._text) or lex.EVER.search(self._text)
        general = not lex.GENERAL.isdisjoint(word.low for word in self._words)
        of_class = self._fronted or self._valued or general or lex.CLASS.search(self._text)
        return 1 + bool(lasting) + bool(of_class)

    def clauses(self) -> list[Clause]:
        """Return what the sentence instructs; nothing where it does not."""
        found: list[Clause] = []
        narrated = ":" not in (w.low for w in self._words) and lex.NARRATED.match(self._text)
        for number, chunk in enumerate(_chunks(self._words)):
            text = _text(chunk)
            opened = lex.OPENING.match(text)
            start = opened.end() if opened else 0
            if not found and (front := lex.FRONT.match(text, start)):
                things = _nouns(chunk[_place(text, front.end()) :], fronted=True)
                self.topics |= things
                if "only" in (*text[:start].split(), chunk[-1].low):
                    self._scope = _joined(things)
                self._fronted = bool(lex.CLASS_FRONT.match(text, start))
            elif (
                number
                and not found
                and narrated
                and not (lex.FRAME.match(text, start) or lex.OPENS.search(text[:start]))
            ):
                continue
            elif not self._is_told and (found or not number or not _JOINED.match(text)):
                also = self._goes_on and not number and " also " in f" {text[:start]}"
                follows = bool(found) or self._dangling or also
                found += self._chunk(
                    chunk, start, follows=follows, framed=self._dangling, is_first=not number
                )
        if not self.topics:
            named = lex.NAMED.findall(self._text)
            self.topics = frozenset(stem for clause in found for stem in clause.about.split())
            self.topics = self.topics or (nouns_of(named[-1]) if named else self.topics)
        return found

    def _chunk(
        self, chunk: _Words, start: int, *, follows: bool, framed: bool, is_first: bool = False
    ) -> list[Clause]:
        """Return the clauses of a chunk that begins with ``start`` characters of adverbs.

        It ``follows`` where a chunk before it instructs, and is ``framed`` where the words before
        it show that it does.
        """
        text = _text(chunk)
        if again := lex.AGAIN.match(text):
            what = chunk[_place(text, again.start("what")) : _place(text, again.end("what"))]
            return [Clause("use", _joined(_nouns(what)), "", "", "undo")]
        frame = self._frame(chunk, text, start, framed=framed)
        self._dangling = frame.framed and frame.place >= len(chunk)
        opened = "please" in self._text or bool(
            lex.OPENS.search(text[:start]) or lex.LASTING.search(self._text)
        )
        verb, negated = _operative(chunk, frame, opened=opened), frame.negated
        subject: _Words = ()
        if verb < 0 and not frame.nominal:
            pattern = lex.SUBJECT if frame.framed else lex.DUTY
            found = pattern.match(text, frame.end) or lex.NEEDS.match(text, frame.end)
            verb = _place(text, found.end()) if found else len(chunk)
            if not found or verb >= len(chunk) or not _is_finite(chunk[verb].low):
                return []
            subject = chunk[frame.place : _place(text, found.end(1))]
            negated ^= bool(lex.NOT.search(found[2]))
        base = _base(chunk[verb].low) or chunk[verb].low if verb >= 0 else "use"
        rest = chunk[verb + 1 if verb >= 0 else frame.place :]
        base, rest = _plain(base, rest)
        following = rest[0].low if rest else ""
        if base == "be" and not subject:
            return []  # "be patient"
        if (base in lex.IDLE and not (subject and base == "need")) or (
            base in ("keep", "give") and following in lex.KEPT
        ):
            return []
        weak = bool(lex.WEAK.match(text, start)) or (self._is_listed and not frame.framed)
        general = follows or frame.back or self._is_general(text[start:], rest, frame, weak=weak)
        if not general and not (
            lex.PLURAL.search(text, start)
            if negated
            else is_first and not weak and self._is_manner(base, subject, rest, text[start:])
        ):
            return []
        mode = "undo" if frame.back else "avoid" if negated else "do"
        return self._read(base, subject, rest, mode)

    def _frame(self, chunk: _Words, text: str, start: int, *, framed: bool) -> "_Frame":
        negated, nominal, end = bool(lex.NOT.search(text[:start])), False, start
        if back := lex.BACK.match(text):
            end = back.end()
            framed = nominal = True
        while step := lex.FRAME.match(text, end) or (
            (lex.CHAINED if framed else lex.BEGUN).match(text, end)
        ):
            negated ^= bool(lex.NOT.search(step[0]) or step[0].split()[0] in lex.ENDING)
            nominal = nominal or bool(lex.NOMINAL.search(step[0]))
            framed, end = True, step.end()
        if not framed and (self._fronted or self._quoted):
            policy = lex.POLICY.match(text, end)
            place = _place(text, policy.end()) if policy else len(chunk)
            if policy and place < len(chunk) and _base(chunk[place].low) in lex.ACTIONS:
                framed, end = True, policy.end()
        return _Frame(end, _place(text, end), framed, nominal, negated, back is not None)

    def _is_general(self, text: str, rest: _Words, frame: "_Frame", *, weak: bool) -> bool:
        """Whether it is about a class of things, or about all of the time to come."""
        lasting = lex.LASTING.search(self._text) or lex.ALWAYS.search(self._text)
        if lasting and not frame.nominal:
            return True
        if weak:
            return self._quoted
        if text.startswith("no ") and frame.nominal:
            return bool(lasting) or "please" in self._text
        return self._fronted or any(w.is_value for w in rest) or bool(lex.CLASS.search(text))

    def _is_manner(self, verb: str, subject: _Words, rest: _Words, text: str) -> bool:
        """Whether it is a way to do things in the plural: "close tickets after 14 days"."""
        if verb not in lex.MANNER and verb != "be":
            return False
        if subject:
            low = subject[0].low
            return low not in _NO_NOUN and low[-3:] != "ing" and subject[-1].low.endswith("s")
        lows = [word.low for word in rest]
        if lex.SPECIFIC.isdisjoint(lows):
            return bool(lex.PLURAL.search(text)) or (
                _has_plural(rest) and not lex.PREPOSITIONS.isdisjoint(lows)
            )
        return _has_plural(rest) and bool(lex.PLURAL.search(text))

    def _read(self, verb: str, subject: _Words, rest: _Words, mode: str) -> list[Clause]:
        """Return the clause of a verb, and those that are joined to it."""
        parts = _parts(rest)
        if parts.joint == "to" and (
            verb in lex.CHANGING or not _nouns(parts.direct) - lex.VAGUE
        ):  # "update your style to end …"; "standardise names to end …": of these names
            after = _without(parts.after, lex.ADVERBS)
            base = _base(after[0].low)
            alone = len(after) > 1 and after[1].low in lex.PREPOSITIONS
            about = parts.direct if alone or base == "include" else ()
            return self._read(base, about, after[1:], mode)
        clause = self._clause(verb, subject, parts, mode)
        if clause and parts.instead:
            clause = clause._replace(instead=_joined(_named(parts.instead)))
        clauses = [clause] if clause else []
        if clause and not self.topics:
            self.topics = frozenset(clause.about.split())
        if parts.joint == "gap":
            clauses += self._read(verb, subject, parts.after, mode)
        elif parts.joint == "and" and (clauses or verb in lex.CHANGING):
            clauses += self._chunk(parts.after, 0, follows=True, framed=True)
        return clauses

    def _clause(self, verb: str, subject: _Words, parts: _Parts, mode: str) -> Clause | None:
        """Return the clause of a verb; None where it only announces or refers to one."""
        every = parts.every
        direct = _nouns(parts.direct)
        if parts.instead and not direct:  # "use the logging module instead of print"
            direct = frozenset(_stem(word.low) for word in parts.direct)
        values = [word.low.strip(_QUOTES) for word in every if word.is_value]
        if not values and mode != "undo":
            announces = not self._valued and any(word.low in lex.UNSETTLED for word in every)
            refers = self._fronted and parts.others and self.topics
            vague = _head(parts.direct) in lex.VAGUE and not refers
            if announces or vague:
                return None
        action = lex.SAME.get(verb) or (verb if verb in lex.ACTIONS else _stem(verb))
        keyed = self._of_edge(action, subject, parts, values, mode) or self._of_single(
            action, subject, parts, values, mode
        )
        if keyed:
            return keyed if keyed.value or mode == "undo" else None
        things = direct.union(values)
        target = _nouns([*subject, *(word for _, words in parts.others for word in words)])
        if not target or any(word.low in lex.PRONOUNS for word in every):
            target |= self.topics
        amounts = [word.low for word in every if word.low in lex.NUMBERS or word.low[0].isdigit()]
        counted = direct.difference(map(_stem, amounts))
        if amounts and counted and action not in lex.ADDING:  # "names should be three letters"
            return self._keyed(action, counted | target, amounts, parts.scope, mode)
        is_way = action not in lex.ADDING and action != "use" and not things & target
        if is_way and parts.others:  # "sign mails with …": how is behind the preposition
            last, words = parts.others[-1]
            value = _named(words)
            about = _nouns([*subject, *parts.direct]) or frozenset([action])
            if value:
                return self._keyed(f"{action} {last}", about, value, parts.scope, mode)
        if not values and not ((direct or _nouns(every)) - lex.VAGUE):
            return None
        return Clause(action, _joined(things | target), "", parts.scope or self._scope, mode)

    def _of_edge(
        self, action: str, subject: _Words, parts: _Parts, values: Sequence[str], mode: str
    ) -> Clause | None:
        """Return a clause about how something begins or ends; None where it is not."""
        groups = [parts.direct, *(words for _, words in parts.others)]
        edge = next((words for words in groups if any(w.low in lex.EDGES for w in words)), None)
        if edge is not None:  # "the prefix 'x_'", "with the suffix 'y'"
            action = next(lex.EDGES[word.low] for word in edge if word.low in lex.EDGES)
            rest = [word for words in groups if words is not edge for word in words]
            about = _nouns([*subject, *rest])
            return self._keyed(action, about, values[:1], parts.scope, mode)
        placed = [words[0].low for prep, words in parts.others if prep == "at" and len(words) == 1]
        if action == "use" and values and placed and placed[0] in lex.PLACED:
            action = lex.PLACED[placed[0]]  # "use '_m' at the end"
        if action not in lex.PLACED.values():
            return None
        behind = _nouns([word for _, words in parts.others for word in words])
        about = _nouns([*subject, *parts.direct])
        return self._keyed(action, about, values[:1] or behind, parts.scope, mode)

    def _of_single(
        self, action: str, subject: _Words, parts: _Parts, values: Sequence[str], mode: str
    ) -> Clause | None:
        """Return a clause about what things have one of; None where it is not."""
        runs = [("subject", subject), *parts.others, ("", parts.direct)]
        words = [word for _, run in runs for word in run]
        if spoken := [word.low for word in words if word.low in lex.LANGUAGES]:
            about = _nouns([word for word in words if word.low not in lex.LANGUAGES])
            about = (about or frozenset({action})) | {_stem("language")}
            return self._keyed("use", about, spoken[-1:], parts.scope, mode)
        prep, single = next((run for run in runs if _head(run[1]) in _SINGLE), ("", ()))
        if action in lex.ADDING or not (single or self.topics & _SINGLE):
            return None
        about = _nouns(single)
        rest = _nouns([word for _, words in runs if words is not single for word in words])
        given: AbstractSet[str] = frozenset(values)
        if not values:
            given = _nouns(parts.direct) if prep in _FOR else rest
            if single and prep != "subject" and prep not in _FOR:
                # "in sentence case", "a formal tone": the words before the noun are the value.
                given, about = about - {_head(single)}, rest | {_head(single)}
        if not given or not (about or self.topics):
            return None
        return self._keyed("use", about, given, parts.scope, mode)

    def _keyed(
        self, action: str, about: frozenset[str], value: AbstractSet[str] | Sequence[str],
        scope: str, mode: str,
    ) -> Clause | None:  # fmt: skip
        """Return a clause about one kind of things; None where these are not known."""
        is_edge = action in lex.PLACED.values()
        # What begins is the name, whether or not that is said.
        implied = frozenset({"name"}) if is_edge else frozenset()
        if is_edge and self._fronted and about - implied < self.topics:
            about = self.topics  # "when declaring function arguments, start the argument names"
        if not about - implied - _SINGLE:
            self.refers = not self.topics and mode != "undo"
            about |= self.topics or self._before if mode != "undo" else self.topics
        about -= implied
        if not about and mode != "undo":
            return None
        return Clause(action, _joined(about), _joined(value), scope or self._scope, mode)


class _Frame(NamedTuple):
    """What shows that a chunk instructs."""

    end: int
    """Where what is to be done begins, in characters of the chunk."""
    place: int
    """The same in words."""
    framed: bool
    """Whether anything shows it; else it may be an imperative."""
    nominal: bool
    """Whether what is to be done is a noun, or a form in -ing."""
    negated: bool
    back: bool
    """Whether it takes something back."""


def nouns_of(text: str) -> frozenset[str]:
    """Return the stems of what ``text`` names, without words that limit nothing."""
    return _nouns([_Word(word, word) for word in text.split()])


def _words(written: str) -> list[_Word]:
    parts = _TOKEN.findall(written.replace("’", "'"))
    return [word for part in parts for word in _word(part)]


@lru_cache(_CACHED)
def _word(part: str) -> tuple[_Word, ...]:
    low = part.lower()
    if full := _CONTRACTED.get(low):
        return tuple(_Word(each, each) for each in full.split())
    is_value = low != part or not low.isalpha()
    return (_Word(part, low, is_value and part != "I" and bool(_VALUE.fullmatch(part))),)


def _text(words: _Words) -> str:
    """Return ``words`` with a space behind each, and a mark for each value."""
    return "".join("` " if word.is_value else f"{word.low} " for word in words)


def _place(text: str, at: int) -> int:
    """Return how many words of ``_text`` end before the character ``at``."""
    return text.count(" ", 0, at)


def _joined(stems: AbstractSet[str] | Sequence[str]) -> str:
    return " ".join(sorted(stems))


def _chunks(words: _Words) -> list[_Words]:
    chunks: list[list[_Word]] = [[]]
    for word in words:
        if word.low in {",", ";", ":", "—", "–", "(", ")"}:
            chunks.append([])
        else:
            chunks[-1].append(word)
    return [chunk for chunk in chunks if chunk]


def _without(words: _Words, those: AbstractSet[str]) -> _Words:
    """Return ``words`` without those at their beginning."""
    place = 0
    while place < len(words) and words[place].low in those:
        place += 1
    return words[place:]


@lru_cache(_CACHED)
def _stem(word: str) -> str:
    return next(iter(index_words(word)), "")


_SINGLE = frozenset(map(_stem, lex.SINGLE))


def _nouns(words: _Words, *, fronted: bool = False) -> frozenset[str]:
    """Return the stems of what ``words`` name, without values and what limits nothing.

    In what a sentence begins with ("when writing letters") verbs are left out.
    """
    stems: list[str] = []
    first = 0
    for word in words:
        low, stem = word.low, _stem(word.low)
        if low in lex.PLACES:
            del stems[first:]  # "in your Python code"
        elif low in _NO_NOUN:
            first = len(stems)
        elif not (
            word.is_value
            or (fronted and low.endswith("ing") and stem not in _SINGLE)
            or (low.endswith("ly") and low not in lex.IN_LY)
        ):
            stems.append(stem)
    return frozenset(stems) - {""}


def _named(words: _Words) -> set[str]:
    """Return the stems of what ``words`` name, values included."""
    return {*_nouns(words), *(word.low.strip(_QUOTES) for word in words if word.is_value)}


def _head(words: _Words) -> str:
    """Return the stem of the last noun, or of what "naming" and the like name."""
    nouns = [stem for word in words for stem in _nouns([word])]
    named = [_stem(word.low) for word in words if word.low.endswith("ing")]
    return next((stem for stem in named if stem in _SINGLE), nouns[-1] if nouns else "")


def _base(word: str) -> str:
    """Return the base form of a verb, or of its form in -ing; empty for other words."""
    if is_verb(word):
        return word
    stem = word.removesuffix("ing")
    doubled = stem[:-1] if stem[-1:] == stem[-2:-1] else stem
    forms = (stem, f"{stem}e", doubled) if stem != word else ()
    return next((form for form in forms if is_verb(form)), "")


def _plain(base: str, rest: _Words) -> tuple[str, _Words]:
    """Return a verb and what follows it without a verb that only helps."""
    following = rest[0].low if rest else ""
    if base in ("switch", "change", "go", "stick"):  # "switch back to tabs"
        if into := lex.INTO.match(_text(rest)):
            return "use", rest[_place(into[0], into.end()) :]
    elif base in ("is", "are", "be"):
        if is_participle(following):
            return following.removesuffix("ed"), rest[1:]
        if following in lex.PREPOSITIONS:
            return "use", rest  # "all titles should be in sentence case"
        return "be", rest
    return base, rest


def _is_finite(low: str) -> bool:
    """Whether a word can be the verb of a subject, or a participle."""
    return is_verb(low) or is_verb(low.removesuffix("s")) or low.endswith("ed") or low in lex.FINITE


def _operative(chunk: _Words, frame: _Frame, *, opened: bool) -> int:
    """Return the place of the verb if what is to be done begins with one; -1 otherwise."""
    place, bare = frame.place, not frame.framed
    if place >= len(chunk) or chunk[place].is_value:
        return -1
    low, base, rest = chunk[place].low, _base(chunk[place].low), chunk[place + 1 :]
    following = rest[0] if rest else _NO_WORD
    takes = following.is_value or following.low in _BEFORE_OBJECT - lex.PREPOSITIONS
    if not base and frame.framed and low.endswith("ed"):
        base = _base(f"{low.removesuffix('ed')}ing")  # "I'd rather you signed …"
    elif not base and opened and is_bare(low) and low not in _NO_NOUN and not is_participle(low):
        asked = lex.ASKED.search(_text(chunk[:place]))
        base = low if takes or asked or _has_plural(rest) else ""  # a verb that is in no list
    is_noun = frame.nominal and not frame.back if low == base else bare
    if (
        not base
        or is_noun
        or following.low in lex.MODALS
        or (low == base and following.low == "of")
    ):
        return -1
    if bare:
        second = rest[1].low if rest[1:] else ""
        third = second.endswith("s") and tag(second) & FINITE
        if (following.low.isdigit() and third) or any(word.low in lex.FINITE for word in rest[:4]):
            return -1  # it is what the sentence is about: "turn 7 tells of …"
        takes = following.is_value or following.low in _BEFORE_OBJECT
        if not opened and not takes and not _has_plural(rest):
            return -1
    return place


def _has_plural(rest: _Words) -> bool:
    """Whether an object without an article begins, and is no subject of another verb."""
    for word, after in zip(rest[:4], [*rest[1:5], _NO_WORD], strict=False):
        if word.low.endswith("s") and not word.low.endswith("ss"):
            return not is_verb(after.low) and after.low not in lex.STOPS
        if word.low in lex.PREPOSITIONS | lex.STOPS:
            return False
    return False


def _parts(rest: _Words) -> _Parts:
    """Return what follows a verb, up to what is joined to it, or to what ends it."""
    groups: list[tuple[str, list[_Word]]] = [("", [])]
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
            after = rest[place:] if joint == "to" else _without(rest[place:], lex.ADVERBS)
            break
        elif word.low in lex.PREPOSITIONS:
            only = place > 1 and rest[place - 2].low == "only"
            groups.append((f"only {word.low}" if only else word.low, []))
        elif word.low not in lex.ADVERBS | lex.DETERMINERS:
            groups[-1][1].append(word)
    limits = [word for prep, words in groups if prep.startswith("only ") for word in words]
    others = [(prep, words) for prep, words in groups[1:] if not prep.startswith("only ")]
    return _Parts(groups[0][1], others, _joined(_nouns(limits)), after, joint, instead)


def _joint(low: str, rest: _Words, group: tuple[str, _Words]) -> str:
    """Return how a word joins ``rest`` to the ``group`` before it; empty where it does not."""
    after = _without(rest, lex.ADVERBS)
    verb = _base(after[0].low) if after else ""
    following = after[1] if len(after) > 1 else _NO_WORD
    if low == "to":
        is_verb_here = verb and verb == after[0].low
        is_noun = following.low.endswith("s") and verb not in lex.ACTIONS
        return "to" if is_verb_here and not is_noun else ""
    if low not in ("and", "or") or not after:
        return ""
    takes = following.is_value or following.low in _BEFORE_OBJECT or len(after) < len(rest)
    if verb and (takes or verb in lex.ACTIONS or after[0].low in lex.INCEPTIVE):
        return "and"
    valued = group[0] and any(word.is_value for word in group[1])
    return "gap" if valued and not after[0].is_value else ""
