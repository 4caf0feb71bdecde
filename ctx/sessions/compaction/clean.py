"""Content that is not talk, replaced by a note of its kind and size for a summariser.

The turns themselves stay. Prose of any script is left alone: the rules look for alphabets and
shapes that no language is written in. Every pattern is tried only at the start of a run and never
backtracks, so that the time is linear in the length.
"""

import re
import string
from functools import cache

MOST_HEX = 40  # digits of a hash that is kept, as of commits; nobody reads longer digests and dumps
LEAST_BASE64 = 60  # characters of a line of base64; encoders wrap at 64 or 76
LEAST_MINIFIED = 400  # characters of a line from which it can be minified
LEAST_REPEATED = 48  # characters of tool output from which a repetition is replaced by a note

_RARE_SPACE = 16  # minified lines have less than a space in so many characters; prose, one in 7
_FOREIGN = 10  # it has less than one non-ASCII character in so many; Chinese or Thai prose has most
_DENSE = 30  # characters without a space from which a word of such a line is payload
_NO_WORD = 200  # characters above which it is no word in any language
_SIGNS = b'{}()[];:=<>|&*/\\_$%@#^~+"`'
_FEW_SIGNS = 20  # code has more than one of these signs in so many characters; prose has fewer
_UPPER, _LOWER = string.ascii_uppercase.encode(), string.ascii_lowercase.encode()
_DIGITS, _JOINTS = string.digits.encode(), b"/_-+"


def clean(text: str, seen: set[str] | None = None) -> str:
    """Return ``text`` with notes such as ``[base64, 12,345 characters]`` for what is not talk.

    That is base64, ``data:`` addresses, hexadecimal digits, minified code, and tool output that is
    in ``seen``, if given: that of the cluster so far, to which ``text`` is added.
    """
    if seen is not None and len(text) >= LEAST_REPEATED:
        if text in seen:
            return _note("repeated tool output", len(text))
        seen.add(text)
    if len(text) <= MOST_HEX:
        return text
    address, digits, base64 = _patterns()
    if "data:" in text:
        text = address.sub(lambda found: _note(f"data {found[1]}", len(found[0])), text)
    text = digits.sub(_hex, text)
    text = base64.sub(_base64, text)
    if len(text) < LEAST_MINIFIED:
        return text
    return "".join(map(_line, text.splitlines(keepends=True)))


def _note(kind: str, size: int) -> str:
    return f"[{kind}, {size:,} characters]"


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    line = r"[A-Za-z0-9+/_-]"
    return (
        re.compile(
            r"(?<![A-Za-z0-9])data:([\w.+-]{1,40}/[\w.+-]{1,60})(?:;[\w.+=-]{1,60}){0,4}"
            r",[!#-&*-;=?-\[\]-_a-~]{32,}+"
        ),
        re.compile(
            r"(?<![0-9A-Za-z])(?:"
            rf"(?:0[xX])?[0-9a-fA-F]{{{MOST_HEX + 1},}}+(?![0-9A-Za-z])"
            r"|(?>(?:[0-9a-fA-F]{2}[ :]){20,})(?:[0-9a-fA-F]{2}(?![0-9A-Za-z]))?"
            r"|(?>(?:[0-9a-fA-F]{4}[ :]){10,})(?:[0-9a-fA-F]{4}(?![0-9A-Za-z]))?)"
        ),
        re.compile(
            rf"(?<!{line}){line}{{{LEAST_BASE64},}}+={{0,2}}"
            rf"(?>(?:\r?\n{line}{{{LEAST_BASE64},}}+={{0,2}}(?=\r?\n|\Z))*)"
            rf"(?>(?:\r?\n{line}{{20,}}+={{0,2}}(?=\r?\n|\Z))?)"
        ),
    )


def _hex(found: re.Match[str]) -> str:
    """Return a note for digits; those without a letter may be a row of figures, and stay."""
    digits = found[0]
    if digits.isdigit():
        return _note("digits", len(digits))
    if set(digits[:4096].lower()).isdisjoint("abcdef"):
        return digits
    return _note("hex", len(digits))


def _base64(found: re.Match[str]) -> str:
    """Return a note for a run that mixes letters as base64 does; paths and names stay."""
    run = found[0].encode()
    size = len(run)
    mixed = size - len(run.translate(None, _UPPER + _DIGITS))
    joints = size - len(run.translate(None, _JOINTS))
    small = size - len(run.translate(None, _LOWER))
    if 4 * mixed < size or 10 * joints > size or 20 * small < size:
        return found[0]
    return _note("base64", size)


def _line(line: str) -> str:
    """Return a line, with a note for its payload if it is minified."""
    size = len(line)
    if size < LEAST_MINIFIED:
        return line
    spaces = line.count(" ") + line.count("\t")
    plain = line.encode("ascii", "ignore")
    if spaces * _RARE_SPACE >= size or (size - len(plain)) * _FOREIGN > size:
        return line
    dense = [found.span() for found in re.finditer(rf"\S{{{_DENSE},}}+", line)]
    first, last = (dense[0][0], dense[-1][1]) if dense else (0, 0)
    longest = max((end - start for start, end in dense), default=0)
    signs = len(plain) - len(plain.translate(None, _SIGNS))
    if longest < _NO_WORD and signs * _FEW_SIGNS < size:
        return line
    return line[:first] + _note("minified", last - first) + line[last:]
