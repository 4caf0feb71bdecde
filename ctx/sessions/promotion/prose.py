"""The signals of a promotion in prose: what is asked and settled, and the weight of each."""

from itertools import islice
from typing import NamedTuple

from ctx.text.entities import segments
from ctx.text.regex import regex
from ctx.text.sentences import is_question, split
from ctx.text.tokens import estimate

NOVELTY, RECURRENCE, CONVERSATIONAL = 0.35, 0.40, 0.25  # of H, R and D_nl in G_conv
SPECIFICS, SETTLED, CONSTRUCTION = 0.40, 0.35, 0.25  # of P, A and D_tech in G_tech

TECHNICAL_WHOLE = 1.5  # the sum that makes a turn wholly technical
TECHNICAL = {
    "fence": 1.0, "trace": 1.0, "definition": 0.7, "shell": 0.7, "path": 0.4, "hash": 0.4,
    "url": 0.2,
}  # fmt: skip
"""Each pattern counts once, however often it occurs."""

TALK = {"standing": 0.6, "lesson": 0.7, "root cause": 0.7, "reversed": 0.7, "has to": 0.6,
        "general": 0.6, "preference": 0.6, "decision": 0.5, "fact": 0.4, "date": 0.4,
        "quotation": 0.3, "assertion": 0.2, "name": 0.1, "number": 0.1}  # fmt: skip
"""Marks of a statement in the first person, or of what is to be remembered about anybody; each
counts once a sentence."""
STATED = ("lesson", "root cause", "reversed", "has to", "general")
"""Marks of knowledge about anything, whoever writes it; ``general`` only in a short turn."""
PASSING = frozenset({"date", "quotation", "assertion", "name", "number"})
"""Marks that an event has, too: without others a sentence tells what happened."""
EVENT = 0.3  # part of its weight that the most marked event of a turn counts; others count nothing
PLAIN = 0.4
"""D_nl from which a turn states knowledge in so many words: that it is technical, too, does not
lower its score."""
CHANCE = 0.3  # weight that the marks of a sentence may have by chance: D_nl counts what exceeds it
FAINT = 0.2  # a turn whose marks of knowledge are all below this is not worth keeping

CONCRETE = {"error": 0.3, "path": 0.2, "endpoint": 0.2, "identifier": 0.1}
"""Each distinct one counts."""
RESOLVED = {"decided": 0.6, "root cause": 0.6, "fixed": 0.4, "merged": 0.4, "configured": 0.4,
            "because": 0.2}  # fmt: skip
"""Each counts once a sentence."""
BUILT = {"definition": 0.4, "dependency": 0.4, "test": 0.3}  # each counts once a sentence

PER_TOKENS = 100  # tokens of prose by which the marks of a turn are divided; fewer count as so many
MOST_CHARS = 20_000  # characters of a turn that are read: longer ones were pasted
MOST_SENTENCES = 400  # sentences of a turn that are read


_QUESTION = regex(
    r"(?i)^(?:(?:how|what|why|where|when|who|which)(?:'s| (?:do|does|did|is|are|was|were|can|could"
    r"|should|would|will|to|about))\b"
    r"|(?:is|are|do|does|did|can|could|should|would|will|shall) (?:i|we|you|it|this|that|there"
    r"|the|anyone|someone|they|he|she)\b"
    r"|(?:wie|warum|wieso|weshalb|wo|wann|wer|kannst|kann|könnt|könntest|könnten|können|sollen"
    r"|sollten|gibt es|ist|sind|hat jemand|weiß jemand)\b"
    r"|(?:pourquoi|comment|est-ce|qu'est-ce|peux-tu|peut-on|pouvez-vous|pourrais-tu|pourriez-vous"
    r"|où est)\b|(?:cómo|por qué|dónde|cuándo|puedes|podrías|podemos|como faço|você pode|come"
    r" faccio|perché|puoi|potresti)\b|(?:почему|зачем|можешь|можете|можно ли|как (?:мне|нам))\b)"
    r"|¿|[吗呢][。.!！]?$|为什么|為什麼|怎么(?!样都)|怎麼|ですか|ますか|でしょうか|습니까|나요|\bли\b"
)
_REQUEST = regex(
    r"(?i)\b(?:please|pls|plz|(?:can|could|would|will) (?:you|someone|anyone|somebody)|help me"
    r"|help us"
    r"|bitte|kannst du|könntest du|könnten sie|können sie|s'il (?:te|vous) pla[iî]t|merci de"
    r"|peux-tu|pouvez-vous|por favor|per favore|alsjeblieft|alstublieft|proszę|prosím|snälla"
    r"|lütfen|tolong|пожалуйста|будь ласка)\b|请|請(?!求)|麻烦|帮我|幫我|ください|下さい|お願い"
    r"|주세요|부탁|من فضلك|رجاء|कृपया|בבקשה|กรุณา"
)
_STANDING = regex(
    r"(?i)^(?:please,? |bitte |请|請)?(?:important|remember|note to self|for the record|reminder"
    r"|keep in mind|rule|policy|convention|wichtig|merke|merken|merke? dir|zur erinnerung|regel"
    r"|important à retenir|à retenir|rappel|règle|importante|recuerda|regla|ricorda|lembre-se"
    r"|важно|запомни|помни|правило|重要|重要提示|记住|記住|覚えておいて|重要事項|중요)\s*[:：!！]"
    r"|^(?:please,? )?(?:remember|keep in mind|don't forget|bear in mind) that\b"
    r"|^(?:bitte )?(?:denk daran|merk dir|vergiss nicht),? dass\b"
    r"|\b(?:from now on|going forward|from today on|henceforth|as of now|ab jetzt|ab sofort"
    r"|von nun an|künftig|in zukunft|désormais|dorénavant|à partir de maintenant|de ahora en"
    r" adelante|a partir de ahora|d'ora in poi|de agora em diante|отныне|впредь|с этого момента)\b"
    r"|从现在起|從現在起|从现在开始|今后|今後|以后都|これからは|앞으로는"
)
_FAILS = regex(
    r"(?i)\b(?:errors?|fail(?:s|ed|ing|ure)?|broken|breaks|crash(?:es|ed)?|bug|traceback|exception"
    r"|fehler|kaputt|abst[uü]rz\w{0,5}|erreur|plante|échoue|error(?:es)?|falla|fallo|errore|erro"
    r"|ошибк\w{1,3}|падает|сломал\w{1,3})\b|错误|錯誤|报错|報錯|出错|失败|エラー|失敗|오류|실패"
)


