"""What git ignores by a ``.gitignore``, byte for byte as its ``wildmatch.c`` and ``dir.c`` do."""

import os
import re
import string
from collections.abc import Sequence
from typing import NamedTuple

MOST_PATTERNS = 2_000  # patterns of one file that are used: each is tried on each path
_SLOW = re.compile(r"\*[^/*]*\*[^/*]*\*[^/*]*\*|(?:\*\*.*){4}")
"""Patterns whose time grows with the fourth power of a path's length, or faster."""
_TOKEN = re.compile(
    r"(?<![^/])(?P<above>\*{2,}/)|(?<![^/])(?P<below>\*{2,})\Z|(?P<some>\*+)|(?P<one>\?)"
    r"|\[(?P<negated>[!^]?)(?P<members>\]?+(?>(?:\\.|\[:[^]]{0,32}:\]|[^]\\])*))(?P<closed>\])?"
    r"|\\(?P<escaped>.)|(?P<odd>.)",
    re.DOTALL,
)
_MEMBER = re.compile(r"\[:([^]]{0,32}):\]|\\?(.)(?:-\\?(.))?", re.DOTALL)
_GRAPH = string.ascii_letters + string.digits + string.punctuation
_CLASSES = {
    "alnum": string.ascii_letters + string.digits, "alpha": string.ascii_letters, "blank": " \t",
    "cntrl": "".join(map(chr, (*range(32), 127))), "digit": string.digits, "graph": _GRAPH,
    "lower": string.ascii_lowercase, "print": f"{_GRAPH} ", "punct": string.punctuation,
    "space": string.whitespace, "upper": string.ascii_uppercase, "xdigit": string.hexdigits,
}  # fmt: skip
_FIXED = {"above": "(?:.*/)?", "below": ".*", "some": "[^/]*", "one": "[^/]"}


class _Rule(NamedTuple):
    matches: re.Pattern[str]  # has to match the whole of a path
    ignores: bool  # False where the line lets in again
    folders_only: bool


class Rules:
    """One ``.gitignore``; ``left`` is how many of its lines are not used."""

    def __init__(self, data: bytes) -> None:
        lines = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n")
        lines = [line for line in lines if line.strip() and line[0] != "#"]
        rules = [_rule(line) for line in lines[:MOST_PATTERNS]]
        self._last_first = [rule for rule in reversed(rules) if rule]
        self.left = len(lines) - len(self._last_first)

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """Return whether ``path``, relative and with ``/``, is ignored; None for no word of it."""
        name = os.fsencode(path).decode("latin-1")
        for rule in self._last_first:
            if (is_folder or not rule.folders_only) and rule.matches.fullmatch(name):
                return rule.ignores
        return None

    def ignores(self, path: str) -> bool:
        """Return whether ``path`` or a folder above it is ignored."""
        ends = (at for at, char in enumerate(f"{path}/") if char == "/")
        return any(self.verdict(path[:end], is_folder=True) for end in ends)


def first_ignoring(patterns: Sequence[str], path: str) -> str:
    """Return the first of ``patterns`` that matches ``path``, if all together ignore it.

    Braces are alternatives, case does not count, and ``./`` is the folder of the patterns.
    """
    from ctx.text.globs import alternatives

    texts = {
        each: "\n".join(alternatives(each[each.startswith("./") :])).lower() for each in patterns
    }
    path = path.lower()
    whole = Rules("\n".join(texts.values()).encode())
    above = path.rpartition("/")[0]
    if not (whole.verdict(path, is_folder=False) or (above and whole.ignores(above))):
        return ""
    return next((each for each, text in texts.items() if Rules(text.encode()).ignores(path)), "")


def _rule(line: str) -> _Rule | None:
    """Return what a line says; None for one that is slow, or that matches nothing in git either."""
    glob = line.removesuffix("\r")
    while glob.endswith(" ") and not glob.endswith("\\ "):
        glob = glob[:-1]
    ignores, glob = not glob.startswith("!"), glob.removeprefix("!")
    whole = glob.removesuffix("/")
    pattern = None if _SLOW.search(glob) else _pattern(whole.removeprefix("/"))
    if not pattern:
        return None
    anywhere = "" if "/" in whole else "(?:.*/)?"
    return _Rule(re.compile(anywhere + pattern, re.DOTALL), ignores, whole != glob)


def _pattern(glob: str) -> str | None:
    parts = []
    for token in _TOKEN.finditer(glob):
        text = token[token.lastgroup or 0]
        if token["members"] is not None:
            found = _members(token["members"]) if token["closed"] else None
            if found is None:
                return None
            codes = "".join(f"\\x{ord(char):02x}" for char in sorted(found - {"/"}))
            part = f"[^/{codes}]" if token["negated"] else f"[{codes}]" if codes else "(?!)"
        elif token["odd"] == "\\":  # without an end
            return None
        else:
            part = _FIXED.get(token.lastgroup or "") or re.escape(text)
        parts.append(part)
    return "".join(parts)


def _members(text: str) -> set[str] | None:
    """Return the characters in a pair of brackets; None where a class has no such name."""
    found = set[str]()
    for name, first, last in _MEMBER.findall(text):
        if not first and name not in _CLASSES:
            return None
        found.update(_CLASSES.get(name, first))
        if last:
            found.update(map(chr, range(ord(first), ord(last) + 1)))
    return found
