"""English words by class, and base forms of the verbs of instructions."""

from ctx.model import Modality


def listed(text: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(text.split())


OPAQUE = "`"  # what replaces code, paths and quotations

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
NARRATORS = listed("i he she who somebody someone")  # whose duties are a story
AGENTS = listed("""
you agent agents assistant assistants bot bots model contributor contributors developer developers
engineer engineers reviewer reviewers maintainer maintainers author authors committer committers
team teams everyone anyone nobody collaborator collaborators subagent subagents copilot claude
codex operator operators admins editors writers staff
""")  # who can be given leave; of all others "may" and "can" say what happens
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
""")  # forms that only a clause with a subject has
PARTICIPLES = listed("""
been done gone had made seen taken written run set put built kept left sent found lost known
become come begun broken chosen given grown held led read said told thought meant met paid caught
brought bought worn shown drawn
""")

# What joins and opens clauses
CONDITIONS = listed("""
if when whenever unless until once while whether where wherever because since although though why
how what lest
""")  # what opens a clause whose modals bind nobody
LEADS = CONDITIONS | listed("""
before after for in on during to with without within inside outside by under upon at from instead
rather except given as assuming provided per via regardless depending should between against
across through throughout beyond prior besides due despite based
""")  # what opens a sentence whose main clause comes after a comma
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
""")  # what may stand before an imperative at the start of a clause
BETWEEN = listed(  # what may stand between a modal and its verb
    "not never always only also ever just still first then either all both again often"
)
HEDGES = listed("""
already probably now soon surely certainly presumably perhaps necessarily hopefully hardly
""")  # adverbs by which a modal says what is likely

CLOSED = (  # words that are no verb at the start of a sentence, whatever follows
    DETERMINERS | SUBJECTS | OBJECTS | FINITE | LEADS | ADVERBS | BETWEEN | HEDGES | JOINTS
    | RELATIVES | PREPOSITIONS | NONE | listed("""
today yesterday tomorrow maybe indeed here twice quite even unlike minus versus worse better
thanks hello hi hey meanwhile sometimes later earlier afterwards almost nor do be being
having let apart aside last whoever nearly monday tuesday wednesday thursday friday saturday
sunday few much other own early late worth new old same good bad big small large full long short
siehe voir véase veja vedi bkz zobacz
high low main complex custom single upstream local global remote current previous future silent
""")
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
    listed("""
believe bother enjoy feel forget guess hear know meet notice picture recall suppose love hate
hope thank imagine wonder welcome like mean want need
"""),
    frozenset[str](),
)  # verbs that speak to a reader, and what follows where they ask for something all the same
IDLE = listed("""
admit agree appreciate believe confess expect feel find forget guess hear imagine know like love
mean notice picture realise realize recall recognise say see seem suppose think understand want
wonder argue worry recognize be have need get care remember own trust hope
""")  # what "you can", "you never", "we must" introduce without ruling anything
IDIOMS = listed("worry mind get panic despair know fear think believe expect say see feel care")
"""After "don't": consolation."""
UNSURE = listed("""
fine ok okay good easy hard safe possible able familiar clear obvious here there ready back enough
nice true wrong right somewhere some something nothing difficult simple straightforward tired
kidding joking new curious because mistaken crazy noted said admitted fun faster quick trivial
apparent aware worth interesting surprised surprising confusing tempting better happy lost
hungry proud in out exhausted thirsty that
""")  # after "must be", "should be", "may be": how things look, not how they have to be

