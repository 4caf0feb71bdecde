"""Placeholders: what a template leaves to be filled in, which states nothing."""

from ctx.text.regex import regex

_MARKUP = regex(r"(?:(?:[-*+>]|\d{1,9}[.)]|#{1,6}|\[[ xX]\])\s+){1,9}")
_HINTS = (
    r"e\.g\.|your|describe|insert|fill in|enter|here|placeholder|todo|tbd|xxx|specify|what|why|how"
    r"|hier|ici|aquí|aqui|buraya|здесь"
)
_BRACKETED = regex(  # ``[NAME_OF_IT]``, ``[describe it here]``, ``<your rule>``; no links
    r"\[(?:[A-Z][A-Z0-9]{0,30}_[A-Z0-9_]{1,60}|[A-Z]{3,40} [A-Z]{3,40}"
    r"|[A-Z0-9.,_-]{1,40}(?: [A-Z0-9.,_-]{1,40}){2,20})\](?![(\[])"
    rf"|(?i:\[(?=[^\[\]]{{0,200}}(?:(?<!\w)(?:{_HINTS})(?!\w)|此|填|ここ|여기))[^\[\]]{{1,300}}\](?![(\[])"
    r"|<(?:your|insert|add|enter|describe|name of)\b[^<>=]{0,200}>)"
)
_DATE = regex(r"\[?Y{2,4}[-/.]M{1,2}[-/.]D{1,2}")
_TO_DO = regex(
    r"(?:TODO|TBD|FIXME|XXX)(?:$|\s*[:—–-]\s*(?:$|(?:add|write|fill|describe|document|define|list"
    r"|insert|complete)\b))"
)
_QUESTION = regex(r"(?i)(?:\*\*|__)(?:what|who|which|where|how|why)\b[^*_]{1,200}\?(?:\*\*|__)")
_CELL = regex(r"\|\s*")
_LABEL = regex(r"[*_]{0,2}[^\s:*_\[<][^:*_\[<]{0,40}(?::[*_]{1,2}|[*_]{0,2}:)")


def is_placeholder(text: str) -> bool:
    """Return whether all lines of ``text``, one block of Markdown, wait to be filled in.

    ``[Rule 1: describe the rule here]``, ``[PRINCIPLE_NAME]``, ``TODO: add rules``,
    ``<your rule>``, ``**What is this project?**``, ``[YYYY-MM-DD] Title``; behind labels, too.
    """
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    return bool(lines) and all(map(_is_placeholder, lines))


def _is_placeholder(line: str) -> bool:
    mark = _MARKUP.match(line)
    bare = line[mark.end() if mark else 0 :].strip()
    if _DATE.match(bare) or _TO_DO.match(bare) or _QUESTION.fullmatch(bare):
        return True
    rest, filled = _BRACKETED.subn("", bare)
    return bool(filled) and not any(map(str.isalnum, _LABEL.sub("", _CELL.sub("", rest))))
