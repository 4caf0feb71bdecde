"""English words by what they do in an instruction."""

from ctx.read.authored.deontic.lexicon import listed


ADVERBS = listed("""
always never ever now also still just only then really simply consistently again instead please kindly
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
above below between during across through throughout inside than when while whenever about against
""")
STOPS = listed("""
so because since although though even regardless which who unless until if but whether where
including especially such like that rather instead it they we i you he she there is are was
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
        "include": "incorporate contain integrate insert embed put place add attach",
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
it thing chang convent practic standard format idea instruct guidelin measur updat rule us them
someth anyth everyth adjust approach principl style step bit way sure consist right polici
""")
"""Stems of nouns that announce an instruction, or refer to one."""
UNSETTLED = listed("specific certain few particular")
SPECIFIC = listed("the this that these those my me it")
"""What shows that one thing is meant."""
