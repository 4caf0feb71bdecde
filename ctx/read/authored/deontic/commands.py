"""Commands: bare imperatives, and prohibitions with "never", "do not", "no …", "hands off".

An imperative is a base form that opens a clause, with the phrase that it opens. A prohibition is
a negated base form, or a noun phrase with "no"; "do not forget to X" obliges. Not taken:
consolation ("don't worry"), reports ("no errors so far"), idioms ("no wonder").
"""

from itertools import pairwise

from ctx.read.authored.deontic import lexicon as lex
from ctx.read.authored.deontic.clause import (
    ADV,
    AHEAD,
    BETWEEN,
    BREAK,
    CLOSED,
    CODE,
    COND,
    DET,
    ED,
    FINITE,
    FOLLOWS,
    ING,
    JOINT,
    LONE,
    NOUN,
    OBJ,
    PLURAL,
    PREP,
    REL,
    SUBJ,
    THIRD,
    UNFINISHED,
    VERB,
    Clause,
    Found,
    Rule,
    is_bare,
    is_clear,
    is_key,
    is_open,
    is_verb,
    tag,
)
from ctx.read.authored.deontic.lexicon import THINGS
from ctx.text.english import listed

_STOPS = SUBJ | COND | REL | BREAK
_COMPLEMENTED = listed("check assume let help make have see verify confirm")  # "check tests pass"
_ENDS = listed("but so than after before indicating saying stating explaining")
"""Words behind which the phrase has no predicate."""
_SECOND = 2
NOUN_LIKE, WITH_OBJECT, MARKED, CERTAIN, NEVER = 1, 2, 3, 4, 5  # how sure an imperative is, rising
_THEM = frozenset(("it", "them"))
_IRREGULAR = frozenset(("be", "do", "have", "let", "see"))
_PLACED = {"support": "for", "access": "to", "time": "from"}
_HAPPENS = listed("passes fails ends starts runs stops ships crashes access vs versus not")
"""After a noun, and hardly ever after a verb."""
_EVENTS = listed("if when before after once whenever")
_ADJECTIVES = listed("clean clear complete correct direct secure separate smooth")
_VERBAL = frozenset(("be", "do", "have", "let", "under", "back", "own", "mean", "need", "even"))
_CASES = listed("circumstance circumstances time point case account event condition")
_OMIT = frozenset(("forget", "fail", "neglect", "omit"))
_AVOIDING = listed("avoid beware refrain abstain stop resist")
_NEEDED = frozenset(("required", "needed", "necessary"))
_LACKING = frozenset(("need", "limited", "missing", "lacks"))  # of a status: "No tests - Need them"


def has_predicate(clause: Clause, i: int) -> bool:
    """Whether the phrase that word ``i`` opens is followed by a finite verb, as its subject."""
    words, tags = clause.words, clause.tags
    plain = words[i] not in _COMPLEMENTED or words[i + 1] in {"marks", "boxes", "lists", "digits"}
    for j in range(i + 2, min(i + AHEAD, clause.size)):
        word, bits, before = words[j], tags[j], tags[j - 1]
        if (bits & _STOPS and not (bits & DET and before & PREP)) or word in _ENDS:
            return False
        if before & JOINT or words[j - 1] == "to" or words[j - 1] in {"not", "never"}:
            continue
        denied = word == "do" and words[j + 1] == "not" and before & PLURAL and not clause.loose
        if plain and (bits & FINITE or word == "have" or denied):
            return True
        if plain and (_is_past(clause, j) or _is_base(clause, i, j)):
            return True
    return False


def _is_base(clause: Clause, i: int, j: int) -> bool:
    """Whether word ``j``, after a plural noun, is its verb: "writers use the", "lists hold"."""
    word, bits, after = clause.words[j], clause.tags[j], clause.tags[j + 1]
    lone = bits & LONE and bits & VERB
    if (bits & CLOSED and not lone) or clause.tags[j - 1] & CLOSED:
        return False
    clear = bits & (VERB | NOUN) == VERB
    if not clause.tags[j - 1] & PLURAL:
        return bool((lone and clear) or (clause.tags[i + 1] & PLURAL and (lone or clear)))
    if lone or clear or word == "use":
        return True
    if bits & NOUN:
        second = j == i + _SECOND and clause.words[j + 2] and not after & (BREAK | JOINT)
        return bool(after & DET or second)
    return is_bare(word) and bool(after & (DET | PREP))