def asks(text: str) -> bool:
    """Return whether a sentence is a question or a request, in common languages.

    What is to be remembered is none, however politely it is said.
    """
    if is_question(text):
        return True
    return not is_standing(text) and bool(_QUESTION.search(text) or _REQUEST.search(text))


def is_standing(text: str) -> bool:
    """Return whether a sentence itself says that it is to hold: ``Remember: …``, from now on."""
    return bool(_STANDING.search(text))


_IMAGE = regex(r"\[image:[^\[\]\n]{0,400}\]")
_SPEECH = regex(r"(?<!\w)\"[^\"]{81,4000}\"|“[^“”]{81,4000}”")
_MARKER = regex(r"^(?:(?:[-*+•>|]|#{1,6}|\d{1,3}[.)])(?:\s+|$)|\|)")
_FIRST = regex(
    r"(?i)\b(?:i|i'm|i've|i'd|i'll|we|we're|we've|we'd|we'll|my|our|mine|ours"
    r"|ich|wir|meine?[nmrs]?|unsere?[nmrs]?|je|nous|notre|nos"
    r"|я|мы|мой|моя|наш|наша)\b|\bj'|[我私僕俺]|우리|나는|저는"
)
_SECOND = regex(r"(?i)\b(?:you|you're|you've|you'll|you'd|your|yours|u|ur)\b")
_OWN = regex(r"(?i)\b(?:my|our|i've|we've)\b")
_LATIN = regex(r"(?i)[a-z]{2}")
_LETTERS = regex(r"[^\W\d_].*?[^\W\d_]")
_SUBORDINATE = regex(
    r"(?i)\b(?:(?:can|could|would|will) you|please|help me|(?:i|we)(?:'m|'re| am| are) (?:\w+ )?"
    r"(?:trying|wondering|looking|struggling|having|not sure|unsure|worried|thinking|getting|seeing"
    r"|hoping|stuck|facing|encountering|experiencing|working on)|(?:i|we)(?:'ve| have) (?:\w+ )?"
    r"(?:tried|tested|considered|been (?:thinking|wondering|trying|working))"
    r"|(?:i|and|but) (?:want|need|hope)|i can only imagine"
    r"|i'd (?:like|love)|how (?:can|do|should|would)|what (?:are|is|if)|let me know|let's"
    r"|i can help|i'd be happy|never ?mind|nvm|forget (?:it|that|about)|scratch that|no idea"
    r"|i (?:never|don't|didn't|do not|still don't|can't) (?:know|knew|understand|understood|get|got"
    r"|see why|remember|recall))\b"
)


class Sentence(NamedTuple):
    """A sentence of a turn, without list markers."""

    text: str
    mine: bool  # whether it is in the first person, as far as its language shows that
    states: bool  # whether it is a statement, not a question, wish, address, exclamation or attempt
    asks: bool  # whether it is a question or a request, or describes a failure beside one
    talks: bool  # whether it is in a paragraph, not in a heading, list, table or quotation
    is_standing: bool = False  # whether it says itself that it is to be remembered


