"""Globs of paths, as rules in the frontmatter of editors' files have them.

The whole path from the base folder is matched against the whole pattern. ``*`` and ``?`` stay
within one segment; ``**`` as a segment spans any number of them, also none, and at the end at
least one. ``[a-z]`` and ``[!a-z]`` are one character, ``{a,b}`` are alternatives, which may be
nested and hold ``/``. A backslash takes a character as it is. Case counts, and names with a leading
dot are names like others.

The pages of the four tools leave two forms open: a pattern that ends with ``/`` is all below that
folder, and one that begins with ``!`` excludes, wherever in the list it is.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

MAX_CHARS = 5_000
"""Of all patterns of a rule with their braces expanded; it bounds the time of a match, too."""
_TOO_LONG = f"more than {MAX_CHARS:,} characters with all alternatives"
_SHOWN = 60
"""Characters of a pattern in a message."""
_LIST = re.compile(r"\\.|\[[^\]]{1,64}\]|[{},\n]|[^\\\[{},\n]+|.", re.DOTALL)
_SEGMENT = re.compile(r"\\(.)|\[([!^]?)(\]?[^\]]{0,64})\]|(\*+)|(\?)|([^\\\[*?]+)|(.)", re.DOTALL)
_SPECIAL = re.compile(r"[{\[\\]")
_RANGE = re.compile(".-.|.", re.DOTALL)


class GlobError(ValueError):
    """A pattern cannot be used; the message is the reason."""


class _TooLongError(GlobError):
    pass


class _Chars(NamedTuple):
    """What one character may be."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool

    def holds(self, char: str) -> bool:
        return any(low <= char <= high for low, high in self.ranges) is not self.negated


_ANY = _Chars((), negated=True)
_Piece = str | tuple[_Chars, ...]
_Segment = tuple[_Piece, ...]
"""What is between the stars of a segment."""
_ALL: _Segment = ("", "")


def split(text: str) -> list[str]:
    """Return the patterns of a list that is separated by commas or lines, braces kept whole."""
    patterns, start, depth = list[str](), 0, 0
    for found in _LIST.finditer(text):
        depth = max(0, depth + (found[0] == "{") - (found[0] == "}"))
        if found[0] == "\n" or (found[0] == "," and not depth):
            patterns.append(text[start : found.start()].strip())
            start = found.end()
    return [pattern for pattern in (*patterns, text[start:].strip()) if pattern]


