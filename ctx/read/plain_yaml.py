"""A reader for frontmatter so plain that there is nothing to decide: ``key: words``, ``key: 10``.

Importing a YAML parser costs more than a bare interpreter start, so such lines are read here,
and everything else is left to it. The rule of this module: where a line could mean two
things, return None. A property test holds that what it does return is what PyYAML returns.
"""

from __future__ import annotations

import re

_TEXT = r"[A-Za-z][^\t:#\"'\x00-\x1f\x7f-\xa0\u2028\u2029\ud800-\uffff]*"
_LINE = re.compile(rf"([A-Za-z_][\w-]*): +(?:([1-9]\d{{0,8}}|0) *|({_TEXT}))$")
_RESERVED = frozenset({"y", "n", "yes", "no", "true", "false", "on", "off", "null"})
"""What YAML 1.1 reads as something else than text, in lower case."""


def read(lines: list[str]) -> dict[str, object] | None:
    """Return what the lines of a mapping say; None where it takes a parser to tell."""
    found: dict[str, object] = {}
    for line in lines:
        pair = _LINE.match(line)
        if pair is None:
            return None
        key, number, text = pair.groups()
        value = text.rstrip(" ") if text else number
        if key in found or key.lower() in _RESERVED or value.lower() in _RESERVED:
            return None
        found[key] = int(number) if number else value
    return found
