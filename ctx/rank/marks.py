"""What a turn does, by English patterns, as words for the index that no text holds."""

from ctx.text.regex import regex

ASKS = "\ue000asks"  # ends in a question: it answers less than it asks
PREFERS = "\ue000prefers"  # a preference or choice of its speaker, or how to be answered from now

LONGEST_RULE = 600  # characters of a turn that is an instruction; longer ones only hold such words
_AGENTS = frozenset({"assistant", "tool", "system"})
_QUESTION_MARKS = ("?", "？", "؟", "՞", "፧", "⁇")
_EDGES = " \t\n\"'”’»)]*_"
_IMAGE = regex(r"\[image:[^\[\]\n]{0,400}\]\s*\Z")
_RULE = regex(
    r"(?i)\A(?:please |and |also )?(?:always|never)\b"
    r"|\b(?:always|never|remember to|make sure to)\b[^.!?\n]{3,120}"
    r"\b(?:when|whenever|if) (?:i|we)\b"
    r"|\b(?:from now on|going forward)\b"
)
_PREFERENCE = regex(
    r"(?i)\bprefer(?:s|red|ring|ences?)?\b|\b(?:i|we)(?:'d| would)? rather\b|\bi favou?r\b"
    r"|\b(?:i|we) (?:always|usually) (?:use|want|like)\b"
    r"|\b(?:i|we) (?:don't|do not|never) (?:like|want)\b"
    r"|\b(?:i|we)(?:'ve| have)? (?:decided|chosen|chose|opted)\b"
)
_ADVICE = regex(
    r"(?i)\b(?:should|suggest\w*|recommend\w*|advi[cs]e|approach\w*|(?:help|show) me|explain|best"
    r"|tips?|ideas?)\b|\bhow (?:can|do|would|could|to|might)\b"
    r"|\bwhat (?:steps|tools|options|strategies|kind|ways)\b"
    r"|\b(?:i|we)(?:'m|'re| am| are) (?:looking|planning|working|trying|thinking|considering"
    r"|preparing|getting)\b"
)
_PAST = regex(
    r"(?i)\b(?:did|have|had|was|were|has) (?:i|we|my|our)\b|\bhow (?:many|much|long|often)\b"
    r"|\A\W*(?:when|who|which)\b|\b(?:i|we)(?:'ve)? (?:said|mentioned|told|brought|discussed"
    r"|planned|decided)\b|\b(?:in|the) order\b|\bsummar\w*"
)


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