def _is_past(clause: Clause, j: int) -> bool:
    """Whether word ``j`` is the past of a noun before it: "wind turned", "used to"."""
    if not clause.tags[j] & ED or clause.tags[j - 1] & (CLOSED | ADV):
        return False
    after, follows = clause.words[j + 1], clause.tags[j + 1]
    return not after or after == "to" or bool(follows & (BREAK | ADV | DET | OBJ))


def imperative(clause: Clause, i: int) -> Found | None:
    """Return the imperative that begins at word ``i``."""
    floor = floor_at(clause, i)
    if floor == NEVER:
        return None
    verb = clause.skip(i)
    sure = certainty(clause, verb)
    if sure and not {"please", "always", "kindly"}.isdisjoint(clause.words[i:verb]):
        sure = max(sure, MARKED)
    if sure < (max(floor, WITH_OBJECT) if clause.aside else floor):
        return None
    if clause.aside and sure < MARKED and not clause.tags[verb + 1] & FOLLOWS:
        return None  # "ownership checks (prevent …)"
    cue = "lead-in" if i and clause.lead else "imperative"
    return Found("obligatory", cue, verb, verb)


def anywhere(clause: Clause, i: int) -> Found | None:
    """Return "make sure" and "ensure", which need no clause to open with them."""
    before = clause.tags[i - 1] if i else 0
    subject = clause.words[i - 1] in UNFINISHED if i else False
    if subject or (before & PLURAL and clause.finite < 0) or certainty(clause, i) < CERTAIN:
        return None
    return Found("obligatory", "imperative", i, i)


def floor_at(clause: Clause, i: int) -> int:
    """Return how sure an imperative at word ``i`` has to be, by what is before it."""
    before = clause.words[i - 1] if i else ":"
    if before in {":", ";", "—", "->"}:
        return _floor_after_break(clause, i, before)
    if before == "," and clause.words[i] in {"and", "or"} and clause.lead and not clause.found:
        return WITH_OBJECT  # "for setup, tests, and commit rules, …"
    if before in {"so", ","} or (before == "then" and clause.lead):
        return NOUN_LIKE if before == "so" or clause.lead or clause.found else MARKED
    if before in lex.JOINTS:
        return _floor_after_joint(clause, before)
    if clause.shouts(i) and clause.words[i] in {"please", "do", "never"}:
        return MARKED
    return _floor_of_run_on(clause, i)


def _floor_after_break(clause: Clause, i: int, before: str) -> int:
    if _names_code(clause, i - 2) and clause.words[i] not in lex.RULING | {"use"}:
        return CERTAIN  # "`Session.id` - get the id"
    if i == 2 and clause.size == 3 and is_key(clause.raws[0]):  # noqa: PLR2004 - "LEVEL: debug"
        return NOUN_LIKE if clause.leads(0) else NEVER
    if before in {":", ";"}:
        return NOUN_LIKE
    if i == 2 and before == "—" and clause.raws[0].islower():  # noqa: PLR2004 - "biome — format and"
        return WITH_OBJECT
    named = before == "—" and clause.finite < 0 and i < 5  # noqa: PLR2004 - "naming — use …"
    led_up_to = before in {"->", "—"} and clause.leads(0)  # "if you touch it — run them"
    return NOUN_LIKE if named or led_up_to else WITH_OBJECT


def _names_code(clause: Clause, i: int) -> bool:
    """Whether word ``i`` is code by itself: what follows describes it."""
    first = i
    while first > 0 and clause.tags[first - 1] & CODE:
        first -= 1
    alone = first == 0 or (first > 0 and clause.tags[first - 1] & BREAK)
    return bool(alone and clause.tags[i] & CODE and clause.raws[i][0] in "`<-/.~[")