class TurnText(NamedTuple):
    """A turn, as every signal of its text reads it."""

    text: str  # ``MOST_CHARS`` of it
    spoken: str  # its text without fenced code, captions and long quotations
    sentences: tuple[Sentence, ...]  # of ``spoken``; ``MOST_SENTENCES`` at most
    hundreds: float  # hundreds of tokens of ``spoken``, at least 1

    def density(self, total: float) -> float:
        """Return ``total`` by hundred tokens, in [0, 1]."""
        return unit(total / self.hundreds)


def turn_text(text: str) -> TurnText:
    """Return a turn as signals read it."""
    prose = "\n".join(run for run, is_code in segments(text[:MOST_CHARS]) if not is_code)
    spoken = _SPEECH.sub(" ", _IMAGE.sub(" ", prose.replace("’", "'")))
    hundreds = max(estimate(spoken) / PER_TOKENS, 1.0)
    sentences = []
    parts = (part for line in spoken.splitlines() for part in split(line))
    for part in islice(parts, MOST_SENTENCES):
        bare = part.strip()
        content = _MARKER.sub("", bare)
        if content:
            sentences.append(_sentence(content, talks=content == bare))
    if any(sentence.asks for sentence in sentences):  # then failures are part of the question
        sentences = [
            sentence._replace(asks=True, states=False)
            if _FAILS.search(sentence.text)
            and not sentence.is_standing
            and not settled_weight(sentence.text)
            else sentence
            for sentence in sentences
        ]
    return TurnText(text[:MOST_CHARS], spoken, tuple(sentences), hundreds)


def _sentence(text: str, *, talks: bool) -> Sentence:
    mine = bool(_FIRST.search(text) or (_LETTERS.search(text) and not _LATIN.search(text)))
    asking = asks(text)
    wishes = asking or bool(_SUBORDINATE.search(text))
    to_you = bool(_SECOND.search(text)) and not _OWN.search(text)
    states = mine and not (wishes or to_you or text.endswith("!"))
    return Sentence(text, mine, states, asking, talks, not asking and is_standing(text))


def unit(value: float) -> float:
    """Return ``value`` clamped to [0, 1]; NaN is 0."""
    return min(1.0, max(0.0, value))  # in this order: max(0, NaN) is 0


_PATTERNS = {
    "decided": regex(
        r"(?i)\b(?:decided|chose|chosen|opted|agreed|settled on|(?<!keep )going with|went with"
        r"|switched to|we(?:'ll| will) use|from now on)\b"
    ),
    "root cause": regex(
        r"(?i)\b(?:root cause(?! analysis| of|\W*$)|culprit"
        r"|(?:turned|turns) out(?! (?:that )?s?he\b| (?:to be )?(?:so|very|great"
        r"|good|nice|fun|\w+ly)\b)"
        r"|(?:the|its) (?:\w+ )?cause (?:was|is)|(?:fails|(?<!test )(?<!build )failed|breaks"
        r"|broke|flaky|crash(?:es|ed)) (?:because|since|when(?:ever)?|unless|as soon as)"
        r"|ursache (?:war|ist)|stellte? sich heraus"
        r"|la (?:vraie )?cause (?:était|est)|la causa (?:era|es|fue)|result(?:a|ó) que)\b"
        r"|\b(?:the |die |la )?(?:cause|ursache|causa)\s?:\s|原因(?:是|在于|は)|^原来|原来是"
    ),
    "lesson": regex(
        r"(?i)^\W*(?:(?:an? |the |one )?(?:important |key |main |big |hard |useful )?(?:lessons?"
        r"|takeaways?|learning|finding|gotcha|pitfall|caveat)(?: learned| here| is| was)?\s*[:—–-]"
        r"|(?:decision|decided|lektion|entscheidung|leçon|décision|lección|decisión|教训|教訓|经验|决定)"
        r"\s*[:：])|\blessons? learned\b|\b(?:i|we)(?:'ve)? learned (?:that\b"
        r"|the hard way)"
    ),
    "reversed": regex(
        r"(?i)\b(?:we|i|they) (?:\w+ )?no longer\b|\b(?:is|are) no longer (?:\w+ ){0,2}(?:supported"
        r"|used|allowed|required|kept|stored|valid)\b|\binstead of\b.{1,100}\bnow\b"
        r"|\bnow\b.{1,100}\binstead of\b|\b(?:we|i)(?:'ve| have)? (?:switched|moved|migrated|went)"
        r" (?:\w+ ){0,3}(?:away from\b|from\b.{1,60}\bto\b)|\b(?:we|i)(?:'ve| have)? (?:replaced"
        r"|dropped(?! (?:off|by|in|out))|abandoned|retired)\b"
        r"|\bwir \w+ (?:[\w-]+ ){0,5}nicht mehr\b|\bnous n(?:'|e )\w+ plus\b|\bya no \w+mos\b"
        r"|(?:我们|已经?)不再"
    ),
    "fixed": regex(r"(?i)\b(?:fixed|resolved|solved|repaired|reverted)\b"),
    "merged": regex(r"(?i)\b(?:merged|shipped|released|deployed|landed|rolled out)\b"),
    "configured": regex(
        r"(?i)\b(?:configured|enabled|disabled|migrated|upgraded|pinned|installed|set up)\b"
    ),
    "because": regex(r"(?i)\b(?:because|due to|caused by|so that)\b"),
    "general": regex(
        r"(?i)^(?!otherwise|.*\b(?:i|i'm|i've|i'd|i'll|me|my|you|your|s?he)\b)(?=.*\b(?:otherwise|unless"
        r"|whenever|(?:may|should|can|could) (?:never|not|only)|nothing (?:[\w-]+ ){0,6}may"
        r"|(?:is|are|gets?) never|(?:has|have|needs?) to match|no (?:[\w-]+ ){1,4}without"
        r"|at (?:least|most) \d|only (?:if|when|where|under|between|in))\b)"
    ),
    "has to": regex(
        r"(?i)(?<!\bi )(?<!you )(?<!that )(?<!which )(?<!\ba )\b"
        r"(?:must(?:n't| not)?(?! (?:have|feel|seem)\b|'ve|-"
        r"| be (?:\w+ )?(?:\w+ing|\w+ful|hard|tough|great|nice|awesome|amazing|so|fun|a)\b"
        r"|(?: be)?\W*$)|(?<!still )has to|have to be|fails? unless"
        r"|(?:is|are) unique only)\b(?![^!]*!$)"
        r"|(?<!\bich )\b(?:muss|müssen|d(?:arf|ürfen) (?:[\w-]+ ){0,4}(?:nicht|keine?n?|nie)"
        r"|nie wieder|ne jamais|doi(?:t|vent)|il faut|hay que)\b"
        r"|必须|必須|禁止|一律|不得|切勿|なければならない"
    ),
}


