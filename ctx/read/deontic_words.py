"""The words that the deontic reader knows, and what can be told of a word alone.

Grammar that has few members is listed whole (pronouns, determiners, modals); verbs are those
that engineering instructions are written with. No list holds the vocabulary of one project.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctx.model import Modality


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


VERBS = _set("""
abort accept achieve acknowledge activate adapt add adhere adjust adopt advise align allocate
allow alphabetise alphabetize amend analyse analyze annotate announce append apply approve arrange
ask assert assess assign assume attach authenticate avoid await backport become begin beware bind
bring bypass calculate cancel carry choose cite clamp clarify classify clone collapse collect
combine communicate compile compress compute conduct configure confirm connect conserve construct
consult continue contribute convert create deactivate debug decide declare decline decode decouple
deduplicate defer define delegate delete deliver deny deploy deprecate derive describe destroy
detect determine develop diagnose disable discard disclose disconnect discuss display dispose
distinguish divide eliminate embed embrace emit employ enable encapsulate encode encourage encrypt
enforce engage ensure enumerate erase escalate establish evaluate examine exclude execute expand
explain explore expose extend extract favor favour fetch finalise finalize finish flatten flush
follow forbid gather generate get give halt hardcode harden hide honor honour identify ignore
implement improve include inform inherit initialise initialize inject inline insert insist inspect
install instantiate instrument integrate interpret introduce invalidate investigate invoke isolate
iterate join justify keep lean leave lint listen maintain make manage memoise memoize migrate
minimise minimize modify modularise modularize normalise normalize notify obey observe obtain omit
operate optimise optimize organise organize override paginate parametrise parametrize paraphrase
parse paste perform persist populate postpone prefer prepare preserve prevent prioritise
prioritize proceed produce prohibit promote propagate propose protect prove provide prune publish
purge put quarantine quit rebase recheck recommend reconcile recover redact reduce refactor refer
refine reflect refrain refuse regenerate register reinstall reject rely remain remind remove
rename render reorder repair repeat rephrase replace reply reproduce require rerun resolve respond
restore restrict retain retreat retry reuse reveal revert revise sanitise sanitize scrub seek
select send serialise serialize serve shut simplify skip spawn specify squash standardise
standardize stick strip strive submit subscribe substitute suggest summarise summarize suppress
suspend synchronise synchronize tailor take tell terminate throttle throw tidy transform translate
treat trim truncate uncomment undo uninstall validate verify visit warn wipe aim pay
""")
"""Base forms that are hardly ever nouns or adjectives."""

BOTH = _set("""
access address alert answer archive attempt audit back batch benchmark block book box branch break
bubble budget buffer build bump bundle cache call cap capture care catch chain change check claim
clean clear close code comment commit compare complete consider contact control coordinate copy
correct count cover credit cross cut date default delay demand design document double download
draft drain draw drive drop duplicate dump echo edit end enter escape estimate exercise exit
experiment export express fail fall file fill filter find fix flag focus force fork format forward
free freeze function gate grant group guard guide handle hand help highlight hold hook hang host
house import increase index indent interface issue keep key kill label land launch lead learn lift
limit line link list load lock log look loop lower mail make map mark mask match measure mention
merge mind mirror mix mock model monitor mount move name nest note number offer open order outline
own pack package page pair partition pass patch pause permit phrase pick pin pipe place plan point
poll pool port position post practice present press print probe process profile program prompt
pull push query question queue quote raise range rank rate reach read rebuild recap record
redirect reference refresh regard release report request reserve reset respect rest restart result
return review rewrite roll rotate round route run sample save scale scan schedule scope score
search secure seed sense separate set shape share ship show shrink sign signal silence size slice
sort source space span speak split spread stack stage stand start state stay step stop store
stream stress structure study style subclass subject supply support surface swap switch sync tag
target team template test think time title touch trace track trade train transfer trap trigger
trust try turn type unlock update upgrade upload use value vary vendor version view vote wait walk
watch weigh wire word work wrap write talk deploy feed double go yield zero act behave escalate
""")
"""Base forms that are nouns or adjectives as well: what follows has to tell."""

EXPOSITION = _set("""
believe bless bother enjoy feel forget guess hear imagine know meet mind notice note picture
recall remember say see suppose love hate hope thank think understand worry wonder consider assume
let welcome
""")
"""Verbs that speak to a reader without asking for anything, when what follows does not."""

IDLE = _set("""
admit agree appreciate believe confess expect feel find forget guess hear imagine know like love
mean notice picture realise realize recall recognise say see seem suppose think understand want
wonder argue worry recognize be have need
""")
"""What "you can", "you never", "we must" introduce without ruling anything."""

DETERMINERS = _set("""
the a an this that these those all any every each both your our their its my his her no some such
one two three four five either another more most fewer less at what which whatever whichever
whether how if many enough several everything anything nothing
""")
OBJECTS = _set(
    "it them me us him everything anything nothing yourself itself themselves this these"
)
SUBJECTS = _set("i you we they he she it there who nobody everybody someone people")
NARRATORS = _set("i he she who somebody someone")
"""Whose duties are a story."""
AGENTS = _set("""
you agent agents assistant assistants bot bots model contributor contributors developer developers
engineer engineers reviewer reviewers maintainer maintainers author authors committer committers
team teams everyone anyone nobody collaborator collaborators subagent subagents copilot claude
codex operator operators admins editors writers
""")
"""Who can be given leave; of all others "may" and "can" say what happens."""

BE = _set("is are be am")
FINITE = _set("""
is are am was were has had does did will would can could may might must shall should cannot goes
lives stands sits peaks plays ranges hovers lags climbs arrives dominates works depends doubles
rebuilds survives feeds costs uses remains lies gets becomes seems happens means matters exists
appears belongs consists needs comes wins went took ran grew fell rose came got broke became began
kept made said saw showed knew felt brought led lost meant met held stood dropped doubled tripled
improved failed passed started stopped ended finished landed slipped crashed shrank increased
decreased worked happened stayed remained moved changed caught fixed helped needed wanted turned
hit paid wrote gave chose
""")
"""Forms that only a clause with a subject has."""
PLURAL_FINITE = _set("""
appear arrive become belong come contain cost cover depend differ drive exist fall fire follow get
go grow happen see hold come sync have help include keep lead lie live look make matter mean need
point remain rise run show sit seem take tend vary work
""")
"""Base forms that are the verb of a plural noun before them."""
COMPLEMENTED = _set("check assume")
"""Verbs that take a clause without "that": "check tests pass"."""

CONDITIONS = _set("""
if when whenever unless until once while whether where wherever because since although though why
how what lest
""")
"""What opens a clause whose modals bind nobody."""
LEADS = CONDITIONS | _set("""
before after for in on during to with without within inside outside by under upon at from instead
rather except given as assuming provided per via regardless depending should between against
across across through throughout beyond prior besides due
""")
"""What opens a sentence whose main clause comes after a comma."""
TIMES = _set("every each any the")
"""With "time": what opens a sentence as ``LEADS`` do ("every time you push, …")."""
PREPOSITIONS = _set("""
to for in on with without within by under upon at from of into onto over against across through
via per as before after until between about than during like behind towards around inside outside
""")
ADVERBS = _set("""
please also always just only simply then first firstly second secondly third next finally lastly
instead otherwise still again so and but or too additionally furthermore moreover however
therefore thus hence ideally now rather either else ever yes ok okay well more importantly todo
best
""")
"""What may stand before an imperative at the start of a clause."""
BETWEEN = _set(
    """
