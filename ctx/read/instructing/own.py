"""What a user wrote in a turn: without what was pasted or quoted, in sentences and clauses."""

import re
from collections.abc import Iterator

from ctx.text.regex import regex
from ctx.typed import NamedTuple

MOST_CHARS = 20_000  # characters of a turn that are read: longer ones were pasted
HIDDEN = "\x01"  # stands for each character of a quotation
_BLOCK = regex(
    r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*|\Z)"
    r"|^[ \t]*<([A-Za-z][\w.:-]{0,60})\b[^>\n]{0,300}>.*?(?:</\2>|\Z)"
)  # fenced code, and elements that fill whole lines
_FOREIGN = regex(
    r"\s*(?:#{1,6} |<[\w-]+>|You are an? |Base directory for |Task completed|Web page content"
    r"|Another language model|Found \d+ |\w+(?::\w+)? hook |\$ [^\n]*\n(?s:.*)\[exit \d+\]\s*\Z)"
)  # the beginning of a text that a program or another person wrote as a whole
_PASTED = regex(
    r"\s*(?:[>|+@$%#❯➜│└├╭╰✖✔✓✗×⚠●○▶⏺⎿√]|-{2,}|={2,}|\*{3,}|-\S|\*\*\d"
    r"|\[?\d{4}[-/.]\d\d[-/.]\d\d|\[?\d\d?:\d\d(?::\d\d|\])|\[\w+\]|\w{3} +\d+ \d\d:\d\d:"
    r"|at \S+[ (:]|File \"|Traceback|Caused by|\S+:\d+[: ]|\S+\.\w{1,5}:\d+|\d+\t|\d+:\s"
    r"|\d+:\d+\s|data:\w+/"
    r"|(?:\w*(?:Error|Exception|Warning|Failed)|error|warning|fail|info|debug|note|hint|fatal|npm"
    r"|ERR!)\b[^\n]{0,30}[:!]|[\w.-]+@[\w.-]+:|PS [A-Z]:|[A-Z]:\\"
    r"|(?:import|export|const|let|var|def|class|function|return|public|private|SELECT|INSERT|UPDATE"
    r"|CREATE|FROM|if \(|for \(|#include|package)\b[^\n]*[;:{}()=]|[{}\[\]()<>]"
    r"|[\w.$\[\]'\"-]+\s*(?::=|=>|=(?!=)|\+=)\s*\S|[\"'][\w -]+[\"']\s*:"
    r"|\w+: (?:nil|null|\[|\{|\"\S)"
    r"|(?:https?|file)://\S+\s*$)|[^\n]*(?:[;{}]|=>|\\)\s*$|[^\n]*</?\w+[^<>]*>"
)  # a line of a log, a trace, a table, a diff, code or a quotation
_ITEM = regex(r"\s*(?:[-*•–]\s+|\(?(?:\d{1,3}|[a-zA-Z])[.)]\s|\d{1,2}[、．]|[①-⑳])")
_HEADING = regex(r"\s*#{1,6} ")
_SPOKEN = regex(
    r"\s*(?:[A-Z][\w.-]{1,20}(?: [A-Z]\w*)?(?: \([^)\n]{0,40}\))?|@\w+"
    r"|[\u3040-\u9fff\uac00-\ud7a3]{1,6})\s?[:：]\s?\S"
)  # "Ana: …", as in a pasted chat
_QUOTED = regex(
    r"\"[^\"\n]{12,400}?\"|“[^“”\n]{12,400}?”|„[^„“”\n]{12,400}?[“”]|«[^«»\n]{12,400}?»"
    r"|「[^「」\n]{8,400}?」|『[^『』\n]{8,400}?』|(?<!\w)'[^'\n]{20,400}?'(?!\w)"
)
_SENTENCE = regex(
    r"[^\n.!?…。！？;；]+(?:[.!?…;](?=[^\s\"'”’)\]])[^\n.!?…。！？;；]*)*[.!?…。！？;；]*[\"'”’)\]]*"
)
_CLAUSE = regex(r"[^,，、:：()（）—–]+(?:[,:](?=\S)[^,，、:：()（）—–]*)*")
_LEAST, _LIST = 2, 4  # characters of a sentence, and items of a list
_LONG, _ENDS = 12, 3  # lines of a long turn, and at its ends


class Unit(NamedTuple):
    """A sentence, or a clause of one, by its characters in the turn."""

    start: int
    end: int


def own(text: str) -> str:
    """Return ``text`` with what its user did not write as spaces; longer texts cut short."""
    if _FOREIGN.match(text):
        return _blank(text[:MOST_CHARS])
    lines = _BLOCK.sub(lambda found: _blank(found[0]), text[:MOST_CHARS]).split("\n")
    items = [_ITEM.match(line) for line in lines]
    kept = [
        not line.strip() or not _PASTED.match(line, item.end() if item else 0)
        for line, item in zip(lines, items, strict=True)
    ]
    listed = [at for at, item in enumerate(items) if item]
    if len(listed) >= _LIST or (listed and any(map(_HEADING.match, lines))):
        last = listed[-1] + 1
        while last < len(lines) and lines[last][:1] in (" ", "\t") and lines[last].strip():
            last += 1
        kept[listed[0] : last] = [False] * (last - listed[0])
    spoken = [at for at, line in enumerate(lines) if not items[at] and _SPOKEN.match(line)]
    for at in spoken if len(spoken) > 1 else ():
        kept[at] = False
    filled = [at for at, line in enumerate(lines) if line.strip()]
    dropped = sum(not kept[at] for at in filled)
    if (len(filled) >= _LONG and dropped * 2 >= len(filled)) or len(filled) > _LONG * 3:
        for at in filled[_ENDS:-_ENDS]:  # what people add to a paste stands before or behind it
            kept[at] = False
    return "\n".join(
        line if keep else " " * len(line) for line, keep in zip(lines, kept, strict=True)
    )


def quotations_hidden(text: str) -> str:
    """Return ``text`` with longer quotations made unreadable, of the same length."""
    return _QUOTED.sub(
        lambda found: found[0][0] + HIDDEN * (len(found[0]) - 2) + found[0][-1], text
    )


def sentences(text: str) -> Iterator[tuple[Unit, list[Unit]]]:
    """Yield each sentence of what ``own`` returned, with its clauses where it has several."""
    for found in _SENTENCE.finditer(text):
        start, end = _stripped(text, found.start(), found.end())
        item = _ITEM.match(text, start, end)
        start = item.end() if item else start
        if end - start < _LEAST:
            continue
        clauses = [
            Unit(*_stripped(text, part.start(), part.end()))
            for part in _CLAUSE.finditer(text, start, end)
        ]
        clauses = [part for part in clauses if part.end - part.start > _LEAST]
        yield Unit(start, end), clauses if len(clauses) > 1 else []


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    return start + left, max(start + left, end - len(part) + len(part.rstrip()))


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
