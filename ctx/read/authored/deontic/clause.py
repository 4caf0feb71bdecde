"""Sentences, their words, what each can be by itself, and how far a clause is read."""

from collections.abc import Callable, Iterator
from functools import lru_cache

from ctx.model import Modality
from ctx.read.authored.deontic import lexicon as lex
from ctx.read.authored.deontic.lexicon import INTRANSITIVE, NOUNY, OPAQUE, VERBS
from ctx.text.english import listed, words_of
from ctx.text.regex import regex
from ctx.typed import NamedTuple

DET, OBJ, SUBJ, PREP, ADV, COND, LEAD, REL, BREAK, JOINT, BETWEEN, CLOSED = (
    1 << n for n in range(12)
)
FINITE, VERB, NOUN, THIRD, ED, ING, PLURAL, LONE, CODE = (1 << n for n in range(12, 21))
"""``VERB``: a base form; ``NOUN``: one that can be a noun as well; ``LONE``: intransitive."""
FOLLOWS = DET | OBJ | CODE  # what shows the word before it to be a verb

_LISTS = (
    (lex.DETERMINERS, DET), (lex.OBJECTS, OBJ), (lex.SUBJECTS, SUBJ), (lex.PREPOSITIONS, PREP),
    (lex.ADVERBS, ADV), (lex.CONDITIONS, COND), (lex.LEADS, LEAD), (lex.RELATIVES, REL),
    (lex.BREAKS, BREAK), (lex.JOINTS, JOINT), (lex.BETWEEN, BETWEEN), (lex.CLOSED, CLOSED),
    (lex.FINITE, FINITE), (VERBS, VERB), (NOUNY, VERB | NOUN), (INTRANSITIVE, VERB | LONE),
    ((lex.OPAQUE,), CODE),
)  # fmt: skip
_PREFIXES = listed("re pre un double cross auto over force hard co soft fast dry self unit")
_SHORT = 4  # letters of "used" and "only", whose endings say nothing
_CACHED = 1 << 15
_NOMINAL = ("tion", "ment", "ness", "ity", "ance", "ence", "ism", "ist", "al", "ous", "ive",
            "able", "ible", "ful", "less", "ic", "er", "or", "ary", "ship", "hood")  # fmt: skip
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
_NUMBER = regex(r"[A-Z]{0,4}-?[\dX]+(?:\.\d+)*|[A-Za-h]")
_MOST_NUMBERS = 3
AHEAD = 25  # words that are looked at after a word: longer than a noun phrase and its verb

_LABEL = 3  # words before the last one of a label
UNFINISHED = (lex.CLOSED | lex.MODALS) - lex.ADVERBS - lex.OBJECTS  # words that leave a clause open

OPEN = words_of("goes on")  # words after which a colon goes on with the clause
TELLING = listed("of provides handles includes contains supports offers features")
"""Those of a thing and its parts: what follows their labels tells, too."""


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
    return bool(tag(word) & ED) or word in lex.PARTICIPLES


def is_bare(word: str) -> bool:
    """Whether ``word`` is unknown and has no ending that a base form cannot have."""
    ended = tag(word) & (CLOSED | ED | ING | ADV | PLURAL | FINITE | THIRD)
    return not ended and word.isascii() and word.isalpha()


def is_open(word: str) -> bool:
    """Whether ``word`` is unknown and, by its ending, perhaps a base form but no noun."""
    return is_bare(word) and not word.endswith(_NOMINAL)


class Sentence(NamedTuple):
    """A sentence cut into words, punctuation that separates clauses among them."""

    words: list[str]  # lower case, code as ``OPAQUE``, and empty ones behind to look ahead at
    raws: list[str]  # the same as written, without the empty ones
    start: int
    end: int
    asks: bool
    asides: "list[Sentence]"  # what is in parentheses


