"""Text inside a quoted turn, or a quotation, that clearly gives orders to its reader."""

import re
from collections.abc import Iterator
from itertools import groupby, islice

from ctx.checks.types import Document, Fault, Subject, quoted
from ctx.checks.zones import TEXT

MOST = 20  # orders of a text that are examined, if those before are only mentioned

_ORDERS = re.compile(
    r"""(?ix)
    \b(?:ignore|disregard|forget|override|bypass)\s+
        (?:(?:all|any|every|everything|each|the|your|these|those|of|my|our)\s+){0,3}
        (?:(?:previous|prior|earlier|above|preceding|foregoing|existing|original|initial|system)
            (?:\s+(?:and|or)\s+\w+)?\s+){1,2}
        (?:instructions?|prompts?|rules?|directions?|directives?|guidelines|orders|constraints)\b
    | \byou\s+are\s+(?:now|no\s+longer)\s++(?:(?:an?|the|in|(?:bound|restricted)\s+by)\s++)?
        [^.\n]{0,40}?\b
        (?:unrestricted|jailbroken|uncensored|DAN|(?:developer|debug|god|admin|root)\s+mode
            |(?:system|safety)\s+(?:prompt|rules|guidelines)
            |your\s+(?:instructions|rules|guidelines))\b
    | \b(?:reveal|print|repeat|output|leak|disclose|exfiltrate)\s+
        (?:me\s+)?(?:all\s+of\s+)?(?:your|the)\s+
        (?:(?:full|entire|hidden|secret|initial|original|whole)\s+)?
        (?:system\s+prompt|hidden\s+prompt|initial\s+prompt|system\s+instructions)\b
    | \b(?:new|updated|real|actual)\s+(?:system\s+)?instructions?\s+
        (?:for\s+the\s+(?:ai|assistant|model|agent)\s+)?(?:follow|begin|start)s?\b
    | \battention\s+(?:all\s+)?(?:ai|llm|language\s+model)s?\b[^.\n]{0,40}:
    """
)
_TAGS = re.compile(
    r"(?im)^[ \t>]*</?(?:system|sys|system_prompt|system-prompt|instructions_override)>"
    r"|\[/?INST\]|<</?SYS>>|<\|(?:im_start|im_end|system|endoftext|eot_id|start_header_id)\|>"
    r"|<(?:start|end)_of_turn>"
)
_ANY_FENCE = re.compile(r"^[ \t]*(?:`{3}|~{3})", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(`{6,}|~{6,})[ \t]*$", re.MULTILINE)
_QUOTE = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?>[ \t>]*+(.*)")
_MARKS = "\"'`“”‘’«»"
_CLOSES = 12  # characters after an order within which a quotation of it ends
_REMEDY = "take it out where it is no longer needed: packets quote it, and quoting is no wall"


def check(subject: Subject) -> Iterator[Fault]:
    """Yield turns and quotations that give orders, each once."""
    for entry in subject.entries:
        if entry.kind in ("turn", "summary"):
            body = entry.body
            found = order_in(body)
            order = found[0] if found else _break_out(body)
            if order:
                who = f" said by {entry.speaker}" if entry.speaker else ""
                message = f"a turn{who} gives orders to its reader: {quoted(order)}"
                yield Fault(entry.source, entry.line, message, _REMEDY)
    for document in subject.documents:
        for first, text in _quotations(document):
            if found := order_in(text):
                line = first + text.count("\n", 0, found.start())
                message = f"a quotation gives orders to its reader: {quoted(found[0])}"
                yield Fault(document.path, line, message, _REMEDY)


def _quotations(document: Document) -> Iterator[tuple[int, str]]:
    lines = list(document.text.of(TEXT))
    for is_quote, run in groupby(lines, key=lambda line: _QUOTE.match(line.text) is not None):
        if is_quote:
            held = list(run)
            yield held[0].number, "\n".join(_QUOTE.sub(r"\1", line.text) for line in held)


def order_in(text: str) -> re.Match[str] | None:
    """Return the first order to a reader in a text; None without one."""
    for pattern in (_ORDERS, _TAGS):
        for found in islice(pattern.finditer(text), MOST):
            if not _is_mentioned(text, found.start(), found.end()):
                return found
    return None


def _is_mentioned(text: str, start: int, end: int) -> bool:
    """Return whether an order is in quotation marks or a closed fence, and so only mentioned."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    after = text[end : end + _CLOSES].partition("\n")[0]
    opened = any(line.count(mark) % 2 for mark in '"`') or line[-1:] in _MARKS
    if opened and any(mark in after for mark in _MARKS):
        return True
    fences = len(_ANY_FENCE.findall(text[:start]))
    return fences % 2 == 1 and _ANY_FENCE.search(text[start:]) is not None


def _break_out(text: str) -> str:
    fences = _FENCE.findall(text)
    if len(fences) % 2 == 0:
        return ""
    last = text.rfind(fences[-1])
    return fences[-1] if re.search(r"^#{1,3} \S", text[last:], re.MULTILINE) else ""
