"""English words by what they do in an instruction, beside those of the deontic reader."""

from ctx.read.authored.deontic import lexicon as deontic
from ctx.text.english import listed

ADVERBS = deontic.ADVERBS | listed("always never not all already oh remember note")
ENDING = listed("""
no stop avoid refrain quit cease drop scrap forget ignore remove undo skip disregard
""")  # verbs that turn into a prohibition what follows them
DETERMINERS = deontic.ARTICLES | listed(
    "my his her same own some other new single various following more entire"
)
GENERAL = listed("all every each any")
PREPOSITIONS = deontic.PREPOSITIONS | listed("using when whenever while within throughout")
STOPS = listed("""
so because since although though even regardless which who unless until if but whether where
including especially such like that rather instead it they we i you he she there is are was were be
can will would should must may might do does did has
""")  # words that end what is done with what
PRONOUNS = listed("it them they this these those one ones")
MODALS = deontic.MODALS
FINITE = deontic.FINITE | listed("be would has have makes help helps need needs")
PLACES = listed("""
code coding codebase project projects script scripts program programs work team company process
workflow development task tasks module repository day practice practices convention conventions
standard standards string use usage thing way comes
""")  # where all is done that a talk is about, and words that add nothing: they limit nothing
NUMBERS = deontic.NUMBERS | listed("twelve thirty single double")
SAME = {  # actions that mean the same
    form: name
    for name, forms in {
        "start": "begin prefix precede lead", "end": "finish suffix conclude close",
        "include": "incorporate contain integrate insert embed put place add attach",
        "use": "employ utilize utilise adopt apply follow prefer", "name": "call entitle",
        "answer": "reply respond speak",
    }.items() for form in forms.split()
}  # fmt: skip
ACTIONS = frozenset((*SAME, *SAME.values(), "write"))
MANNER = ACTIONS | listed("""
keep put give limit list sort order group format mark refer close report show express quote cite
number sign log plot round translate store wrap indent schedule flag spell capitalize highlight
""")  # actions that are a way to do a class of things, where their object is in the plural
LANGUAGES = listed("""
english german french spanish italian portuguese dutch russian chinese japanese korean arabic hindi
turkish polish swedish danish norwegian finnish czech greek hebrew ukrainian
""")
ADDING = listed("include import")  # actions that may be done with many things at once
CHANGING = listed("update adjust change modify standardize standardise revise")
SINGLE = listed("""
name case style format tone language spelling voice tense font color colour size width length limit
title order encoding indentation branch license licence prefix suffix unit currency spacing
salutation greeting signature extension theme layout
""")  # nouns of what a thing has one of: a later value replaces the earlier one
EDGES = {"prefix": "start", "suffix": "end"}
PLACED = {"end": "end", "beginning": "start", "start": "start", "front": "start"}  # behind "at"
IDLE = (  # verbs that comfort, or speak of the talk itself: no way to do a class of things
    deontic.IDLE - {"be", "have", "need"}
    | deontic.IDIOMS
    | listed("""
hesitate reach let take go stay look continue consider focus embrace strive hold discuss improve
tackle share
""")
)
REFLEXIVE = listed("yourself yourselves ourselves")
KEPT = listed("up in it your pushing")  # after "keep" and "give", which then keep and give nothing
VAGUE = listed("""
it thing chang convent practic standard format idea instruct guidelin updat rule them someth
approach principl style step consist
""")  # stems of nouns that announce an instruction, or refer to one
UNSETTLED = listed("specific certain few particular")
SPECIFIC = listed("the this that these those my me it")  # what shows that one thing is meant