# Duty
PREDICATES: dict[str, Modality] = {  # what something "is", and by that is ruled
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
DUTIES: dict[str, Modality] = {  # the same, of those who act ("to" or "for" follows)
    **dict.fromkeys(listed("expected responsible supposed encouraged obligated"), "obligatory"),
    **dict.fromkeys(listed("free entitled welcome empowered cleared"), "permitted"),
}
POWERS = listed(
    "mandate right authority permission duty obligation responsibility freedom licence license"
)
PRIORITIES = listed(
    "priority metric goal rule law requirement must objective standard concern default"
)
ROLES = listed("role job task goal mission duty purpose aim objective responsibility work")
GUARDS = listed("without only unless until if when before freely provided long up")
RULING = listed("""
prefer avoid require insist forbid enforce favour favor prohibit disallow ban mandate expect want
demand keep stick follow aim
""")  # what "we" do as a policy, whatever follows
HABIT = listed("""
before only always each every nowhere everywhere exclusively all any without unless never instead
""")  # words that make what "we" do a policy

# Labels
DEFAULTS: dict[str, Modality] = {  # labels that rule what stands after them
    **dict.fromkeys(listed("""
default defaults required recommended mandatory rule rules policy must do always preferred prefer
requirement requirements convention mission priority constraint constraints should
"""), "obligatory"),
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

REASONS = listed("""
benefit benefits pro pros con cons advantage advantages disadvantage disadvantages drawback
drawbacks rationale reason reasons risk risks impact consequence consequences positive negative
symptom symptoms cause causes goals features feature purpose capabilities example examples
""")  # labels of what tells and does not rule

WEIGHING = listed("""
why rationale reason reasons pro pros con cons benefit benefits advantage advantages disadvantage
disadvantages drawback drawbacks positive negative alternative alternatives
""")  # those behind which even a modal only tells
VERDICTS = listed("good bad neutral rejected")  # what records of decisions call an option

HELPING = listed("help helps allow allows let lets enable enables")  # "they help teams: …"

# After "no"
PRAISE = listed("""
star genius lifesaver legend best reason one first last only few bit lot long little
""")  # after "you are a", "you are the": no role


VERBS = listed("""
abort abide abolish absorb abstain accelerate accept accommodate accompany accomplish achieve
acknowledge acquire act activate adapt add adhere adjust administer adopt advise affix aggregate
aim align allocate allow alphabetise alphabetize alter amend analyse analyze annotate announce
anneal anonymise anonymize anticipate append apply appoint approve arrange articulate ascertain
ask assemble assert assess assign assist associate attach attend authenticate author authorise
authorize automate avoid await backfill backport bake become begin behave beware bind bisect
bless blend boil borrow bring broadcast browse bury bypass calculate calibrate cancel carry
categorise categorize censor centralise centralize choose circumvent cite clarify classify clone
coerce collaborate collapse collate collect combine communicate compile comply compose
comprehend compress compute conceal concatenate conclude conduct configure confine confirm
congratulate connect conserve consolidate construct consult consume continue contribute convert
convey convince coordinate correlate create crop curate deactivate deal debit debug decide
declare decline decode decommission decompose decompress decouple decrease decrypt dedicate
deduct deduplicate deem defend defer define deflate defragment delegate delete delimit deliver
demonstrate deny depict deploy deprecate derive describe deserialise deserialize destroy detach
detect determine deter develop devise diagnose differentiate digitise digitize dilute disable
disallow discard disclose disconnect discourage discover discuss disengage disinfect dismantle
dismiss dispatch display dispose disregard disseminate dissolve distinguish distribute divide
divulge document eat edit educate eject elaborate elect elevate elicit eliminate embed embrace
emit emphasise emphasize employ empower enable encapsulate enclose encode encourage encrypt
endorse enforce engage enhance enlarge enlist enter enqueue enrich enroll ensure enumerate equip
erase escalate escape establish evacuate evaluate evict examine exceed exclude execute exempt
expand expect expedite explain explore expose express extend extinguish extract extrapolate
fabricate facilitate familiarise familiarize fasten favor favour feed fetch finalise finalize
finish flatten flush focus follow forbid foresee formalise formalize formulate fulfil fulfill
gather generalise generalize generate get give glue grab halt harden hardcode harmonise
harmonize hash heat hide hoist honor honour hydrate identify ignore illustrate immerse
impersonate implement impose improve incentivise include incorporate increment indicate infer
inflate inform ingest inherit inhibit initialise initialize initiate inject inline innovate
inquire insert insist inspect inspire install instantiate instruct instrument insulate integrate
intensify interact intercept interpolate interpret interrupt intervene interview introduce
invalidate invent invert invest investigate invite invoke isolate iterate join jot justify keep
kneel knit knead launder lean leave lengthen lint listen locate localise localize loosen lower
lubricate maintain make manage manipulate marinate marshal maximise maximize melt memoise
memoize memorise memorize mention migrate minify minimise minimize mitigate mobilise modify
modularise modularize mount multiply mute negate neglect negotiate normalise normalize notarise
notify nurture obey obfuscate observe obtain offload omit onboard operate opt optimise optimize
orchestrate ordain organise organize orient oversee override oversell overwrite paginate
parallelise parallelize parameterise parameterize parametrise parametrize paraphrase parse
participate paste pay penalise penalize perform persist persuade pickle populate portray
position postpone pour preach precede precompute predict prefer prefix prepare prepend
preprocess prescribe preserve preset presume pretend prevent prioritise prioritize proceed
procure produce profile prohibit promote pronounce proofread propagate propose proscribe protect
prove provide provision prune publish purchase purge pursue put quantify quarantine quantise
quantize quit randomise randomize ratify reactivate reallocate reapply reason reassess reassign
reassure rebalance rebase reboot recalculate recalibrate recheck recognise recognize recommend
reconcile reconfigure reconnect reconsider reconstruct recover recreate recruit rectify recycle
redact redeploy redo reduce reenter refactor refer refill refine reflect reformat refrain refuse
refute regenerate reimburse reinforce reinstall reintroduce reinvent reject relate relax
relocate rely remain remind remove render rename renew renounce reopen reorder reorganise
reorganize repair repeat rephrase replace replicate reply replenish repopulate reproduce
repurpose require rerun resample reschedule resist resize resolve respond restore restrict
restructure resubmit resume retain retire retract retrain retreat retrieve return reuse reveal
revert revise revisit revoke rewind rework rinse rotate salute sand sanitise sanitize scaffold
scrub seal seek segment segregate seize select sell send serialise serialize serve sew sharpen
shorten shuffle shut simmer simplify simulate sketch skip smoothe snooze soak solder solicit
solve speak specify spend split spoof squash stagger standardise standardize steer stick stir
strengthen strip strive subclass submit subscribe substitute subtract suggest
summarise summarize supersede supervise supplement suppress surround suspend sustain swallow
swear swipe synchronise synchronize synthesise synthesize tabulate take talk teach tear tell
terminate thank throttle throw thaw tidy tighten tokenise tokenize tolerate transcribe transcode
transform translate transmit transpile transpose treat triage trim truncate tuck tweak unblock
uncheck uncomment underline undertake undo unfreeze unify uninstall unload unlock unmount unpack
unplug unroll unset unsubscribe unwrap untangle uphold upsert utilise utilize validate vectorise
vectorize verify vet visit visualise visualize wear warn weave weigh weld whisk whitelist wipe
withdraw withhold write
""")  # base forms that are hardly ever nouns or adjectives

NOUNY = listed("""
abstract access accent account address advance agree alarm alert alternate amount anchor answer
appeal archive arm array assay attempt auction audit average award back backup balance ban band
bank bar barter base batch battle beat bench benchmark bend bet bid bill bite blame blank blast
blend blink block bloom blow blur boast bolt bond book boost boot border box brace braid brake
branch brand breach break brew bribe bridge brief brush bubble buckle budget buffer build
bump bundle burn burst bus button buy cache call camp cap capture care carve case cast catch
cause center centre chain challenge change channel charge chart chase chat check cheer chill
chop circle claim clamp clean clear click climb clip close cloud coach coat code coil cold
collapse color colour comb comfort command comment commit compact compare compensate compete
complain complement complete compliment compound compromise concern condition conflict consent
console contact contain contract contrast control cook cool copy correct cost count couple
course cover crack craft crash credit critique cross crown crush cue cure curl cut cycle damp
dash date deal debate decay default defeat delay delta demand deposit design desire detail diff
digest dig dip direct dive divert dock donate double doubt download downgrade draft drag drain
draw dream dress drift drill drink drive drop dump duplicate dust earn ease echo effect embargo
encounter end endeavour equal escort esteem estimate even exercise exchange exhaust exhibit exit
experience experiment export extra face fade fail fake fall farm fear feature fence field fight
figure file fill filter finance find finger fire fish fit fix flag flash flip float flow fly
fold force forecast fork form format forward frame free freeze front fuel function fund funnel
fuse gain gamble garden gate gauge gear go grade graft grant graph grease greet grill grind grip
ground group grow guarantee guard guess guide habit hand handle handshake hang harm harvest head
heal help hire hit hold hook hop host house hunt hurry impact implant import increase index
influence input interest interface interleave invoice issue jail joke journey judge jump key
kick kill kiss label lack ladder land laugh launch layer layout lay lead leak learn lease lend
level leverage license lick lift light like limit line link list live load loan lock lodge log
look loop lose love mail major manufacture map march mark market mask master match mate matter
mean merge mesh mill mind mine mirror mix mock model moderate monitor mount move mourn nail name
need nest net note notice number object offer offset open order outfit outline outlet output own
pace pack package pad page paint pair park part partition pass patch pattern pause peak peel
peer pen perfect permit phase phone photograph phrase pick picture piece pile pilot pin ping
pipe pitch pivot place plan plant plate play plot plow plug point police polish poll pool port
pose post pound power practice practise praise press pressure price prime print probe process
produce profit program progress project promise prompt proof protest pull pump punish push
puzzle query quest question queue quiz quote race rack raid raise ramp range rank rate ray reach
react read ready rebuild recall reload recap recess reclaim record recount redesign redirect
refactor reference refresh refund regard register regret regulate release relay relief remark
remedy rent report repost request research reserve reset respect rest restart result retouch
return reverse review reward rewrite ride ring rinse rise risk roast rock roll root rough round
route row rub rule run rush sacrifice sail salt sample save scale scan scatter schedule scope
score scout scrap scrape scratch screen screw script scroll search season seat second secure
seed sense sentence sequence service set settle shade shadow shake shape shard share shave
shelter shelve shield shift shine ship shoot shop shout shovel show shower shrink sign signal
silence sing sink sit size skin slack sleep slice slide slip smell smile smoke snapshot
soft sort sound source space span spare spark speed spell spill spin splash sponsor spot spray
spread spring sprint square squeeze stack staff stage stake stall stamp stand staple start
starve state stay steal steam stem step stitch stock stop store strain stream stress stretch
strike string stroke structure study stub stuff style subject summon supply support surface surge
surprise survey swap sweep swim swing switch symbol sync tackle tag tail tailor talk tap target
taste tax team template tempt tend test thank thin thread threat tie tilt time tint tip title toast
toggle tone tool top total touch tour tow trace track trade traffic trail train transfer transit
transition transport trap travel trial trick trigger triple trouble trust try tune turn twist type
uncover update upgrade upload use vacuum value vary veil vent venture version view visit voice
volunteer vote wait wake walk wall wash waste watch water wave wax weed welcome whip whisper win
wind wire wish wonder work worry worship wound wrap yield zero zip zone zoom act narrow separate
dry empty slow display retry write measure profile dispatch highlight hash author prefix
""") - listed("like love mean need own welcome even ready second extra soft major wonder")
"""Base forms that are nouns or adjectives as well: what follows has to tell."""

THINGS = listed("""
abstract access batch bundle button channel chart chat code color colour command compact contract
data direct double feature field file form function input interface issue key layer level live
model network object page part password pattern perfect phase power project react sample service
slack spring state team template time toggle total traffic type version zero
""")  # those of ``NOUNY`` that name things or qualities in software: verbs where an object follows

INTRANSITIVE = listed("""
arise arrive appear belong collapse come consist crash decline depend differ drift dwell emerge
exist expire fade fall flow go grow happen hum interfere lag last lie linger live matter occur
originate peak persist prevail proceed range remain reside rise seem shrink sink sit sleep stand
stem survive tend thrive vanish vary wane
""")  # verbs without an object: in the third person, or after a plural, they are predicates
