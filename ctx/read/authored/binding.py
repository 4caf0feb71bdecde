"""What binds in a document written for any agent: by its own words, its lead-in or its heading.

Such documents hold glossaries, lists of files and of commands beside their rules. A block binds
where it forbids or commands; under a heading or lead-in of norms ("Conventions:") what a list
holds binds whatever its form, and under one of a description ("Project structure") only what
forbids or obliges outright. Commands that are listed to be looked up bind nobody.
"""

from collections.abc import Sequence

from ctx.model import Tier
from ctx.read.authored.deontic import clause as en
from ctx.read.authored.deontic import reading as deontic
from ctx.read.authored.deontic.languages import FIRST_IDEOGRAPH
from ctx.read.authored.deontic.lexicon import MODALS
from ctx.text.regex import regex
from ctx.typed import Literal, NamedTuple

Kind = Literal["norms", "advice", "describes", ""]  # how a heading has its blocks read; or empty

_NORMS = regex(
    r"""(?ix)\b(?:rules?|conventions?|guidelines?|standards?|principles?|polic(?:y|ies)|constraints?
    |(?<!system\ )(?<!development\ )(?<!software\ )(?<!^)requirements|invariants?|check-?lists?
    |workflows?|procedures?|steps?|(?:best|good)\ practices?|anti-?patterns?|out\ of\ scope
    |(?:release|review|development|contribution|submission|deployment|change|pr)\ process
    |(?:commit|message|branch|tag|title|pr|file\ ?name|docstring)\ formats?|non-goals|styles?|naming
    |disciplines?|guardrails?|working\ here|how\ we\ work|ways?\ of\ working
    |must|never|always|do\ ?n['’o]?t|do\ not|dos|expectations
    |definition\ of\ done|non-negotiables?|responsibilities
    |regeln?|richtlinien|\w*konventionen|vorgaben|verbote?n?|pflichten|\w*format|namensgebung
    |arbeitsweise|grundsätze|prinzipien|ablauf|stil|codestil|règles|consignes|interdit\w*|principes
    |étapes|obligations|flux|reglas|normas|convenciones|principios|pasos|prohibid\w+|obligatori\w+
    |estilo|flujo|formato|regras|convenções|princípios|passos|proibid\w+|diretrizes|obrigatóri\w+
    |fluxo|regole|convenzioni|principi|passi|stile|linee\ guida|flusso
    |kural\w*|akışı?|talimat\w*|prensip\w*|yönerge\w*|sorumluluk\w*|ilkeler\w*
    |standartlar\w*|yasaklar\w*|zorunlu\w*|adımlar\w*|sözleşme\w*
    |yapma(?:yın)?|stili|politika\w*|biçimi?|правил[ао]|соглашени[ея]|принципы|требования|запрещено
    |стиль|шаги|процесс|формат|zasady|reguły|konwencje|wymagania|kroki|styl|proces)\b
    |规则|规范|約定|约定|准则|原则|禁止|要求|约束|流程|步骤|必须|守则|风格|標準|标准|工作流|格式
    |ルール|規約|規則|原則|方針|手順|必須|してはいけない|スタイル|命名|ワークフロー|形式
    |규칙|원칙|규약|지침|금지|절차|스타일|필수|컨벤션|워크플로|형식|नियम|कन्वेंशन|वर्कफ़्लो|प्रारूप"""
)
_DEMANDS = regex(r"(?i)\b(?:required|mandatory|forbidden|prohibited)\b")
"""Makes norms of what a heading names, unless that is things: "Core files (required)"."""
_TIMED = regex(  # opens a heading of what is to be done at some time: "On session start"
    r"(?i)\W*do$|(?:before|after|on|when|whenever|while|during)\b(?! (?:to|is|are|do)\b)"
)
_DESCRIBES = regex(
    r"""(?ix)\b(?:overview|glossary|(?:table\ of\ )?contents|quick\ ?start|getting\ started
    |background|examples?|why|rationale|motivation|mission|commands?|references?|resources|links
    |see\ also|about|introduction|purpose|audience|target\ users|features?|install\w*|set-?up|usage
    |troubleshooting|known\ issues|roadmap|changelog|how\ it\ works|benefits|summary|description
    |terminology|prerequisites|triggers|requirements|guidance|key\ (?:files|concepts)
    |überblick|übersicht|\w*befehle|beispiele?|glossar|einrichtung|aperçu|présentation|commandes
    |exemples?|descripción|resumen|comandos|ejemplos?|visão\ geral|exemplos?|panoramica|comandi
    |genel\ bakış|komutlar\w*|örnek\w*|özet|kurulum|обзор|команды|примеры|przegląd|polecenia
    |przykłady)\b
    |概述|概览|概要|命令|示例|例子|术语|目录|目錄|简介|介绍|背景|コマンド|用語|機能|概説|について|一覧
    |개요|명령어|예시|용어"""
)
_ADVISES = regex(
    r"(?i)\b(?:optional|recommend\w*|suggest\w*|tips?|nice to have|ideas|hints|empfehlungen|tipps"
    r"|optionnel\w*|recommandations|recomendaciones|recomendações|consejos|öneriler|советы"
    r"|рекомендации)\b|建议|推荐|建議|推奨|ヒント|권장"
)
_NAMES = regex(  # names of things, of which a list is no rule even below a heading of norms
    r"""(?ix)\b(?:structure|architecture|layout|stack|technolog\w+|files?|director(?:y|ies)|folders?
    |packages?|components?|modules?|types|environment|dependencies|tools|\w*struktur|architektur
    |aufbau|ordner|dateien|technologien|verzeichnis\w*|arborescence|fichiers|estructura|arquitectura
    |archivos|estrutura|arquitetura|arquivos|struttura|architettura|yapısı|mimari\w*|dosyalar\w*
    |teknoloji\w*|структура|архитектура|файлы|struktura|pliki)\b
    |结构|結構|架构|架構|技术栈|文件|構成|構造|アーキテクチャ|技術スタック
    |구조|아키텍처|기술\ 스택"""
)
_BOXED = regex(r"(?:[-*+]|\d{1,9}[.)])\s{1,4}(?:\[[ xX]?\]|[✅❌⛔🚫⚠])")
_ITEM = r"(?:(?:[-*+]|\d{1,9}[.)])\s{1,4})?"
_COMMAND = r"`{1,3}(?:\$ )?(?:[A-Z_]{1,40}=\S{1,80} ){0,4}[a-z./][\w./@-]{0,80} [^`]{1,400}`"
_LISTED = regex(
    rf"(?i){_ITEM}(?:[^`\n:]{{0,60}}(?::|\ with|\ using|\ via)\W{{0,4}}|\W{{0,6}}){_COMMAND}"
    r"(?!\W{0,4}(?:must|can|may|shall|should|is|are)\b)"
    rf"|{_ITEM}\W{{0,4}}(?:run|use|execute|start)\W{{1,4}}"
    rf"(?:{_COMMAND}\W{{0,4}}for|`[^`]{{1,400}}`\W{{0,4}}to)\b"
)  # a command that is listed, with what it does: "Build: `make all`", "Run `make` to build"
_LABELLED = regex(r"\*\*[^*\n]{1,60}(?::\*\*|\*\*\s*:)\s*(?=\S)")
_REASON = regex(
    r"(?i)[\W_]{0,8}(?:why|rationale|reason|background|examples?|e\.g|files?|warum|beispiel|pourquoi|理由|例)(?![^\W_])"
)
_ADVICE = regex(
    r"(?i)\b(?:should(?! not|n['’]t| never)|ought to|prefer\w*|consider|recommended|ideally"
    r"|suggested|(?:where|when|if) (?:possible|practical|appropriate|feasible)|try to|encouraged?"
    r"|as needed|(?:if|when|where) (?:useful|helpful)|when (?:it|they) helps?"
    r"|nice to have|(?:is|are|['’]s) not (?:strictly )?required"
    r"|sollten?|idealerweise|bevorzug\w+|empfohlen|möglichst|devra(?:it|ient)|préfére\w+|recommandé\w*"
    r"|deberían?|preferible\w*|recomenda\w+|recomienda|dever?iam?|prefira|dovrebbe\w*|preferi\w+"
    r"|önerilir|tercih|mümkünse|рекоменду\w+|желательно|предпочт\w+|powinn\w+|zaleca\w*)\b"
    r"|建议|推荐|建議|推薦|尽量|優先|优先|最好|推奨|望ましい|べき|권장|좋습니다"
)
_OUTRIGHT = regex(
    r"(?i)\b(?:must|shall|never|always|forbidden|prohibited|do not|don['’]t|cannot|instead"
    r"|critical|muss|müssen|niemals|immer|nur|jamais|toujours|nunca|siempre|sempre|asla|zorunlu"
    r"|mutlaka|никогда|всегда|запрещено)\b|必须|必須|禁止|不得|务必|不要|不可|必ず|반드시|금지"
)


