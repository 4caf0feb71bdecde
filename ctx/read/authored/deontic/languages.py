"""Rules in other languages than English, by words and endings that say little else.

Asked of sentences without English ones; actions are not taken apart, so nothing conflicts.
"""

from itertools import pairwise

from ctx.model import Modality
from ctx.read.authored.deontic.clause import Sentence
from ctx.read.authored.deontic.lexicon import BREAKS
from ctx.text.english import listed, words_of

_ENGLISH = listed("the of and to is are for with it this that or be")
_FOREIGN = words_of("foreign")
_BANS = words_of("bans")
_DUTIES = words_of("duties")
_BANNING = {"darf nicht", "dürfen nicht", "darf kein", "nie wolno", "ei saa", "لا يجوز"}
_OBLIGING = {"il faut", "hay que", "on oltava", "her zaman"}
_OPENING = words_of("opening")
_SHORT = 4  # letters of "eine" and "jede"
_AFTER_IMPERATIVES = words_of("after imperatives")
_FINITE = listed("ist sind wird werden wurde wurden hat haben kann können war waren darf dürfen")
_DENYING = listed("no não non ne не nie لا keine kein")
_ENDINGS = ("йте", "йтесь", "ите", "ьте", "ez", "ujcie", "ajcie")  # of the first word: imperatives
_FACTS = listed("chez assez avez voyez нет")
_LAST = ("malı", "meli", "malıdır", "melidir", "yın", "yün", "yin", "yun")  # of last words, Turkish
_CLOSING = words_of("closing")
_CLOSING_BANS = words_of("closing bans")
_CLOSING_BAN_ENDINGS = ("ılmaz", "ilmez", "ulmaz", "ülmez", "nmaz", "nmez", "dilmez")
_BANNING_SIGNS = words_of("banning signs")
_OBLIGING_SIGNS = words_of("obliging signs")
_FIRST_SIGNS = tuple(words_of("first signs"))
_HARMLESS = sorted(words_of("harmless signs"))  # in one order: they overlap
FIRST_IDEOGRAPH = "\u2e80"


def ruled(sentence: Sentence, *, inner: bool = False) -> Modality | None:
    """Return what a sentence, ``inner`` in parentheses, rules by words of another language."""
    words = sentence.words[: len(sentence.raws)]
    asides = (ruled(aside, inner=True) for aside in sentence.asides)
    found: Modality | None = next(filter(None, asides), None)
    if found or not words or not _ENGLISH.isdisjoint(words):
        return found
    pairs = set(map(" ".join, pairwise(words)))
    last = next((word for word in reversed(words) if word not in BREAKS), "")
    banned = not _BANS.isdisjoint(words) or not _BANNING.isdisjoint(pairs)
    if banned or (not inner and _denies(words, last)) or (len(words) > 1 and last in _CLOSING_BANS):
        return "forbidden"
    obliged = not _DUTIES.isdisjoint(words) or not _OBLIGING.isdisjoint(pairs)
    if obliged or _commands(sentence, last):
        return "obligatory"
    signs = [word.removesuffix("不要") for word in words if max(word) >= FIRST_IDEOGRAPH]
    text = " ".join(signs)
    for harmless in _HARMLESS:
        text = text.replace(harmless, "")
    if any(map(text.count, _BANNING_SIGNS)):
        return "forbidden"
    opens = any(
        word.startswith(_FIRST_SIGNS) and (not i or max(words[i - 1]) >= FIRST_IDEOGRAPH)
        for i, word in enumerate(words)
    )
    return "obligatory" if opens or any(map(text.count, _OBLIGING_SIGNS)) else None


def is_foreign(sentence: Sentence) -> bool:
    """Whether a sentence is of another language, by its small words."""
    words = sentence.words
    return _ENGLISH.isdisjoint(words) and not _FOREIGN.isdisjoint(words)


def _denies(words: list[str], last: str) -> bool:
    """Whether a sentence denies an infinitive, or ends with a denied passive of Turkish."""
    if words[0] in {"kein", "keine", "keinen", "keinerlei"}:
        return True
    german = last in _CLOSING and not {"nicht", "keine", "keinen", "kein", "nie"}.isdisjoint(words)
    infinitive = any(a == "не" and b.endswith(("ть", "йте", "ите")) for a, b in pairwise(words))
    return german or infinitive or last.endswith(_CLOSING_BAN_ENDINGS)


def _commands(sentence: Sentence, last: str) -> bool:
    """Whether a clause opens with an imperative, or the sentence ends with one."""
    words = sentence.words[: len(sentence.raws)]
    for i, word in enumerate(words):
        if i and words[i - 1] not in BREAKS - {","}:
            continue
        if word in _OPENING and not sentence.raws[i].isupper():
            return True
        german = word.endswith("e") and i + 1 < len(words) and words[i + 1] in _AFTER_IMPERATIVES
        if (german and word not in _FINITE and len(word) > _SHORT) or word.endswith("iere"):
            return True
        at = i + (word in _DENYING and i + 1 < len(words))
        if words[at].endswith(_ENDINGS) and words[at] not in _FACTS:
            return True
    closing = len(words) > 1 and (last in _CLOSING or last.endswith("ieren"))
    return closing or (last.endswith(_LAST) and not last.isascii())