def _floor_after_joint(clause: Clause, before: str) -> int:
    if before == "then":
        return WITH_OBJECT
    if clause.found or clause.single:
        return MARKED if before in {"and", "or", "nor", "plus"} else WITH_OBJECT
    return WITH_OBJECT if clause.loose and clause.lead else CERTAIN


def _floor_of_run_on(clause: Clause, i: int) -> int:
    """Return the floor where a main clause may begin without a sign: after a whole clause."""
    words, bits, after = clause.words, clause.tags[i], clause.tags[i + 1]
    before = clause.tags[i - 1]
    negated = words[i] == "do" and words[i + 1] == "not"
    acts = bits & VERB or negated or is_open(words[i])
    if not lex.RELATIVES.union(("what", "how")).isdisjoint(words[max(0, i - 3) : i]):
        return NEVER  # "which tool the user runs"
    if not (clause.loose or clause.lead) or not acts or words[i - 1] in UNFINISHED:
        return NEVER
    whole = clause.finite >= clause.begin or (negated and clause.lead)
    elliptic = clause.lead and bits & VERB and not before & PLURAL and i > clause.begin
    apart = not before & PLURAL or (clause.loose and clause.lead and whole)
    if negated or not apart:
        return MARKED if whole and apart else NEVER
    ends = not words[i + 1] and clause.lead and is_clear(words[i])
    if whole and (ends or (bits & VERB and after & FOLLOWS) or words[i + 1] in _THEM):
        return NOUN_LIKE if ends else WITH_OBJECT
    if elliptic and clause.loose and (after & FOLLOWS or is_clear(words[i])):
        return WITH_OBJECT
    return NOUN_LIKE if elliptic and clause.loose and before & ED and after & PREP else NEVER


def certainty(clause: Clause, i: int) -> int:
    """Return how sure it is that word ``i`` is an imperative; 0 where it is none."""
    word, bits, after = clause.words[i], clause.tags[i], clause.words[i + 1]
    if (clause.words[i - 1], word, after) == ("only", "apply", "to"):
        return 0  # what holds for whom
    if word == "ensure" or (word in {"make", "be"} and after == "sure"):
        return CERTAIN
    if "_" in word:
        return WITH_OBJECT if i and is_verb(word.partition("_")[0]) and clause.leads(0) else 0
    if word in lex.THOUGHT or word in _IRREGULAR:
        return WITH_OBJECT if _asks(clause, i) else 0
    if bits & VERB and not bits & CLOSED:
        return _certainty_of_verb(clause, i)
    return _certainty_of_unknown(clause, i) if word and is_open(word) else 0


def _certainty_of_unknown(clause: Clause, i: int) -> int:
    after, follows = clause.words[i + 1], clause.tags[i + 1]
    tells = follows & (FINITE | ED | LONE | THIRD) or _is_thing(clause, i) or clause.aside
    tells = tells or after[:1].isdigit()  # "Svelte 5 runes"
    if tells or not clause.raws[i][1:].islower():
        return 0
    if follows & FOLLOWS and after not in lex.NUMBERS and after not in {"at", "of"}:
        return 0 if has_predicate(clause, i) else WITH_OBJECT
    plural = clause.tags[i + 2] & PLURAL
    if clause.tags[i + 2] & THIRD:  # "password protection secures access", "prefetch routes using"
        plural &= bool(clause.tags[i + 3] & (PREP | ING | BREAK | JOINT)) * PLURAL
    phrase = bool(follows & PLURAL or plural)
    phrase = phrase and not clause.raws[i + 1][:1].isupper()  # "App Router pages"
    stops = clause.size - i > 4 and ":" not in clause.words[i:]  # noqa: PLR2004 - a phrase is no sentence
    return NOUN_LIKE if phrase and stops and not has_predicate(clause, i) and not i else 0