not never always only also ever just still first then either all both again often
"""
)
"""What may stand between a modal and its verb."""
HEDGES = _set(
    """
already probably now soon surely certainly presumably perhaps necessarily hopefully
"""
)
"""Adverbs by which a modal says what is likely."""
JOINTS = _set("and or but so then yet nor because plus")
BREAKS = _set(", ; : — ->")
RELATIVES = _set("that which who whom whose")

CLOSED = (
    DETERMINERS | SUBJECTS | OBJECTS | FINITE | LEADS | ADVERBS | BETWEEN | HEDGES | JOINTS
    | RELATIVES | PREPOSITIONS | EXPOSITION | _set("""
today yesterday tomorrow often maybe indeed soon here there now once twice half quite even unlike
despite plus minus versus worse better thanks hello hi hey meanwhile sometimes later earlier
afterwards almost not never nor do does be been being have having let yet behind below above apart
aside inside next last hence whoever none neither nearly monday tuesday wednesday thursday friday
saturday sunday
""")
)  # fmt: skip
"""Words that are no verb at the start of a sentence, whatever follows."""

UNSURE = _set("""
fine ok okay good easy hard safe possible able familiar clear obvious here there ready back enough
nice true wrong right somewhere some something nothing difficult simple straightforward tired
kidding joking new curious because mistaken crazy noted said admitted fun faster quick trivial
apparent aware worth interesting surprised surprising confusing tempting better happy lost
wondering hungry proud in
""")
"""After "must be", "should be", "may be": how things look, not how they have to be."""
UNSURE_VERBS = _set("""
work help suffice arrive land matter happen look feel sound seem cost show appear take do come get
last give be become finish improve see find notice
""")
"""After "should": what is expected to happen by itself."""

PREDICATES: dict[str, Modality] = {
    **dict.fromkeys(_set("""
