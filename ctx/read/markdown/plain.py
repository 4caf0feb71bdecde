"""A scanner for plain Markdown: headings, paragraphs, simple lists, quotes, code and tables.

Why it exists beside markdown-it-py: importing that costs about four bare starts of Python, more
than a whole packet without it, and after an edit nearly all changed chunks are this plain. All
other chunks go to ``tree``. The rule of this module: where a line could mean two things,
return None. ``tests/read/test_blocks.py`` holds that each result equals markdown-it-py's.
"""

import re

from ctx.read.markdown.block import Block, Item
from ctx.text.english import words_of
from ctx.text.regex import regex

_HEADING = regex(r"(#{1,6}) +([^\s#](?:.*[^\s#])?) *$")
_ITEM = regex(r"(?:([-*+])|(\d{1,9})([.)])) (?=\S)")
_FENCE = regex(r"(`{3,})[^`]*$|(~{3,})")
_TEXT = regex(
    r"""(?x)
    [^\W\d_]                                  # a letter of any script
    | \d(?!\d{0,8}[.)](?:\s|$))               # a digit that numbers no item
    | ["'(,.;?!$%&@/\\{}^=]
    | :(?!-)                                  # not the rule below a table's head
    | \*\*[^\s*] | __[^\s_] | \*[^\s*_-] | _[^\s*_-]
    | `(?!``) | ~(?!~~) | [-+][^\s+-]
    | \[[^\[\]]*\](?!:) | \[[ ]?\]            # no definition of a link
    | [^\x00-\x7f]
    """
)
_TAG = regex(r"</?([A-Za-z][A-Za-z0-9-]*)(?=[\s/>]|$)")
_HTML_BLOCKS = words_of("html blocks")  # CommonMark 0.31, section 4.6, conditions 1 and 6
_MURKY = regex(r"(?:(?:[-*+]|\d{1,9}[.)]) +)*(?:`{3}|~{3}|[<>|])")
_EMPTY = regex(r"[-*+] *$")  # an item without text interrupts no paragraph
_NUMBERED = regex(r"(?!1[.)])\d{1,9}[.)] \S")  # only a first number interrupts a paragraph
_TABLE_RULE = regex(r"\|(?: *:?-+:? *\|)+ *$")
_UNDERLINE = regex(r" *[-:|][-:| ]*$")
_NESTED_BOX = regex(r"(?m)^ +(?:[-*+]|\d{1,9}[.)]) +\[")


def scan(text: str) -> list[Block] | None:
    """Return the top-level blocks of ``text``, or None where it takes a parser to tell."""
    if "\t" in text:
        return None
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    found: list[Block] = []
    row = 0
    while row < len(lines):
        if not lines[row].strip(" "):
            row += 1
            continue
        block = _block(lines, row)
        if block is None:
            return None
        found.append(block)
        row = block.end
    return found


def _block(lines: list[str], row: int) -> Block | None:
    """Return the block that starts at a line's start, None where that is not plain."""
    line = lines[row]
    if "|" in line[1:] and line[0] != "|" and _UNDERLINE.match("".join(lines[row + 1 : row + 2])):
        return None  # a table, whatever its head looks like
    if _is_divider(line):
        return Block("divider", row, row + 1)
    for start, reader in _READERS:
        if start.match(line):
            return reader(lines, row)
    return None


def _heading(lines: list[str], row: int) -> Block | None:
    heading = _HEADING.match(lines[row])
    return Block("heading", row, row + 1, len(heading[1]), heading[2]) if heading else None


def _is_divider(line: str) -> bool:
    """Whether a line at the margin consists of three or more of one mark, perhaps spaced."""
    marks = line.replace(" ", "")
    return len(marks) >= 3 and line[0] in "-*_" and not marks.strip(line[0])  # noqa: PLR2004


def _paragraph(lines: list[str], row: int) -> Block | None:
    start = row
    row += 1
    while row < len(lines) and lines[row].strip(" "):
        line = lines[row]
        if _ends_paragraph(line):
            # A rule below a line with a bar may make a table of both.
            return None if "|" in lines[row - 1] else Block("paragraph", start, row)
        if not _goes_on(line.lstrip(" ")) or ("|" in lines[row - 1] and not line.strip(" -:|")):
            return None
        row += 1
    return Block("paragraph", start, row)


def _goes_on(text: str) -> bool:
    """Whether a line certainly continues the paragraph above it."""
    if _TEXT.match(text) or _NUMBERED.match(text) or _EMPTY.match(text):
        return True
    tag = _TAG.match(text)  # ``<name>`` interrupts no paragraph unless it opens an HTML block
    return tag is not None and tag[1].lower() not in _HTML_BLOCKS


