"""One sentence of talk, and what it instructs."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import takewhile
from typing import NamedTuple

from ctx.read.authored.deontic.clause import is_bare, is_participle, is_verb
from ctx.read.instructing import lexicon as lex
from ctx.read.instructing.phrase import Parts, has_plural, parts_of, plain
from ctx.read.instructing.register import Clause
from ctx.read.instructing.words import (
    BEFORE_OBJECT,
    NO_NOUN,
    NO_WORD,
    QUOTES,
    SINGLE,
    Words,
    base_of,
    chunks_of,
    head_of,
    joined,
    names_in,
    nouns_in,
    nouns_of,
    place_of,
    stem_of,
    text_of,
    without,
    words_of,
)  # fmt: skip
from ctx.text.regex import regex

_JOINED = regex(r"(?:and|but|or) (?!(?:i|we|you|please|always|never|do not)\b)")
"""What continues a clause that does not instruct: "I want to read it, and also show …"."""
_LISTED = regex(r"[-*+•#|]|\d+[.)]\s")
_FOR = ("for", "of", "when")
_IF = frozenset({"if", "unless"})


def _any(words: str) -> str:
    """Return a pattern of any of ``words``, which have ``_`` for a space."""
    return f"(?:{'|'.join(words.split()).replace('_', ' ')})"


_AFTER = (
    r"(?:(?:from|after|starting) (?:now|today|here|this point|that point)"
    r"(?: on\b| onwards?\b| forward\b)?|(?:going|moving) (?:forward|ahead)|in (?:the )?future"
    r"|(?:from )?here on|henceforth|as of (?:now|today)|any ?more|any longer|no longer"
    r"|at all times|without exception|by default)"
)
_LASTING = regex(rf"\b(?:{_AFTER}|(?:every|each) time|whenever)")
_DATED = regex(rf"\b(?!no longer){_AFTER} ")
_EVER = regex(r"\b(?:always|never|consistently|habit|conventions?|standards?)\b")
_ALWAYS = regex(r"\b(?:always|never|must not|not ever)\b")
_NOT = regex(r"\b(?:never|not|no longer|refrain from|against)\b(?! forget)(?! only)")
_PEOPLE = _any("you you_all everyone everybody us us_all the_team the_whole_team all_of_you people")
_OFTEN = r"(?>(?:(?:also|now|always|never|ever|just|only|really|still|\w+ly) )*)"
_OUGHT = _any("""
should must shall need_to have_to ought_to are_to are_required_to are_expected_to can_not may_not
""")
_WISH = _any("want need like prefer expect ask asking require urge encourage advise")
_RULE = (
    r"(?:practice|convention|rule|standard|guideline|requirement|thing|update|change|point|aspect"
    r"|request|habit|reminder|instruction|preference|polic(?:y|ie))s?"
)
_WEIGHTY = r"(?:\w+ly )?" + _any(
    "important essential crucial vital mandatory required necessary imperative best"
)
_STRESS = _any("emphasize emphasise stress highlight reiterate mention encourage insist_on")
_SEE_TO_IT = (
    r"(?:please|kindly|make sure|be sure|ensure|remember(?! that)"
    r"|do not forget|remember that (?:you|we) (?=should|must|always|never)|try|see to it|get used"
    r"|make it a habit|get into the habit of)"
)
_FRAME = regex(  # what shows that a clause instructs, up to what is to be done
    r"(?:(?:i|we) (?:\w+ ){0,4}(?:mention|remind you|point out|stress|emphasi[sz]e|say|note"
    r"|let you know|decided|agreed) (?:that |to (?=\w)))?(?:"
    rf"(?:i|we) {_OFTEN}(?:(?:would|do|will|am|are) {_OFTEN})?{_WISH} (?:that )?"
    rf"(?:{_PEOPLE} {_OFTEN}(?:to )?|(?=(?:all|every|each|your|any)\b))"
    r"|(?:i|we) would (?:rather|prefer it if) you "
    r"|(?:i|we) do not (?:want|need|like) (?!to\b|you\b)"
    rf"|(?:you|everyone|everybody) (?:all )?{_OFTEN}{_OUGHT} |we {_OUGHT} (?=always|never)"
    r"|no (?=(?:\w+ ){0,2}\w+s\b)"
    rf"|(?:it is |it would be )?{_WEIGHTY} (?:that (?:you|we) |for (?:you|us) to |to )"
    rf"|{_SEE_TO_IT} (?:that )?(?:(?:you|we) (?:{_OUGHT} )?)?{_OFTEN}(?:to )?"
    rf"|(?:(?!not)\w+ ){{0,8}}?{_STRESS} (?:\w+ ){{0,6}}?(?:importance|use|usage) of "
    rf"|(?:(?!is\b|are\b)\w+ ){{0,5}}?{_RULE} (?:(?!is\b|are\b|not\b)\w+ ){{0,8}}?(?:is|are) "
    rf"{_OFTEN}(?:(?:about|that|for) )?(?:(?:you|we|us) )?(?:to )?"
    rf"|(?:(?!not)\w+ ){{0,6}}?{_RULE} of |let us "
    r"|we are (?:now )?(?:going to )?(?=standard|chang|switch|mov|us|adopt|start|going)"
    r"|we (?:all )?(?:(?:always|never|now|only|consistently) )+)"
)
_NOMINAL = regex(r"(?:importance|use|usage|habit) of $|do not (?:want|need|like) $|no $")
"""A frame behind which what is to be done is a noun."""
_OPENING = regex(  # what may precede a frame, or an imperative
    r"(?:(?:and|but|so|well|yes|ok|okay|oh|also|now|then|note|remember(?! to| that)"
    r"|first|firstly|second|secondly|third|thirdly|lastly|finally|additionally|furthermore"
    r"|moreover|similarly|likewise|next|instead|again|please|kindly|always|never|only|just|simply"
    rf"|do not(?! forget)|do|ever|consistently|{_AFTER}) )*"
)
_ASKING = frozenset({"please", "kindly", "not"})
_OPENS = regex(r"\b(?:please|kindly|always|never|do not|only|consistently)\b")
_BEGUN = regex(
    r"(?:start|begin|stop|avoid|refrain from|quit|consider|focus on|stick to|switch to|starting"
    r"|develop|get into|get used to|build|adopt|commit to)(?: by)? "
    r"(?=(?:\w+ly |always |also )?(?:\w+ing|the (?:use|habit)|a habit)\b)"
)
_CHAINED = regex(  # what may stand between a frame and what is to be done
    rf"{_BEGUN.pattern}|(?:the|a) (?:\w+ )?(?:use|habit|practice) of |(?:to|always|never|not|also"
    r"|now|still|just|only|consistently|actively|properly|rather|you|we) "
    rf"|that (?=you|we|all|every|each|from)|{_AFTER} "
)
_POLICY = regex(r"we (?:(?:always|now|will|are|all|also|would|want to|like to|prefer to) )*")
_BACK = regex(  # what takes an instruction back
    r"(?:(?:ok|okay|and|but|so|well|also|actually|please|now|just|oh) )*"
    r"(?:(?:(?:you|we) (?:can|may) (?:now |also )?)?"
    r"(?:never mind|forget|scrap|drop|ignore|disregard|skip|stop)(?: about)?"
    r"|(?:there is )?no (?:more |longer (?:any )?)?need (?:for|to)"
    r"|(?:you|we) (?:(?:do not|no longer|need not) (?:need to|have to|need)|need not)) "
    r"(?:(?:what|all|everything) (?:i|we) (?:said|told you|asked|wrote|wanted) (?:about )?"
    r"|the (?:rule|thing|part|bit|instruction|request|idea)s? (?:about|of|with|on|that) )?"
)
_AGAIN = regex(  # what a prohibition is taken back by: "tables are fine again"
    r"(?:(?:ok|okay|and|but|so|well|also|actually|now|oh) )*(?P<what>(?:(?!(?:it|that|this|you|i"
    r"|we|he|she|they|everything|all)\b)\S+ ){1,7})(?:is|are) "
    r"(?:perfectly |now |just )?(?:fine|ok|okay|allowed|all right|alright|good|welcome|acceptable)"
    r" (?:again|after all|too|now)"
)
_WEAK = regex(rf"(?:it is )?{_WEIGHTY} |let us ")  # frames of advice, or of one common step
_ONCE = regex(  # what was, or what is to be done once
    r"\b(?:tomorrow|tonight|yesterday|right now|if i|(?:this|last|next) (?:week|month|time|year)"
    r"|(?:when|while|as|since) (?:\w+ ){1,2}(?:was|were|had))\b"
)
_SUBJECT = regex(  # what is done with which things, behind a frame: "all names should end …"
    r"((?:(?!i\b|we\b|it\b|there\b|should\b|must\b|to\b)\S+ ){1,7}?)((?:(?:should|must|shall"
    r"|need to|have to|will|to|do not|not|never|always|now|only|also) )*)(?=(?:(?:start|end"
    r"|begin|include|contain|use|follow)s?|have|has|carry|be|are|is) (?!format|this|these|that)"
    r"|(?<=should )\w|(?<=must )\w|(?<=to )\w|(?<=always )\w|(?<=never )\w|(?<=not )\w)"
)
_DUTY = regex(  # the same without a frame
    r"((?:(?:all|every|each|any|your|our) )?(?:(?!i\b|we\b|us\b|it\b|there\b|which\b"
    r"|th(?:is|at|ese|ose|ey)\b|you\b|s?he\b|should\b|must\b|everyone\b|`)\S+ ){0,4}?"
    r"(?:\w+s|(?<=every )\w+|(?<=each )\w+|(?<=any )\w+|(?<=the )\w+) )"
    r"(?:(?:that )?you (?:\w+ ){1,2}?)?"
    r"((?:should|must|shall|needs? to|ha(?:s|ve) to|are to|may not|can not) "
    r"(?:(?:also|now|always|never|not|only) )*)(?=\w)"
)
_NEEDS = regex(r"((?:all|every|each|any) (?:\S+ ){1,6}?)()(?=needs? (?!to\b))")
_NARRATED = regex(  # what people do themselves
    r"(?:(?:so|and|but|also|ok|okay|well|now) )*(?:i|we) (?:(?:have|had|was|were|am|are|will)"
    r"(?! (?:\w+ly )?(?:asking|decid|agreed|like|want))|\w+ed|can)\b"
)
_FRONT = regex(
    r"(?:when|whenever|for|in|while|once|as|if|at|on|with|regarding|concerning|after|before) "
)
_CLASS_FRONT = regex(  # what a clause begins with that limits it to a class of things
    r"(?:when|whenever|while|before|after) (?:\w+ing|you|we|it comes to|an?)\b|(?:for|in|on|with"
    r"|regarding|before|after) (?!now\b|this\b|that\b|these\b|those\b|the\b|me\b)(?:\w+ ){0,3}?"
    r"(?:all|every|each|any|\w+s|\w*names?|your) "
)
_CLASS = regex(
    r"\b(?:all|every|each|any) (?:of )?(?:your |our |the |these )?"
    r"(?!time\b|the\b|of\b|us\b|over\b|we\b|you\b)\w+|\b(?:in|for|to|of|on|with|from) (?:all )?"
    r"(?:of )?(?:your|our) (?:\w+ ){0,2}?(?:\w+[^s]s|code|writing|work)\b"
)
_PLURAL = regex(
    r"\b(?:in|on|of|for|to|with|at|before|from|by) (?!the\b|this\b|that\b|these\b|those\b|me\b)"
    r"(?:\w+ )?\w+[^s\W]s\b"
)
_NAMED = regex(  # what pronouns in the next sentence stand for
    r"\b(?:for|of|about|regarding|to|with|on|all|your|our) (?:your |our |the |all )?"
    r"((?:\w+ ){0,2}?\w+[^s\W]s)\b"
)
_ASKED_OF = _any(
    "you us everyone everybody every all each any your the_team the_whole people you_all"
)
_CUE = regex(
    rf"\b(?:(?:{_WISH}|asking) (?:that )?{_ASKED_OF}\b|should|must|shall|ha(?:ve|s) to|needs? "
    r"|ought to|forget|ignore|disregard|scrap|would rather|d rather|always|never|make sure|be sure"
    r"|ensure|please|kindly|remember|used to|see to it|let's|let us|decided|agreed|going to"
    r"|(?:can|may) (?:not|now|drop|scrap|skip|stop|forget|ignore)|no longer|any ?more|any longer"
    r"|(?:now|here|today) on|as of|from today|whenever|every time|default|forward|ahead|future"
    r"|henceforth|need (?:for|to)|at all times|without exception"
    r"|(?:important|essential|crucial|vital|mandatory|required|necessary|imperative|best)"
    r" (?:that|for|to)\b|(?:importance|use|usage) of"
    rf"|{_RULE} (?:\S+ ){{0,8}}?(?:is|are|of) "
    r"|(?:fine|okay?|allowed|right|alright|good|welcome|acceptable) (?:again|too|now|after all)"
    r"|(?:do not|don't|need not|needn't) (?!hesitate|worry|be )"
    r"|we(?:'re| are| all|) (?:now |going to"
    r" |want to |like to |prefer to |will )*(?:standard|chang|switch|mov|us|adopt|start|going|end"
    r"|name|write|include|put|add|begin|only|consistently))"
)  # what shows that a sentence in small letters may instruct, if it begins with no verb
_FIRST = regex(
    r"(?:^|[,;:—–(])[\W\d]*(?:(?:and|but|so|also|now|then|instead|just|first|only|no) )*([a-z]+)"
)


def topics_of(written: str) -> frozenset[str]:
    """Return the stems of what pronouns in the sentence after this one refer to."""
    named = _NAMED.findall(written.lower())
    return nouns_of(named[-1]) if named else frozenset()


def may_instruct(written: str) -> bool:
    """Return whether it is worth while to read a sentence word by word; most of a talk is not."""
    low = written.lower().replace("’", "'")
    return bool(_CUE.search(low)) or any(map(is_verb, _FIRST.findall(low)))


class Sentence:
    """One sentence of a turn."""

    def __init__(self, written: str, before: frozenset[str], *, goes_on: bool) -> None:
        """Read a sentence; ``before``: what those above are about; ``goes_on``: they instruct."""
        words = words_of(written)
        self._text = text_of(words)
        gone = {
            place
            for found in _DATED.finditer(self._text)
            for place in range(
                place_of(self._text, found.start()), place_of(self._text, found.end())
            )
        }
        if gone:
            words = [word for place, word in enumerate(words) if place not in gone]
        self._words = words
        self._before, self._goes_on = before, goes_on
        self._is_listed = bool(_LISTED.match(written))
        self._is_once = bool(_ONCE.search(self._text))
        self._valued = any(word.is_value for word in self._words[1:])
        self._quoted = any(word.text[0] in f"{QUOTES}@" or "_" in word.text for word in words)
        self._scope = ""
        self._fronted = False  # whether it begins with the class of things that it is about
        self._dangling = False  # whether the last chunk ends before what is to be done is named
        self.topics: frozenset[str] = frozenset()  # what pronouns in it and after it stand for
        self.refers = False  # whether it cannot be understood without the sentence above

    @property
    def weight(self) -> int:
        """How clearly it is general and lasting: 1 to 3."""
        lasting = _LASTING.search(self._text) or _EVER.search(self._text)
        general = not lex.GENERAL.isdisjoint(word.low for word in self._words)
        of_class = self._fronted or self._valued or general or _CLASS.search(self._text)
        return 1 + bool(lasting) + bool(of_class)

    def clauses(self) -> list[Clause]:
        """Return what the sentence instructs; nothing where it does not."""
        found: list[Clause] = []
        narrated = ":" not in (w.low for w in self._words) and _NARRATED.match(self._text)
        for number, chunk in enumerate(chunks_of(self._words)):
            text = text_of(chunk)
            opened = _OPENING.match(text)
            start = opened.end() if opened else 0
            if not found and (front := _FRONT.match(text, start)):
                things = nouns_in(chunk[place_of(text, front.end()) :], fronted=True)
                self.topics |= things
                if "only" in (*text[:start].split(), chunk[-1].low):
                    self._scope = joined(things)
                self._fronted = bool(_CLASS_FRONT.match(text, start))
            elif (
                number
                and not found
                and narrated
                and not (_FRAME.match(text, start) or _OPENS.search(text[:start]))
            ):
                continue
            elif not self._is_once and (found or not number or not _JOINED.match(text)):
                also = self._goes_on and not number and " also " in f" {text[:start]}"
                follows = bool(found) or self._dangling or also
                found += self._chunk(
                    chunk, start, follows=follows, framed=self._dangling, is_first=not number
                )
        if not self.topics:
            self.topics = frozenset(stem for clause in found for stem in clause.about.split())
            self.topics = self.topics or topics_of(self._text)
        return found

    def _chunk(
        self, chunk: Words, start: int, *, follows: bool, framed: bool, is_first: bool = False
    ) -> list[Clause]:
        """Return the clauses of a chunk that ``follows`` one which instructs, or is ``framed``."""
        text = text_of(chunk)
        if again := _AGAIN.match(text):
            what = chunk[place_of(text, again.start("what")) : place_of(text, again.end("what"))]
            return [Clause("use", joined(nouns_in(what)), "", "", "undo")]
        frame = self._frame(chunk, text, start, framed=framed)
        self._dangling = frame.framed and frame.place >= len(chunk)
        opened = "please" in self._text or bool(
            _OPENS.search(text[:start]) or _LASTING.search(self._text)
        )
        verb, negated = _operative(chunk, frame, opened=opened), frame.negated
        subject: Words = ()
        if verb < 0 and not frame.nominal:
            end = frame.end
            found = _SUBJECT.match(text, end) if frame.framed else _DUTY.match(text, end)
            found = found or _NEEDS.match(text, end)
            verb = place_of(text, found.end()) if found else len(chunk)
            is_one = not frame.framed and text.startswith("the ", end)
            is_one &= not _LASTING.search(self._text)
            if is_one or not found or verb >= len(chunk) or not _is_finite(chunk[verb].low):
                return []
            subject = chunk[frame.place : place_of(text, found.end(1))]
            negated ^= bool(_NOT.search(found[2]))
        base = base_of(chunk[verb].low) or chunk[verb].low if verb >= 0 else "use"
        rest = chunk[verb + 1 if verb >= 0 else frame.place :]
        base, rest = plain(base, rest)
        following = rest[0].low if rest else ""
        if (
            (base == "be" and not subject)  # "be patient"
            or (frame.back and not _IF.isdisjoint(word.low for word in self._words))
            or (base in lex.IDLE and not (subject and base == "need"))
            or (base in ("keep", "give") and following in lex.KEPT)
            or following in lex.REFLEXIVE
        ):
            return []
        weak = bool(_WEAK.match(text, start)) or (self._is_listed and not frame.framed)
        general = follows or frame.back or self._is_general(text[start:], rest, frame, weak=weak)
        if not general and not (
            _PLURAL.search(text, start)
            if negated
            else is_first and not weak and self._is_manner(base, subject, rest, text[start:])
        ):
            return []
        mode = "undo" if frame.back else "avoid" if negated else "do"
        return self._read(base, subject, rest, mode)

    def _frame(self, chunk: Words, text: str, start: int, *, framed: bool) -> "_Frame":
        negated, nominal, end = bool(_NOT.search(text[:start])), False, start
        if back := _BACK.match(text):
            end = back.end()
            framed = nominal = True
        while step := _FRAME.match(text, end) or (
            (_CHAINED if framed else _BEGUN).match(text, end)
        ):
            negated ^= bool(_NOT.search(step[0]) or step[0].split()[0] in lex.ENDING)
            nominal = nominal or bool(_NOMINAL.search(step[0]))
            framed, end = True, step.end()
        if not framed and (self._fronted or self._quoted):
            policy = _POLICY.match(text, end)
            place = place_of(text, policy.end()) if policy else len(chunk)
            if policy and place < len(chunk) and base_of(chunk[place].low) in lex.ACTIONS:
                framed, end = True, policy.end()
        return _Frame(end, place_of(text, end), framed, nominal, negated, back is not None)

    def _is_general(self, text: str, rest: Words, frame: "_Frame", *, weak: bool) -> bool:
        lasting = _LASTING.search(self._text) or _ALWAYS.search(self._text)
        if lasting and not frame.nominal:
            return True
        if weak:
            return self._quoted
        if text.startswith("no ") and frame.nominal:
            return bool(lasting) or "please" in self._text
        return self._fronted or any(w.is_value for w in rest) or bool(_CLASS.search(text))

    def _is_manner(self, verb: str, subject: Words, rest: Words, text: str) -> bool:
        """Whether it is a way to do things in the plural: "close tickets after 14 days"."""
        if verb not in lex.MANNER and verb != "be":
            return False
        if subject:
            low = subject[0].low
            return low not in NO_NOUN and low[-3:] != "ing" and subject[-1].low.endswith("s")
        lows = [word.low for word in rest]
        if lex.SPECIFIC.isdisjoint(lows):
            return bool(_PLURAL.search(text)) or (
                has_plural(rest) and not lex.PREPOSITIONS.isdisjoint(lows)
            )
        return has_plural(rest) and bool(_PLURAL.search(text))

    def _read(self, verb: str, subject: Words, rest: Words, mode: str) -> list[Clause]:
        parts = parts_of(rest)
        if parts.joint == "to" and (
            verb in lex.CHANGING or not nouns_in(parts.direct) - lex.VAGUE
        ):  # "update your style to end …"; "standardise names to end …": of these names
            after = without(parts.after, lex.ADVERBS)
            base = base_of(after[0].low)
            alone = len(after) > 1 and after[1].low in lex.PREPOSITIONS
            about = parts.direct if alone or base == "include" else ()
            return self._read(base, about, after[1:], mode)
        clause = self._clause(verb, subject, parts, mode)
        if clause and parts.instead:
            clause = clause._replace(instead=joined(names_in(parts.instead)))
        clauses = [clause] if clause else []
        if clause and not self.topics:
            self.topics = frozenset(clause.about.split())
        if parts.joint == "gap":
            clauses += self._read(verb, subject, parts.after, mode)
        elif parts.joint == "and" and (clauses or verb in lex.CHANGING):
            clauses += self._chunk(parts.after, 0, follows=True, framed=True)
        return clauses

    def _clause(self, verb: str, subject: Words, parts: Parts, mode: str) -> Clause | None:
        """Return the clause of a verb; None where it only announces or refers to one."""
        every = parts.every
        direct = nouns_in(parts.direct)
        if parts.instead and not direct:  # "use the logging module instead of print"
            direct = frozenset(stem_of(word.low) for word in parts.direct)
        values = [word.low.strip(QUOTES) for word in every if word.is_value]
        if not values and mode != "undo":
            announces = not self._valued and any(word.low in lex.UNSETTLED for word in every)
            refers = self._fronted and parts.others and self.topics
            vague = parts.direct and stem_of(parts.direct[-1].low) in lex.VAGUE and not refers
            if announces or vague:
                return None
        action = lex.SAME.get(verb) or (verb if verb in lex.ACTIONS else stem_of(verb))
        keyed = self._of_edge(action, subject, parts, values, mode) or self._of_single(
            action, subject, parts, values, mode
        )
        if keyed:
            return keyed if keyed.value or mode == "undo" else None
        things = direct.union(values)
        target = nouns_in([*subject, *(word for _, words in parts.others for word in words)])
        if not target or any(word.low in lex.PRONOUNS for word in every):
            target |= self.topics
        amounts = [word.low for word in every if word.low in lex.NUMBERS or word.low[0].isdigit()]
        counted = direct.difference(map(stem_of, amounts))
        if amounts and counted and action not in lex.ADDING:  # "names should be three letters"
            return self._keyed(action, counted | target, amounts, parts.scope, mode)
        is_way = action not in lex.ADDING and action != "use" and not things & target
        if is_way and parts.others:  # "sign mails with …": how is behind the preposition
            last, words = parts.others[-1]
            value = names_in(words)
            about = nouns_in([*subject, *parts.direct]) or frozenset([action])
            if value:
                return self._keyed(f"{action} {last}", about, value, parts.scope, mode)
        if not values and not ((direct or nouns_in(every)) - lex.VAGUE):
            return None
        return Clause(action, joined(things | target), "", parts.scope or self._scope, mode)

    def _of_edge(
        self, action: str, subject: Words, parts: Parts, values: Sequence[str], mode: str
    ) -> Clause | None:
        """Return a clause about how something begins or ends; None where it is not."""
        groups = [parts.direct, *(words for _, words in parts.others)]
        edge = next((words for words in groups if any(w.low in lex.EDGES for w in words)), None)
        if edge is not None:  # "the prefix 'x_'", "with the suffix 'y'"
            action = next(lex.EDGES[word.low] for word in edge if word.low in lex.EDGES)
            rest = [word for words in groups if words is not edge for word in words]
            about = nouns_in([*subject, *rest])
            return self._keyed(action, about, values[:1], parts.scope, mode)
        placed = [words[0].low for prep, words in parts.others if prep == "at" and len(words) == 1]
        if action == "use" and values and placed and placed[0] in lex.PLACED:
            action = lex.PLACED[placed[0]]  # "use '_m' at the end"
        if action not in lex.PLACED.values():
            return None
        behind = nouns_in([word for _, words in parts.others for word in words])
        about = nouns_in([*subject, *parts.direct])
        return self._keyed(action, about, values[:1] or behind, parts.scope, mode)

    def _of_single(
        self, action: str, subject: Words, parts: Parts, values: Sequence[str], mode: str
    ) -> Clause | None:
        """Return a clause about what things have one of; None where it is not."""
        runs = [("subject", subject), *parts.others, ("", parts.direct)]
        words = [word for _, run in runs for word in run]
        if spoken := [word.low for word in words if word.low in lex.LANGUAGES]:
            about = nouns_in([word for word in words if word.low not in lex.LANGUAGES])
            about = (about or frozenset({action})) | {stem_of("language")}
            return self._keyed("use", about, spoken[-1:], parts.scope, mode)
        prep, single = next((run for run in runs if head_of(run[1]) in SINGLE), ("", ()))
        if action in lex.ADDING or not (single or self.topics & SINGLE):
            return None
        about = nouns_in(single)
        rest = nouns_in([word for _, words in runs if words is not single for word in words])
        given: AbstractSet[str] = frozenset(values)
        if not values:
            given = nouns_in(parts.direct) if prep in _FOR else rest
            if single and prep != "subject" and prep not in _FOR:
                # "in sentence case", "a formal tone": the words before the noun are the value.
                given, about = about - {head_of(single)}, rest | {head_of(single)}
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
        if not about - implied - SINGLE:
            self.refers = not self.topics and mode != "undo"
            about |= self.topics or self._before if mode != "undo" else self.topics
        about -= implied
        if not about and mode != "undo":
            return None
        return Clause(action, joined(about), joined(value), scope or self._scope, mode)


class _Frame(NamedTuple):
    """What shows that a chunk instructs."""

    end: int  # where what is to be done begins, in characters of the chunk
    place: int  # the same in words
    framed: bool  # whether anything shows it; else it may be an imperative
    nominal: bool  # whether what is to be done is a noun, or a form in -ing
    negated: bool
    back: bool  # whether it takes something back


def _is_finite(low: str) -> bool:
    return is_verb(low) or is_verb(low.removesuffix("s")) or low.endswith("ed") or low in lex.FINITE


def _operative(chunk: Words, frame: _Frame, *, opened: bool) -> int:
    """Return the place of the verb if what is to be done begins with one; -1 otherwise."""
    place, bare = frame.place, not frame.framed
    if place >= len(chunk) or chunk[place].is_value:
        return -1
    low, base, rest = chunk[place].low, base_of(chunk[place].low), chunk[place + 1 :]
    following = rest[0] if rest else NO_WORD
    takes = following.is_value or following.low in BEFORE_OBJECT - lex.PREPOSITIONS
    if not base and frame.framed and low.endswith("ed"):
        base = base_of(f"{low.removesuffix('ed')}ing")  # "I'd rather you signed …"
    elif not base and opened and is_bare(low) and low not in NO_NOUN and not is_participle(low):
        asked = not _ASKING.isdisjoint(word.low for word in chunk[:place])
        base = low if takes or asked or has_plural(rest) else ""  # a verb that is in no list
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
        numbered = following.low.isdigit() and second.endswith("s") and is_verb(second[:-1])
        own = takewhile(lambda word: word.low not in lex.STOPS - lex.FINITE, rest[:4])
        if numbered or any(word.low in lex.FINITE for word in own):
            return -1  # it is what the sentence is about: "test 7 fails on …"
        takes = following.is_value or following.low in BEFORE_OBJECT
        if not opened and not takes and not has_plural(rest):
            return -1
    return place