required mandatory obligatory compulsory non-negotiable nonnegotiable paramount law sacred
sacrosanct recommended preferred obliged advised imperative
"""), "obligatory"),
    **dict.fromkeys(_set("""
forbidden prohibited banned disallowed discouraged unacceptable off-limits verboten taboo frowned
"""), "forbidden"),
    **dict.fromkeys(_set("""
allowed permitted authorised authorized acceptable optional
"""), "permitted"),
}  # fmt: skip
"""What something "is", and by that is ruled."""
DUTIES: dict[str, Modality] = {
    **dict.fromkeys(_set("expected responsible supposed encouraged obligated"), "obligatory"),
    **dict.fromkeys(_set("free entitled welcome empowered cleared"), "permitted"),
}
"""The same, of those who act ("to" or "for" follows)."""
POWERS = _set(
    "mandate right authority permission duty obligation responsibility freedom licence license"
)
PRIORITIES = _set(
    "priority metric goal rule law requirement must objective standard concern default"
)
WEIGHTY = _set("important essential critical crucial vital imperative necessary mandatory")

DEFAULTS: dict[str, Modality] = {
    **dict.fromkeys(_set("""
default defaults required mandatory rule rules policy must do always preferred prefer requirement
requirements convention mission priority constraint constraints should
"""), "obligatory"),
    **dict.fromkeys(_set("""
forbidden prohibited never don't banned disallowed not avoid
"""), "forbidden"),
    **dict.fromkeys(_set("allowed permitted optional may"), "permitted"),
}  # fmt: skip
"""Labels that rule what stands after them."""
VALUES: dict[str, Modality] = DEFAULTS | {
    **dict.fromkeys(_set("only enforced strict"), "obligatory"),
    **dict.fromkeys(_set("denied disabled"), "forbidden"),
}
"""Values that rule what their key names."""
GRADES = _set("high medium low none normal critical urgent true false yes no")
COMMANDS = _set("""
build builds test tests testing lint linting linter format formatting run running install setup
start deploy deployment check checks typecheck type-check bench benchmark benchmarks compile serve
release publish migrate generate clean coverage fmt dev bootstrap
""")
"""Labels of commands to be used."""
TOOLS = _set("""
npm pnpm yarn npx bun deno make cargo go python python3 pip uv uvx poetry pytest tox nox docker
podman git gh bazel just task gradle mvn cmake ninja meson ruff mypy black dotnet swift rake
bundle mix kubectl helm terraform
""")
SAID = _set("""
said told claimed argued wrote suggested insisted asked announced warned advised believed thought
complained joked explained mentioned stated declared remarked hinted promised swore admitted
shouted whispered heard decided agreed planned
""")
"""Verbs that make what follows somebody's words."""
SAYS = _set(
    "says say tells tell claims claim argues argue thinks think believes believe insists insist"
)
SPEAKERS = _set(
    """
he she they people some someone somebody many everybody critics others folks most legend rumour
rumor story myth
"""
)
"""Whose present words are reports, too."""
NO_RULE = _set("""
problem problems idea wonder doubt worries matter thanks luck news surprise kidding way one longer
sooner joke comment reason need harm offence offense pressure rush regrets sign trace time such
question pun shame big biggie thing clue
""")
"""After "no": idioms."""
STATUS = _set("""
found since yet far today yesterday remaining left reported seen detected known ago later
whatsoever remain exist
""")
"""In "no errors so far": words of a report."""
PRAISE = _set(
    "star genius lifesaver legend best reason one first last only few bit lot long little"
)
"""After "you are a", "you are the": no role."""

