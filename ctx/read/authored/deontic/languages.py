"""Rules in other languages than English, by words and endings that say little else.

Asked of a sentence that the English families find nothing in. Taken: words of duty and ban;
imperatives that open a clause, by the endings of the language or as one of its commonest verbs.
The action is not taken apart, so no conflict is found here.
"""

from itertools import pairwise

from ctx.model import Modality
from ctx.read.authored.deontic.clause import Sentence
from ctx.read.authored.deontic.lexicon import BREAKS, listed

_ENGLISH = listed("the of and to is are for with it this that or be")
_BANS = listed("""
niemals verboten untersagt jamais interdit interdite interdits nunca jamás prohibido prohibida
proibido proibida vietato vietata asla yasak yasaktır никогда нельзя запрещено запрещён запрещена
nigdy zabronione älä ممنوع
""")
_DUTIES = listed("""
muss müssen musst soll sollen sollte sollten immer stets zwingend verpflichtend erforderlich bitte
doit doivent devez dois obligatoire obligatoires toujours veuillez
debe deben debes deberá deberán obligatorio obligatoria obligatorios siempre asegúrate
deve devem obrigatório obrigatória obrigatórios sempre devono devi bisogna obbligatorio
obbligatoria obbligatori zorunlu zorunludur mutlaka gerekir gerekli gereklidir gerekmektedir
должен должна должно должны обязан обязаны обязательно обязательны обязателен обязательна
необходимо следует нужно надо всегда musi muszą musisz należy powinien powinna powinno powinny
zawsze wymagane wymagany täytyy pitää aina يجب ينبغي دائما
""")
_BANNING = {"darf nicht", "dürfen nicht", "darf kein", "nie wolno", "ei saa", "لا يجوز"}
_OBLIGING = {"il faut", "hay que", "on oltava", "her zaman"}
_OPENING = listed("""
verwende verwenden nutze nutzen benutze führe führen schreibe schreib halte vermeide stelle prüfe
beachte lies füge erstelle lege starte öffne setze ändere lösche teste aktualisiere dokumentiere
frage frag bevorzuge speichere utilise lis évite garde écris vérifie ajoute lance lire utiliser
éviter vérifier ajouter exécuter écrire créer garder
usa utiliza lee ejecuta evita mantén crea añade agrega revisa verifica sigue escribe actualiza haz
pregunta leia utilize evite mantenha crie adicione verifique siga escreva atualize faça pergunte
leggi esegui mantieni aggiungi segui scrivi aggiorna fai chiedi lue käytä vältä varmista
استخدم اقرأ تأكد
""")
_DENYING = listed("no não non ne не nie لا keine kein")
_ENDINGS = ("йте", "йтесь", "ите", "ьте", "ez", "ujcie", "ajcie")
"""Of the first word: the imperatives of Russian, French and Polish."""
_FACTS = listed("chez assez avez voyez нет")
_LAST = ("malı", "meli", "malıdır", "melidir", "yın", "yün", "yin", "yun")
"""Of the last word: the duties and imperatives of Turkish."""
_BANNING_SIGNS = listed("""
禁止 严禁 嚴禁 不得 切勿 避免 拒绝 不要 不可 てはいけ てはなら しないで ないこと 마세요 금지
""")
_OBLIGING_SIGNS = listed("""
必须 必須 必ず 务必 務必 应当 应该 还应 均应 都应 始终 优先 统一使用 确保 都要 请 ください
べき なければな すること を実行 하세요 하십시오 해야 반드시 필수
""")
"""Of Chinese, Japanese and Korean, wherever they stand."""
_HARMLESS = ("不要求", "不要な", "不可避", "不可预", "不可知")
_FIRST_IDEOGRAPH = "\u2e80"


def ruled(sentence: Sentence) -> Modality | None:
    """Return what a sentence rules by the words of another language; None where nothing."""
    words = sentence.words[: len(sentence.raws)]
    aside: Modality | None = next(filter(None, map(ruled, sentence.asides)), None)
    if aside or not words or not _ENGLISH.isdisjoint(words):
        return aside
    pairs = set(map(" ".join, pairwise(words)))
    if not _BANS.isdisjoint(words) or not _BANNING.isdisjoint(pairs):
        return "forbidden"
    if not _DUTIES.isdisjoint(words) or not _OBLIGING.isdisjoint(pairs) or _commands(sentence):
        return "obligatory"
    signs = [word.removesuffix("不要") for word in words if max(word) >= _FIRST_IDEOGRAPH]
    text = " ".join(signs)
    for harmless in _HARMLESS:
        text = text.replace(harmless, "")
    if any(map(text.count, _BANNING_SIGNS)):
        return "forbidden"
    return "obligatory" if any(map(text.count, _OBLIGING_SIGNS)) else None


def _commands(sentence: Sentence) -> bool:
    """Whether a clause opens with an imperative, or the sentence ends with one."""
    words = sentence.words[: len(sentence.raws)]
    for i, word in enumerate(words):
        if i and words[i - 1] not in BREAKS - {","}:
            continue
        if word in _OPENING and not sentence.raws[i].isupper():
            return True
        at = i + (word in _DENYING and i + 1 < len(words))
        if words[at].endswith(_ENDINGS) and words[at] not in _FACTS:
            return True
    last = next((word for word in reversed(words) if word not in BREAKS), "")
    return last.endswith(_LAST) and not last.isascii()
