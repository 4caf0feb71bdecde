"""How much a sentence looks like a standing instruction: a linear model over what it holds.

Its features are texts (``m lasting``: a marker of that kind), so that a score can be explained:
``reasons``. Weights are whole numbers, found by a hash of the feature, and summed as such: the same
text has the same score on every machine.
"""

import re
import zlib
from collections.abc import Sequence
from functools import cache
from math import sqrt
from pathlib import Path
from unicodedata import combining, normalize

from ctx.read.instructing.own import HIDDEN
from ctx.text.regex import regex
from ctx.text.words import is_common
from ctx.typed import NamedTuple

BITS = 18
SCALE = 40  # what one unit of the logit is in the weights
LEXICAL = 4.0  # weight of all words together, where one marker has 1
SIGNS = ("zh", "ja", "ko")  # languages whose markers need no space around them
UNFOLDED = (*SIGNS, "vi", "ru")  # languages in which an accent tells words apart
_CODE = regex(
    r"`[^`\n]+`|https?://\S+|(?<!\w)(?:[\w.-]{0,80}[/\\]){1,20}[\w.-]*|@[\w./-]+|#\w+:\S+|\b\w+\(\)"
    r"|\b\w+\.(?:py|js|ts|tsx|jsx|md|json|html|css|yml|yaml|toml|go|rs|sql|sh|txt|csv|php|java|vue|env)\b"
    r"|\b[^\W_]+_\w+\b|\b[a-z]+[A-Z]\w*\b"
)
_WORD = regex(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_]+(?:'[^\W_]+)?|[\x01\x02]|[!?！？]")
_SIGN = regex(r"[\u3040-\u30ff\u3400-\u9fff]")
_KANA = regex(r"[\u3040-\u30ff]")
_HANGUL = regex(r"[\uac00-\ud7a3]")
_CYRILLIC = regex(r"[а-яё]")
_VIETNAMESE = regex(r"[ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]")
_LETTER = regex(r"[^\W\d_]")
_ACCENT = regex(r"[à-ÿ]")
_STRONG = frozenset({"lasting", "always", "ban", "ask", "complain"})
_MOST_WORDS, _HITS, _SHORT, _WORDY = 60, 6, 3, 30
_LATIN = ("en", "de", "es", "pt", "fr", "it")


class Features(NamedTuple):
    """What a sentence holds."""

    dense: frozenset[str]  # markers, pairs of them, and where the sentence stands
    lexical: frozenset[str]  # words, pairs of words and parts of words


class Weights(NamedTuple):
    """The trained model."""

    bias: int
    of: bytes  # one signed byte for each hash


@cache
def tables() -> dict[tuple[str, str], list[str]]:
    """Return the markers of each kind and language."""
    found: dict[tuple[str, str], list[str]] = {}
    text = (Path(__file__).parent / "markers.txt").read_text("utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            head, _, phrases = line.partition(":")
            kind, language = head.split()
            found[kind, language] = [each.strip() for each in phrases.split("|") if each.strip()]
    return found


@cache
def kinds() -> tuple[str, ...]:
    """Return the kinds of markers, in the order of the table."""
    return tuple(dict.fromkeys(kind for kind, _ in tables() if kind not in ("common", "lead")))


@cache
def pattern(kind: str, language: str) -> "re.Pattern[str] | None":
    """Return what finds the markers of a kind in a folded text; None where there are none."""
    phrases = tables().get((kind, language), [])
    if language not in UNFOLDED:
        phrases = [_unaccented(phrase) for phrase in phrases]
    between = ".{0,12}" if language in SIGNS else r"(?:\W+\w+){0,6}?\W+"
    forms = [
        re.escape(phrase)
        .replace(r"\ \.\.\.\ ", between)
        .replace("…", between)
        .replace(r"\ ", r"\s+")
        .replace(r"\*", r"\w*")
        for phrase in sorted(phrases, key=len, reverse=True)
    ]
    if not forms:
        return None
    joined = "|".join(forms)
    if kind == "lead":
        return re.compile(rf"\W*(?:(?:{joined})(?!\w)\W*){{0,3}}")
    return re.compile(joined if language in SIGNS else rf"(?<![\w'])(?:{joined})(?!\w)")


def lowered(text: str) -> str:
    """Return a text in lower case with one sign for each piece of code and each quotation."""
    text = _CODE.sub(" \x02 ", text.replace("’", "'").replace("`", " "))
    return normalize("NFC", re.sub(f"{HIDDEN}+", HIDDEN, text)).lower()


def language_of(low: str) -> str:
    """Return the language of a text in lower case, English where nothing tells."""
    letters = len(_LETTER.findall(low)) or 1
    if len(_HANGUL.findall(low)) * 8 >= letters:
        return "ko"
    if len(_SIGN.findall(low)) * 8 >= letters:
        return "ja" if len(_KANA.findall(low)) * 8 >= len(_SIGN.findall(low)) else "zh"
    if len(_CYRILLIC.findall(low)) * 3 >= letters:
        return "ru"
    if len(_VIETNAMESE.findall(low)) * 20 >= letters:
        return "vi"
    plain = _unaccented(low)
    hits = {
        each: len(found.findall(plain)) for each in _LATIN if (found := pattern("common", each))
    }
    return max(_LATIN, key=lambda each: hits.get(each, 0))


def _unaccented(low: str) -> str:
    if not _ACCENT.search(low):
        return low
    return "".join(char for char in normalize("NFD", low) if not combining(char))


def folded(low: str, language: str) -> str:
    """Return a text in lower case without the accents that people leave out."""
    return low if language in UNFOLDED else _unaccented(low)


def features(written: str, language: str, place: Sequence[str]) -> Features:
    """Return what a sentence holds; ``place`` says where it stands in its turn."""
    text = folded(lowered(written), language)
    dense, lexical = set(place), set[str]()
    found: list[str] = []
    lead = pattern("lead", language)
    begin = begun.end() if lead and (begun := lead.match(text)) else 0
    rest = text
    for kind in kinds():
        marker = pattern(kind, language)
        hits = list(marker.finditer(rest if kind == "once" else text)) if marker else []
        if not hits:
            continue
        found.append(kind)
        dense.add(f"m {kind}")
        if hits[0].start() <= begin:
            dense.add(f"m^ {kind}")
        if kind == "always" and language not in SIGNS:
            before = _WORD.findall(text[: hits[0].start()])[-1:] or ["^"]
            dense.add(f"before always {before[0] if is_common(before[0]) else 'noun'}")
        if kind == "lasting":  # the "now" of "from now on" is no other marker
            rest = marker.sub(lambda hit: "\x03" * len(hit[0]), rest) if marker else rest
        if len(hits) > 1:
            dense.add(f"m2 {kind}")
        lexical.update(f"k {kind} {hit[0]}" for hit in hits[:_HITS])
    dense.update(f"m {one} {two}" for at, one in enumerate(found) for two in found[at + 1 :])
    if written[-3:].count("?") or written[-2:].count("？"):
        dense.update(("ask", *(f"ask {kind}" for kind in found)))
    if "!" in written[-3:] or "！" in written[-2:]:
        dense.add("shout")
    if _STRONG.isdisjoint(found):
        dense.add("no strong")
    # A rule for an agent is about its work; what is about the program is a wish for a feature.
    about = " ".join(kind for kind in ("work", "app") if kind in found) or "neither"
    dense.update((f"about {about}", *(f"about {about} {kind}" for kind in found)))
    words = words_of(text)
    dense.add(f"n {min(8, len(words) // 4)}")
    dense.update(
        name
        for name, is_so in (("short", len(words) < _SHORT), ("long", len(words) > _WORDY))
        if is_so
    )
    lexical.update(_of_words(words))
    return Features(frozenset(dense), frozenset(lexical))


def words_of(text: str) -> list[str]:
    """Return the words of a folded text, signs of scripts without spaces one by one."""
    return ["0" if word.isdigit() else word for word in _WORD.findall(text)[:_MOST_WORDS]]


def _of_words(words: list[str]) -> list[str]:
    found: list[str] = []
    before, earlier = "^", ""
    for word in words:
        found += (f"w {word}", f"b {before} {word}")
        if _SIGN.match(word):
            found.append(f"t {earlier}{before}{word}")
        elif earlier:
            found.append(f"s {earlier} _ {word}")
        if _HANGUL.match(word):
            for size in (1, 2, 3):
                found += [
                    f"h {word[at : at + size]}{'$' * (at + size == len(word))}"
                    for at in range(len(word) - size + 1)
                ]
        elif len(word) > 4:  # noqa: PLR2004 - shorter ones are found as words
            part = f"<{word}>"
            found += [f"c {part[at : at + 4]}" for at in range(len(part) - 3)]
        earlier, before = before, word
    for size in (1, 2, 3):
        found += (f"^ {' '.join(words[:size])}", f"$ {' '.join(words[-size:])}")
    return found


def slot(feature: str) -> int:
    """Return where the weight of a feature stands."""
    return zlib.crc32(feature.encode("utf-8", "surrogatepass")) & ((1 << BITS) - 1)


def share(lexical: int) -> float:
    """Return the factor of the sum of the weights of that many words and parts."""
    return LEXICAL / sqrt(max(4, lexical))


@cache
def weights() -> Weights:
    """Return the trained model, read at first use."""
    data = zlib.decompress((Path(__file__).parent / "weights.bin").read_bytes())
    return Weights(int.from_bytes(data[:4], "big", signed=True), data[4:])


def _weight(feature: str, of: bytes) -> int:
    value = of[slot(feature)]
    return value - 256 if value > 127 else value  # noqa: PLR2004 - a signed byte


def logit(found: Features) -> float:
    """Return how much speaks for a standing instruction, to two places; 0 is even."""
    bias, of = weights()
    dense = sum(_weight(each, of) for each in found.dense)
    lexical = sum(_weight(each, of) for each in found.lexical)
    return round((bias + dense + lexical * share(len(found.lexical))) / SCALE, 2)


def reasons(found: Features) -> list[tuple[float, str]]:
    """Return what each feature adds to the logit, the greatest first; for people who look."""
    of, factor = weights().of, share(len(found.lexical))
    every = [(_weight(each, of) / SCALE, each) for each in found.dense]
    every += [(_weight(each, of) * factor / SCALE, each) for each in found.lexical]
    return sorted((one for one in every if one[0]), key=lambda one: (-abs(one[0]), one[1]))
