r"""Control and hidden characters, written out in input and output.

Written out are controls, line ends other than ``\n``, overrides and isolates of the direction of
text, annotations, tags, and selectors or joiners without effect. Everything that a script, an
emoji or a formula needs stays byte for byte: single joiners and non-joiners, marks of direction,
soft hyphens, variation selectors after a character, the three flags that are made of tags.
"""

import json
import re
from collections.abc import Callable

from ctx.text.regex import regex

_ALWAYS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 and C1: all but tab and line feed
    "\u2028\u2029"  # line ends for some readers only
    "\u202a-\u202e\u2065-\u206f"  # overrides, isolates, deprecated controls
    "\ud800-\udfff"  # halves of surrogate pairs, which no output takes
    "\ufeff\ufff0-\ufffb"  # byte order marks; annotations
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"  # tags and reserved characters beside them
)
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_WIDTHLESS = "\u200b-\u200f\u2060-\u2064"
_FLAGS = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_UNSEEN = regex(
    f"(?P<flag>{_FLAGS})|[{_ALWAYS}]"
    f"|(?<![^\\sA-Za-z{_SELECTORS}{_WIDTHLESS}{_ALWAYS}])[{_SELECTORS}]"  # selects nothing
    f"|[{_WIDTHLESS}]{{3,}}"  # no script has three in a row: hidden text
)
_PLAIN = regex(f"[{_ALWAYS}{_SELECTORS}]|[{_WIDTHLESS}]{{3}}")
_LITERAL = regex(r'"(?>(?:[^"\\]++|\\.)*)"')
_ESCAPE = regex(r"\\[ubfr]")


def visible(text: str) -> str:
    r"""Return ``text`` with control and hidden characters written out (``\x1b``); idempotent."""
    return _replaced(text, lambda chars: chars.encode("unicode_escape").decode())


def _replaced(text: str, written: Callable[[str], str]) -> str:
    if not _PLAIN.search(text):
        return text
    return _UNSEEN.sub(lambda run: run[0] if run["flag"] else written(run[0]), text)


def escaped_json(text: str) -> str:
    """Return JSON of the same values with such characters as JSON escapes."""
    return _replaced(text, lambda chars: json.dumps(chars)[1:-1])


def visible_json(text: str) -> str:
    """Return JSON with ``visible`` applied to its strings; its layout stays."""
    if not (_PLAIN.search(text) or _ESCAPE.search(text)):
        return text
    return _LITERAL.sub(_literal, text)


def _literal(found: re.Match[str]) -> str:
    if not (_PLAIN.search(found[0]) or _ESCAPE.search(found[0])):
        return found[0]
    value = json.loads(found[0], strict=False)
    shown = visible(value)
    return found[0] if shown == value else json.dumps(shown, ensure_ascii=found[0].isascii())