_QUOTED = regex(r"`[^`]*`|\"[^\"]*\"|“[^“”]*”")
_COMMANDS = frozenset({"imperative", "lead-in"})
_FRAGMENTS = frozenset({"fragment", "label"})
_SENTENCE_END = regex(r"[.!?](?=\s)|[。！？]")
_LEAVE = regex(
    r"(?i)\b(?<!that )(?<!which )(?:may|can|optional(?:ly)?)\b(?!['’]t| not| only| never)"
    r"|\b(?:kann|können|peut|puede|pode|può|может)\b|可以|可选|できます|수 있"
)
_EXCEPTED = regex(r"(?i)\bavoid\b.*\b(?:unless|except|(?:where|when|if) possible)\b")
_LABEL_END = regex(r":\*\*\s|\*\*:\s")
_CALLS = MODALS | {"need", "needs", "require", "requires"}
_MARKER = 8  # characters of a bullet with its check box
_UNDER = regex(r"(?i)\b(?:before|after|when|whenever|if|unless|until|without)\b")


_LONGEST_TITLE = 8  # words
_MOST_SIGNS = 20  # of a title in a script that does not separate words
_WEAK = frozenset({"describes", "advice"})  # kinds below which a bare imperative does not bind
_THIRD = regex(rf"{_ITEM}([A-Z][a-z]+) \w")


