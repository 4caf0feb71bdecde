"""The entities of a text: code, files, identifiers, names, labels, issues and commits.

Source: ``acs-planner``, section Entity Overlap Calculation, which leaves open what an entity is.
Entities are compared, never shown: they are case-folded, so that a query in lower case matches
other cases. Every pass is linear in the text.
"""

import re
from collections.abc import Iterator
from itertools import chain
from unicodedata import normalize

from ctx.text.proper_nouns import names
from ctx.text.token_patterns import Memo, Mention, mentions
from ctx.text.words import STOPS, index_words

MAX_CHARS = 100
"""Characters of an entity; longer spans of code are listings."""
MAX_QUOTED_WORDS = 6
"""Words between quotation marks; more are speech."""
MIN_STEM = 3
"""Characters of a file's stem that is an entity."""

_STEMS = (
    "__init__ __main__ app base common config doc general helpers index init lib license main "
    "misc mod package readme setup test tests types util utils"
)
GENERIC = frozenset(_STEMS.split())
"""Stems of files that tell nothing about their content."""


def entities(text: str) -> frozenset[str]:
    """Return the entities of a Markdown text, case-folded, 1 to 100 characters each.

    Code spans, file paths and their base names, identifiers, quoted names, capitalised names,
    acronyms, labels, issues, commits and ``@people``. Of fenced code only token patterns. A dotted
    name also yields its first and last part where they are identifiers themselves, an issue of a
    repository its number alone. Single capitalised words count in mid-sentence only.
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
    found.update(map(_folded, names(prose)))
    found.discard("")
    return frozenset(found)


def keywords(text: str) -> frozenset[str]:
    """Return the stems of a query or a task without stop words; all stems if nothing is left."""
    stems = frozenset(index_words(text))
    return stems - STOPS or stems


def of_path(path: str) -> frozenset[str]:
    """Return the entities of a file in focus, case-folded.

    The path with forward slashes, its base name, and the base name without its ending, if that
    has ``MIN_STEM`` characters and is no ``GENERIC`` one.
    """
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


# Fences and spans of code


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


_BLOCK = re.compile(r"\n(?=[ \t>]*(?:\n|\||(?:[-*+]|#{1,6}|\d{1,9}[.)])[ \t]))")


def _spans(text: str) -> tuple[str, list[str]]:
    """Return ``text`` with a backtick for each code span, and what is in the spans.

    A span may go on in the next line of its paragraph, not beyond.
    """
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
        close = partner[index]
        if close:
            parts += [block[start : ticks[index][0]], block[ticks[index][1] : ticks[close][0]]]
            start, index = ticks[close][1], close
        index += 1
    return [*parts, block[start:]]


def _is_entity(text: str) -> bool:
    """Whether there is a letter or digit in it, and no address: those are references."""
    return any(map(str.isalnum, text)) and not text.strip().casefold().startswith(
        ("http://", "https://")
    )


# Token patterns


def _forms(found: tuple[Mention, ...]) -> tuple[str, ...]:
    """Return the entities of the mentions of a token, each once."""
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


# Prose


_QUOTES = {
    '"': re.compile(r'"(?<!\w")([^\W\d_][^"\n]{0,59})"(?!\w)'),
    "“": re.compile(r"“([^\W\d_][^“”\n]{0,59})”"),
    "‘": re.compile(r"‘([^\W\d_][^‘’\n]{0,59})’(?!\w)"),
    "「": re.compile(r"「([^\W\d_][^「」\n]{0,59})」"),
    "『": re.compile(r"『([^\W\d_][^『』\n]{0,59})』"),
}
"""Opening quotation marks, and quotations of up to 60 characters; longer ones are speech."""


def _quoted(prose: str) -> Iterator[str]:
    """Yield quoted names; neither quoted sentences nor quotations with code."""
    for mark, quotation in _QUOTES.items():
        if mark in prose:
            for text in quotation.findall(prose):
                name = _folded(text.strip(" \t*_.,;:!?…。、"))
                if "`" not in name and name.count(" ") < MAX_QUOTED_WORDS and name not in STOPS:
                    yield name


_IN_CODE = Memo(lambda token: _forms(mentions(token, code=True)))
_IN_PROSE = Memo(lambda token: _forms(mentions(token)))