def _asks(clause: Clause, i: int) -> bool:
    """Whether "be", "do", "have", "let" or a verb of thinking asks for something to be done."""
    word, after = clause.words[i : i + 2]
    rest = clause.words[i + 1 : i + AHEAD]
    if word == "be":
        return not clause.tags[i + 1] & BREAK and after not in {"that", "it", "", "there", "not"}
    if word in {"do", "have"}:
        named = bool(clause.tags[i + 1] & DET)
        if word == "have":
            return named and any(map(is_verb, rest[2:5]))
        return named or after in {"it", "so"} or is_clear(after)
    if word == "let":
        whose = after == "us" or not clause.tags[i + 1] & (CLOSED | BREAK)
        acts = any(map(is_verb, rest[1:4])) and "be" not in rest[1:3]  # "let n be the number"
        return (whose and acts) or after in {"the", "it", "them", "your", "each", "every"}
    if word == "see":
        return not {"before", "first", "when", "if"}.isdisjoint(rest) or rest[:2] == ["to", "it"]
    plain = bool(after) and not clause.tags[i + 1] & (CLOSED | BREAK)
    return after in lex.THOUGHT[word] or (word == "consider" and plain)


def _certainty_of_verb(clause: Clause, i: int) -> int:
    words, tags = clause.words, clause.tags
    after, follows = words[i + 1], tags[i + 1]
    clear = not tags[i] & NOUN or words[i] == "use"
    if _is_noun(clause, i):
        return 0
    if not after or (follows & BREAK and after != ","):
        named = after == ":" and (
            clause.raws[i].isupper() or tags[i + 2] & (THIRD | PLURAL) == THIRD
        )
        led = clause.lead or (words[i - 1] == ":" and words[0] in _EVENTS)
        led |= "always" in words[clause.begin : i] or words[:i] == ["then"]
        led = led and clause.skip(clause.begin) == i > 0  # "if there is none, print:"
        return int(bool(clear or led) and after != "->" and not named)
    if not clear and after == "then" and tags[i + 2] & BREAK:
        return 0  # "file then, …"
    if follows & FOLLOWS and after not in lex.NUMBERS:
        return WITH_OBJECT
    if after in {",", "and", "or"}:
        following = i + 2 + (words[i + 2] in {"and", "or"})
        other = tags[following] & VERB and _certainty_of_verb(clause, following)
        return other or int(clear)
    return WITH_OBJECT if clear else int(not has_predicate(clause, i))


def _is_noun(clause: Clause, i: int) -> bool:
    """Whether what directly follows a verb shows that it is a noun here."""
    words, tags = clause.words, clause.tags
    after, follows, second = words[i + 1], tags[i + 1], tags[i + 2]
    tells = follows & FINITE or ("/" in words[i] and follows & LONE)  # "open/close exist because"
    ends = follows & ING and tags[i] & NOUN and not words[i + 2]  # "route prefetching"
    tells = tells or (ends and words[i] not in {"try", "start", "stop"})
    if tells or _is_thing(clause, i) or _is_title(clause, i):
        return True
    if after == "of" or words[i] == "back":
        known = words[i] in {"dispose", "beware"} or follows & FOLLOWS
        return not known and after not in {"up", "off", "out"}
    if follows & ED:  # "rest assured", "help arrived with", but "restart failed jobs"
        plain = not words[i + 2] or second & (BREAK | DET | OBJ | PREP | ADV)
        return bool(plain and (tags[i] & NOUN or not words[i + 2]))
    if not tags[i] & NOUN or words[i] == "use":
        return after in {"case", "cases"}
    if words[i] in _ADJECTIVES and second & ING:  # "clean abstractions enabling …"
        return bool(follows & PLURAL)
    under = clause.leads(0) and words[0] not in lex.WH  # "if it is missing: show error: …"
    headed = not i or (tags[i - 1] & BREAK and not under)  # "target audience: …"
    named = headed and not follows & FOLLOWS and ":" in words[i + 1 : i + 4]
    return bool(named or (follows & THIRD and _is_predicate(clause, i + 1)))


