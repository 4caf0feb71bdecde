"""Bodies and introductions of entries that cannot be mistaken for other parts of a packet."""

from __future__ import annotations

from ctx.read.markdown.blocks import closed
from ctx.read.markdown.plain import scan
from ctx.text.checkbox import BOX
from ctx.text.regex import regex
from ctx.text.structure import HTML_HEADING, NOTICE, OWN_LEVELS, deeper, forges, is_plain
from ctx.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_TRIES = 4  # rounds of mending: a heading can hide another one
_PROBE = f"\n\n{'#' * OWN_LEVELS} x\n"
_BOX = regex(BOX)
_TICKS = regex("`+")


def nested(text: str) -> str:
    """Return a body or introduction as a packet can include it: nearly always as it is."""
    if is_plain(text):
        return text
    if text[:1].isspace():  # it could become a part of the block above it
        text = _fenced(text) if text.startswith(("    ", "\t")) else text.lstrip(" ")
    if _BOX.match(text):  # some sections write it as an item, others as a paragraph
        text = _nested(f"- {text}").removeprefix("- ")
    return _nested(text)


def _nested(text: str) -> str:
    if _is_harmless(text):
        return text
    for _ in range(_TRIES):
        text = _mended(text)
        if _is_stable(text):
            return text
    text = closed(text)
    return text if _is_stable(text) else _fenced(text)


def _is_harmless(text: str) -> bool:
    blocks = scan(text)
    if blocks is None:
        return False
    lines = text.split("\n")
    for block in blocks:
        if block.kind == "code":  # a model reads what a comment hides
            lines[block.start : block.end] = [""] * (block.end - block.start)
    return not forges("\n".join(lines))


def _markdown() -> MarkdownIt:
    from ctx.read.markdown.tree import markdown  # the import costs two bare starts of Python

    return markdown()


def _mended(text: str) -> str:
    """Return ``text`` with deeper headings and marked notices, where a parser finds some."""
    tokens = _markdown().parse(text)
    lines = text.split("\n")
    for token in tokens:
        if token.map is None:
            continue
        start, end = token.map
        if token.type == "heading_open" and int(token.tag[1]) <= OWN_LEVELS:
            _deepen(lines, token)
        elif token.type == "html_block":
            lines[start:end] = [deeper(line, raw=True) for line in lines[start:end]]
        elif token.type == "inline" and _holds_heading(token.content):
            pairs = zip(token.content.split("\n"), deeper(token.content).split("\n"), strict=True)
            for number, (old, new) in enumerate(pairs, start):
                line = lines[number].replace(old.strip(), new.strip())
                changed = line != lines[number] or old == new
                lines[number] = line if changed else deeper(line, raw=True)  # a cell with escapes
        if token.type in ("inline", "html_block"):
            lines[start:end] = [NOTICE.sub(r"\g<0>\\", line) for line in lines[start:end]]
    return "\n".join(lines)


def _deepen(lines: list[str], token: Token) -> None:
    """Make a heading deeper; dashes under a line become a divider, as the parsers read them."""
    start, end = token.map or (0, 0)
    last = end - 1
    if token.markup == "-":
        lines[last] = lines[last].replace("-", "*")
    elif (token.markup == "=" and end - start > 2) or (token.markup == "=" and token.level):  # noqa: PLR2004
        lines[last] = lines[last].replace("=", "\\=", 1)
    elif token.markup == "=":
        lines[start:end] = [f"{'#' * (OWN_LEVELS + 1)} {lines[start].strip()}", ""]
    else:
        lines[start] = lines[start].replace("#", "#" * (OWN_LEVELS + 1), 1)


def _holds_heading(content: str) -> bool:
    """Whether a paragraph, a title or a cell holds a tag of a heading outside its code spans."""
    if not HTML_HEADING.search(content):
        return False
    tokens: list[Token] = []
    _markdown().inline.parse(content, _markdown(), {}, tokens)
    return any(
        token.type == "html_inline" and HTML_HEADING.match(token.content) for token in tokens
    )


def _is_stable(text: str) -> bool:
    """Whether a parser finds no heading of the packet in ``text``, and one right after it."""
    tokens = _markdown().parse(text + _PROBE)
    heads = [
        token
        for token in tokens
        if token.type == "heading_open" and int(token.tag[1]) <= OWN_LEVELS
    ]
    return (
        len(heads) == 1 and heads[0].level == 0 and heads[0] is tokens[-3] and _mended(text) == text
    )


def _fenced(text: str) -> str:
    """Return ``text`` as code: the last resort."""
    fence = "`" * max(3, *(len(run) + 1 for run in _TICKS.findall(text)), 0)
    return f"{fence}\n{text}\n{fence}"
