"""The files that an authored document includes: ``@path``, as documents for agents have it."""

import re

from ctx.text.exported import without_blocks
from ctx.text.regex import regex

_UNSEEN = regex(  # comments and code, in which nothing is an import
    r"(?ms)<!--.*?(?:-->|\Z)|^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)|`{1,3}[^`\n]+`{1,3}"
)
_IMPORT = regex(r"(?<![^\s*])@((?:\\ |[^\s\\`,;])+)")
_NAMED = regex(r"(?i)\.{0,2}/|~|.*\.(?:md|mdc|txt|markdown)$")  # a path, no @name
_MOST = 101  # imports of one file that are looked for: one more than are followed, so that it shows
_LONGEST = 255
_LONE = regex(r"[\w./-]+\.md")


def imports_of(text: str) -> list[tuple[int, str, bool]]:
    """Return line, from 1, and path of each import, and whether it surely is one to its host.

    A file of one path is a link written out.
    """
    lone = text.strip()
    if len(lone) <= _LONGEST and _LONE.fullmatch(lone):
        return [(1, lone, True)]
    if "@" not in text:
        return []
    seen = _seen(text)
    lines = dict[str, tuple[int, bool]]()
    for match in _IMPORT.finditer(seen):
        written = match[1].replace("\\ ", " ").rstrip("*")
        path = written.rstrip(".:!?)")
        if path and path not in lines:
            start = seen.rfind("\n", 0, match.start()) + 1
            is_sure = path == written and not seen.startswith(("    ", "\t"), start)
            lines[path] = seen.count("\n", 0, match.start()) + 1, is_sure
            if len(lines) == _MOST:
                break
    return [(line, path, is_sure) for path, (line, is_sure) in lines.items()]


def is_path(name: str) -> bool:
    """Return whether ``@name`` is surely meant as a path, so that one that is missing matters."""
    return bool(_NAMED.match(name))


def without_imports(text: str) -> str:
    """Return ``text`` without the lines that hold nothing but an import."""
    lone = text.strip()
    if len(lone) <= _LONGEST and _LONE.fullmatch(lone):
        return ""
    if "@" not in text:
        return text
    lines = text.split("\n")
    for number, line in enumerate(_seen(text).split("\n")):
        words = line.strip(" \t-*+>").split() if "@" in line else ()
        if len(words) == 1 and words[0][0] == "@" and is_path(words[0][1:]):
            lines[number] = ""
    return "\n".join(lines)


def _seen(text: str) -> str:
    """Return ``text`` with blanks for what is in blocks of other tools, comments and code."""
    own = "\n".join(without_blocks(text.split("\n")))
    return _UNSEEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), own)
