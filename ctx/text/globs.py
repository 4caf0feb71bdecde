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
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from ctx.text.regex import regex

MAX_CHARS = 5_000  # of all patterns of a rule, braces expanded; it bounds the time of a match
_TOO_LONG = f"more than {MAX_CHARS:,} characters with all alternatives"
_SHOWN = 60  # characters of a pattern in a message
_LIST = regex(r"(?s)\\.|\[[^\]]{1,64}\]|[{},\n]|[^\\\[{},\n]+|.")
_SEGMENT = regex(r"(?s)\\(.)|\[([!^]?)(\]?[^\]]{0,64})\]|(\*+)|(\?)|([^\\\[*?]+)|(.)")
_SPECIAL = regex(r"[{\[\\]")
_RANGE = regex("(?s).-.|.")


class GlobError(ValueError):
    """A pattern cannot be used; the message is the reason."""


class _TooLongError(GlobError):
    pass


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
    """Return the patterns that can be matched, up to ``MAX_CHARS``, and a line for each other."""
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
    names, found = _names(f"{path}\0" if path.endswith("/") else path), ""
    whole = "".join(f"{name}/" for name in names)
    for pattern in patterns if ".." not in names else ():
        if (excludes := pattern.startswith("!")) or not found:
            try:
                matches = _compiled(pattern.removeprefix("!"))
            except GlobError:
                continue
            if matches(whole):
                if excludes:
                    return ""
                found = pattern
    return found


def alternatives(pattern: str) -> list[str]:
    """Return the patterns that one with braces means; none where it cannot be used."""
    try:
        return _expanded(pattern, MAX_CHARS)
    except GlobError:
        return []


def _names(path: str) -> list[str]:
    """Return the names in a path; composed letters, since some file systems take them apart."""
    if not path.isascii():
        path = unicodedata.normalize("NFC", path)
    return [part for part in path.split("/") if part not in ("", ".")]


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> Callable[[str], re.Match[str] | None]:
    """Return what matches whole paths, a slash behind each name; GlobError for bad patterns."""
    texts = dict.fromkeys(_expanded(pattern, MAX_CHARS))
    made = re.compile("|".join(map(_expression, texts)))
    return made.fullmatch


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


def _expression(text: str) -> str:
    runs = [""]
    for name in _names(text):
        if name != "**":
            runs[-1] += f"{_of_name(name)}/"
        elif len(runs) == 1 or runs[-1]:
            runs.append("")
    if text.endswith("/") and (len(runs) == 1 or runs[-1]):
        runs.append("")
    if len(runs) > 1 and not runs[-1]:
        runs[-1] = "[^/]+/"
    return _joined(runs, "(?:[^/]+/)*")


def _of_name(name: str) -> str:
    pieces = [""]
    for match in _SEGMENT.finditer(name):
        escaped, negation, chars, stars, any_char, literal, rest = match.groups("")
        if stars:
            pieces.append("")
        elif chars:
            pieces[-1] += _one_of(chars, negated=bool(negation))
        elif any_char:
            pieces[-1] += "[^/]"
        elif rest == "[":
            raise GlobError("`[` is not closed within its folder or name")
        else:
            pieces[-1] += re.escape(escaped or literal or rest)
    return _joined(pieces, "[^/]*")


def _one_of(chars: str, *, negated: bool) -> str:
    ranges = (found[0] for found in _RANGE.finditer(chars) if found[0][0] <= found[0][-1])
    known = "".join("-".join(map(re.escape, (each[0], each[-1]))) for each in ranges)
    if not known:
        return "[^/]" if negated else "(?!)"
    return f"[^/{known}]" if negated else f"[{known}]"


def _joined(pieces: list[str], star: str) -> str:
    """Return pieces joined by stars; each matches where it is first found: that bounds the time."""
    if len(pieces) == 1:
        return pieces[0]
    middle = (f"(?>{star}?{piece})" for piece in pieces[1:-1] if piece)
    return f"{pieces[0]}{''.join(middle)}{star}{pieces[-1]}"
