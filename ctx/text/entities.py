"""The entities of a text: code, files, identifiers, names, labels, issues and commits.

Case-folded, for comparison (``acs-planner``, Entity Overlap). Every pass is linear in the text.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, compress
from unicodedata import normalize

from ctx.text.checkbox import BOX
from ctx.text.english import DAYS, FUNCTION, MONTHS, SHORT, listed, words_of
from ctx.text.regex import regex
from ctx.text.token_patterns import Memo, Mention, mentions
from ctx.text.words import STOPS, UNSPACED, index_words
from ctx.typed import NamedTuple

MAX_CHARS = 100  # characters of an entity; longer spans of code are listings
MAX_QUOTED_WORDS = 6  # words between quotation marks; more are speech
MIN_STEM = 3  # characters of a file's stem that is an entity

GENERIC = words_of("generic stems")  # stems of files that tell nothing about their content


def entities(text: str) -> frozenset[str]:
    """Return the entities of a Markdown text, case-folded, 1 to 100 characters each.

    Code spans, paths and base names, identifiers, quoted and capitalised names, acronyms, labels,
    issues, commits and ``@people``; of fenced code token patterns. Of dotted names also the first
    and last part where these are identifiers; single capitalised words in mid-sentence only.
    """
    runs: tuple[list[str], list[str]] = ([], [])
    for run, is_code in segments(text):
        runs[is_code].append(run)
    prose, code = map("\n\n".join, runs)
    found: set[str] = set()
    if "`" in prose:
        prose, spans = _spans(prose)
        found.update(map(_folded, filter(_is_entity, spans)))
        code = "\n".join((code, *spans))
    found.update(*map(_IN_CODE.__getitem__, set(code.split())))
    found.update(_quoted(prose))
    found.update(*map(_IN_PROSE.__getitem__, set(prose.split())))
    found.update(map(_folded, proper_nouns(prose)))
    found.discard("")
    return frozenset(found)


def keywords(text: str) -> frozenset[str]:
    """Return the stems of a query or a task without stop words; all stems if nothing is left."""
    stems = frozenset(index_words(text))
    return stems - STOPS or stems


def of_path(path: str) -> frozenset[str]:
    """Return path, base name and, if it is long and not ``GENERIC``, its stem, case-folded."""
    path = path.strip().replace("\\", "/").removeprefix("./").rstrip("/")
    name = path.rpartition("/")[2]
    stem = _folded(name.rpartition(".")[0] or name)
    is_generic = len(stem) < MIN_STEM or stem in GENERIC
    return frozenset({_folded(path), _folded(name), "" if is_generic else stem}) - {""}


def _folded(text: str) -> str:
    """Return ``text`` as entities are compared; empty where it is too long for one."""
    text = " ".join(text.split())
    if len(text) > MAX_CHARS:
        return ""
    if text.isascii():
        return text.lower()
    folded = normalize("NFC", normalize("NFC", text).casefold())
    return folded if len(folded) <= MAX_CHARS else ""


def segments(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the runs of lines of ``text``, and whether each is fenced code; fences left out."""
    if "```" not in text and "~~~" not in text:
        yield text, False
        return
    fence, lines = "", list[str]()
    for line in text.split("\n"):
        lead = line.lstrip(" \t>")
        if fence:
            switches = lead.startswith(fence) and not lead.strip(f"{fence[0]} \t\r")
        else:
            switches = bool(_fence(lead))
        if switches:
            yield "\n".join(lines), bool(fence)
            fence, lines = "" if fence else _fence(lead), []
        else:
            lines.append(line)
    yield "\n".join(lines), bool(fence)


def _fence(lead: str) -> str:
    """Return the marks that open a fence; empty for other lines, and for code spans."""
    if not lead.startswith(("```", "~~~")):
        return ""
    info = lead.lstrip(lead[0])
    return "" if lead[0] == "`" and "`" in info else lead[: len(lead) - len(info)]


_BLOCK = regex(r"\n(?=[ \t>]*(?:\n|\||(?:[-*+]|#{1,6}|\d{1,9}[.)])[ \t]))")


