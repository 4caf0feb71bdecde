"""The English words that the temporal patterns are told by.

Source: ``temporal-retrieval``, sections 9.2 and 9.4.1.
"""

from ctx.rank.coverage import STOP_WORDS, word_set

# Questions, section 9.2.

QUESTION = word_set("how what when where which who whom whose why")
AUXILIARY = word_set(
    "am is are was were do does did has have had can could will would may might shall should must"
    " didn't doesn't don't wasn't weren't isn't aren't hasn't haven't hadn't"
)
REQUEST = word_set(
    "tell show list find give get recall remind name order sort summarize summarise explain"
    " describe search"
)
"""Verbs that ask to be told."""
LEADS = word_set("and but or so also in on at to for from by please ok okay hey then")
"""What may stand before the word that a question begins with."""

# The past.

PAST = word_set("did didn't was wasn't were weren't had hadn't")
EVENTS = word_set(
    "came happened occurred began became went got took made said wrote chose broke changed decided"
)
NOW = word_set("is are be being am get gets isn't aren't to must should can may")
"""Before a participle these make it the present: "is changed"."""
PARTICIPLES = word_set(
    "been gone done made had said got come become kept built sent left lost won met read told"
    " bought brought put set run begun felt"
)
PARTICIPLE_ENDS = ("ed", "wn", "ten", "ken")

# What is to be done.

DUTY = word_set("should must shall ought shouldn't mustn't")
BIDDING = frozenset(
    [(verb, "to") for verb in ("have", "has", "need", "needs", "how")]
    + [(verb, who) for verb in ("do", "can") for who in ("i", "we", "one")]
)
"""Two words that ask how one does something, not what was: "do we", "need to"."""
HOW_TO = frozenset(("how", verb, "you") for verb in ("do", "can", "would"))

# Strong patterns.

# Not seconds or minutes: those are timeouts far more often than ages.
UNITS = word_set(
    "hours day days night nights week weeks weekend weekends month months year years decades"
)
EACH = word_set("a an per each every")
WHEN = word_set("did didn't was wasn't were weren't had")
DATES = word_set("date day week month year")
EXACTLY = word_set("exactly precisely first last")
MEASURED = word_set(
    "line lines name names title titles message messages string strings text docstring docstrings"
    " subject identifier paragraph paragraphs sentence sentences summary summaries description"
    " prompt url"
)
"""Things that are long in characters."""
BEING = word_set("is are was were be can may should must will")

# Words of time.

DETERMINERS = word_set("the a an my your his her its our their this that each every very whose at")
FIXED_FIRST = word_set(
    "class party name hand principles principle aid glance person place prize half and of thing"
    " things"
)
"""After "first" these make it something else: "first class", "first and foremost"."""
NAMED_AFTER = word_set("named called look looks looked looking")
HAPPENED = word_set(
    "happened happen occurred occur changed change passed pass elapsed elapse decided"
)

# Slots, section 9.4.1.

BREAKS = QUESTION | AUXILIARY | word_set("and or but nor than if while then being been")
"""Words between two events, or between an event and the question about it."""
EMPTY = STOP_WORDS | word_set(
    "passed pass elapsed happen happened happens occur occurred come came comes go goes went take"
    " took takes taken get got time times number date day days week weeks month months year years"
    " hour hours night nights decades exactly precisely tell show list find"
)
"""Words that a slot neither begins nor ends with."""
