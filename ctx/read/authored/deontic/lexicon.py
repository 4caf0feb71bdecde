"""English words by class, and base forms of the verbs of instructions."""

from ctx.model import Modality
from ctx.text.english import DAYS, FUNCTION, listed, words_of

OPAQUE = "`"  # what replaces code, paths and quotations

# Determiners and pronouns
ARTICLES = listed("the a an all every each any your our their its both no these those such this")
NUMBERS = listed("one two three four five six seven eight nine ten twenty fifty hundred")
DETERMINERS = ARTICLES | NUMBERS | words_of("before nouns")
OBJECTS = listed("it them me us him everything anything nothing yourself itself themselves")
SUBJECTS = listed("i you we they he she it there who nobody everybody someone people")
NARRATORS = listed("i he she who somebody someone")  # whose duties are a story
AGENTS = words_of("agents") | listed("copilot claude codex")
"""Who can be given leave; of all others "may" and "can" say what happens."""
RELATIVES = listed("that which who whom whose")
WH = listed("what why how where who")
NONE = listed("no nothing none nobody neither")
ALL = listed("every each all any anything everything no nothing")

# Auxiliaries and finite forms
BE = listed("is are be am")
MODALS = listed("must shall should may can will would could might cannot")
FINITE = MODALS | words_of("finite")  # forms that only a clause with a subject has
PARTICIPLES = words_of("participles")

# What joins and opens clauses
CONDITIONS = words_of("conditions")  # what opens a clause whose modals bind nobody
LEADS = CONDITIONS | words_of("leads")
"""What opens a sentence whose main clause comes after a comma."""
_PARTS = listed("mine up down off out")  # one is a verb, the others are parts of verbs
PREPOSITIONS = words_of("prepositions") - _PARTS | listed(
    "before after like next past inside outside below beyond"
)
JOINTS = listed("and or but so then yet nor because plus")
BREAKS = listed(", ; : — ->")
ADVERBS = words_of("before imperatives")
"""What may stand before an imperative at the start of a clause."""
BETWEEN = listed(  # what may stand between a modal and its verb
    "not never always only also ever just still first then either all both again often"
)
HEDGES = words_of("hedges")  # adverbs by which a modal says what is likely

CLOSED = (  # words that are no verb at the start of a sentence, whatever follows
    words_of(*FUNCTION, "rarer", "numbers", "moments") - _PARTS | {*DAYS} | DETERMINERS | SUBJECTS
    | OBJECTS | FINITE | LEADS | ADVERBS | BETWEEN | HEDGES | JOINTS | RELATIVES | PREPOSITIONS
    | NONE
    | words_of("no verbs")
)  # fmt: skip

# Thinking, seeming, saying
THOUGHT = {
    "consider": listed("whether your all every each"),
    "assume": listed("the that every all any no nothing"),
    "remember": listed("to"),
    "think": listed("before about twice carefully hard through in"),
    "understand": listed("the what how why :"),
    "say": listed("so no what why"),
    "see": listed("to"),
    "mind": listed("the your"),
    "note": listed("which"),
} | dict.fromkeys(
    words_of("thought"),
    frozenset[str](),
)  # verbs that speak to a reader, and what follows where they ask for something all the same
IDLE = words_of("idle")  # what "you can", "you never", "we must" introduce without ruling anything
IDIOMS = listed("worry mind get panic despair know fear think believe expect say see feel care")
"""After "don't": consolation."""
UNSURE = words_of("unsure")
"""After "must be", "should be", "may be": how things look, not how they have to be."""

# Duty
PREDICATES: dict[str, Modality] = {  # what something "is", and by that is ruled
    **dict.fromkeys(words_of("required"), "obligatory"),
    **dict.fromkeys(words_of("forbidden"), "forbidden"),
    **dict.fromkeys(listed("""
allowed permitted authorised authorized acceptable optional
"""), "permitted"),
}  # fmt: skip
POWERS = words_of("powers")
PRIORITIES = words_of("priorities")
ROLES = listed("role job task goal mission duty purpose aim objective responsibility work")
GUARDS = listed("without only unless until if when before freely provided long up")
RULING = words_of("ruling")  # what "we" do as a policy, whatever follows
HABIT = words_of("habits")  # words that make what "we" do a policy

# Labels
DEFAULTS: dict[str, Modality] = {  # labels that rule what stands after them
    **dict.fromkeys(words_of("ruling labels"), "obligatory"),
    **dict.fromkeys(listed("forbidden prohibited never don't banned disallowed not avoid"),
                    "forbidden"),
    **dict.fromkeys(listed("allowed permitted optional may"), "permitted"),
}  # fmt: skip
VALUES: dict[str, Modality] = DEFAULTS | {  # values that rule what their key names
    **dict.fromkeys(listed("only enforced strict"), "obligatory"),
    **dict.fromkeys(listed("denied disabled"), "forbidden"),
}
SWITCHES: dict[str, Modality] = {
    **dict.fromkeys(listed("require requires enforce must"), "obligatory"),
    **dict.fromkeys(listed("allow allows permit"), "permitted"),
    **dict.fromkeys(listed("forbid deny disallow block"), "forbidden"),
}
SWITCHED = dict.fromkeys(("true", "yes", "on"), False) | dict.fromkeys(("false", "no", "off"), True)
"""Values of a switch, and whether they turn it round."""
GRADES = listed("high medium low none normal critical urgent true false yes no")

REASONS = words_of("reasons")  # labels of what tells and does not rule

WEIGHING = words_of("weighing")  # those behind which even a modal only tells
VERDICTS = listed("good bad neutral rejected")  # what records of decisions call an option

HELPING = listed("help helps allow allows let lets enable enables")  # "they help teams: …"

# After "no"
PRAISE = words_of("praise")  # after "you are a", "you are the": no role

VERBS = words_of("verbs")
NOUNY = words_of("nouny")
THINGS = words_of("things")
INTRANSITIVE = words_of("intransitive")
