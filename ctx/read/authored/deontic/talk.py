"""Rules that people give in talk, in several languages, which hold from then on."""

from ctx.read.authored.deontic.reading import Instruction, instructions
from ctx.text.regex import regex
from ctx.text.sentences import is_question, split

_FENCED = regex(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)")
_OPENING = regex(
    r"(?:please\s+|ok,?\s+|and\s+|but\s+|also,?\s+|so\s+)*"
    r"(?:(?:never|always)\s+(?!mind\b|been\b|had\b|seen\b|heard\b|felt\b|was\b|were\b|the\b|a\b|"
    r"give\s+up\b|quit\b|wanted\b|knew\b|thought\b|understood\b|loved\b|liked\b|here\b|good\b|up\b|"
    r"happy\b|staying\b|nice\b|great\b|fun\b|there\b)\w+"
    r"|no\s+(?!time|problem|need|idea|worr|luck|way|one|rush|doubt|wonder|plans?|news|matter|more\s+of)"
    r"\w+(?:\s+\w+){0,2}\s+(?:in|on|for|at|to|without|from|before|after)\s+\w+"
    r"|stop\s+(?!by|worry|think|it\b|over)\w+ing\s+\w+"
    r"|(?:remember|important|note|rule|policy|convention|reminder|nb)\s*:\s*\w+"
    r"|(?:bitte\s+)?(?:niemals|nie|immer|keinesfalls)\s+\w+|(?:bitte\s+)?keine?n?\s+\w+\s+(?:in|im|auf|bei)\b"
    r"|(?:s'il\s+te\s+plaît,?\s+|s'il\s+vous\s+plaît,?\s+)?(?:ne\s+\w+\s+(?:pas|jamais)|n'\w+\s+(?:pas|jamais)"
    r"|ne\s+(?:pas|jamais)\s+\w+|toujours\s+\w+|jamais\s+\w+)"
    r"|(?:por\s+favor,?\s+)?(?:nunca|siempre|jamás)\s+\w+)"
)
_ANYWHERE = regex(
    r"\bfrom\s+now\s+on\b|\bunder\s+no\s+circumstances\b"
    r"|\bwe\s+(?:don't|do\s+not|never|always)\s+"
    r"(?:use|commit|push|merge|deploy|write|add|touch|edit|ship|release|log|mock|import|store)\b"
    r"|\bdon't\s+forget\s+to\s+(?:bump|update|run|add|write|check|commit|test|close|log|use|set|keep)\b"
    r"|\bbitte\s+(?:nie|niemals|immer|nicht|keine?n?)\b|\bdarf(?:st)?\s+(?:nie|niemals|nicht|keine?n?)\b"
    r"|\bab\s+(?:jetzt|sofort)\b|\bvon\s+nun\s+an\b|\bauf\s+keinen\s+fall\b"
    r"|\bdésormais\b|\bà\s+partir\s+de\s+maintenant\b|\bil\s+ne\s+faut\s+(?:pas|jamais)\b"
    r"|\ba\s+partir\s+de\s+ahora\b|\bестрого\b|\bникогда\s+не\b|\bнельзя\b|\bзапрещено\b"
    r"|永远不要|永遠不要|绝对不要|绝不|禁止|必须|始终|务必|不得|从现在(?:开始|起)|以后(?:都|请|不)|请(?:不要|勿)"
    r"|してはいけ|しないでください|必ず|今後は|절대|반드시|하지\s*마세요|금지"
)
_REPORTED = regex(
    r"(?:the\s+|their\s+|its\s+)?(?:docs?|documentation|readme|manual|article|error|message|"
    r"guide|spec|linter|compiler|book)\s+(?:say|says|said|state|states|tell|tells|told)\b"
    r"|(?:he|she|they|somebody|someone|people)\s+(?:say|says|said|told|wrote)\b|according\s+to\b"
)
_FOR_NOW = regex(
    r"\b(?:that|it|this)\s+now\b|\b(?:right|for|just)\s+now\b|\bnot?\s+yet\b|\bthis\s+time\b|\bfirst\s+fix\b"
)
_GENERAL = regex(
    r"\b(?:always|never|every\s+time|each\s+time|whenever|from\s+now\s+on|from\s+here\s+on|"
    r"in\s+(?:the\s+)?future|by\s+default|without\s+exception|under\s+no\s+circumstances|"
    r"at\s+all\s+times|no\s+longer|not\s+ever|any\s?more|only\s+ever)\b"
)
_NECESSARY = regex(
    # Not "you must have felt", nor "that must be great": these guess.
    r"\b(?:must|shall)\s+(?:not\s+|never\s+|always\s+|only\s+)*"
    r"(?!have\b(?!\s+(?:an?|the|at|no)\b)|be\b|feel|seem|look|sound|love|enjoy|mean|know|really|add\s+so)"
    r"\w+|\b(?:must|shall)\s+(?:not\s+|never\s+|always\s+|only\s+)*be\s+\w+(?:ed|en|wn|pt|lt)\b"
    r"|\b(?:must\s+never|must\s+always|may\s+not|cannot\s+be)\b"
)
_FORBIDS = regex(
    r"(?:^|[.!?;:,]\s*|\b(?:please|and|but|so|then|also|again)\s+)"
    r"(?:please\s+)?(?:do\s+not|don't|never|no\s+more)\s+\w+"
)
_UNDER = regex(
    r"(?:^|[,;:]\s*|\b(?:and|but|so|please)\s+)"
    r"(?:if|when|before|after|unless|until|once|for\s+(?:every|each|all|any))\s+"
    r"(?:you|we|a|an|the|any|every|each|anything|something|\w+ing)\b"
)
_POLICY = regex(
    r"(?:^|[.!?;:,]\s*|\b(?:please|and|but|so|then|also)\s+)"
    r"(?:prefer|avoid|ensure|make\s+sure|be\s+sure|remember\s+to|stick\s+to|respect|follow|"
    r"use|treat|default\s+to|refrain\s+from)\s+(?!it\b|me\b|up\b|your\b|him\b|her\b)\w+"
)
_CHEERS = regex(
    r"(?:do\s+not|don't|never)\s+(?:worry|give\s+up|forget|hesitate|let|lose|stop|be\s+\w+|"
    r"mind|know|think|get\s+\w+|tell|ask|say|miss|sweat|underestimate|quit|doubt|ever\s+quit|"
    r"been|had|seen|heard|felt|thought|tried|went|did|was|were|got)\b"
)
_RULE_CUES = frozenset({"default", "label"})  # cues of rules alone
_OTHER_CUES = frozenset({"identity", "priority"})  # of talk about somebody, or about taste