_TOKEN = regex(  # sentences end between these, as no stop within code, links or quotations counts
    r"""(?x)
        (?P<link>https?://[^\s<>()]*+|www\.[^\s<>()]*+
          |\[(?:\d+\.[ ][^\[\]]{1,200}+
            |(?>(?:(?:[A-Z]\w*+|an?|and|the|of|for|to|in)(?:[ ]|(?=\]))){2,9}))
            \]\([^\s()]{1,400}+\))
      | (?P<word>[^\W_]+(?>(?:['’._/&+-][^\W_]+)*))
      | (?P<mark>[,;:](?!\w))
      | (?P<bold>(?<=[\w)`])\*\*(?=\s+[A-Z][a-z]))
      | (?P<gap>\n[^\S\n]*+\n)
      | (?P<code>(?<!`)`{2,}+[^`]++`{2,}+|(?<!`)`[^`]++`(?!`)
          |<[^<>\s][^<>]{0,100}>|\{[\w.-]{1,40}\}[\w./*-]*
          |(?<!\w)(?:\.{0,2}/|~/|\.(?=\w)|--?(?=[A-Za-z]))[\w./*=:@-]*[\w/*](?:\.\.\.)?)
      | (?P<quote>(?<!\w)"(?=\S)[^"]{1,600}+"(?!\w)|“[^“”]{1,600}+”
          |(?<!\w)'(?=\w)(?>(?:\w'(?=\w)|[^']){1,300})'(?!\w)
          |‘(?>(?:\w’(?=\w)|[^‘’]){1,300})’(?!\w))
      | (?P<aside>\([^()]{0,400}+\))
      | (?P<arrow>(?<![-=])[-=]{1,3}>|[→⇒➜])
      | (?P<dash>—|–|--+|(?<=\s)-(?=\s))
      | (?P<stop>(?<![.!?…])[.!?…]++(?=[\s"'”’)\]*_]|$)|[。！？])
        """
)


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of ``text`` in order, in time linear in its length."""
    words: list[str] = []
    raws: list[str] = []
    asides: list[Sentence] = []
    start = end = 0
    for match in _TOKEN.finditer(text):
        kind, raw = match.lastgroup, match[0]
        if kind == "word" and len(raws) < _LONGEST:
            if not raws and not asides:
                start = match.start()
            end = match.end()
            word = raw.lower()
            if "'" in word or "’" in word or word in _CONTRACTED:
                spelled = contracted(word.replace("’", "'"))
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
        for word in contracted(raw.lower().replace("’", "'")) if kind == "word" else sign:
            words.append(word)
            raws.append(raw)
    if raws or asides:
        words, raws = _unnumbered(words, raws)
        yield Sentence(words + _PAD, raws, start, end, asks=False, asides=asides)


def _is_title(words: list[str], mark: str) -> bool:
    """Whether bold words that open a sentence are no command, as "Never" and "Use" are."""
    known = bool(words) and tag(words[-1]) & (VERB | CLOSED)
    return mark == "**" and (len(words) > 1 or (len(words) == 1 and not known))


def _unnumbered(words: list[str], raws: list[str]) -> tuple[list[str], list[str]]:
    """Return a sentence without the numbers and marks before its first word: "1.2", "T017 US1"."""
    at = 0
    while at < len(raws) and at < _MOST_NUMBERS and _NUMBER.fullmatch(raws[at]):
        at += 1
    counted = 0 < at < len(raws) and raws[at - 1] not in {"I", "A"}
    starts = counted and raws[at][:1].isupper() and not raws[at].isupper()
    return (words[at:], raws[at:]) if starts else (words, raws)


def contracted(word: str) -> list[str]:
    """Return the words of a contraction, spelled out: "do not" for "don't"; itself for others."""
    if word in _CONTRACTED:
        return _CONTRACTED[word].split()
    base, _, ending = word.rpartition("'")
    if word.endswith("n't"):
        return [word[:-3], "not"]
    if f"'{ending}" in _ENDINGS:
        return [base, _ENDINGS[f"'{ending}"]]
    return [base, "is"] if ending == "s" and base in _IS else [base or ending]


class Found(NamedTuple):
    """An instruction within a sentence."""

    modality: Modality
    cue: str
    subject: int  # the word where the subject begins; ``verb``, where there is none
    verb: int
    under: tuple[str, ...] = ()  # the condition it is under


class Clause:
    """The clause of a word, as far as it is read."""

    def __init__(self, sentence: Sentence, *, aside: bool) -> None:
        self.aside = aside  # whether it is in parentheses
        self.words, self.raws = sentence.words, sentence.raws
        self.size = len(sentence.raws)
        self.tags = [tag(word) for word in sentence.words]
        self.begin = 0  # where the clause begins
        self.opened = 0  # where the last strong break ended
        self.lead = False  # whether a lead-in opened it, so that a comma may bring an imperative
        self.condition = -1  # where a clause opened that binds nobody; -1 outside of one
        self.finite = -1  # the last finite verb since a strong break; -1 before one
        # Whether a finite verb had a singular subject: no base form can be coordinated with it.
        self.single = False
        self.tells = False  # whether a list goes on to tell: "It consists of: …"
        # Whether the sentence is written without capitals, so perhaps without commas.
        self.loose = bool(sentence.raws) and sentence.raws[0][:1].islower()
        self.found: list[Found] = []

    def step(self, i: int) -> None:
        """Go past word ``i``: where clauses begin, and what they have so far."""
        word, bits = self.words[i], self.tags[i]
        if bits & BREAK:
            self._breaks(i, word)
        elif word in {"but", "so", "then", "because"}:
            self.begin, self.condition = i + 1, -1
        elif bits & ING and self.lead and i and self.tags[i - 1] & LEAD:
            self.finite = i
        elif bits & COND or (word == "case" and i and self.words[i - 1] == "in"):
            self.condition, self.begin = i, i + 1
        elif self._is_predicate(i):
            self.finite = i
            self.single |= word.endswith("s")
        elif self.finite > self.condition >= 0 and word in lex.AGENTS:
            self.condition = -1
            self.begin = i - 1 if self.tags[i - 1] & DET else i

    def _breaks(self, i: int, word: str) -> None:
        self.begin, self.condition = i + 1, -1
        if word != "," or self.lead:
            self.finite, self.single = -1, False
        if word != ",":
            self.lead, self.opened = False, i + 1
        able = self.words[:i] in (["user", "can"], ["users", "can"])
        self.tells |= word == ":" and (able or (i > 0 and self.words[i - 1] in TELLING))

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
        if i > 1 and adverb and self.words[i - 2] in lex.MODALS | {"not"}:
            return False  # "may silently return", "does not yet define"
        if before in {":", "—"} and i > 1 and self._goes_on(i - 2, before):
            return False
        if self.tells and before in {":", "—"} and self.words[i] not in {"never", "do"}:
            return False
        if before in {":", ";", "—", "->"}:
            self.lead = self.leads(i)
            return True
        if self.tags[i - 1] & (BREAK | JOINT):
            return True
        return ((self.lead or self.loose) and before not in UNFINISHED) or self.raws[i].isupper()

    def _goes_on(self, last: int, mark: str) -> bool:
        """Whether what is before a mark goes on behind it: "it helps you: …", "Benefits: …"."""
        never = self.words[last + 2] == "never"
        if last <= _LABEL and not (never or lex.REASONS.isdisjoint(self.words[: last + 1])):
            return True
        word, bits = self.words[last], self.tags[last]
        acts = bits & THIRD and bits & FINITE and last and not self.leads(0)
        helps = not lex.HELPING.isdisjoint(self.words[1:last])
        return mark == ":" and bool(word in OPEN or acts or helps)

    def subject(self, i: int) -> list[str] | None:
        """Return the words of the subject before word ``i``; None where it binds nobody."""
        if self.condition >= 0:
            return None
        subject = list(self.words[max(self.begin, i - AHEAD) : i])
        story = not lex.NARRATORS.isdisjoint(subject[-2:]) and self.raws[i] != "MUST"
        story |= not lex.WH.isdisjoint(subject[:1])
        related = (i and self.words[i - 1] in lex.RELATIVES) or "which" in subject[-4:]
        return None if story or related else subject

    def skip(self, i: int) -> int:
        """Return the place of the first word from ``i`` on that is no adverb nor its comma."""
        while self.tags[i] & ADV or (self.words[i] == "," and self.tags[i - 1] & ADV):
            i += 1
        return i

    def between(self, j: int) -> tuple[int, bool, bool]:
        """Return the place of the verb of a modal, and whether "not" or a doubt precedes it."""
        negated = hedged = False
        words = self.words
        while (
            self.tags[j] & BETWEEN
            or (self.tags[j] & ADV and words[j].endswith("ly"))
            or words[j] in lex.HEDGES
        ):
            negated |= words[j] in {"not", "never"}
            hedged |= words[j] in lex.HEDGES
            j += 1
        return j, negated, hedged

    def leads(self, i: int) -> bool:
        """Whether the clause at word ``i`` comes before the main clause."""
        words = self.words
        i = i if self.tags[i] & LEAD else self.skip(i) + (words[i] == "even")
        if words[i] == "instead" and words[i + 1] == "of":
            return True
        timed = words[i] in {"every", "each", "any", "the"} and words[i + 1] == "time"
        return timed or words[i].partition("_")[0] in lex.LEADS - {"what"}

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
        """Return the condition before an instruction."""
        first = min(found.subject, found.verb)
        if not self.lead or first <= self.opened:
            return ()
        if self.found and self.found[-1].verb > self.opened:
            return self.found[-1].under
        while self.tags[first - 1] & (ADV | BETWEEN) or self.words[first - 1] in {"do", ","}:
            first -= 1
        return tuple(self.words[self.opened : first])


def is_key(raw: str) -> bool:
    """Whether ``raw`` is the name of a setting."""
    return "_" in raw or (raw.isupper() and len(raw) > 1)


def judged(modality: Modality, subject: int, verb: int, *, negated: bool) -> Found:
    """Return what a word of duty rules; "not" turns leave into a ban, and a duty into leave."""
    if negated:
        modality = "forbidden" if modality == "permitted" else "permitted"
    cue = {"permitted": "permission", "forbidden": "prohibition"}.get(modality, "modal")
    return Found(modality, cue, subject, verb)


Rule = Callable[[Clause, int], Found | None]  # the instruction that begins at a word, if one does
