"""Base forms of the verbs that instructions are written with."""

from __future__ import annotations

from ctx.read.deontic.lexicon import listed

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
""")
"""Base forms that are hardly ever nouns or adjectives."""

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
""")
"""Those of ``NOUNY`` that name things or qualities in software: verbs where an object follows."""

INTRANSITIVE = listed("""
arise arrive appear belong collapse come consist crash decline depend differ drift dwell emerge
exist expire fade fall flow go grow happen hum interfere lag last lie linger live matter occur
originate peak persist prevail proceed range remain reside rise seem shrink sink sit sleep stand
stem survive tend thrive vanish vary wane
""")
"""Verbs without an object: in the third person, or after a plural, they are predicates."""