ENGLISH_PARTICIPLES = _set("""
been done gone had made seen taken written run set put built kept left sent found lost known
become come begun broken chosen given grown held led read said told thought meant met paid caught
brought bought
""")


@cache
def is_verb(word: str) -> bool:
    """Whether ``word`` can be an imperative."""
    return (
        word in VERBS
        or word in BOTH
        or (
            "-" in word
            and word.rpartition("-")[2] in VERBS | BOTH
            and word.partition("-")[0] in PREFIXES
        )
    )


PREFIXES = _set(
    """
re pre un double cross auto over force hard co soft fast dry lazy bulk self hot
"""
)


def is_clear(word: str) -> bool:
    """Whether ``word`` is a verb and nothing else."""
    return word in VERBS and word not in BOTH


def is_adverb(word: str) -> bool:
    """Whether ``word`` is made an adverb by its ending."""
    return word.endswith("ly") and len(word) > 4 and word not in VERBS and word not in BOTH  # noqa: PLR2004


@cache
def is_participle(word: str) -> bool:
    """Whether ``word`` can follow "have"."""
    return word.endswith("ed") or word in ENGLISH_PARTICIPLES


@cache
def is_finite(word: str) -> bool:
    """Whether ``word`` shows a clause with a subject: "is", "took", "contains"."""
    return word in FINITE or (word.endswith("s") and word[:-1] in VERBS and word[:-1] not in BOTH)


MODALS = _set("must shall should may can will would could might cannot")
WH = _set("what why how where who")
ARTICLES = _set("the a an all every each any your our their its")
CAUSES = _set(
    "reason way bug mistake something some explanation catch ways reasons better cause link"
)
NO_NOUN = _set("""
come agree disagree expire survive exist remain appear belong arrive consist include depend differ
tend vary involve contain
""")
NONE = _set("no nothing none nobody neither")
TOLERATED = _set("ok okay fine acceptable allowed permitted")
ROLES = _set("role job task goal mission duty purpose aim objective responsibility work")
OUTRANKS = _set("outranks outrank trumps trump overrides outweighs outweigh")
UNSURE_OF_YOU = _set("see find notice get feel")
ALL = _set("every each all any anything everything no nothing")
LAWGIVERS = _set("""
project policy repo repository team we convention guideline guidelines rules organisation company
law process workflow guide constitution charter contract
""")
SHOWN = _set(
    """
read learn try reach follow watch tell count compare get hear visit look think
"""
)
SWITCHES: dict[str, Modality] = {
    **dict.fromkeys(_set("require requires enforce must"), "obligatory"),
    **dict.fromkeys(_set("allow allows permit"), "permitted"),
    **dict.fromkeys(_set("forbid deny disallow block"), "forbidden"),
}
VERDICTS = _set("allowed permitted required mandatory forbidden prohibited")
SWITCHED = dict.fromkeys(("true", "yes", "on"), False) | dict.fromkeys(("false", "no", "off"), True)
"""Values of a switch, and whether they turn it round."""
COMPOUNDED = _set("marks boxes lists points sums digits")
GUARDS = _set("without only unless until if when before freely provided long")
RULING = _set(
    "prefer avoid require insist forbid enforce favour favor prohibit disallow ban mandate"
)
IDIOMS = _set("""
worry mind get panic despair know fear think believe expect say see feel care
""")
THOUGHT = {
    "consider": _set("the whether your all every each"),
    "assume": _set("the that every all any no nothing"),
    "remember": _set("to"),
    "think": _set("before about twice carefully hard through"),
    "understand": _set("the what how why"),
    "say": _set("so no what why"),
    "see": _set("to"),
    "mind": _set("the your"),
}
ENDS = _set("before after so because but then to")
UNNAMED = DETERMINERS | BETWEEN | BE | MODALS | _set("to be do")

OPAQUE = "`"
