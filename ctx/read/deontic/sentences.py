"""Sentences and their words, in one linear pass over a text."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ctx.read.deontic.forms import CLOSED, VERB, tag
from ctx.read.deontic.lexicon import OPAQUE, listed

if TYPE_CHECKING:
    from collections.abc import Iterator


class Sentence(NamedTuple):
    """A sentence cut into words, punctuation that separates clauses among them."""

    words: list[str]
    """In lower case, contractions spelled out, code and quotations as ``OPAQUE``; then a
    few empty ones, so that a look ahead needs no question."""
    raws: list[str]
    """The same as written, without the empty ones."""
    start: int
    end: int
    asks: bool
    asides: list[Sentence]
    """What stands in parentheses."""


@cache
def _token() -> re.Pattern[str]:
    return re.compile(
        r"""
        (?P<link>https?://[^\s<>()]*+|www\.[^\s<>()]*+
          |\[(?:\d+\.[ ][^\[\]]{1,200}+
            |(?:(?:[A-Z]\w*+|an?|and|the|of|for|to|in)(?:[ ]|(?=\]))){2,9}+)
            \]\([^\s()]{1,400}+\))
      | (?P<word>[^\W_]+(?:['’._/&+-][^\W_]+)*+)
      | (?P<mark>[,;:](?!\w))
      | (?P<bold>(?<=[\w)`])\*\*(?=\s+[A-Z][a-z]))
      | (?P<gap>\n[^\S\n]*+\n)
      | (?P<code>(?<!`)`{2,}+[^`]++`{2,}+|(?<!`)`[^`]++`(?!`)
          |<[^<>\s][^<>]{0,100}>
          |(?<!\w)(?:\.{0,2}/|~/|\.(?=\w)|--?(?=[A-Za-z]))[\w./*=:@-]*[\w/*](?:\.\.\.)?)
      | (?P<quote>(?<!\w)"(?=\S)[^"]{1,600}+"(?!\w)|“[^“”]{1,600}+”
          |(?<!\w)'(?=\w)(?:[^']|(?<=\w)'(?=\w)){1,300}+'(?!\w)
          |‘(?:[^‘’]|(?<=\w)’(?=\w)){1,300}+’(?!\w))
      | (?P<aside>\([^()]{0,400}+\))
      | (?P<arrow>(?<![-=])[-=]{1,3}>|[→⇒➜])
      | (?P<dash>—|–|--+|(?<=\s)-(?=\s))
      | (?P<stop>(?<![.!?…])[.!?…]++(?=[\s"'”’)\]*_]|$)|[。！？])
        """,
        re.VERBOSE,
    )


_LONGEST = 250  # words of a sentence: what is longer has no end that can be found
_ABBREVIATIONS = listed("e.g i.e vs cf approx resp incl eg ie viz no fig sec dr mr mrs")
_CONTRACTED = {
    "dont": "do not", "cannot": "can not", "cant": "can not", "wont": "will not",
    "mustnt": "must not", "shouldnt": "should not", "doesnt": "does not", "isnt": "is not",
    "arent": "are not", "can't": "can not", "won't": "will not", "shan't": "shall not",
    "let's": "let us", "lets": "let us", "youre": "you are",
}  # fmt: skip
_ENDINGS = {"n't": "not", "'re": "are", "'ll": "will", "'ve": "have", "'d": "would", "'m": "am"}
_IS = listed("it that he she there what who here where this everything")
_SIGNS = {"code": OPAQUE, "link": OPAQUE, "quote": OPAQUE, "dash": "—", "arrow": "->",
          "bold": ":"}  # fmt: skip
_PAD = [""] * 8


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of ``text`` in order, in time linear in its length."""
    words: list[str] = []
    raws: list[str] = []
    asides: list[Sentence] = []
    start = end = 0
    for match in _token().finditer(text):
        kind, raw = match.lastgroup, match[0]
        if kind == "word" and len(raws) < _LONGEST:
            if not raws and not asides:
                start = match.start()
            end = match.end()
            word = raw.lower()
            if "'" in word or "’" in word or word in _CONTRACTED:
                spelled = _contracted(word.replace("’", "'"))
                words += spelled
                raws += [raw] * len(spelled)
            else:
                words.append(word)
                raws.append(raw)
            continue
        empty = not raws and not asides
        if kind == "aside":
            start = match.start() if empty else start
            asides += sentences(raw[1:-1])
            end = match.end()
            continue
        closes = kind == "gap" or (
            kind == "stop" and not (raw == "." and words and words[-1] in _ABBREVIATIONS)
        )
        if (closes or len(raws) >= _LONGEST) and not empty:
            stop = end if kind == "gap" else match.end()
            asks = "?" in raw and kind == "stop"
            words, raws = _unnumbered(words, raws)
            yield Sentence(words + _PAD, raws, start, stop, asks, asides)
            words, raws, asides = [], [], []
            empty = True
        inner = kind == "bold" and not _is_title(words, text[max(0, start - 2) : start])
        if closes or kind == "stop" or inner:
            continue
        start = match.start() if empty else start
        end = match.end()
        sign = [_SIGNS.get(kind or "", raw)]
        for word in _contracted(raw.lower().replace("’", "'")) if kind == "word" else sign:
            words.append(word)
            raws.append(raw)
    if raws or asides:
        words, raws = _unnumbered(words, raws)
        yield Sentence(words + _PAD, raws, start, end, asks=False, asides=asides)


def _is_title(words: list[str], mark: str) -> bool:
    """Whether bold words that open a sentence are no command, as "Never" and "Use" are."""
    known = bool(words) and tag(words[-1]) & (VERB | CLOSED)
    return mark == "**" and (len(words) > 1 or (len(words) == 1 and not known))


_NUMBER = re.compile(r"[A-Z]{0,4}-?[\dX]+(?:\.\d+)*|[A-Za-h]")


def _unnumbered(words: list[str], raws: list[str]) -> tuple[list[str], list[str]]:
    """Return a sentence without the numbers and marks before its first word: "1.2", "T017 US1"."""
    at = 0
    while at < len(raws) and at < _MARKS and _NUMBER.fullmatch(raws[at]):
        at += 1
    counted = 0 < at < len(raws) and raws[at - 1] != "I" and raws[at - 1] != "A"
    starts = counted and raws[at][:1].isupper() and not raws[at].isupper()
    return (words[at:], raws[at:]) if starts else (words, raws)


_MARKS = 3


def _contracted(word: str) -> list[str]:
    if word in _CONTRACTED:
        return _CONTRACTED[word].split()
    base, _, ending = word.rpartition("'")
    if word.endswith("n't"):
        return [word[:-3], "not"]
    if f"'{ending}" in _ENDINGS:
        return [base, _ENDINGS[f"'{ending}"]]
    return [base, "is"] if ending == "s" and base in _IS else [base or ending]
