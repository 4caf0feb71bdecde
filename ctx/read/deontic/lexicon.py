"""The closed classes of English that the deontic reader tells apart, and a few open ones.

Grammar that has few members is listed whole (pronouns, determiners, modals); what is open is
kept to words of duty, of doubt and of report. No list holds the vocabulary of one project.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctx.model import Modality


def listed(text: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(text.split())


OPAQUE = "`"
"""What stands for code, paths and quotations."""

# Determiners and pronouns

ARTICLES = listed("the a an all every each any your our their its both no these those such this")
NUMBERS = listed("one two three four five six seven eight nine ten twenty fifty hundred")
DETERMINERS = (
    ARTICLES
    | NUMBERS
    | listed("""
that my his her some either another more most fewer less at least what which whatever whichever
whether how if many enough several everything anything nothing half
""")
)
OBJECTS = listed("it them me us him everything anything nothing yourself itself themselves")
SUBJECTS = listed("i you we they he she it there who nobody everybody someone people")
NARRATORS = listed("i he she who somebody someone")
"""Whose duties are a story."""
AGENTS = listed("""
you agent agents assistant assistants bot bots model contributor contributors developer developers
engineer engineers reviewer reviewers maintainer maintainers author authors committer committers
team teams everyone anyone nobody collaborator collaborators subagent subagents copilot claude
codex operator operators admins editors writers staff
""")
"""Who can be given leave; of all others "may" and "can" say what happens."""
RELATIVES = listed("that which who whom whose")
WH = listed("what why how where who")
NONE = listed("no nothing none nobody neither")
ALL = listed("every each all any anything everything no nothing")

# Auxiliaries and finite forms

BE = listed("is are be am")
MODALS = listed("must shall should may can will would could might cannot")
FINITE = MODALS | listed("""
is are am was were has had does did goes cost costs uses works means took ran grew fell rose
came went got broke became began kept made said saw showed knew felt brought led lost meant met
held stood spoke drew flew wrote gave chose paid caught won threw thought taught sold sent told
heard built bought slept needs wants likes knows thinks
""")
"""Forms that only a clause with a subject has."""
PARTICIPLES = listed("""
been done gone had made seen taken written run set put built kept left sent found lost known
become come begun broken chosen given grown held led read said told thought meant met paid caught
brought bought worn shown drawn
""")

# What joins and opens clauses

CONDITIONS = listed("""
if when whenever unless until once while whether where wherever because since although though why
how what lest
""")
"""What opens a clause whose modals bind nobody."""
LEADS = CONDITIONS | listed("""
before after for in on during to with without within inside outside by under upon at from instead
rather except given as assuming provided per via regardless depending should between against
across through throughout beyond prior besides due despite based
""")
"""What opens a sentence whose main clause comes after a comma."""
PREPOSITIONS = listed("""
to for in on with without within by under upon at from of into onto over against across through
via per as before after until between about than during like behind towards toward around inside
outside along below above next beyond past
""")
JOINTS = listed("and or but so then yet nor because plus")
BREAKS = listed(", ; : — ->")
ADVERBS = listed("""
please kindly also always just only simply then first firstly second secondly third next finally
lastly instead otherwise still again so and but or too additionally furthermore moreover however
therefore thus hence ideally now rather either else ever yes ok okay well more importantly todo
best
""")
"""What may stand before an imperative at the start of a clause."""
BETWEEN = listed(
    "not never always only also ever just still first then either all both again often"
)
"""What may stand between a modal and its verb."""
HEDGES = listed("""
already probably now soon surely certainly presumably perhaps necessarily hopefully hardly
""")
"""Adverbs by which a modal says what is likely."""

CLOSED = (
    DETERMINERS | SUBJECTS | OBJECTS | FINITE | LEADS | ADVERBS | BETWEEN | HEDGES | JOINTS
    | RELATIVES | PREPOSITIONS | NONE | listed("""
today yesterday tomorrow maybe indeed here twice quite even unlike minus versus worse better
thanks hello hi hey meanwhile sometimes later earlier afterwards almost nor do be being
having let apart aside last whoever nearly monday tuesday wednesday thursday friday saturday
sunday few much other own early late worth new old same good bad big small large full long short
high low main complex custom single upstream local global remote current previous future silent
""")
)  # fmt: skip
"""Words that are no verb at the start of a sentence, whatever follows."""

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
    listed("""
believe bother enjoy feel forget guess hear know meet notice picture recall suppose love hate
hope thank imagine wonder welcome like mean want need
"""),
    frozenset[str](),
)
"""Verbs that speak to a reader, and what follows where they ask for something all the same."""
IDLE = listed("""
admit agree appreciate believe confess expect feel find forget guess hear imagine know like love
mean notice picture realise realize recall recognise say see seem suppose think understand want
wonder argue worry recognize be have need get care remember own trust hope
""")
"""What "you can", "you never", "we must" introduce without ruling anything."""
MARVEL = listed("admire love laugh hand wonder respect give smile admit appreciate like concede")
"""What nobody is ordered to: "you have to laugh"."""
IDIOMS = listed("worry mind get panic despair know fear think believe expect say see feel care")
"""After "don't": consolation."""
UNSURE = listed("""
fine ok okay good easy hard safe possible able familiar clear obvious here there ready back enough
nice true wrong right somewhere some something nothing difficult simple straightforward tired
kidding joking new curious because mistaken crazy noted said admitted fun faster quick trivial
apparent aware worth interesting surprised surprising confusing tempting better happy lost
hungry proud in out exhausted thirsty that
""")
"""After "must be", "should be", "may be": how things look, not how they have to be."""
UNSURE_VERBS = listed("""
work help suffice arrive land matter happen look feel sound seem cost appear take do come get last
rain finish improve become
""")
"""After "the X should", "it should": what is expected to happen by itself."""
SAID = listed("""
said told claimed argued wrote suggested insisted asked announced warned advised believed thought
complained joked explained mentioned stated declared remarked hinted promised swore admitted
shouted whispered heard decided agreed planned recommended
""")
"""Verbs that make what follows somebody's words."""
SAYS = listed("""
says say tells tell claims claim argues argue thinks think believes believe insists insist asks
""")
SPEAKERS = listed("""
he she they people some someone somebody many everybody critics others folks most legend rumour
rumor story myth
""")
"""Whose present words are reports, too."""

