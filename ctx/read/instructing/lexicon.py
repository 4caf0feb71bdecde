"""The words and the frames by which talk tells the listener how to do a class of things."""

import re

from ctx.read.authored.deontic.lexicon import listed


def _any(words: str) -> str:
    """Return a pattern of any of ``words``, which have ``_`` for a space."""
    return f"(?:{'|'.join(words.split()).replace('_', ' ')})"


# --- words --------------------------------------------------------------------------------

ADVERBS = listed("""
always never now also still just only then really simply consistently again instead please kindly
actively ideally preferably usually generally typically strictly not all already too explicitly
first firstly second secondly third thirdly lastly finally additionally further furthermore moreover
similarly likewise next otherwise however therefore thus hence clearly properly correctly yes no ok
okay well oh so and but remember note
""")
INCEPTIVE = listed("start begin stop avoid consider quit cease ending starting")
ENDING = listed(
    "no stop avoid refrain quit cease drop scrap forget ignore remove undo skip disregard"
)
"""Verbs that turn into a prohibition what follows them."""
DETERMINERS = listed("""
a an the this that these those all every each any both your my our their its his her some no such
single new other various following same own appropriate more entire
""")
GENERAL = listed("all every each any")
PREPOSITIONS = listed("""
with in for to of on at by as from under over within into onto before after per without using via
above below between during across through throughout inside when while whenever about against
""")
STOPS = listed("""
so because since although though even regardless which who unless until if but whether where
including especially such than like that rather instead it they we i you he she there is are was
were be can will would should must may might do does did has
""")
"""Words that end what is done with what."""
PRONOUNS = listed("it them they this these those one ones")
MODALS = listed("should must shall will can may")
FINITE = MODALS | listed("be is are was were would has have had makes help helps need needs")
PLACES = listed("""
code coding codebase project projects script scripts program programs work team company process
workflow development task tasks assignment assignments future module repository day
practice practices convention conventions standard standards importance string use usage thing way
come comes coming regarding
""")
"""Where all is done that a talk is about, and words that add nothing: they limit nothing."""
NUMBERS = listed(
    "one two three four five six seven eight nine ten twelve twenty thirty single double"
)
SAME = {
    form: name
    for name, forms in {
        "start": "begin prefix precede lead", "end": "finish suffix conclude close",
        "include": "incorporate contain integrate have insert embed put place add attach",
        "use": "employ utilize utilise adopt apply follow prefer", "name": "call entitle",
        "answer": "reply respond speak",
    }.items() for form in forms.split()
}  # fmt: skip
"""Actions that mean the same."""
ACTIONS = frozenset((*SAME, *SAME.values(), "write"))
MANNER = ACTIONS | listed("""
keep put give limit list sort order group format mark refer close report prefer show express quote
cite number sign log plot round translate store wrap indent schedule flag spell capitalize highlight
""")
"""Actions that are a way to do a class of things, where their object is in the plural."""
LANGUAGES = listed("""
english german french spanish italian portuguese dutch russian chinese japanese korean arabic hindi
turkish polish swedish danish norwegian finnish czech greek hebrew ukrainian
""")
ADDING = listed("include import")
"""Actions that may be done with many things at once."""
CHANGING = listed("""
update adjust change modify standardize standardise revise switch amend alter adapt configure
""")
SINGLE = listed("""
name case style format tone language spelling voice tense font color colour size width length limit
title order encoding indentation branch license licence prefix suffix unit currency spacing
salutation greeting signature extension theme layout
""")
"""Nouns of what a thing has one of: a later value replaces the earlier one."""
EDGES = {"prefix": "start", "suffix": "end"}
PLACED = {"end": "end", "beginning": "start", "start": "start", "front": "start"}
"""Nouns that tell where something is put: with "at" before them."""
IDLE = listed("""
hesitate worry know thank thanks feel reach let see say tell mind think believe hope guess wait
look come go get take forget consider imagine bear stay help welcome enjoy appreciate wonder
understand mean need want like love learn grow talk chat discuss meet share remind mention tackle
dive strive hold familiarize familiarise focus embody recognize recognise value support
encourage achieve ensure face improve foster embrace maintain drive continue introduce demonstrate
trust
""")
"""Verbs that comfort, or speak of the talk itself: no way to do a class of things."""
KEPT = listed("up me us it this in on going your pushing track moving")
"""What follows "keep" and "give" where nothing is kept or given in a certain way."""
VAGUE = listed("""
it thing chang convent practic standard format idea instruct guidelin measur updat rule point mind
eye door question concern someth anyth everyth us them adjust approach principl style step bit way
topic attent coupl strategi cultur valu polici detail sure consist opportun right name
""")
"""Stems of nouns that announce an instruction, or refer to one."""
UNSETTLED = listed("specific certain few particular")
IN_LY = listed("reply family supply anomaly assembly")
"""Nouns that end as adverbs do."""

# --- frames -------------------------------------------------------------------------------