def _spans(text: str) -> tuple[str, list[str]]:
    """Return ``text`` with a backtick for each code span of its paragraphs, and the spans."""
    prose: list[str] = []
    spans: list[str] = []
    for block in _BLOCK.split(text):
        parts = block.split("`")
        if "``" in block:
            parts = _paired(block)
        elif len(parts) % 2 == 0:
            parts[-2:] = ["`".join(parts[-2:])]  # a backtick without a partner
        prose.append(" ` ".join(parts[::2]))
        spans += parts[1::2]
    return "\n".join(prose), spans


def _paired(block: str) -> list[str]:
    """Return prose and code in turn, where runs of several backticks delimit code."""
    ticks = [match.span() for match in re.finditer("`+", block)]
    later: dict[int, int] = {}
    partner = [0] * len(ticks)
    for index in range(len(ticks) - 1, -1, -1):
        size = ticks[index][1] - ticks[index][0]
        partner[index] = later.get(size, 0)
        later[size] = index
    parts, start, index = [], 0, 0
    while index < len(ticks):
        if close := partner[index]:
            parts += [block[start : ticks[index][0]], block[ticks[index][1] : ticks[close][0]]]
            start, index = ticks[close][1], close
        index += 1
    return [*parts, block[start:]]


def _is_entity(text: str) -> bool:
    """Whether there is a letter or digit in it, and no address: those are references."""
    return any(map(str.isalnum, text)) and not text.strip().casefold().startswith(
        ("http://", "https://")
    )


def _forms(found: tuple[Mention, ...]) -> tuple[str, ...]:
    named = chain.from_iterable(map(_names_of, found))
    return tuple(dict.fromkeys(map(_folded, filter(_is_entity, named))))


def _names_of(mention: Mention) -> Iterator[str]:
    form, text = mention
    if form == "url":
        yield from _of_forge(text)
        return
    if form == "entry":
        return
    if form == "path":
        text = text.rstrip("/")
        if "*" not in text:
            yield text.rpartition("/")[2]
    yield text
    if form == "issue" and not text.startswith("#"):
        repository, sharp, number = text.partition("#")
        if sharp:
            yield f"#{number}"
        elif repository.startswith("GH-"):
            yield f"#{repository[3:]}"


_ISSUES = frozenset({"issue", "issues", "pull", "pulls", "pull-requests", "merge_requests"})


def _of_forge(url: str) -> Iterator[str]:
    """Yield the issue or commit of an address of a forge; nothing for other pages."""
    parts = [part for part in url.partition("?")[0].partition("#")[0].split("/") if part != "-"]
    for owner, repository, kind, number in zip(
        parts[2:], parts[3:], parts[4:], parts[5:], strict=False
    ):
        if kind in _ISSUES and number.isdecimal():
            yield f"{owner}/{repository}#{number}"
            yield f"#{number}"
            return
        if kind in {"commit", "commits"}:
            yield from (found.text for found in mentions(number) if found.form == "commit")
            return


_QUOTES = {
    '"': regex(r'"(?<!\w")([^\W\d_][^"\n]{0,59})"(?!\w)'),
    "“": regex(r"“([^\W\d_][^“”\n]{0,59})”"),
    "‘": regex(r"‘([^\W\d_][^‘’\n]{0,59})’(?!\w)"),
    "「": regex(r"「([^\W\d_][^「」\n]{0,59})」"),
    "『": regex(r"『([^\W\d_][^『』\n]{0,59})』"),
}  # opening quotation marks, and quotations of up to 60 characters; longer ones are speech


def _quoted(prose: str) -> Iterator[str]:
    """Yield quoted names; neither quoted sentences nor quotations with code."""
    for mark, quotation in _QUOTES.items():
        if mark in prose:
            for text in quotation.findall(prose):
                name = _folded(text.strip(" \t*_.,;:!?…。、"))
                if "`" not in name and name.count(" ") < MAX_QUOTED_WORDS and name not in STOPS:
                    yield name


# Proper nouns: people, products, acronyms. A capital marks a name only inside of a sentence, where
# not every word has one, and where the word is not one that people capitalise for other reasons.

MAX_WORDS = 4  # capitalised words in a row; more are a title
_LINE = "\x02"  # a token for the start of a line
_FAR = 8  # tokens on either side of a name that show whether it is part of a title

_SMALL = words_of("prepositions", "conjunctions", "determiners") | listed(
    "be is it not vs when yet your"
)
"""Words that may have no capital in a title."""
_NUMERALS = frozenset({"ii", "iii", "iv", "vi", "vii", "viii", "ix", "xi", "xii", "am", "pm"})


