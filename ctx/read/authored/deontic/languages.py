"""Rules in other languages than English, by words and endings that say little else.

Asked of sentences without English ones; actions are not taken apart, so nothing conflicts.
"""

from itertools import pairwise

from ctx.model import Modality
from ctx.read.authored.deontic.clause import Sentence
from ctx.read.authored.deontic.lexicon import BREAKS, listed

_ENGLISH = listed("the of and to is are for with it this that or be")
_FOREIGN = listed("""
der das dem den und für mit nicht ist sind ein eine einen auf von zum zur im bei oder wenn
les du et pour dans sur ce cette est une aux avec par sont el los las del para que por una son al
da na nos em uma ao à são gli della delle dei nel che è
ve ile için bu bir veya olarak daha się dla oraz jest и в на с для не по из к
""")  # small words of other languages, which English text does not use
_BANS = listed("""
niemals verboten untersagt jamais interdit interdite interdits nunca jamás prohibido prohibida
proibido proibida vietato vietata asla yasak yasaktır никогда нельзя запрещено запрещён запрещена
nigdy zabronione älä ممنوع keinesfalls keinerlei
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
beantworte antworte arbeite committe achte sorge vermeiden halten antworten
frage frag bevorzuge speichere utilise lis évite garde écris vérifie ajoute lance lire utiliser
éviter vérifier ajouter exécuter écrire créer garder respecter suivre mettre documenter maintenir
usar mantener ejecutar evitar seguir escribir revisar verificar actualizar crear añadir
manter executar escrever atualizar criar adicionar usare eseguire mantenere evitare seguire scrivere
использовать писать проверять запускать избегать соблюдать следовать обновлять добавлять
usa utiliza lee ejecuta evita mantén crea añade agrega revisa verifica sigue escribe actualiza haz
pregunta leia utilize evite mantenha crie adicione verifique siga escreva atualize faça pergunte
leggi esegui mantieni aggiungi segui scrivi aggiorna fai chiedi lue käytä vältä varmista
استخدم اقرأ تأكد
""")
_SHORT = 4  # letters of "eine" and "jede"
_AFTER_IMPERATIVES = listed("""
die den das dem ein eine einen keine keinen alle jede jeden jedes nur immer zuerst stets nie nicht
dich sie deine diese dieses diesen
""")
_FINITE = listed("ist sind wird werden wurde wurden hat haben kann können war waren darf dürfen")
_DENYING = listed("no não non ne не nie لا keine kein")
_ENDINGS = ("йте", "йтесь", "ите", "ьте", "ez", "ujcie", "ajcie")  # of the first word: imperatives
_FACTS = listed("chez assez avez voyez нет")
_LAST = ("malı", "meli", "malıdır", "melidir", "yın", "yün", "yin", "yun")  # of last words, Turkish
_CLOSING = listed("""
kullan kullanın oku yaz yazın ekle ekleyin sil çalıştır çalıştırın oluştur oluşturun güncelle et
edin yap yapın koru koruyun belirt doğrula uygula kaçın bırak başla bekle incele planla tut
raporla onayla açıkla işaretle taşı kaydet sağla izle takip schreiben verwenden nutzen ausführen
prüfen beachten anlegen testen halten vermeiden erstellen hinzufügen aktualisieren dokumentieren
löschen lesen committen pushen mergen einhalten sicherstellen abstimmen nachfragen belassen
entfernen durchführen
""")
_CLOSING_BANS = listed("kullanma yapma etme değiştirme atlama unutma başlama geçme bırakma dokunma")
_CLOSING_BAN_ENDINGS = ("ılmaz", "ilmez", "ulmaz", "ülmez", "nmaz", "nmez", "dilmez")
"""Of the last word: imperatives of Turkish and the infinitives of German rules."""
_BANNING_SIGNS = listed("""
禁止 严禁 嚴禁 不得 切勿 避免 拒绝 不要 不可 てはいけ てはなら しないで ないこと 마세요 금지
不允许 不能 不应 不做 不使用 不写 切忌 勿 绝不 不再 不引入 不保留 不新增 せず しない 않는다
""")
_OBLIGING_SIGNS = listed("""
必须 必須 必ず 务必 務必 应当 应该 还应 均应 都应 始终 优先 统一使用 确保 都要 请 ください 只能
仅限 一律 严格 应 默认 为准 统一 遵循 遵守 保持 需要 须 先读 优先使用 守る 従う 避ける する必要
해야 べき なければな すること を実行 하세요 하십시오 해야 반드시 필수
""")  # of Chinese, Japanese and Korean, wherever they stand
_FIRST_SIGNS = tuple(  # imperatives of Chinese, where a clause opens
    listed("""
使用 采用 确认 检查 运行 执行 阅读 更新 添加 编写 默认 只 仅 先 每次 统一 回复
""")
)
_HARMLESS = listed("""
不要求 不要な 不可避 不可预 不可知 不能力 无须 按需要 不需要 需要时 必要はない
响应 反应 对应 适应 相应 应用 供应 効率 默认值 応じ 应答 请参阅 请参考 请参见 请查看
参照してください 参照すること 참조하세요
""")  # what holds a sign and rules nothing
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