def _is_predicate(clause: Clause, j: int) -> bool:
    """Whether the third person at word ``j`` is the verb of the noun before it."""
    bits, after, follows = clause.tags[j], clause.words[j + 1], clause.tags[j + 1]
    if after.endswith("ly") or (bits & LONE and follows & PREP):
        return True  # "trust grows slowly", "water flows from"
    return after in {"the", "a", "an", "its", "their", "existing"}  # "Slack posts the widget"


def _is_thing(clause: Clause, i: int) -> bool:
    """Whether word ``i`` names a thing, and nothing shows it to be a verb: "React state"."""
    word, after, follows = clause.words[i], clause.words[i + 1], clause.tags[i + 1]
    if clause.raws[i] in {"GET", "PATCH", "POST", "PUT"} and not follows & FOLLOWS:
        return True  # of HTTP, or of a version
    if word == "go":  # the language
        return not follows & (PREP | ADV | BREAK) and after not in {"", "back", "ahead"}
    named = clause.raws[i + 1 : i + 2] == ["A"]  # "part A"
    numbered = len(after) == 1 and after.isalnum() and clause.tags[i + 2] & BREAK
    if numbered and not clause.words[i + 3][:1].isdigit():
        return True  # "Signal 3 — …", but "ask 1–2 questions"
    thing = word in THINGS and (named or not follows & FOLLOWS)
    happens = clause.words[i + 2] if after.isdigit() else after  # "test 7 fails"
    return thing or _PLACED.get(word) == after or happens in _HAPPENS


def _is_title(clause: Clause, i: int) -> bool:
    """Whether word ``i`` opens a name in capitals: "Release Management", "Polish & Concerns"."""
    nouny = clause.tags[i] & (VERB | NOUN) == VERB | NOUN and clause.words[i] != "use"
    if not nouny or clause.tags[i + 1] & CLOSED:
        return False
    ended = next((j for j in range(i, i + AHEAD) if j >= clause.size or clause.tags[j] & BREAK), i)
    named = [raw for raw in clause.raws[i:ended] if raw.lower() not in lex.CLOSED]
    return len(named) > 1 and all(raw[:1].isupper() and not raw.isupper() for raw in named)


def prohibition(clause: Clause, i: int) -> Found | None:
    """Return what the clause that begins at word ``i`` forbids."""
    words = clause.words
    at = clause.skip(i)
    word, after = words[at], words[at + 1]
    if word == "never" or (word == "do" and after == "not"):
        return _negated(clause, i, at)
    if after == "no" and words[at + 2] in _CASES and clause.tags[at] & PREP:
        return Found("forbidden", "prohibition", at + 3, at + 3)
    off = (word, after) in {("hands", "off"), ("keep", "out"), ("keep", "off"), ("steer", "clear")}
    avoids = word in _AVOIDING and after and not clause.tags[at + 1] & BREAK
    avoids = avoids and (after.endswith("ing") or word != "stop")
    joined = i and words[i - 1] in {"and", "or"} and not clause.found  # "to allow … and avoid …"
    if (off or avoids) and not joined and floor_at(clause, i) <= MARKED:
        return Found("forbidden", "prohibition", at + (not off), at + (not off))
    if word in {"no", "nothing"} and floor_at(clause, i) == NOUN_LIKE and not clause.aside:
        listed = i and words[i - 1] in {",", "so", "—"}
        if i > 1 and words[i - 2] in {"if", "when"}:  # "Not done if: no tests"
            return None
        return None if listed and not clause.found and clause.finite >= 0 else _no(clause, at)
    return None