# Duty

PREDICATES: dict[str, Modality] = {
    **dict.fromkeys(listed("""
required mandatory obligatory compulsory non-negotiable nonnegotiable paramount law sacred
sacrosanct recommended preferred obliged advised imperative restricted
"""), "obligatory"),
    **dict.fromkeys(listed("""
forbidden prohibited banned disallowed discouraged unacceptable off-limits verboten taboo frowned
no-go
"""), "forbidden"),
    **dict.fromkeys(listed("""
allowed permitted authorised authorized acceptable optional
"""), "permitted"),
}  # fmt: skip
"""What something "is", and by that is ruled."""
DUTIES: dict[str, Modality] = {
    **dict.fromkeys(listed("expected responsible supposed encouraged obligated"), "obligatory"),
    **dict.fromkeys(listed("free entitled welcome empowered cleared"), "permitted"),
}
"""The same, of those who act ("to" or "for" follows)."""
POWERS = listed(
    "mandate right authority permission duty obligation responsibility freedom licence license"
)
PRIORITIES = listed(
    "priority metric goal rule law requirement must objective standard concern default"
)
ROLES = listed("role job task goal mission duty purpose aim objective responsibility work")
WEIGHTY = listed("important essential critical crucial vital imperative necessary mandatory")
TOLERATED = listed("ok okay fine acceptable allowed permitted")
GUARDS = listed("without only unless until if when before freely provided long up")
OUTRANKS = listed("outranks outrank trumps trump overrides outweighs outweigh beats beat")
RULING = listed("""
prefer avoid require insist forbid enforce favour favor prohibit disallow ban mandate expect want
demand keep stick follow aim
""")
"""What "we" do as a policy, whatever follows."""
HABIT = listed("""
before only always each every nowhere everywhere exclusively all any without unless never instead
""")
"""Words that make what "we" do a policy."""
LAWGIVERS = listed("""
project policy repo repository team we convention guideline guidelines rules organisation company
law process workflow guide constitution charter contract
""")
"""What "requires" and "forbids" with authority."""

# Labels

DEFAULTS: dict[str, Modality] = {
    **dict.fromkeys(listed("""
default defaults required recommended mandatory rule rules policy must do always preferred prefer
requirement requirements convention mission priority constraint constraints should
"""), "obligatory"),
    **dict.fromkeys(listed("forbidden prohibited never don't banned disallowed not avoid"),
                    "forbidden"),
    **dict.fromkeys(listed("allowed permitted optional may"), "permitted"),
}  # fmt: skip
"""Labels that rule what stands after them."""
VALUES: dict[str, Modality] = DEFAULTS | {
    **dict.fromkeys(listed("only enforced strict"), "obligatory"),
    **dict.fromkeys(listed("denied disabled"), "forbidden"),
}
"""Values that rule what their key names."""
SWITCHES: dict[str, Modality] = {
    **dict.fromkeys(listed("require requires enforce must"), "obligatory"),
    **dict.fromkeys(listed("allow allows permit"), "permitted"),
    **dict.fromkeys(listed("forbid deny disallow block"), "forbidden"),
}
SWITCHED = dict.fromkeys(("true", "yes", "on"), False) | dict.fromkeys(("false", "no", "off"), True)
"""Values of a switch, and whether they turn it round."""
GRADES = listed("high medium low none normal critical urgent true false yes no")

REASONS = listed("""
benefit benefits pro pros con cons advantage advantages disadvantage disadvantages drawback
drawbacks rationale reason reasons risk risks impact consequence consequences positive negative
symptom symptoms cause causes goals features feature purpose capabilities example examples
""")
"""Labels of what tells and does not rule."""

WEIGHING = listed("""
why rationale reason reasons pro pros con cons benefit benefits advantage advantages disadvantage
disadvantages drawback drawbacks positive negative alternative alternatives
""")
"""Those behind which even a modal only tells."""
VERDICTS = listed("good bad neutral rejected")
"""What an option is called in the records of decisions, before "because"."""

HELPING = listed("help helps allow allows let lets enable enables")
"""Verbs that say what becomes possible: "they help teams: …"."""

# After "no"

NO_RULE = listed("""
problem problems idea wonder doubt worries matter thanks luck news surprise kidding way one longer
sooner joke comment reason need harm offence offense pressure rush regrets sign trace time such
question pun shame big biggie thing clue
""")
"""Idioms."""
STATUS = listed("""
found since yet far today yesterday remaining left reported seen detected known ago later
whatsoever remain exist alike
""")
"""In "no errors so far": words of a report."""
PRAISE = listed("""
star genius lifesaver legend best reason one first last only few bit lot long little
""")
"""After "you are a", "you are the": no role."""
