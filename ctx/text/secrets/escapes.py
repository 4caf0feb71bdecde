"""Texts without the escapes of Markdown and HTML, which tear tokens and names apart."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator

from ctx.text.regex import regex

_SIGN = regex(r"\\[-_.~+=/]")  # begins with a plain sign, for which is searched fast
_NAMED = {"amp": "&", "quot": '"', "apos": "'", "lowbar": "_", "hyphen": "-", "equals": "="}
_ENTITY = regex(rf"&(?:({'|'.join(_NAMED)})|#([0-9]{{2,3}})|#[xX]([0-9a-fA-F]{{2}}));")


def unescaped(text: str) -> tuple[str, Callable[[int], int]]:
    r"""Return ``text`` with ``_`` for ``\_`` and for ``&#95;``, and where in it offsets lie."""
    found = sorted(_escapes(text))
    if not found:
        return text, int
    parts, done, size = list[str](), 0, 0
    places, starts = [0], [0]
    for start, end, meant in found:
        parts += [text[done:start], meant]
        size += start - done
        places += [size, size + 1]
        starts += [start, end]
        size, done = size + 1, end
    parts.append(text[done:])

    def origin(offset: int) -> int:
        place = bisect_right(places, offset) - 1
        return starts[place] + offset - places[place]

    return "".join(parts), origin


def _escapes(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and meaning of each escape."""
    for match in _SIGN.finditer(text) if "\\" in text else ():
        first = match.start()
        while first > match.start() - 2 and text[first - 1 : first] == "\\":  # JSON doubles them
            first -= 1
        yield first, match.end(), match[0][1]
    for match in _ENTITY.finditer(text) if "&" in text else ():
        meant = (
            _NAMED[match[1]] if match[1] else chr(int(match[2] or match[3], 10 if match[2] else 16))
        )
        if " " < meant <= "~":
            yield match.start(), match.end(), meant