class Words(NamedTuple):
    """What a block's own words do."""

    binds: bool  # whether it forbids or commands
    outright: bool  # whether it does so in words that nothing weakens: "must", "never"
    advises: bool  # whether it instructs and does not bind
    listed: bool  # whether it lists a command to be looked up
    named: bool  # whether it binds by verbs alone that could be nouns: "Log file paths"


def kind_of(title: str, above: Kind = "") -> Kind:
    """Return how a heading or lead-in has what is below it read; ``above`` where it leaves that."""
    bare = title.strip(" *_#:：\n")
    signs = max(bare, default="") >= FIRST_IDEOGRAPH
    if len(bare.split()) > _LONGEST_TITLE or (signs and len(bare) > _MOST_SIGNS):
        return above
    if _ADVISES.search(bare):
        return "advice"
    if _NORMS.search(bare) or _TIMED.match(bare):
        return "norms"
    if _DESCRIBES.search(bare):
        return "describes"
    return "" if _NAMES.search(bare) else "norms" if _DEMANDS.search(bare) else above


def words_of(text: str) -> Words:
    """Return what the words of a block do, whatever is around it."""
    binds = outright = advises = False
    named = True
    first = _SENTENCE_END.split(_QUOTED.sub("", text), maxsplit=1)[0]
    for instruction in deontic.read(text).instructions:
        sentence = _QUOTED.sub("", text[instruction.start : instruction.end])
        if instruction.cue == "identity" or (instruction.aside and instruction.cue in _COMMANDS):
            continue  # who the agent is, not what it does; or a hint
        mild = _EXCEPTED.search(sentence)
        clear = _OUTRIGHT.search(sentence) or (instruction.modality == "forbidden" and not mild)
        mild = mild or _ADVICE.search(sentence)
        if instruction.modality == "permitted" or (mild and not clear):
            advises |= instruction.start < _MARKER
            continue
        binds = True
        named &= instruction.cue == "imperative" and _may_name(sentence, instruction.action)
        under = instruction.cue in _COMMANDS and _UNDER.search(sentence)
        outright |= bool(under or (clear and instruction.cue not in _FRAGMENTS))
    advises |= not binds and bool(_ADVICE.search(first) or _LEAVE.search(first))
    listed = _LISTED.match(text) and not _OUTRIGHT.search(_QUOTED.sub("", text))
    return Words(binds, outright, advises and not binds, bool(listed), named and binds)


