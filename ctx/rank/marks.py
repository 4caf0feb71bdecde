"""What a turn does, by English patterns, as words for the index that no text holds."""

from ctx.text.regex import regex
from ctx.text.tables import patterns

ASKS = "\ue000asks"  # ends in a question: it answers less than it asks
PREFERS = "\ue000prefers"  # a preference or choice of its speaker, or how to be answered from now

LONGEST_RULE = 600  # characters of a turn that is an instruction; longer ones only hold such words
_AGENTS = frozenset({"assistant", "tool", "system"})
_QUESTION_MARKS = ("?", "？", "؟", "՞", "፧", "⁇")
_EDGES = " \t\n\"'”’»)]*_"
_IMAGE = regex(r"\[image:[^\[\]\n]{0,400}\]\s*\Z")
_PATTERNS = patterns(__file__, "marks.txt")
_RULE = _PATTERNS["rule"]
_PREFERENCE = _PATTERNS["preference"]
_ADVICE = _PATTERNS["advice"]
_PAST = _PATTERNS["past"]


def marks(speaker: str, text: str) -> list[str]:
    """Return the marks of a turn."""
    plain = _IMAGE.sub("", text).rstrip(_EDGES)
    found = [ASKS] if plain.endswith(_QUESTION_MARKS) else []
    if speaker not in _AGENTS:
        words = text.replace("’", "'")
        if _PREFERENCE.search(words) or (len(words) <= LONGEST_RULE and _RULE.search(words)):
            found.append(PREFERS)
    return found


def asks_for_advice(query: str) -> bool:
    """Return whether ``query`` asks what to do or how, and not what was said or done."""
    words = query.replace("’", "'")
    return bool(_ADVICE.search(words)) and not _PAST.search(words)
