"""Utterances cut into sentences and lines of code and lists, which a summary can quote."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ctx.model import Utterance
from ctx.text import encodable
from ctx.text.checkbox import MARKS
from ctx.text.english import FUNCTION, listed, words_of
from ctx.text.regex import regex

LONGEST = 240  # bytes, as these take tokens; longer sentences are cut between clauses or words
MOST = 1200  # sentences read of a cluster, in even shares: a pasted book must not take hours
_STOP = regex(
    r"(?<![.!?…])[.!?…]++[\"'”’»)\]*_]*+(?=\s)"  # a full stop inside a word is a point
    r"|[。！？｡︒]++[」』”’）】》]*+"
    r"|(?<![।॥۔؟։።፧។၊။])[।॥۔؟։።፧។၊။]++(?=\s)"
)
_FENCE = regex(r"[ \t]{0,3}(`{3,}+(?!.*`)|~{3,}+)")
_MARKER = regex(rf"\s*+(?>(?:(?:[-*+•>#|]++|\d{{1,3}}[.)]|\[[{MARKS}]\])[ \t]++)*)")
_QUESTIONS = ("?", "？", "؟", "՞", "፧", "⁇")
_JOINED = {"Mn", "Mc", "Me", "Cf", "Sk"}  # categories of marks that belong to the one before


class Sentence(NamedTuple):
    """A piece of an utterance that can stand alone; on one line."""

    utterance: int  # the index of the utterance in its cluster
    text: str
    code: bool = False  # whether it is a line of code, of data or of a log


_ALWAYS = listed("mr mrs ms dr prof st vs e.g i.e eg cf approx resp incl z.b d.h bzw")
"""Abbreviations whose full stop never ends a sentence, without their last stop."""
_COUNTED = listed("no nr fig sec p pp vol ch jan feb aug sept oct nov dec")  # before a figure
_EITHER = listed("etc al jr sr inc ltd co corp est dept a.m p.m usw ca")  # before a small letter
_ORDINAL = 2  # most digits of an ordinal: a year or an amount may end a sentence
_WORD_BEFORE = 12
_CLAUSE = regex(r"[;:,](?=\s)|[，；：、،؛]|\s[-–—](?=\s)|—")
_CONTROLS = dict.fromkeys((*range(9), *range(14, 28), *range(127, 133), *range(134, 160)))
_CODE = regex(
    r"[ \t]*+(?:[$>%][ ]|>>> |\[[\w -]*(?:call|tool_use|tool_result)\b|[{}\[\]]+,?$"
    r"|(?:INFO|DEBUG|WARN|WARNING|ERROR|TRACE)\b|\d{4}-\d\d-\d\d[T ]\d\d:\d\d"
    r"|(?:async )?def \w|class \w+[(:]|import \w|from [\w.]+ import |return\b|@@ |diff --git"
    r"|(?:const|let|var|function) \w)"
)
_SIGNS = '{}[]()<>=;|&$\\/"`_#@*+'
_SIGNS_SHARE = 0.12
_LEAST_CODE = 24  # characters from which signs tell code: a short line may be a name and a bracket
_WRAPPED = 50  # characters from which a line may have been wrapped
_PARAGRAPH = 2000  # characters of wrapped lines that are joined: no sentence is longer


def sentences(utterances: Sequence[Utterance]) -> list[Sentence]:
    """Return the sentences of ``utterances`` in their order; about ``MOST`` at most."""
    share = max(1, MOST // max(len(utterances), 1))
    return [
        Sentence(place, text, code)
        for place, utterance in enumerate(utterances)
        for text, code in islice(pieces(utterance.text), share)
    ]


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of ``text``, of ``LONGEST`` bytes at most, and whether each is code."""
    for line, code in _lines(text):
        for sentence in (line,) if code else split(line):
            for piece in _cut(" ".join(sentence.translate(_CONTROLS).split())):
                yield piece, code


def is_question(text: str) -> bool:
    """Return whether a sentence ends with a question mark, but for quotation marks and the like."""
    return text.rstrip("\"'”’»)]*_ \t\n").endswith(_QUESTIONS)


def plain(text: str) -> str:
    """Return ``text`` without blank lines, runs of spaces, controls and lone surrogates."""
    text = encodable(text).replace("\r\n", "\n")
    lines = (" ".join(line.split()) for line in text.translate(_CONTROLS).splitlines())
    return "\n".join(filter(None, lines))


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines of ``text``, wrapped prose joined, and whether each is code."""
    fence = pending = ""
    for line in text.splitlines():
        if fence:
            if line.strip().startswith(fence) and not line.strip(" \t`~"):
                fence = ""
            else:
                yield line, True
            continue
        mark = _FENCE.match(line)
        if pending and not mark and _continues(pending, line):
            pending = f"{pending} {line.strip()}"
            continue
        yield pending, is_code(pending)
        fence, pending = (mark[1], "") if mark else ("", _MARKER.sub("", line, count=1))
    yield pending, is_code(pending)


def is_code(line: str) -> bool:
    """Whether a line looks like a command, code, data or a log."""
    if _CODE.match(line):
        return True
    signs = sum(map(line.count, _SIGNS))
    return len(line) >= _LEAST_CODE and signs > _SIGNS_SHARE * len(line)


def _continues(pending: str, line: str) -> bool:
    return (
        _WRAPPED <= len(pending) <= _PARAGRAPH
        and pending[-1:] not in ".!?…:;。！？"
        and line.lstrip()[:1].islower()
    )


def split(line: str) -> Iterator[str]:
    """Yield the sentences of a line of prose, which end it or are followed by a space."""
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
    folded, following = word.lower(), after[:1]
    is_firm = folded == "co" and before.rstrip(word).rstrip().endswith("&")  # "& Co. KG"
    return (
        (len(word) == 1 and word.isupper() and word != "I")  # an initial
        or folded in _ALWAYS
        or (folded in _COUNTED and following.isdigit())
        or (folded in _EITHER and following.islower())
        or (is_firm and following.isupper())
        # "5. Mai", but "I was 10. It …"
        or (
            word.isdigit()
            and len(word) <= _ORDINAL
            and following.isalpha()
            and after.split()[0].lower() not in words_of(*FUNCTION)
        )
    )


def _cut(text: str) -> Iterator[str]:
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
    """Return where to cut ``text``, in [1, ``most``]: after a clause, a word, or a character."""
    if clauses := [mark.end() for mark in _CLAUSE.finditer(text, most // 3, most)]:
        return clauses[-1]
    space = text.rfind(" ", most // 3, most + 1)
    if space > 0:
        return space
    while most > 1 and unicodedata.category(text[most]) in _JOINED:
        most -= 1
    return most
