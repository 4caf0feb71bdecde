"""What a sentence wants of its hearer: an answer, a favour, or that it be kept in mind."""

from __future__ import annotations

import re

_MARKS = ("?", "？", "؟", "՞", "፧", "⁇")
_QUESTION = re.compile(
    r"^(?:(?:how|what|why|where|when|who|which)(?:'s| (?:do|does|did|is|are|was|were|can|could"
    r"|should|would|will|to|about))\b"
    r"|(?:is|are|do|does|did|can|could|should|would|will|shall) (?:i|we|you|it|this|that|there"
    r"|the|anyone|someone|they|he|she)\b"
    r"|(?:wie|warum|wieso|weshalb|wo|wann|wer|kannst|kann|könnt|könntest|könnten|können|sollen"
    r"|sollten|gibt es|ist|sind|hat jemand|weiß jemand)\b"
    r"|(?:pourquoi|comment|est-ce|qu'est-ce|peux-tu|peut-on|pouvez-vous|pourrais-tu|pourriez-vous"
    r"|où est)\b|(?:cómo|por qué|dónde|cuándo|puedes|podrías|podemos|como faço|você pode|come"
    r" faccio|perché|puoi|potresti)\b|(?:почему|зачем|можешь|можете|можно ли|как (?:мне|нам))\b)"
    r"|¿|[吗呢][。.!！]?$|为什么|為什麼|怎么(?!样都)|怎麼|ですか|ますか|でしょうか|습니까|나요|\bли\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\b(?:please|pls|plz|(?:can|could|would|will) (?:you|someone|anyone|somebody)|help me|help us"
    r"|bitte|kannst du|könntest du|könnten sie|können sie|s'il (?:te|vous) pla[iî]t|merci de"
    r"|peux-tu|pouvez-vous|por favor|per favore|alsjeblieft|alstublieft|proszę|prosím|snälla"
    r"|lütfen|tolong|пожалуйста|будь ласка)\b|请|請(?!求)|麻烦|帮我|幫我|ください|下さい|お願い"
    r"|주세요|부탁|من فضلك|رجاء|कृपया|בבקשה|กรุณา",
    re.IGNORECASE,
)
_STANDING = re.compile(
    r"^(?:please,? |bitte |请|請)?(?:important|remember|note to self|for the record|reminder"
    r"|keep in mind|rule|policy|convention|wichtig|merke|merken|merk dir|zur erinnerung|regel"
    r"|important à retenir|à retenir|rappel|règle|importante|recuerda|regla|ricorda|lembre-se"
    r"|важно|запомни|помни|правило|重要|重要提示|记住|記住|覚えておいて|重要事項|중요)\s*[:：!！]"
    r"|^(?:please,? )?(?:remember|keep in mind|don't forget|bear in mind) that\b"
    r"|^(?:bitte )?(?:denk daran|merk dir|vergiss nicht),? dass\b"
    r"|\b(?:from now on|going forward|from today on|henceforth|as of now|ab jetzt|ab sofort"
    r"|von nun an|künftig|in zukunft|désormais|dorénavant|à partir de maintenant|de ahora en"
    r" adelante|a partir de ahora|d'ora in poi|de agora em diante|отныне|впредь|с этого момента)\b"
    r"|从现在起|從現在起|从现在开始|今后|今後|以后都|これからは|앞으로는",
    re.IGNORECASE,
)
_FAILS = re.compile(
    r"\b(?:errors?|fail(?:s|ed|ing|ure)?|broken|breaks|crash(?:es|ed)?|bug|traceback|exception"
    r"|fehler|kaputt|abst[uü]rz\w{0,5}|erreur|plante|échoue|error(?:es)?|falla|fallo|errore|erro"
    r"|ошибк\w{1,3}|падает|сломал\w{1,3})\b|错误|錯誤|报错|報錯|出错|失败|エラー|失敗|오류|실패",
    re.IGNORECASE,
)


def asks(text: str) -> bool:
    """Return whether a sentence is a question or a request, in languages that are common.

    What is to be kept in mind is none, however politely it is said.
    """
    if text.rstrip("\"'”’»)]*_ ").endswith(_MARKS):
        return True
    return not stands(text) and bool(_QUESTION.search(text) or _REQUEST.search(text))


def stands(text: str) -> bool:
    """Return whether a sentence says itself that it is to hold: ``Remember: …``, from now on."""
    return bool(_STANDING.search(text))


def fails(text: str) -> bool:
    """Return whether a sentence speaks of something that does not work."""
    return bool(_FAILS.search(text))
