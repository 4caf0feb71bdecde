"""The text of a proposed entry, from the decisive sentences of a turn."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from ctx.read.authored.deontic.clause import is_verb
from ctx.sessions.promotion import prose
from ctx.text.english import DAYS, MONTHS, SHORT, listed
from ctx.text.entities import proper_nouns
from ctx.text.regex import regex
from ctx.text.sentences import is_question
from ctx.text.words import STOPS, index_words

_MANNER = listed("""
start begin prefix end finish include integrate insert embed put place add attach use adopt apply
follow prefer name call answer reply respond speak write keep give limit list sort order group
format mark refer close report show express quote cite number sign log plot round translate store
wrap indent schedule flag spell capitalize highlight
""")
"""Verbs that are a way to do a class of things, also with "the" behind them."""
MOST_TITLE = 200  # characters of a title, which is a whole sentence
MOST_TEXT = 1_200  # characters of a text; of a longer turn only its decisive sentences are taken
GAP = "…"  # separates sentences that are not neighbours in the turn

_PATTERNS = {
    "definition": regex(
        r"(?i)\b(?:is|are) (?:defined|implemented|stored|kept|called|computed) (?:as|in|by|at)\b"
        r"|\bstands for\b|\bmeans that\b|\bis responsible for\b|\blives in\b"
    ),
    "dependency": regex(
        r"(?i)\b(?:depends? on|requires?|imports?|incompatible with|needs? version)\b"
        r"|\bv\d{1,4}(?:\.\d{1,6}){0,3}\b|\b\d{1,4}\.\d{1,6}\.\d{1,6}\b|[\w-][<>=~^]=?\d"
    ),
    "test": regex(
        r"(?i)\b(?:tests?|suite|coverage|assertions?|regression|benchmarks?) (?:\w+ ){0,3}"
        r"(?:pass(?:es|ed)?|fail(?:s|ed|ing)?|cover(?:s|ed)?|prove[sd]?|hold[s]?|green|red|\d+ ?%)"
        r"|\b(?:pytest|jest|cypress|vitest|junit|test_\w{1,80})\b"
    ),
}


def construction(turn: prose.TurnText) -> float:
    """Return D_tech: marks of definitions, dependencies and tests.

    By hundred tokens of prose (``compaction.md``, Promotion); a question defines nothing.
    """
    building = (sentence.text for sentence in turn.sentences if not sentence.asks)
    return turn.density(sum(map(construction_weight, building)))


def construction_weight(text: str) -> float:
    """Return the weight of the marks of a sentence together; at least 0."""
    return sum(weight for mark, weight in prose.BUILT.items() if _PATTERNS[mark].search(text))


_PREFERENCE = regex(
    r"(?i)\b(?:prefer(?:red|s|ence|ences|ring)?|can't stand|hate"
    r"|(?:we|should|must|may|can|will|shall) never)\b(?!.*!$)|(?:^|[,;:—-] )(?:please )?"
    r"(?:always(?! (?:been|there|here|\w+ing)\b)|never(?! ?(?:give|mind|worry|again|know))"
    r"|(?:don't|do not)(?! (?:worry|mind|bother|know|think|get|see|forget|feel|be|hesitate)))\b"
    r"|喜欢|偏好|不要|好き|嫌い|좋아|싫어|предпочита|никогда|bevorzuge|niemals|je préfère"
)
_MONTHS = f"(?:{'|'.join((*MONTHS, *SHORT))})"
_DAYS = f"(?:{'|'.join(DAYS)})"
_SPANS = r"(?:night|day|week|weekend|month|year|summer|winter|spring|fall|autumn|season)"
_DATE = regex(
    rf"(?i)\b(?:yesterday|tomorrow|tonight|today|recently|lately|(?:last|next|this|past) (?:\w+ )?"
    rf"(?:{_SPANS}s?|{_DAYS}|{_MONTHS})|(?:\w+ )?(?:day|week|weekend|month|year)s? (?:ago|before)"
    rf"|{_DAYS}s?|{_MONTHS}\.? \d{{1,4}}|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTHS}"
    rf"|(?:in|since|until|by) (?:{_MONTHS}|(?:19|20)\d\d)|for (?:\w+ ){{1,2}}(?:weeks|months|years)"
    r"|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/]\d{1,2}[-/]\d{2,4}|\d{1,2}\.\d{1,2}\.\d{4}"
    r"|\d{1,2}:\d{2})\b"
    r"|\d{1,4}\s?[年월月日년]|昨日|昨天|今天|明天|去年|先週|来週|어제|내일|вчера|завтра|gestern|morgen"
)
_NUMBER = regex(r"(?i)\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|dozen|twice)\b")
_QUOTATION = regex(
    r"(?<!\w)\"[^\"\n]{3,80}\"(?!\w)|“[^“”\n]{3,80}”|«[^«»\n]{2,80}»|「[^「」\n]{2,80}」"
    r"|『[^『』\n]{2,80}』"
)
_ASSERTION = regex(
    r"(?i)\b(?:i|we|he|she|they|(?:my|our) (?:\w+ ){1,2})\s?(?:'ve|'d|have|had|has)?\s?"
    r"(?:(?:just|recently|also|finally|already|even|actually|once) ){0,2}"
    r"(?:\w{2,}ed|am|was|were|been|went|got|made|had|took|bought|won|found|saw|met|did|gave|wrote"
    r"|came|lost|left|chose|built|began|became|read|ran|told|felt|kept|taught|grew|put|set|spent"
    r"|sold|is|use|uses|work|works|live|lives|own|owns)\b|\b(?:i|we)'(?:m|re)\b"
    r"|[了た]。?$|다\.?$"
)


_FACT = regex(
    r"(?i)\bwe (?:\w+ )?(?:pin|support|store|keep|use)\b"
    r"|\b(?:i'm|i am|we're|we are|i've been|we've been) (?:using(?! (?:it|this|that|them|these)\b)"
    r"|allergic|vegetarian|vegan|located|based)\b"
)
_ALONE = regex(
    r"(?i)^(?!.*(?:[:`(]|\b(?:because|since|so that|over|instead|rather|than)\b)).*\b(?:i|i've"
    r"|i'll)\b"
)
"""What one person decides without a reason; it is a decision where it has a name or a number."""
_FACT_THAT_NAMES = regex(
    r"(?i)\b(?:i|we) (?:\w+ )?(?:live|work|use|own|speak)\b"
    r"|(?:^|[,;:–—-] )(?:my|our) (?:[\w-]+ ){1,3}(?:is|uses|runs|requires)\b(?! so\b)"
)
"""A fact where the sentence has a name or a number: "our database is huge" has neither."""


def conversational(turn: prose.TurnText) -> float:
    """Return D_nl: marks of preference, name, date and assertion by hundred tokens of prose.

    Source: ``compaction.md``, Promotion. Only the first person counts, and, except for a
    preference, only statements: a question, a wish, a greeting, thanks and a reaction to the
    hearer hold nothing. What one mark may weigh by chance is subtracted from each sentence.
    """
    lasting, event, marked = 0.0, 0.0, 0.0
    for sentence in turn.sentences:
        marks = _marks_of(sentence)
        over = sum(prose.TALK[mark] for mark in marks) - prose.CHANCE
        weight = max(0.0, over) / (1 - prose.CHANCE)
        if prose.PASSING.issuperset(marks):
            event = max(event, weight * prose.EVENT)  # no better at greater length
        else:
            lasting += weight
        # One sentence that is labelled as knowledge is worth a long turn.
        marked = max(marked, 0.0 if {"general"}.issuperset(prose.stated(sentence)) else weight)
    return max(turn.density(lasting + event), prose.unit(marked))


def conversational_weight(sentence: prose.Sentence) -> float:
    """Return the weight of the marks of a sentence together; at least 0."""
    return sum(prose.TALK[mark] for mark in _marks_of(sentence))


def _marks_of(sentence: prose.Sentence) -> list[str]:
    if not sentence.talks:
        return []
    marks = [*(["standing"] if sentence.is_standing else []), *prose.stated(sentence)]
    return [*marks, *_own(sentence)] if sentence.mine else marks


def _own(sentence: prose.Sentence) -> Iterator[str]:
    text = sentence.text
    if _PREFERENCE.search(text):
        yield "preference"
    if not sentence.states:
        return
    names, numbers = proper_nouns(text), _NUMBER.search(text)
    if prose.decides(text) and (names or numbers or not _ALONE.search(text)):
        yield "decision"
    if _FACT.search(text) or ((names or numbers) and _FACT_THAT_NAMES.search(text)):
        yield "fact"
    if _DATE.search(text):
        yield "date"
    if numbers:
        yield "number"
    if _QUOTATION.search(text):
        yield "quotation"
    if _ASSERTION.search(text):
        yield "assertion"
    if names:
        yield "name"


_BLANKS = regex(r"\n\s*\n\s*")
_MARKS = regex(r"[*`]{1,3}(?=\S)|(?<=\S)[*`]{1,3}|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)")
_FILLERS = regex(
    r"(?i)(?:(?:so|and|but|also|plus|anyway|btw|und|et|donc|y|entonces)(?:,\s*|\s+)"
    r"(?!(?:that|far|much|many|as|is|was|long|known|called|on|forth|what)\b)"
    r"|(?:ok|okay|k|well|yes|yeah|yep|yup|right|sure|fine|great|good|perfect|cool|nice|alright"
    r"|all right|thanks|thank you|thx|h+m+|ah|oh|hey|hi|hello|agreed|then|now|actually|basically"
    r"|honestly|look|listen|by the way|in that case|sounds good|you know|i mean|i see|got it"
    r"|(?:that is |that's |it's )?fine (?:with|by|for) (?:me|us)|gut|na gut|also gut|genau|klar"
    r"|also|ja|bon|alors|oui|d'accord|bueno|vale|pues|sí|ну|итак|да|хорошо|ладно)\s*[,.!;:—–-]+\s*"
    r"|(?:好的?|那么|所以|另外|对了|はい|じゃあ|では|그럼|네)\s*[,，、。!！:：]\s*)"
)


class Proposal(NamedTuple):
    """An entry that could be made of a turn."""

    kind: Literal["decision", "learning"]
    """A decision if the turn decides something, else a learning."""
    title: str
    """One line: its decisive sentence, the next one where that is too long; empty if none fits."""
    text: str  # the turn, without code, captions and long quotations
    is_named: bool
    """Whether the title has marks of knowledge, and is not only some sentence of the turn."""


def propose(text: str, role: str = "") -> Proposal:
    """Return the entry that a turn could become; its title is empty if it has no words.

    ``role`` is given for turns of work with an agent, of which less is worth an entry.
    """
    turn = prose.turn_text(text)
    spoken, found = turn.spoken.strip(), turn.sentences
    weights = [_weight(sentence) for sentence in found]
    worth = [
        is_worth(sentence, weight) and (not role or is_lasting(sentence, role))
        for sentence, weight in zip(found, weights, strict=True)
    ]
    titles = [_title(sentence.text) for sentence in found]
    fitting = [at for at, title in enumerate(titles) if len(title) <= MOST_TITLE]
    best = max(fitting, key=lambda at: (worth[at], weights[at], -at), default=-1)
    finds = best >= 0 and {"lesson", "root cause"}.intersection(prose.stated(found[best]))
    is_decision = any(not sentence.asks and prose.decides(sentence.text) for sentence in found)
    return Proposal(
        "decision" if is_decision and not finds else "learning",
        titles[best] if best >= 0 else "",
        _BLANKS.sub("\n\n", spoken) if len(spoken) <= MOST_TEXT else _decisive(found, weights),
        best >= 0 and worth[best],
    )


def is_worth(sentence: prose.Sentence, weight: float) -> bool:
    """Return whether a sentence of a weight can name an entry: no wish, and not cut by code."""
    return (
        weight >= prose.CHANCE
        and not (sentence.asks or prose.is_advice(sentence) or sentence.text[-1] == ":")
        and stands_alone(_title(sentence.text))
    )


_PASSING = regex(
    r"(?i)^\W*(?:i(?:'ve|'ll|'d|'m| have| will| see| think| guess| was)|let(?:'s| me)|elle|ils?"
    r"|if|falls|ella|él|sie|er|es|it|moreover|however|(?!(?:string|spring|nothing)\b)\w+ing|where|how|what|why|something|only|preferably"
    r"|of course|there (?:has|must|have|should)"
    r"|(?:just |also |now |then )?(?!based|need|indeed|instead"
    r"|feed|seed|embed|speed|red|bed)[a-z]{2,}ed|(?:file|fail|error|see|warning|position|path)(?=\W))\b|^\W*[│┃]|^[\"“|-]|\|$"
    r"|\b(?:could not|couldn't|unable to|failed (?:to|because|since|when)|can(?:not|'t) find"
    r"|no such|not found|no longer (?:recall|know|remember|see|get|understand)|should not be \w+ing"
    r"|have to be part|still|currently?|at the moment|right now|for now|as of now|yet|today"
    r"|this time|again|earlier|successfully|previous (?:error|conversation)|attempt\w*|line \d+"
    r"|option \d|as expected|the test expects|likely|probably|might|maybe|perhaps|possibly|may be"
    r"|may not|seems?|suspect|i think|i guess|not sure|if configured|potential|appears?"
    r"|better solution|once everything|multiple sources|with this setup|all tests|so i'll"
    r"|is the culprit|hay que|il faut|(?:address\w*|find|identify|solv\w+) (?:the )?root cause"
    r"|now (?!on\b)\w+|(?:issue|problem|problème|error|cause) (?:must|may|could|doit)|\w+Error(?=:)"
    r"|ahora|todavía|actualmente|por ahora|maintenant|encore|aktuell|momentan|noch)\b"
    r"|[✅🎉❌🔍]|</?\w[^<>]*>|\w=\"|\s--?\w|\w\(\"|[:：]$"
    r"|目前|现在|可能|已经|当前|什么|确认|理解|我会|我先|接下来|接着"
)
"""A title that reports a step or a failure, asks, guesses, or is true only now."""
_KEPT = frozenset({"standing", "lesson", "root cause", "reversed", "has to", "general", "decision"})
"""Marks of what holds beyond the day: of others a turn tells only what was done or is the case."""
_OF_USER = frozenset({"standing"})  # which an agent has only in its answer to a user
_REQUIRED = frozenset({"has to", "general"})
_FEWEST = 4  # words of a title, in scripts with spaces
_YOU = regex(r"(?i)\b(?:you|your|tu|te|vous|votre|usted|du|dein\w*|ihr\w*)\b")


def is_lasting(sentence: prose.Sentence, role: str) -> bool:
    """Return whether what a ``role`` of work with an agent says holds beyond today's task.

    An imperative of a user is a task of today, or an instruction that is proposed as such; advice
    of an agent is for the moment, and so is what it reports to have replaced, without a reason.
    What only says how something has to be is mostly a requirement of one screen: it needs a reason
    too, or a user who says that it holds always, or for all.
    """
    title, marks = _title(sentence.text), _KEPT.intersection(_marks_of(sentence))
    marks -= _OF_USER if role != "user" else frozenset()
    words = title.split()
    if not marks or _PASSING.search(title) or (title.isascii() and len(words) <= _FEWEST):
        return False
    if is_verb(words[0].lower().strip(",.:")) and not (role == "user" and prose.decides(title)):
        return False
    has_reason = "root cause" in marks or prose.says_why(title)
    if role == "user":
        return has_reason or not marks <= _REQUIRED or bool(_LASTING.search(title))
    return has_reason or not (marks <= _REQUIRED or "reversed" in marks or _YOU.search(title))


def is_about_something(instruction: str) -> bool:
    """Return whether an instruction names what it is about, and neither reports nor asks.

    "Do not touch it again" names nothing, and "I said …" tells what was said before.
    """
    words = {*index_words(instruction)} - STOPS
    is_named = len(words) >= _NAMING or not _PRONOUN.search(instruction)
    is_report = _TOLD.search(instruction) or _POINTS.search(instruction)
    return is_named and not (is_question(instruction) or is_report)


_TOLD = regex(
    r"(?i)^\W*(?:by default|feel free|never ?mind)\b|[:：]\s*$|\b(?:you(?:'ve| have) \w+ed"
    r"|(?:has|ha|ho|hai) \w+[aiou]do|n'a\w* (?:jamais|pas)|no es necesario|just now|this time"
    r"|(?:make|create|update|add) (?:an? |the |or )+(?:rule|task|test))\b|为啥|怎么"
)  # a report, an offer or a question
_POINTS = regex(
    r"(?i)\b(?:(?:i (?:already |just |never |have |had )?(?:said|told|asked)"
    r"|ich (?:\w+ ){0,3}gesagt|(?:te|ya|le) (?:dije|ped[ií]|he dicho)"
    r"|nunca (?:\w+ )?ped[ií]|(?:já|te) (?:disse|pedi)"
    r"|je (?:t'|vous )?ai (?:déjà )?(?:dit|demandé)|ti ho (?:detto|chiesto)"
    r"|же (?:сказал|просил)а?)\b"
    r"(?!.*\b(?:always|never|every|siempre|nunca|toujours|jamais|immer|nie|sempre|mai|всегда)\b)"
    r"|we(?:'re| are) (?:now )?(?!using)\w+ing\b|(?:esto|eso|isso|isto|ceci|cela|ça|aquello)\b)"
    r"|(?:^|[,;.] |\bbut |\band )you (?:just |also |again )?(?!need)\w{2,}ed\b"
    r"|我(?:都|已经|刚才?)?说过"
    r"|^(?!.*(?:,|\b(?:and|if|when|before|after|unless|until)\b)).*\b(?:it|them)[.!]*$"
    r"|\b(?:this|that|these|those|questo|questi)[.!]*$"
)  # tells what was said or done before, or points to what only the turns before it name
_NAMING = 4  # words that mean something, from which an instruction with a pronoun names a thing
_PRONOUN = regex(r"(?i)\b(?:it|this|that|these|those|them|esto|eso|ça|cela|ceci|это|isso|isto)\b")


def stands_alone(title: str) -> bool:
    """Return whether a title names what it is about, and is more than a task or a promise."""
    if _DEPENDENT.search(title):
        return False
    verb, _, rest = _without_fillers(title).partition(" ")
    is_task = is_verb(verb.lower()) and _DEFINITE.match(rest) and verb.lower() not in _MANNER
    return not is_task or bool(_LASTING.search(title))


_DEFINITE = regex(
    r"(?i)(?:(?:up|out|down|on|in|off|over|back) )?(?:the|this|these|those|it|them|my)\b"
)
"""Behind an imperative: something that is done once."""
_LASTING = regex(r"(?i)\b(?:always|never|whenever|every|each|all|any|no longer|only|from now on)\b")


_DEPENDENT = regex(
    r"(?i)^(?:(?:they|he|she|these|those|this|that|it)\b(?! turn(?:s|ed) out\b"
    r"|(?: is|'s) (?:important|essential|crucial)\b)"
    r"|(?:(?:i|we)(?:'ve|'ll)? )?(?:also |just )?[a-z]+ (?:it|them)\b"
    r"|(?:i|we)(?:'ll| will| can) (?!.*\b(?:because|since|so that|rather|instead|only|not|no longer"
    r"|never)\b)|i understand\b|i wanted to\b|(?:got it|understood|noted)\b)"
    r"|\bi(?:'ll| will) .{0,60}\bgoing forward\b|\bas you (?:advised|asked|suggested|said"
    r"|mentioned)\b|\[[\w ]*\bname\b[\w ]*\]|^[^\W_]*[_.(]\S*: |^[a-z]+$"
)
"""What is about something that only another sentence names, repeats what somebody asked, announces
a step without a reason, explains an identifier of code beside it, or is a form to fill in."""


def _weight(sentence: prose.Sentence) -> float:
    """Return what a sentence adds to the signals; slightly more for statements."""
    tech = 0.0
    if not sentence.asks:
        tech = prose.settled_weight(sentence.text) + construction_weight(sentence.text)
    return conversational_weight(sentence) + tech + (prose.CHANCE / 10 if sentence.states else 0.0)


def _title(sentence: str) -> str:
    return _without_fillers(" ".join(_MARKS.sub("", sentence).split())).rstrip(".。")


def _without_fillers(title: str) -> str:
    """Return a title without opening conjunctions and the like; itself if nothing is left."""
    start = 0
    while found := _FILLERS.match(title, start):
        start = found.end()
    rest = title[start:]
    if not start or not rest.strip(".。!！ "):
        return title
    first = rest.split()[0].rstrip(",;:")
    return rest[0].upper() + rest[1:] if first.isalpha() and first.islower() else rest


def _decisive(found: Sequence[prose.Sentence], weights: list[float]) -> str:
    """Return the sentences of the greatest weight, as many as fit, in their order."""
    chosen: set[int] = set()
    room = MOST_TEXT
    for at in sorted(range(len(found)), key=lambda at: (-weights[at], at)):
        size = len(found[at].text) + len(GAP) + 2
        if weights[at] > 0 and size <= room:
            chosen.add(at)
            room -= size
    if not chosen:
        return found[0].text[: MOST_TEXT - 2] + f" {GAP}" if found else ""
    parts: list[str] = []
    for at in sorted(chosen):
        parts += [found[at].text] if not parts or at - 1 in chosen else [GAP, found[at].text]
    return " ".join(parts)