class _Word(NamedTuple):
    text: str  # the word without its possessive; empty where there are several
    sure: tuple[str, ...]  # acronyms, and names in scripts without capitals
    is_plain: bool = False  # whether only its first letter is a capital, as where a sentence begins
    opens: bool = False  # whether the word follows a quotation mark or bracket
    joins: bool = False  # whether only a space separates the word from the next one


def proper_nouns(text: str) -> set[str]:
    """Return capitalised names, a run of words each, and acronyms of prose, as written."""
    tokens = [_LINE, *text.replace("\n", f" {_LINE} ").split()]
    words = list(map(_WORD_OF.__getitem__, tokens))
    found: set[str] = set()
    for start, end in _runs(words):
        word = words[start]
        if word and not (end == start + 1 and word.is_plain and _CLOSES[tokens[start - 1]]):
            found.update(_named(tokens, words, start, end))
    return found


def _runs(words: Sequence[_Word | None]) -> Iterator[tuple[int, int]]:
    start = end = 0
    for index in compress(range(len(words)), words):
        before, word = (words[index - 1] if index == end else None), words[index]
        if not (before and word and before.joins and word.text and not word.opens):
            if end:
                yield start, end
            start = index
        end = index + 1
    if end:
        yield start, end


def _named(
    tokens: Sequence[str], words: Sequence[_Word | None], start: int, end: int
) -> Iterator[str]:
    """Yield the names in one run of capitalised words."""
    run = [word for word in words[start:end] if word]
    sure = [name for word in run for name in word.sure]
    if sure and not _shouted(tokens, run, start, end):
        yield from sure
    starts = run[0].opens or _CLOSES[tokens[start - 1]]
    if starts and run[0].is_plain and (len(run) == 1 or _is_verb(run[0].text)):
        del run[0]
    plain = any(word.is_plain for word in run)
    if plain and len(run) <= MAX_WORDS and not _is_title(tokens, start, end):
        yield " ".join(word.text for word in run)


def _shouted(tokens: Sequence[str], run: Sequence[_Word], start: int, end: int) -> bool:
    """Whether whole words are in capitals for emphasis: ``DO NOT MERGE``."""
    if len(run) > 1 and not any(word.is_plain for word in run):
        return any(len(word.text) > MAX_ACRONYM for word in run)
    neighbours = [tokens[start - 1]]
    if not _CLOSES[tokens[end - 1]]:
        neighbours += tokens[end : end + 1]
    return any(len(token) > 1 and token.isupper() and token.isalpha() for token in neighbours)


MAX_ACRONYM = 5  # letters; longer words in capitals beside others are capitalised for emphasis


def _is_verb(word: str) -> bool:
    """Whether a word that begins a sentence has the form of a verb or an adverb."""
    return word.endswith(("ing", "ed", "ly"))


def _is_title(tokens: Sequence[str], start: int, end: int) -> bool:
    """Whether all longer words around a name have capitals: two in headings, else four."""
    left, right = start, end
    while left > max(1, start - _FAR) and not _CLOSES[tokens[left - 1]]:
        left -= 1
    while right < min(len(tokens), end + _FAR) and not _CLOSES[tokens[right - 1]]:
        right += 1
    cases = [_CASES[token] for token in tokens[left:right]]
    if "lower" in cases:
        return False
    return cases.count("capital") >= (MAX_MARKED if _is_marked(tokens, left, right) else MAX_WORDS)


def _is_marked(tokens: Sequence[str], left: int, right: int) -> bool:
    """Whether a clause is a heading, an item, a cell, in bold type or before a colon."""
    if tokens[left].startswith(("**", "__")) or tokens[right - 1].rstrip("*_").endswith(":"):
        return True
    if _MARKER.fullmatch(tokens[left - 1]):
        return True
    for token in reversed(tokens[max(0, left - _FAR) : left]):
        if token == _LINE or token[-1] == "]":
            return False
        if not token.strip("#"):
            return True
    return False


MAX_MARKED = 2  # capitalised words, and no others, that make a marked clause a title
_MARKER = regex(r"#{1,6}|[-*+|]|\d{1,4}[.)]|" + BOX)


