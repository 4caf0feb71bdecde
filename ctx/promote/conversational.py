"""D_nl: how much durable knowledge talk holds, in [0, 1]."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctx.names import names
from ctx.promote.settled import decides
from ctx.promote.weights import CHANCE, TALK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctx.promote.prose import Said, Sentence

_PREFERENCE = re.compile(
    r"\b(?:prefer(?:red|s|ence|ences|ring)?|favou?rite|allergic|can't stand|hate|fan of"
    r"|(?:we|should|must|may|can|will|shall) never)\b|(?:^|[,;:—-] )(?:please )?"
    r"(?:always|never(?! ?(?:give|mind|worry|again|know))"
    r"|(?:don't|do not)(?! (?:worry|mind|bother|know|think|get|see|forget)))\b"
    r"|喜欢|偏好|不要|好き|嫌い|좋아|싫어|предпочита|никогда|bevorzuge|niemals|je préfère",
    re.IGNORECASE,
)
_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_SPANS = r"(?:night|day|week|weekend|month|year|summer|winter|spring|fall|autumn|season)"
_DATE = re.compile(
    rf"\b(?:yesterday|tomorrow|tonight|today|recently|lately|(?:last|next|this|past) (?:\w+ )?"
    rf"(?:{_SPANS}s?|{_DAYS}|{_MONTHS})|(?:\w+ )?(?:day|week|weekend|month|year)s? (?:ago|before)"
    rf"|{_DAYS}s?|{_MONTHS}\.? \d{{1,4}}|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTHS}"
    rf"|(?:in|since|until|by) (?:{_MONTHS}|(?:19|20)\d\d)|for (?:\w+ ){{1,2}}(?:weeks|months|years)"
    r"|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/]\d{1,2}[-/]\d{2,4}|\d{1,2}\.\d{1,2}\.\d{4}"
    r"|\d{1,2}:\d{2})\b"
    r"|\d{1,4}\s?[年월月日년]|昨日|昨天|今天|明天|去年|先週|来週|어제|내일|вчера|завтра|gestern|morgen",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|dozen|twice)\b", re.IGNORECASE
)
_QUOTATION = re.compile(
    r"(?<!\w)\"[^\"\n]{3,80}\"(?!\w)|“[^“”\n]{3,80}”|«[^«»\n]{2,80}»|「[^「」\n]{2,80}」"
    r"|『[^『』\n]{2,80}』"
)
_ASSERTION = re.compile(
    r"\b(?:i|we|he|she|they|(?:my|our) (?:\w+ ){1,2})\s?(?:'ve|'d|have|had|has)?\s?"
    r"(?:(?:just|recently|also|finally|already|even|actually|once) ){0,2}"
    r"(?:\w{2,}ed|am|was|were|been|went|got|made|had|took|bought|won|found|saw|met|did|gave|wrote"
    r"|came|lost|left|chose|built|began|became|read|ran|told|felt|kept|taught|grew|put|set|spent"
    r"|sold|is|use|uses|work|works|live|lives|own|owns)\b|\b(?:i|we)'(?:m|re)\b"
    r"|[了た]。?$|다\.?$",
    re.IGNORECASE,
)


def conversational(said: Said) -> float:
    """Return D_nl: marks of preference, name, date and assertion by hundred tokens of prose.

    Source: ``compaction.md``, Promotion. Only what is told in the first person counts, and, a
    preference apart, only statements: a question, a wish, a greeting, thanks and a reaction
    to the hearer hold nothing. What one mark alone may be by chance is taken off each sentence.
    """
    total = sum(max(0.0, weight_of(one) - CHANCE) for one in said.sentences)
    return said.density(total / (1 - CHANCE))


def weight_of(sentence: Sentence) -> float:
    """Return what the marks of a sentence weigh together; at least 0."""
    return sum(TALK[mark] for mark in _marks(sentence))


def _marks(sentence: Sentence) -> Iterator[str]:
    if not sentence.talks:
        return
    if sentence.stands:
        yield "standing"
    if sentence.mine:
        yield from _own(sentence)


def _own(sentence: Sentence) -> Iterator[str]:
    text = sentence.text
    if _PREFERENCE.search(text):
        yield "preference"
    if not sentence.states:
        return
    if decides(text):
        yield "decision"
    if _DATE.search(text):
        yield "date"
    if _NUMBER.search(text):
        yield "number"
    if _QUOTATION.search(text):
        yield "quotation"
    if _ASSERTION.search(text):
        yield "assertion"
    if names(text):
        yield "name"