def _may_name(sentence: str, action: str) -> bool:
    """Return whether ``sentence`` opens with the verb of ``action``, and it could be a noun."""
    label = _LABEL_END.search(sentence)
    first, second, *_ = (*sentence[label.end() if label else 0 :].lower().split(), "", "")
    is_word = first.isalpha() and first.isascii() and first[:3] == action[:3]
    is_verb = (
        first == "use"
        or en.tag(first) & (en.VERB | en.NOUN) == en.VERB
        or en.tag(second) & (en.FOLLOWS | en.PREP)
    )
    return is_word and not is_verb


def gives_reason(text: str) -> bool:
    """Return whether a block begins as a reason or an example, by its label."""
    return bool(_REASON.match(text))


def of_paragraph(text: str, kind: Kind) -> Tier:
    """Return the tier of a paragraph below a heading of ``kind``."""
    if 2 * text.count("-->") > text.count("\n") + 1 > 1:
        return "variant"  # a diagram without a fence
    words = words_of(text)
    if gives_reason(text):
        return "soft" if words.outright else "variant"
    if words.outright or (words.binds and kind not in _WEAK and not words.listed):
        return "hard"
    if kind == "norms" and _LABELLED.match(text) and not words.advises:
        return "hard"
    return _weaker(words)


def of_items(texts: Sequence[str], kind: Kind, leads: Sequence[str]) -> list[Tier]:
    """Return the tier of each item of a list below ``leads`` and a heading of ``kind``."""
    every = [words_of(text) for text in texts]
    if 2 * sum(words.binds for words in every) < len(every):  # a list of names
        every = [words._replace(binds=words.binds and not words.named) for words in every]
    told = any(map(_tells, leads[-1:]))
    for lead in leads:
        words = words_of(lead)
        if words.binds and not words.listed:
            return ["hard"] * len(texts)
        kind = "advice" if words.advises else kind_of(lead, "describes" if told else kind)
    ordered = texts[0].lstrip()[:1].isdigit()
    steps = ordered and 2 * sum(words.binds for words in every) > len(every)
    commands = sum(words.binds and not words.listed for words in every)
    steps |= kind != "advice" and not told and 3 * commands > 2 * len(every)
    boxed = all(map(_BOXED.match, texts))
    if kind == "norms" or steps or boxed:
        listed = commands <= 2 * sum(words.listed for words in every)
        looked_up = listed and not (ordered or boxed)
        return [
            "variant"
            if _acts(text) and not (words.binds or boxed)
            else _of_norm(words, looked_up=looked_up)
            for text, words in zip(texts, every, strict=True)
        ]
    return [
        "hard"
        if words.outright or (words.binds and kind not in _WEAK and not words.listed)
        else "soft"
        if kind == "advice"
        else _weaker(words)
        for words in every
    ]


def _tells(lead: str) -> bool:
    """Return whether an introduction is a statement: "There are two ways to run it:"."""
    *_, last = ((), *(sentence.words for sentence in en.sentences(lead)))
    states = any(en.tag(word) & en.FINITE and word not in _CALLS for word in last)
    open_to = any(en.tag(word) & en.COND or word in _CALLS for word in last)
    return states and not (open_to or en.tag(last[0]) & en.LEAD or _NORMS.search(lead))


def _acts(item: str) -> bool:
    """Return whether an item tells what something does, its subject left out: "Exposes the API"."""
    verb = _THIRD.match(item)
    third = en.THIRD | en.FINITE
    return verb is not None and en.tag(verb[1].lower()) & (third | en.PLURAL) == third


def _of_norm(words: Words, *, looked_up: bool) -> Tier:
    """Return the tier of an item of norms; ``looked_up``: one of many commands, not of steps."""
    if words.advises:
        return "soft"
    return "variant" if words.listed and looked_up and not words.outright else "hard"


def _weaker(words: Words) -> Tier:
    """Return the tier of a block that does not bind by its own words."""
    return "soft" if words.advises or (words.binds and not words.listed) else "variant"