def _ends_paragraph(line: str) -> bool:
    """Whether a line at the margin certainly begins another block."""
    if _is_divider(line) or _HEADING.match(line):
        return True
    item = _ITEM.match(line)
    return bool(item and item[1]) or line.startswith("<!--") or bool(_FENCE.match(line))


def _list(lines: list[str], row: int) -> Block | None:
    """Return a list whose items are at the margin; indented lines belong to them."""
    first = _ITEM.match(lines[row])
    if first is None:
        return None
    start, mark = row, first[1] or first[3]
    items: list[Item] = []
    while row < len(lines):
        item = None if _is_divider(lines[row]) else _ITEM.match(lines[row])
        if item is None or (item[1] or item[3]) != mark:
            break
        end = _item_end(lines, row, item.end())
        if end is None:
            return None
        items.append(Item(row, end, ()))
        row = end
        while row < len(lines) and not lines[row].strip(" "):
            row += 1
    return Block("list", start, items[-1].end, items=tuple(items))


def _item_end(lines: list[str], row: int, offset: int) -> int | None:
    """Return the line after an item's last; None where lines could be its own or not."""
    end = row + 1
    blank = False
    murky = bool(_MURKY.match(lines[row], offset))  # whether a block with its own rules is inside
    prose = bool(_TEXT.match(lines[row], offset))  # whether the line above is surely a paragraph's
    for number in range(row + 1, len(lines)):
        line = lines[number]
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        if not text:
            blank, prose = True, False
            continue
        if indent >= offset:
            murky = murky or bool(_MURKY.match(text))
            prose = not murky and _is_prose(text, indent - offset, after_prose=prose)
        elif not indent and (blank or _ITEM.match(line) or _ends_paragraph(line)):
            break
        elif not (prose and _TEXT.match(text)):
            return None  # neither certainly in the item nor certainly after it
        end, blank = number + 1, False
    if _NESTED_BOX.search("\n".join(lines[row:end])) and lines[row][offset] != "[":
        return None  # check boxes under an item that has none: their nesting matters
    return end


def _is_prose(text: str, indent: int, *, after_prose: bool) -> bool:
    """Whether a line within an item is certainly a paragraph's, its own or a nested item's."""
    if after_prose and _goes_on(text):
        return True
    nested = _ITEM.match(text)
    return indent < _CODE and bool(_TEXT.match(text, nested.end() if nested else 0))


_CODE = 4  # spaces that make a line code after anything but a paragraph


def _table(lines: list[str], row: int) -> Block | None:
    if row + 1 >= len(lines) or not _TABLE_RULE.match(lines[row + 1]):
        return None
    head = lines[row].rstrip(" ")
    if not head.endswith("|") or "\\" in head or "`" in head:
        return None
    if head.count("|") != lines[row + 1].count("|"):
        return None
    end = row + 2
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    if end < len(lines) and lines[end].strip(" ") and not lines[end].startswith("<!--"):
        return None
    return Block("table", row, end)


def _comment(lines: list[str], row: int) -> Block | None:
    end = next((n for n in range(row, len(lines)) if "-->" in lines[n]), None)
    if end is None:
        return None  # an open one takes in the rest
    closed = lines[end].rstrip(" ").endswith("-->")
    return Block("comment" if closed else "html", row, end + 1)


def _quote(lines: list[str], row: int) -> Block | None:
    end = next((n for n in range(row, len(lines)) if lines[n][:1] != ">"), len(lines))
    # A line without the mark may be its last paragraph's, and a blank one go with an empty line.
    goes_on = "".join(lines[end : end + 1]).strip(" ") or not lines[end - 1].strip("> ")
    return None if goes_on else Block("quote", row, end)


def _fence(lines: list[str], row: int) -> Block | None:
    opening = _FENCE.match(lines[row])
    if opening is None:
        return None
    run = opening[1] or opening[2]
    closing = re.compile(rf" {{0,3}}{re.escape(run[0])}{{{len(run)},}} *$")
    end = next((n for n in range(row + 1, len(lines)) if closing.match(lines[n])), None)
    return Block("code", row, end + 1) if end else None  # an open one takes in the rest


_READERS = (  # the start of a line, and the reader of the block that it opens
    (regex("#"), _heading),
    (_ITEM, _list),
    (regex(r"\|"), _table),
    (regex("<!--"), _comment),
    (regex(">"), _quote),
    (_FENCE, _fence),
    (_TEXT, _paragraph),
)
