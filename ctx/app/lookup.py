"""Which entry is meant by an id, a date, a title or a few words: shared by all that ask for one.

Whoever changes a file on the strength of the answer must not change the wrong line, so where
several entries answer about equally none of them does.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import nsmallest
from typing import NamedTuple
from urllib.parse import unquote

from ctx.errors import UsageError
from ctx.model import Entry
from ctx.text.aliases import aliases
from ctx.text.checkbox import BOX, ITEM
from ctx.text.levels import short_id
from ctx.text.names import cut, shown, shown_line
from ctx.text.words import STOPS, index_words

CLEAR = 0.1
"""What the next match must lack beyond the best one, in words: half of what a mistyped word lacks.
That a word only begins as the typed one does is no such difference."""
NAMED = 5  # candidates that a refusal names
_LONGEST = 80  # characters of a title that a refusal shows
LEAST_LETTERS = 6  # shorter words with another letter are other words: test and text
BEGINNING = 3  # letters from which on a word may be cut short

_TALK = ("turn", "summary")
_CUT_SHORT, _MISTYPED = 0.05, 0.2
"""What is missing of a word that is cut short, and of one with a letter that is wrong, missing,
too much or swapped with the next."""
_NEAR = 70.0  # likeness of letters from which an id or title is near, in [0, 100]
_STAMPED = re.compile(
    r"\[?(\d{4}-\d{2}-\d{2})(?:[-T ](\d{2}):?(\d{2})(?::?(\d{2}))?)?Z?\]?(?=\s|$)[ \t]*"
)
_NUMBER = re.compile(r"[0-9]{6,18}")
_PLACE = re.compile(r"(.+):(\d{1,9})")
_ITEM = re.compile(rf"{ITEM}?[ \t]*{BOX}[ \t]+")
_LABELS = re.compile(r"(?:^|(?<=\s))`?#[a-z][\w-]*(?::[^\s`]*)?`?(?=\s|$)", re.IGNORECASE)
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_QUOTES = " \t\"'`“”‘’…"


class _Match(NamedTuple):
    missing: float  # what it lacks of all words being there, in words; 0 for an exact match
    entry: Entry


def lookup(wanted: str, entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries that ``wanted`` names, best first; none where none really matches.

    The first of these that any entry answers to: its id; its number in packets, or six digits
    of it or more; its id without the file; ``FILE:LINE``; a timestamp, or a day; its title; an
    alias; words. Words are found in titles, in any order, whole, by their stem, cut short or
    mistyped by a letter; each must be there.
    """
    return [match.entry for match in _matches(wanted, list(entries))]


def one(wanted: str, entries: Iterable[Entry], what: str = "entry") -> Entry:
    """Return the entry that ``wanted`` names (see ``lookup``); ``what`` is what it is called.

    Turns and summaries only where nothing else matches. Raises UsageError where nothing matches,
    and where several match about equally: it names the nearest, ``NAMED`` at most.
    """
    entries = list(entries)
    if not wanted.strip():
        raise UsageError(f"no {what} is named", "give its id, its title or words of it")
    matches = _matches(wanted, entries)
    matches = [match for match in matches if match.entry.kind not in _TALK] or matches
    if not matches:
        near = (f"{shown(each.id)} “{shown(each.title)}”" for each in _nearest(wanted, entries))
        nearest = ", ".join(near)
        hint = f"nearest: {nearest}" if nearest else "`ctx search` looks into texts, too"
        raise UsageError(f"no {what} matches {shown(wanted)!r}", hint)
    rivals = [match.entry for match in matches if match.missing < matches[0].missing + CLEAR]
    if len(rivals) > 1:
        what = f"{shown(wanted)!r} may be any of {len(rivals)}"
        raise UsageError(what, "name one by its id", tuple(_candidates(rivals)))
    return rivals[0]


def _candidates(rivals: Sequence[Entry]) -> Iterator[str]:
    for entry in rivals[:NAMED]:
        title = cut(shown_line(" ".join(entry.title.split())), _LONGEST)
        yield f"{shown(entry.id)}  {title}"
    if len(rivals) > NAMED:
        yield f"… and {len(rivals) - NAMED} more"


def _matches(wanted: str, entries: Sequence[Entry]) -> list[_Match]:
    wanted = wanted.strip()
    exact = next(filter(None, _exactly(wanted, entries)), [])
    if exact:
        return [_Match(0.0, entry) for entry in exact]
    return _by_words(wanted, entries)