def usable(patterns: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the patterns that can be matched, and a line about each of the others.

    From the first on that is too long together with those before it, one line is about the rest.
    """
    kept, faults, room = list[str](), list[str](), MAX_CHARS
    for pattern in patterns:
        shown = pattern if len(pattern) <= _SHOWN else f"{pattern[: _SHOWN - 1]}…"
        try:
            room -= sum(map(len, _expanded(pattern, room)))
            if _SPECIAL.search(pattern):  # others have nothing to close
                _compiled(pattern.removeprefix("!"))
            kept.append(pattern)
        except _TooLongError as error:
            faults.append(f"glob `{shown}` and what follows it is left out: {error}")
            break
        except GlobError as error:
            faults.append(f"glob `{shown}` is left out: {error}")
            room -= len(pattern)
    return tuple(kept), tuple(faults)


def matching(patterns: Sequence[str], path: str) -> str:
    """Return the first of ``patterns`` that matches ``path``; empty without, or where one excludes.

    ``path`` is relative to the folder of the patterns, with forward slashes; one that ends with
    ``/`` is any file in that folder. One that leads out (``../``) matches nothing, and neither does
    a pattern that ``usable`` refuses.
    """
    parts, found = _segments(f"{path}\0" if path.endswith("/") else path), ""
    for pattern in patterns if ".." not in parts else ():
        if (excludes := pattern.startswith("!")) or not found:
            try:
                alternatives = _compiled(pattern.removeprefix("!"))
            except GlobError:
                continue
            if any(_spans(segments, parts) for segments in alternatives):
                if excludes:
                    return ""
                found = pattern
    return found


def _segments(path: str) -> list[str]:
    """Return the names in a path; composed letters, since some file systems take them apart."""
    if not path.isascii():
        path = unicodedata.normalize("NFC", path)
    return [part for part in path.split("/") if part not in ("", ".")]


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> tuple[tuple[_Segment | None, ...], ...]:
    """Return the alternatives of a pattern as segments, None for ``**``; GlobError for bad ones."""
    return tuple(_alternative(text) for text in dict.fromkeys(_expanded(pattern, MAX_CHARS)))


def _expanded(pattern: str, room: int) -> list[str]:
    """Return the patterns that one with braces means, in at most ``room`` characters."""
    outer: list[tuple[list[str], list[str]]] = []
    texts = [""]
    if len(pattern) > room:
        raise _TooLongError(_TOO_LONG)
    if "{" not in pattern:
        return [pattern]
    for piece in _LIST.findall(pattern):
        if piece == "{":
            outer.append((texts, []))
            texts = [""]
        elif outer and piece in ",}":
            before, done = outer[-1]
            done += texts
            texts = [""]
            if piece == "}":
                outer.pop()
                room -= sum(map(len, before)) * len(done) + (sum(map(len, done)) + 1) * len(before)
                texts = [first + last for first in before for last in done] if room >= 0 else []
        else:
            room -= len(piece) * len(texts)
            texts = [text + piece for text in texts] if room >= 0 else []
        if room < 0:
            raise _TooLongError(_TOO_LONG)
    if outer:
        raise GlobError("`{` is not closed")
    return texts


def _alternative(text: str) -> tuple[_Segment | None, ...]:
    segments: list[_Segment | None] = []
    for name in _segments(text):
        if name != "**":
            segments.append(_segment(name))
        elif segments[-1:] != [None]:
            segments.append(None)
    if text.endswith("/") and segments[-1:] != [None]:
        segments.append(None)
    if segments[-1:] == [None]:
        segments.append(_ALL)
    return tuple(segments)


def _segment(name: str) -> _Segment:
    pieces: list[list[str | _Chars]] = [[]]
    for match in _SEGMENT.finditer(name):
        escaped, negation, chars, stars, any_char, literal, rest = match.groups("")
        if stars:
            pieces.append([])
        elif chars:
            pieces[-1].append(_Chars(_ranges(chars), bool(negation)))
        elif any_char:
            pieces[-1].append(_ANY)
        elif rest == "[":
            raise GlobError("`[` is not closed within its folder or name")
        else:
            pieces[-1] += escaped or literal or rest
    return tuple(_piece(piece) for piece in pieces)


def _ranges(chars: str) -> tuple[tuple[str, str], ...]:
    return tuple((found[0], found[-1]) for found in _RANGE.findall(chars))


def _piece(tests: list[str | _Chars]) -> _Piece:
    """Return a string where all is literal: those are compared at once."""
    if all(isinstance(test, str) for test in tests):
        return "".join(map(str, tests))
    return tuple(_Chars(((t, t),), negated=False) if isinstance(t, str) else t for t in tests)


def _spans(segments: Sequence[_Segment | None], parts: Sequence[str]) -> bool:
    """Return whether a pattern matches a whole path: back to the last ``**``, never further."""
    if sum(segment is not None for segment in segments) > len(parts):
        return False
    place = at = resume = 0
    after = -1
    while at < len(parts):
        segment = segments[place] if place < len(segments) else ()
        if segment is None:
            place, resume = place + 1, at
            after = place
        elif segment and _fits(segment, parts[at]):
            place, at = place + 1, at + 1
        elif after < 0:
            return False
        else:
            resume += 1
            place, at = after, resume
    return place == len(segments)


def _fits(pieces: _Segment, name: str) -> bool:
    """Return whether one segment matches one name."""
    first, last = pieces[0], pieces[-1]
    end = len(name) - len(last)
    if len(pieces) == 1:
        return not end and _is_at(first, name, 0)
    place = len(first)
    if place > end or not _is_at(first, name, 0) or not _is_at(last, name, end):
        return False
    for piece in pieces[1:-1]:  # the leftmost place leaves the most room for what follows
        if isinstance(piece, str):
            found = name.find(piece, place, end)
        else:
            places = range(place, end - len(piece) + 1)
            found = next((start for start in places if _is_at(piece, name, start)), -1)
        if found < 0:
            return False
        place = found + len(piece)
    return True


def _is_at(piece: _Piece, name: str, start: int) -> bool:
    if isinstance(piece, str):
        return name.startswith(piece, start)
    return all(test.holds(char) for test, char in zip(piece, name[start:], strict=False))