AFTER = (
    r"(?:(?:from|after|starting) (?:now|today|here|this point|that point)"
    r"(?: on\b| onwards?\b| forward\b)?|(?:going|moving) (?:forward|ahead)|in (?:the )?future"
    r"|(?:from )?here on|henceforth|as of (?:now|today)|any ?more|any longer|no longer"
    r"|at all times|without exception|by default)"
)
LASTING = re.compile(rf"\b(?:{AFTER}|(?:every|each) time|whenever)")
DATED = re.compile(rf"\b{AFTER} ")
EVER = re.compile(r"\b(?:always|never|consistently|habit|conventions?|standards?)\b")
ALWAYS = re.compile(r"\b(?:always|never)\b")
NOT = re.compile(r"\b(?:never|not|no longer|refrain from|against)\b(?! forget)(?! only)")
_PEOPLE = _any("you you_all everyone everybody us us_all the_team the_whole_team all_of_you people")
_OFTEN = r"(?:(?:also|now|always|never|just|only|really|still|\w+ly) )*"
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
FRAME = re.compile(
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
"""What shows that a clause instructs, up to what is to be done."""
NOMINAL = re.compile(r"(?:importance|use|usage|habit) of $|do not (?:want|need|like) $|no $")
"""A frame behind which what is to be done is a noun."""
OPENING = re.compile(
    r"(?:(?:and|but|so|well|yes|no|ok|okay|oh|also|now|then|note|remember(?! to| that)"
    r"|first|firstly|second|secondly|third|thirdly|lastly|finally|additionally|furthermore"
    r"|moreover|similarly|likewise|next|instead|again|please|kindly|always|never|only|just|simply"
    rf"|do not(?! forget)|do|consistently|{AFTER}) )*"
)
"""What may precede a frame, or an imperative."""
OPENS = re.compile(r"\b(?:please|kindly|always|never|do not|only|consistently)\b")
ASKED = re.compile(r"\b(?:please|kindly|do not)\b")
INTO = re.compile(r"(?:back )?(?:to|with) ")
SPECIFIC = listed("the this that these those my me it")
"""What shows that one thing is meant."""
BEGUN = re.compile(
    r"(?:start|begin|stop|avoid|refrain from|quit|consider|focus on|stick to|switch to|starting"
    r"|develop|get into|get used to|build|adopt|commit to)(?: by)? "
    r"(?=(?:\w+ly |always |also )?(?:\w+ing|the (?:use|habit)|a habit)\b)"
)
CHAINED = re.compile(
    rf"{BEGUN.pattern}|(?:the|a) (?:\w+ )?(?:use|habit|practice) of |(?:to|always|never|not|also"
    r"|now|still|just|only|consistently|actively|properly|rather|you|we) "
    rf"|that (?=you|we|all|every|each|from)|{AFTER} "
)
"""What may stand between a frame and what is to be done."""
POLICY = re.compile(r"we (?:(?:always|now|will|are|all|also|would|want to|like to|prefer to) )*")
BACK = re.compile(
    r"(?:(?:ok|okay|and|but|so|well|also|actually|please|now|just|oh) )*"
    r"(?:(?:(?:you|we) (?:can|may) (?:now |also )?)?"
    r"(?:never mind|forget|scrap|drop|ignore|disregard|skip|stop)(?: about)?"
    r"|(?:there is )?no (?:more |longer (?:any )?)?need (?:for|to)"
    r"|(?:you|we) (?:(?:do not|no longer|need not) (?:need to|have to|need)|need not)) "
    r"(?:(?:what|all|everything) (?:i|we) (?:said|told you|asked|wrote|wanted) (?:about )?"
    r"|the (?:rule|thing|part|bit|instruction|request|idea)s? (?:about|of|with|on|that) )?"
)
"""What takes an instruction back."""
AGAIN = re.compile(
    r"(?:(?:ok|okay|and|but|so|well|also|actually|now|oh) )*(?P<what>(?:(?!(?:it|that|this|you|i"
    r"|we|he|she|they|everything|all)\b)\S+ ){1,7})(?:is|are) "
    r"(?:perfectly |now |just )?(?:fine|ok|okay|allowed|all right|alright|good|welcome|acceptable)"
    r" (?:again|after all|too|now)"
)
"""What a prohibition is taken back by: "tables are fine again"."""
WEAK = re.compile(rf"(?:it is )?{_WEIGHTY} |let us ")
"""Frames of advice, too, and of what is done together once."""
ONCE = re.compile(
    r"\b(?:tomorrow|tonight|this (?:week|time|morning|afternoon)|next (?:week|month)|yesterday"
    r"|soon|by (?:monday|tuesday|wednesday|thursday|friday|the end)|if i|right now"
    r"|last (?:week|month|time|year))\b"
)
"""What was, or what is to be done once."""
SUBJECT = re.compile(
    r"((?:(?!i\b|we\b|it\b|there\b|should\b|must\b|to\b)\S+ ){1,7}?)((?:(?:should|must|shall"
    r"|need to|have to|will|to|do not|not|never|always|now|only|also) )*)(?=(?:(?:start|end"
    r"|begin|include|contain|use|follow)s?|have|has|carry|be|are|is) (?!format|this|these|that)"
    r"|(?<=should )\w|(?<=must )\w|(?<=to )\w|(?<=always )\w|(?<=never )\w|(?<=not )\w)"
)
"""What is done with which things, behind a frame: "all names should end …"."""
DUTY = re.compile(
    r"((?:(?:all|every|each|any|your|our) )?(?:(?!i\b|we\b|us\b|it\b|there\b|which\b"
    r"|th(?:is|at|ese|ose|ey)\b|you\b|s?he\b|should\b|must\b|everyone\b|`)\S+ ){0,4}?"
    r"(?:\w+s|(?<=every )\w+|(?<=each )\w+|(?<=any )\w+) )"
    r"((?:should|must|shall|needs? to|ha(?:s|ve) to|are to|may not|can not) "
    r"(?:(?:also|now|always|never|not|only) )*)(?=\w)"
)
"""The same without a frame."""
NEEDS = re.compile(r"((?:all|every|each|any) (?:\S+ ){1,6}?)()(?=needs? (?!to\b))")
NARRATED = re.compile(
    r"(?:(?:so|and|but|also|ok|okay|well|now) )*(?:i|we) (?:(?:have|had|was|were|am|are|will)"
    r"(?! (?:\w+ly )?(?:asking|decid|agreed|like|want))|\w+ed|can)\b"
)
"""What people do themselves."""
FRONT = re.compile(
    r"(?:when|whenever|for|in|while|once|as|if|at|on|with|regarding|concerning|after|before) "
)
CLASS_FRONT = re.compile(
    r"(?:when|whenever|while|before|after) (?:\w+ing|you|we|it comes to|an?)\b|(?:for|in|on|with"
    r"|regarding|before|after) (?!now\b|this\b|that\b|these\b|those\b|the\b|me\b)(?:\w+ ){0,3}?"
    r"(?:all|every|each|any|\w+s|\w*names?|your) "
)
"""What a clause begins with that limits it to a class of things."""
CLASS = re.compile(
    r"\b(?:all|every|each|any) (?:of )?(?:your |our |the |these )?"
    r"(?!time\b|the\b|of\b|us\b|over\b|we\b|you\b)\w+|\b(?:in|for|to|of|on|with|from) (?:all )?"
    r"(?:of )?(?:your|our) (?:\w+ ){0,2}?(?:\w+[^s]s|code|writing|work)\b"
)
PLURAL = re.compile(
    r"\b(?:in|on|of|for|to|with|at|before|from|by) (?!the\b|this\b|that\b|these\b|those\b|me\b)"
    r"(?:\w+ )?\w+[^s\W]s\b"
)
NAMED = re.compile(
    r"\b(?:for|of|about|regarding|to|with|on|all|your|our) (?:your |our |the |all )?"
    r"((?:\w+ ){0,2}?\w+[^s\W]s)\b"
)
"""What pronouns in the next sentence stand for."""
_ASKED_OF = _any(
    "you us everyone everybody every all each any your the_team the_whole people you_all"
)
CUE = re.compile(
    rf"(?:{_WISH}|asking) (?:that )?{_ASKED_OF}\b|should|must|shall|have to|has to|needs? |ought to"
    r"|forget|ignore|disregard|scrap|would rather|'d rather|always|never|make sure|be sure|ensure"
    r"|please|kindly|remember(?! that)"
    r"|remember that (?:you|we)|used to|see to it|let's .*['\"`_]|let us|decided|agreed|going to"
    r"|(?:can|may) (?:not|now|drop|scrap|skip|stop|forget|ignore)|no longer|any ?more|any longer"
    r"|(?:now|here|today) on|as of|from today|whenever|every time|default|forward|ahead|future"
    r"|henceforth|need (?:for|to)|at all times|without exception"
    r"|(?:important|essential|crucial|vital|mandatory|required|necessary|imperative|best)"
    r" (?:that|for|to)\b.*['\"`_]|(?:importance|use|usage) of"
    rf"|{_RULE} .{{0,80}}?(?:is|are|of) |(?:all|every|each|any) .{{1,60}}? needs?\b"
    r"|(?:fine|okay?|allowed|right|alright|good|welcome|acceptable) (?:again|too|now|after all)"
    r"|(?:do not|don't|need not|needn't) (?!hesitate|worry|be )"
    r"|we(?:'re| are| all|) (?:now |going to"
    r" |want to |like to |prefer to |will )*(?:standard|chang|switch|mov|us|adopt|start|going|end"
    r"|name|write|include|put|add|begin|only|consistently)"
)
"""What shows that a sentence in small letters may instruct, if it begins with no verb."""
FIRST = re.compile(
    r"(?:^|[,;:—–(])[\W\d]*(?:(?:and|but|so|also|now|then|instead|just|first|only|no) )*([a-z]+)"
)