_EDGES = "*_\"'“”‘’()[]{}<>«»「」『』.,;:!?…"
_LETTERS = regex(r"(?<!\w)[^\W\d_][\w'’-]*")
_UNSPACED = regex(f"[{UNSPACED}\u3000-\u303f\uff00-\uffef]+")  # runs of unspaced scripts
_SUFFIXES = frozenset({"d", "ll", "m", "re", "s", "ve"})
_ABBREVIATIONS = frozenset(
    {"cf.", "dr.", "e.g.", "i.e.", "mr.", "mrs.", "ms.", "no.", "prof.", "st.", "vs."}
)
_NUMBERED = regex(r"\[.*\]|\(?\w{1,3}\)")  # what may precede a title: a timestamp, a number
_PLURAL = regex(r"([A-Z]{2,})s")


def _word(token: str) -> _Word | None:
    """Return the capitalised word or the names of a token; None for most tokens."""
    if token == token.lower():
        return None
    if not all(mention.form == "name" and mention.text.isalnum() for mention in mentions(token)):
        return None  # a path, a label or another token pattern
    spaced = token if token.isascii() else _UNSPACED.sub(" ", token)
    parts = _LETTERS.findall(spaced)
    sure = tuple(filter(None, map(_acronym, re.split(r"[-'’ ]", " ".join(parts)))))
    if spaced != token:
        sure += tuple(part for part in parts if part[0].isupper() and not is_common(part))
    text = _base(parts[0]) if len(parts) == 1 and spaced == token else ""
    if not text[:1].isupper() or not (sure or any(map(str.islower, text))):
        return _Word("", sure) if sure else None
    bare = token.strip("*_")
    return _Word(
        _acronym(text) or text,
        sure,
        is_plain=text.istitle(),
        opens=not bare[0].isalpha(),
        joins=bare.endswith(text),
    )


def _base(part: str) -> str:
    """Return a word without its possessive, or the part before a hyphen: ``OS-native``."""
    stem, mark, suffix = part.replace("’", "'").rstrip("-_'").partition("'")
    if mark and suffix[0].isupper():
        stem = part  # O'Brien
    elif mark and suffix not in _SUFFIXES:
        return ""  # Don't
    if not all(part[:1].isupper() for part in stem.split("-")):
        stem = stem.partition("-")[0]
    return "" if len(stem) <= 1 or is_common(stem) else stem


def _acronym(word: str) -> str:
    """Return an acronym in the singular; empty for other words."""
    plural = _PLURAL.fullmatch(word)
    word = plural[1] if plural else word
    capitals = sum(map(str.isupper, word))
    if capitals <= 1 or not word.isupper() or is_common(word):
        return ""
    return "" if len(word) > MAX_ACRONYM and _is_verb(word.lower()) else word


def is_common(word: str) -> bool:
    """Return whether a word is too common to be a name, or a number."""
    return word.lower() in _NUMERALS or _common().issuperset(index_words(word))


@cache
def _common() -> frozenset[str]:
    """Return the stems whose capital does not make them names."""
    classes = words_of(*FUNCTION, "rarer", "numbers", "moments", "talk", "notes", "openers")
    calendar = (*MONTHS, *SHORT, *DAYS, *(day[:3] for day in DAYS))
    return frozenset(index_words(" ".join((*classes, *calendar))))


def _ends_clause(token: str) -> bool:
    """Whether a sentence, the markers of a line or a clause end with ``token``."""
    bare = token.rstrip("*_)\"”’'»」』")
    if not any(map(str.isalnum, token)):
        return token[-1] not in "`&+/,;)("
    if token.endswith(("**", "__")) or _NUMBERED.fullmatch(token):
        return True  # as a label does
    if bare[-1] not in ".!?:…。！？：":
        return False
    return bare.lower() not in _ABBREVIATIONS


def _case(token: str) -> str:
    """Return ``capital``, ``lower`` for a word that titles capitalise, or neither."""
    bare = token.strip(_EDGES)
    if bare[:1].isupper():
        return "capital"
    return "lower" if bare[:1].islower() and bare not in _SMALL and bare[-1].isalpha() else ""


_WORD_OF = Memo(_word)
_CLOSES = Memo(_ends_clause)
_CASES = Memo(_case)
_IN_CODE = Memo(lambda token: _forms(mentions(token, code=True)))
_IN_PROSE = Memo(lambda token: _forms(mentions(token)))