def settled(turn: TurnText) -> float:
    """Return A: marks of what was decided, fixed, merged, configured, and why.

    By hundred tokens of prose (``compaction.md``, Promotion); a question settles nothing.
    """
    settling = (sentence.text for sentence in turn.sentences if not sentence.asks)
    return turn.density(sum(map(settled_weight, settling)))


def settled_weight(text: str) -> float:
    """Return the weight of the marks of a sentence together; at least 0.

    An instruction for the future counts as a decision.
    """
    return sum(
        weight
        for mark, weight in RESOLVED.items()
        if _PATTERNS[mark].search(text) or (mark == "decided" and is_standing(text))
    )


def decides(text: str) -> bool:
    """Return whether a sentence is about a decision, rather than a finding."""
    return bool(_PATTERNS["decided"].search(text) or _PATTERNS["reversed"].search(text))


def says_why(text: str) -> bool:
    """Return whether a sentence gives a reason."""
    return bool(_PATTERNS["because"].search(text) or ", so " in text)


def is_advice(sentence: Sentence) -> bool:
    """Return whether a sentence is a wish, or advice to the hearer."""
    return bool(_ADVICE.search(sentence.text))


def stated(sentence: Sentence) -> list[str]:
    """Return the marks of knowledge that a sentence has, whoever writes it (``STATED``)."""
    exclaims = sentence.text.endswith("!") and not sentence.is_standing
    if sentence.asks or not sentence.talks or is_advice(sentence) or exclaims:
        return []
    return [mark for mark in STATED if _PATTERNS[mark].search(sentence.text)]


_ADVICE = regex(
    rf"{_SUBORDINATE.pattern}|^(?:(?:[\w *]{{1,34}}:[* ]*|first|then|next|also|finally),? )?"
    r"(?:ensur\w+|make sure|check|verify|identify|consider|run|set up)\b"
)
"""A wish, an address, or advice to the hearer."""
_REPLACED = regex(
    r"(?i)\b(?:no longer|instead of|rather than|away from|from|replaced|dropped|abandoned"
    r"|retired)\s+"
    r"(.{2,120}?)(?=[,;.:—–()]|\s(?:we|i|now|with|by|to|in favou?r of|because|since)\b|$)"
)


def replaced(text: str) -> tuple[str, str]:
    """Return the first sentence that reverses something, and what it reverses; empty for none."""
    for sentence in turn_text(text).sentences:
        found = _REPLACED.search(sentence.text) if "reversed" in stated(sentence) else None
        if found:
            return sentence.text, found[1]
    return "", ""