def _exactly(wanted: str, entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """Yield what ``wanted`` names exactly, the narrowest reading first."""
    if not wanted:
        return
    yield [entry for entry in entries if entry.id == wanted]
    folded = _folded(wanted)
    yield [entry for entry in entries if _folded(entry.id) == folded]
    if _NUMBER.fullmatch(wanted):
        size = len(wanted)
        yield [entry for entry in entries if short_id(entry.id, size) == wanted]
    if "%" in wanted:  # as entries cite turns
        cited = unquote(wanted)
        yield [entry for entry in entries if entry.id == cited]
    file, mark, anchor = wanted.partition("#")
    if mark and anchor:
        names = (_folded(file), f"../{_folded(file)}")
        within = [entry for entry in entries if _folded(entry.source) in names]
        yield from _within(anchor, within)
    yield from _within(wanted.removeprefix("#"), entries)


def _within(wanted: str, entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    folded = _folded(wanted)
    stamp = _STAMPED.match(wanted)
    if not (stamp and stamp.end() == len(wanted)):  # a day is a day, though it be an id, too
        yield [entry for entry in entries if _folded(entry.id.partition("#")[2]) == folded]
    if place := _PLACE.fullmatch(wanted):
        file, line = _folded(place[1]), int(place[2])
        there = [entry for entry in entries if entry.line <= line <= entry.end_line]
        yield [entry for entry in there if _folded(entry.path) == file]
        yield [entry for entry in there if _folded(entry.source) in (file, f"../{file}")]

    def titled(title: str, entries: Sequence[Entry]) -> list[Entry]:
        bare = _bare(title)
        return [entry for entry in entries if _bare(entry.title) == bare]

    if stamp:
        clock = "".join(filter(None, stamp.groups()[1:]))
        when = f"{stamp[1]}-{clock}" if clock else stamp[1]
        of_then = [entry for entry in entries if entry.timestamp.startswith(when)]
        rest = wanted[stamp.end() :]
        yield titled(rest, of_then) if rest else of_then
    yield titled(wanted, entries)
    yield titled(_without_marks(wanted), entries)
    bare = _bare(wanted)
    others = (entry for entry in entries if entry.kind not in _TALK)
    yield [entry for entry in others if bare in map(_bare, aliases(entry))]


def _folded(text: str) -> str:
    """Return ``text`` in one case and one Unicode form: macOS names files in another one."""
    return unicodedata.normalize("NFC", text.casefold())


def _bare(text: str) -> str:
    return " ".join(_folded(text).split()).strip(_QUOTES)


def _without_marks(text: str) -> str:
    item = _ITEM.match(text)
    return _LABELS.sub("", text[item.end() :] if item else text).strip()


_Mistyping = Callable[[str, str], float]


class _Asked(NamedTuple):
    word: str
    stems: frozenset[str]  # its stem; of scripts without spaces its pairs


class _Title(NamedTuple):
    words: tuple[str, ...]
    stems: frozenset[str]


def _by_words(wanted: str, entries: Sequence[Entry]) -> list[_Match]:
    asked = _asked(wanted)
    if not asked:
        return []
    matches = [
        _Match(sum(lacking), entry)
        for entry, lacking in zip(entries, _lacking(asked, entries), strict=True)
        if max(lacking) < 1
    ]
    return sorted(matches, key=lambda match: match.missing)


def _asked(wanted: str) -> list[_Asked]:
    """Return the words that are looked for, those of grammar only where there are no others."""
    every = [_Asked(word, frozenset(index_words(word))) for word in _words(_without_marks(wanted))]
    telling = [asked for asked in every if not asked.stems <= STOPS]
    return list(dict.fromkeys(telling or every))


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    if folded.isascii():
        return _ASCII_WORD.findall(folded)
    kept = (
        char if char.isalnum() or unicodedata.category(char)[0] == "M" else " " for char in folded
    )
    return "".join(kept).split()


def _lacking(asked: Sequence[_Asked], entries: Sequence[Entry]) -> Iterator[list[float]]:
    """Yield by title what it lacks of each word, in [0, 1]; a word in a title is not mistyped."""
    titles = [
        _Title(tuple(_words(entry.title)), frozenset(index_words(entry.title))) for entry in entries
    ]
    known = [any(word.stems <= title.stems for title in titles) for word in asked]
    mistyped = None if all(known) else _mistyping()
    for title in titles:
        yield [
            _lacks(word, title, None if is_known else mistyped)
            for word, is_known in zip(asked, known, strict=True)
        ]


def _lacks(asked: _Asked, title: _Title, mistyped: _Mistyping | None) -> float:
    if asked.stems and asked.stems <= title.stems:
        return 0.0
    word = asked.word
    if any(map(str.isdigit, word)):
        return 1.0  # another number is another thing: v1, v10
    if len(word) >= BEGINNING and any(other.startswith(word) for other in title.words):
        return _CUT_SHORT
    if mistyped is None:
        return 1.0
    return min((mistyped(word, other) for other in title.words), default=1.0)


def _mistyping() -> _Mistyping:
    """Return what tells how much is missing of a word in another one: 1 but for a letter."""
    from rapidfuzz.distance import OSA  # only where a word is in no title

    def mistyped(word: str, other: str) -> float:
        size = len(word)
        if max(size, len(other)) < LEAST_LETTERS or any(map(str.isdigit, other)):
            return 1.0
        if size > len(other) + 1:
            return 1.0  # which is so; but to find that of a pasted file would take a minute
        if OSA.distance(word, other, score_cutoff=1) <= 1:
            return _MISTYPED
        begun = (other[:end] for end in (size - 1, size, size + 1) if end >= LEAST_LETTERS)
        if any(OSA.distance(word, cut, score_cutoff=1) <= 1 for cut in begun):
            return _MISTYPED + _CUT_SHORT
        return 1.0

    return mistyped


def _nearest(wanted: str, entries: Sequence[Entry]) -> list[Entry]:
    from rapidfuzz import fuzz

    asked = _asked(wanted)
    ranked = []
    for at, (entry, lacking) in enumerate(zip(entries, _lacking(asked, entries), strict=True)):
        words = 1 - sum(lacking) / len(asked) if asked else 0.0
        name = entry.id if "#" in wanted else entry.id.partition("#")[2]
        letters = max(
            fuzz.ratio(wanted.casefold(), other.casefold(), score_cutoff=_NEAR)
            for other in (name, entry.title)
        )
        near = max(words, letters / 100)
        if near > 0:
            ranked.append((-near, at, entry))
    return [entry for _, _, entry in nsmallest(3, ranked, key=lambda row: row[:2])]
