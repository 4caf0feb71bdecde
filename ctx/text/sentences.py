"""Utterances cut into what a summary can take over whole: sentences, lines of code and lists."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ctx.model import Utterance

LONGEST = 240
"""Bytes of the longest sentence: what is longer is cut between clauses, or between words. In
bytes, since a character that takes more of them takes more tokens."""
MOST = 1200
"""Sentences of a cluster that are looked at, shared evenly by its utterances: a pasted book
must not take hours."""


class Sentence(NamedTuple):
    """A piece of an utterance that can stand alone; on one line."""

    said: int
    """The utterance's place in its cluster."""
    text: str
    code: bool = False
    """Whether it is a line of code, of data or of a log."""


_STOP = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’»)\]*_]*+(?=\s)"  # a full stop inside a word is a point
    r"|[。！？｡︒]++[」』”’）】》]*+"
    r"|(?<![।॥۔؟։።፧។၊။])[।॥۔؟։።፧។၊။]++(?=\s)"
)
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}+(?!.*`)|~{3,}+)")
_MARKER = re.compile(r"\s*+(?:(?:[-*+•>#|]++|\d{1,3}[.)]|\[[ xX]\])[ \t]++)*+")


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ALWAYS = _listed("mr mrs ms dr prof st vs e.g i.e eg cf approx resp incl z.b d.h bzw")
"""Words before a full stop that never ends a sentence, the last stop left out."""
_COUNTED = _listed("no nr fig sec p pp vol ch jan feb aug sept oct nov dec")
"""Those before one that does not where a figure follows."""
_EITHER = _listed("etc al jr sr inc ltd co corp est dept a.m p.m usw ca")
"""Those before one that does not where a small letter follows."""
_ORDINAL = 2
"""Digits of an ordinal, at most: what ends in a year, or in an amount, may end there."""
_WORD_BEFORE = 12
_CLAUSE = re.compile(r"[;:,](?=\s)|[，；：、،؛]|\s[-–—](?=\s)|—")
_CONTROLS = dict.fromkeys((*range(9), *range(14, 28), *range(127, 133), *range(134, 160)))
_CODE = re.compile(
    r"[ \t]*+(?:[$>%][ ]|>>> |\[[\w -]*(?:call|tool_use|tool_result)\b|[{}\[\]]+,?$"
    r"|(?:INFO|DEBUG|WARN|WARNING|ERROR|TRACE)\b|\d{4}-\d\d-\d\d[T ]\d\d:\d\d"
    r"|(?:async )?def \w|class \w+[(:]|import \w|from [\w.]+ import |return\b|@@ |diff --git"
    r"|(?:const|let|var|function) \w)"
)
_SIGNS = '{}[]()<>=;|&$\\/"`_#@*+'
_SIGNS_SHARE = 0.12
_LEAST_CODE = 24
"""Characters from which signs tell code: a short line may be a name and a bracket."""
_WRAPPED = 50
"""Characters from which a line may have been wrapped rather than ended."""
_PARAGRAPH = 2000
"""Characters of wrapped lines that are joined: no sentence is longer."""


def sentences(said: Sequence[Utterance]) -> list[Sentence]:
    """Return the sentences of ``said`` in their order; about ``MOST``, however long it is."""
    share = max(1, MOST // max(len(said), 1))
    return [
        Sentence(place, text, code)
        for place, utterance in enumerate(said)
        for text, code in islice(pieces(utterance.text), share)
    ]


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of ``text``, and whether each is a line of code.

    Each is on one line, without its list marker and control characters, and no longer than
    ``LONGEST`` bytes. Between them they hold all that the text says.
    """
    for line, code in _lines(text):
        for sentence in (line,) if code else _split(line):
            for piece in _cut(" ".join(sentence.translate(_CONTROLS).split())):
                yield piece, code


def plain(text: str) -> str:
    """Return ``text`` as a file can hold it and a terminal show it, its blank lines left out.

    Runs of white space are one space; control characters are dropped, and halves of surrogate
    pairs replaced.
    """
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n")
    lines = (" ".join(line.split()) for line in text.translate(_CONTROLS).splitlines())
    return "\n".join(filter(None, lines))


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines that say something, wrapped prose joined, and whether each is code."""
    fence = held = ""
    for line in text.splitlines():
        if fence:
            if line.strip().startswith(fence) and not line.strip(" \t`~"):
                fence = ""
            else:
                yield line, True
            continue
        mark = _FENCE.match(line)
        if held and not mark and _goes_on(held, line):
            held = f"{held} {line.strip()}"
            continue
        yield held, is_code(held)
        fence, held = (mark[1], "") if mark else ("", line[_end(_MARKER, line) :])
    yield held, is_code(held)


def is_code(line: str) -> bool:
    """Whether a line is a command, code, data or a log rather than talk, by how it looks."""
    if _CODE.match(line):
        return True
    signs = sum(map(line.count, _SIGNS))
    return len(line) >= _LEAST_CODE and signs > _SIGNS_SHARE * len(line)


def _end(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0


def _goes_on(held: str, line: str) -> bool:
    """Whether ``line`` is the rest of the sentence that ``held`` breaks off in."""
    return (
        _WRAPPED <= len(held) <= _PARAGRAPH
        and held[-1:] not in ".!?…:;。！？"
        and line.lstrip()[:1].islower()
    )


def _split(line: str) -> Iterator[str]:
    """Yield the sentences of a line."""
    start = 0
    for stop in _STOP.finditer(line):
        if not _is_inside(line, start, stop):
            yield line[start : stop.end()]
            start = stop.end()
    yield line[start:]


def _is_inside(line: str, start: int, stop: re.Match[str]) -> bool:
    """Whether a stop ends an abbreviation, an initial or a quotation, or is a pause."""
    mark = stop[0]
    if mark.startswith(("..", "…")) or mark.endswith(('"', "'", "”", "’", "»", ")")):
        return line[stop.end() + 1 : stop.end() + 2].islower()
    if mark != ".":
        return False
    before = line[max(start, stop.start() - _WORD_BEFORE) : stop.start()]
    word = before[max(map(before.rfind, " \t(\"'“")) + 1 :]
    after = line[stop.end() : stop.end() + 8].lstrip()
    return _is_initial(word) or _is_short(word.lower(), after) or _is_ordinal(word, before, after)


def _is_initial(word: str) -> bool:
    return len(word) == 1 and word.isupper() and word != "I"


def _is_ordinal(word: str, before: str, after: str) -> bool:
    """Whether an ordinal stands before a full stop ("5. Mai"), or a firm goes on ("& Co. KG")."""
    if word.lower() == "co" and before.rstrip(word).rstrip().endswith("&"):
        return after[:1].isupper()
    return word.isdigit() and len(word) <= _ORDINAL and after[:1].isalpha()


def _is_short(word: str, after: str) -> bool:
    """Whether ``word`` is an abbreviation, and one that goes on with ``after``."""
    return (
        word in _ALWAYS
        or (word in _COUNTED and after[:1].isdigit())
        or (word in _EITHER and after[:1].islower())
    )


def _cut(text: str) -> Iterator[str]:
    """Yield ``text`` in pieces of at most ``LONGEST`` bytes; nothing for nothing."""
    start = 0
    while len(text) - start > LONGEST // 4:  # no character takes more than four bytes
        window = text[start : start + LONGEST].encode("utf-8", "replace")[:LONGEST]
        size = len(window.decode("utf-8", "ignore"))
        if start + size >= len(text):
            break
        end = start + _break(text[start : start + size + 1], size)
        yield text[start:end].strip()
        start = end
    if text[start:].strip():
        yield text[start:].strip()


def _break(text: str, most: int) -> int:
    """Return where to cut ``text``, in [1, ``most``]: behind a clause, a word, or a character."""
    clauses = [mark.end() for mark in _CLAUSE.finditer(text, most // 3, most)]
    if clauses:
        return clauses[-1]
    space = text.rfind(" ", most // 3, most + 1)
    if space > 0:
        return space
    while most > 1 and _joins(text[most]):
        most -= 1
    return most


def _joins(char: str) -> bool:
    """Whether ``char`` belongs to the one before it: a combining mark, a part of an emoji."""
    return unicodedata.category(char) in {"Mn", "Mc", "Me", "Cf", "Sk"}