def _negated(clause: Clause, i: int, at: int) -> Found | None:
    """Return what "never" or "do not" at word ``at`` forbids."""
    words, tags = clause.words, clause.tags
    verb = clause.skip(at + (1 if words[at] == "never" else 2))
    if words[verb] == "," and "," in words[verb + 1 : verb + 6]:
        verb = words.index(",", verb + 1) + 1  # never, under any circumstances, …
    if tags[verb] & BETWEEN:
        verb = clause.skip(verb + 1)
    if floor_at(clause, i) > MARKED:
        return None
    word, after = words[verb], words[verb + 1]
    if not word:  # "…, so don't."
        return Found("forbidden", "prohibition", at, at) if words[at] == "do" else None
    if word in _OMIT and (after in {"to", "that"} or word == "forget"):
        start = verb + 2 if after in {"to", "that"} else verb + 1
        return Found("obligatory", "imperative", start, start)
    if word == "hesitate":
        return Found("permitted", "permission", verb + 2, verb + 2)
    idiom = (word in lex.IDIOMS and after != "to") or (word == "ask" and after == "me")
    idiom = idiom or (word == "be" and after in lex.UNSURE - {"lost"})
    known = tags[verb] & (VERB | CODE) or word in _VERBAL or word in lex.THOUGHT
    follows = words[at] == "do" or tags[verb + 1] & (DET | PREP)
    if i and words[i - 1] in {"—", ":"}:  # "keys in the vault - never hardcoded"
        known = known or clause.raws[at] == "NEVER" or _is_ed(word)
    known = known or (is_open(word) and follows) or not words[at + 1 + (words[at] == "do")]
    if known and not idiom:
        return Found("forbidden", "prohibition", verb, verb)
    return None


def _no(clause: Clause, i: int) -> Found | None:
    """Return what a noun phrase with "no" forbids: "no new dependencies"."""
    words = clause.words
    head = words[i + 1]
    if not head or clause.tags[i + 1] & BREAK or head in lex.SUBJECTS or head == "more":
        more = head == "more" and words[i + 2] == "than"
        return Found("forbidden", "prohibition", i, i + 1) if more else None
    pairs = list(pairwise(words[i : i + AHEAD]))
    status = any((a == "—" and b in _LACKING) or (a, b) == (",", "so") for a, b in pairs)
    if status:
        return None
    phrase = []
    for word in words[i + 1 : i + AHEAD]:
        if not word or word in lex.BREAKS:
            break
        phrase.append(word)
    guarded = not {"without", "unless", "until"}.isdisjoint(phrase)
    needed = not _NEEDED.isdisjoint((phrase[-1], *(a for a, b in pairs if tag(b) & PREP)))
    if not lex.MODALS.isdisjoint(phrase) or (needed and not guarded):
        return None  # the modal tells; "no coding required for basic use"
    if words[i] == "nothing":
        passive = {"is", "gets", "goes"}.intersection(phrase) and not {"as"}.intersection(phrase)
        # "nothing is removed" tells, "nothing is removed by hand" rules
        done = guarded or words[i + 1] == "goes" or any(map(_is_ed, phrase[:-1]))
        return Found("forbidden", "prohibition", i, i + 1) if passive and done else None
    if not guarded and has_predicate(clause, i):
        return None
    return Found("forbidden", "prohibition", i, i + 1)


def _is_ed(word: str) -> bool:
    return word.endswith("ed") or word in lex.PARTICIPLES


def placed(clause: Clause, i: int) -> Found | None:
    """Return what "X never appear in …", "X do not belong in …" and "belongs in" rule."""
    words = clause.words
    j, negated, hedged = clause.between(i + 1 if words[i] != "belong" else i)
    before = clause.words[clause.begin : i]
    related = words[i - 1] in lex.RELATIVES
    if clause.condition >= 0 or hedged or related or not before or clause.tags[clause.begin] & SUBJ:
        return None
    place = words[j + 1] in {"in", "into", "on", "under", "inside", "at", "near", "here", "there"}
    verb = words[j] in {"belong", "go", "appear", "leave", "enter"} and place
    negated |= words[i] == "never"
    definite = before[0] in {"the", "our", "this", "that", "my"}
    if not verb or (negated and definite and words[j] == "appear"):
        return None
    if negated and words[i] in {"never", "do", "does"}:
        return Found("forbidden", "prohibition", clause.begin, j)
    owned = (
        words[i] == "belong"
        and words[i - 1] != "not"
        and words[i + 1] in {"in", "on", "under", "inside", "at"}
    )
    return Found("obligatory", "modal", clause.begin, i) if owned else None


RULES: tuple[tuple[str, Rule], ...] = (
    ("never do does belong", placed),
    ("make be ensure", anywhere),
)