def gives_a_rule(talk: str) -> bool:
    """Return whether somebody gives a rule in ``talk`` that is to hold from then on."""
    lines = _FENCED.sub("\n", talk).splitlines()
    own = "\n".join(line for line in lines if not line.lstrip().startswith(">"))
    said = (sentence for line in own.splitlines() for sentence in split(line))
    return any(map(_is_rule, said)) or any(
        _holds(instruction, own[instruction.start : instruction.end])
        for instruction in instructions(own)
    )


def _is_rule(sentence: str) -> bool:
    """Whether a sentence is a rule by its own words, whatever the deontic reader finds in it."""
    text = _plain(sentence)
    return not _is_of_others(text) and bool(_OPENING.match(text) or _ANYWHERE.search(text))


def _plain(sentence: str) -> str:
    return " ".join(sentence.split()).casefold().replace("\u2019", "'")


def _is_of_others(text: str) -> bool:
    """Whether a sentence asks, tells what others say, or holds for this moment."""
    return is_question(text) or bool(_REPORTED.match(text) or _FOR_NOW.search(text))


def _holds(instruction: Instruction, sentence: str) -> bool:
    """Whether an instruction in ``sentence`` of talk is meant to hold from then on."""
    cue = instruction.cue
    if instruction.modality == "permitted" or cue in _OTHER_CUES or "```" in sentence:
        return False  # code in a fence was pasted
    text = _plain(sentence)
    if _is_of_others(text):
        return False
    if cue in _RULE_CUES or _NECESSARY.search(text) or _POLICY.search(text):
        return True
    if instruction.modality == "forbidden":
        return bool(_FORBIDS.search(text)) and not _CHEERS.search(text)
    conditional = cue in ("modal", "lead-in") and _UNDER.search(text)
    general = cue != "modal" and _GENERAL.search(text) and not _CHEERS.search(text)
    return bool(conditional or general)
