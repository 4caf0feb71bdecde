"""Detectors of keys and tokens, and the forms of tokens that they do not know."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from importlib import import_module
from string import ascii_letters, digits

from detect_secrets.filters import allowlist, heuristic
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.high_entropy_strings import Base64HighEntropyString
from detect_secrets.plugins.private_key import PrivateKeyDetector
from detect_secrets.util.code_snippet import CodeSnippet

from ctx.text.regex import regex
from ctx.text.secrets.assigned import Span
from ctx.text.secrets.placeholders import is_fake
from ctx.text.secrets.prefilter import is_of_run

_END = regex(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-MAC: ?\S+")
_MATERIAL = regex(r"[A-Za-z0-9+/=]{40}")
_BASE64 = regex(r"[ \t>]*+[A-Za-z0-9+/=]++\s*")
_ESCAPED = f"{ascii_letters}{digits}+/=\\-"
_NEAR = 2_000  # characters after a header within which a key begins
_LONGEST = 64 * 1024  # characters of the longest key
_BODY = regex(r"(?>(?:[ \t>]*+(?:[A-Za-z0-9+/=]{8,}|[A-Z][\w-]{2,30}: [^\n]*|[ \t]*)(?:\n|\Z))*)")
_FORMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "forms.txt")
_REST = r"[A-Za-z0-9_-]{16,}+(?:\.[A-Za-z0-9_-]{16,}+){0,3}"
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_STOP = "\0\n"  # the separator of two views: no pattern matches it
_BREAK = regex(  # escapes of JSON, terminals and addresses that end in a letter or figure
    r"(?:\x1b|\\u001[bB]|\\x1[bB]|\\033|\\e)\[[0-9;]{0,20}m|\\(?:[nrt]|u[0-9a-fA-F]{4})"
    r"|%(?:0[aAdD]|2[0267]|3[aA]|3[dD](?=[A-Za-z0-9]))"
)
_LONGEST_TOKEN = 200
_LETTER = regex(r"[A-Za-z0-9_+/]")

_DIGEST = regex(r"(?i)sha\d+[-:]")
_LUMP = regex(  # what random texts hold, and paths and names do not
    r"(?=[A-Za-z0-9]{0,15}[a-z])(?=[A-Za-z0-9]{0,15}[A-Z])(?=[A-Za-z0-9]{0,15}[0-9])[A-Za-z0-9]{16}"
)
_OF_CONTENT = regex(  # what precedes the hash of a content
    r"(?i)(?:etag|if-(?:none-)?match|checksum|digest|fingerprint|integrity|content[-_]?hash)"
    r"[\"']?[ \t]{0,3}[:=][ \t]{0,3}(?:W/)?[\"']?\Z"
)
_ID = regex(r"1[A-Za-z0-9_-]{32}(?:[A-Za-z0-9_-]{11}|[A-Za-z0-9_-]{24})?|AKfycb[A-Za-z0-9_-]{30,}+")
_OF_ID = regex(  # what precedes the id of a document or of what is deployed
    r"(?i)(?<![a-z])(?:spreadsheet|sheet|doc(?:ument)?|file|folder|drive|deployment|script|page"
    r"|board|form|presentation|slide|video|playlist|channel|calendar|project|revision|dataset"
    r"|workflow|template|database|cid|id)s?(?![a-z])[\w ,:=|()\"'-]{0,24}\Z"
    r"|(?-i:[a-z]Id)\"?[ ]?[:=][ ]?\Z"
)
"""Forms of the ids of Google's documents and scripts, and words before ids of any form."""
_OF_SECRET = regex(r"(?i)token|secret|pass|pwd|key|credential|auth|sess|sid|cookie|login")
_LONGEST_LABEL = 40


def block(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return start and end of the key below a header; None where the text is about keys."""
    if text.startswith("END", start):
        return _end_of_block(text, start, end)
    if not _MATERIAL.search(text, end, end + _NEAR):
        return None
    first = dashes = start - 1 if text[start - 1 : start] == " " else start
    while text[dashes - 1 : dashes] == "-":
        dashes -= 1
    closing = _END.search(text, end, end + _LONGEST)
    return (
        dashes if dashes < first else start,
        closing.end() if closing else _end_of_body(text, end),
    )


def _end_of_block(text: str, start: int, end: int) -> tuple[int, int] | None:
    lines = text[max(0, start - _LONGEST) : start].split("\n")
    first, own = len(lines) - 1, lines[-1]
    if own.strip("-> \t"):  # a key in one line, as JSON has it
        return (
            (start - len(own) + len(own.rstrip(_ESCAPED)), end) if _MATERIAL.search(own) else None
        )
    while first and _BASE64.fullmatch(lines[first - 1]):
        first -= 1
    body = "\n".join(lines[first:])
    return (start - len(body), end) if _MATERIAL.search(body) else None


def _end_of_body(text: str, at: int) -> int:
    """Return the end of a key without a closing line: its last line that looks like one."""
    line = text.find("\n", at)
    if line < 0:
        return len(text)
    match = _BODY.match(text, line + 1)
    end = match.end() if match else line
    return at + len(text[at:end].rstrip())


class FormDetector(RegexBasedDetector):
    """Tokens of a row of ``forms.txt``."""

    secret_type = "Token"  # noqa: S105 - the name of a kind
    denylist: tuple[re.Pattern[str], ...] = ()

    def __init__(self, kind: str, begins: str, rest: str) -> None:
        self.secret_type = kind
        self.is_inside = begins[0] == "…"
        self.begins = begins.lstrip("…")
        begun = re.escape(self.begins)
        stands_alone = f"(?<![A-Za-z0-9]{begun})" if begins[0].isalnum() else ""
        self.denylist = (regex(begun + stands_alone + rest),)


def _forms() -> Iterator[FormDetector]:
    with open(_FORMS, encoding="utf-8") as file:
        for row in file:
            kind, begins, rest = row.rstrip("\n").split("\t") if row[0] != "#" else ("", "", "")
            rest = rest.replace("REST", _REST).replace("UUID", _UUID)
            yield from (FormDetector(kind, each, rest) for each in begins.split())


class KeyBlockDetector(PrivateKeyDetector):
    """Private keys, also in two forms that the library lacks."""

    denylist = [  # noqa: RUF012 - as in the library
        *PrivateKeyDetector.denylist,
        regex(
            r"BEGIN ENCRYPTED PRIVATE KEY|PuTTY-User-Key-File-3"
            r"|END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{0,5}"
        ),
    ]


_LIBRARY = (  # modules of the library's detectors, the most specific first
    "aws azure_storage_key discord github_token gitlab_token ibm_cos_hmac mailchimp npm openai"
    " pypi_token sendgrid slack softlayer square_oauth stripe telegram_token twilio cloudant"
    " artifactory ibm_cloud_iam"
)


def _of_library() -> Iterator[RegexBasedDetector]:
    for name in _LIBRARY.split():
        module = import_module(f"detect_secrets.plugins.{name}")
        own = (made for made in vars(module).values() if isinstance(made, type))
        yield from (made() for made in own if made.__module__ == module.__name__)


TOKENS = (*_forms(), *_of_library(), KeyBlockDetector())  # by form, the most specific first
ENTROPY = Base64HighEntropyString()

_BEFORE, _STEP, _AFTER = 200, 1_000, 1_300  # characters around and in each piece of a longer line
_LONGEST_COMMENT = 4_000  # characters of a line that may end in a comment


def judged(text: str, places: Sequence[int]) -> list[Span]:
    """Return the secrets near the ``places`` in ``text``, most specific kinds first."""
    views = _views(text, places)
    # All views at once: a call of a detector costs more than a longer text.
    joined = _STOP.join(text[start:end] for start, end in views)
    whole = _BREAK.sub(lambda found: " " * len(found[0]), joined)
    back: list[tuple[int, int]] = []
    at = 0
    for start, end in views:
        back.append((at, start))
        at += end - start + len(_STOP)

    def placed(offset: int) -> int:
        begins, start = back[bisect_right(back, (offset, len(text))) - 1]
        return start + offset - begins

    found = []
    for start, end, kind in (*_tokens(whole), *_random(whole)):
        first, last = placed(start), placed(end - 1) + 1
        if kind == KeyBlockDetector.secret_type:
            span = block(text, first, last)
            found += [(*span, kind)] if span else []
        elif is_of_run(whole, start, end):
            # A token may go on after its view.
            more = _MORE.match(text, last) if any(last == stop for _, stop in views) else None
            found.append((first, more.end() if more else last, kind))
    return found


def _views(text: str, places: Sequence[int]) -> list[tuple[int, int]]:
    """Return the parts of ``text`` that are read: lines, of long ones pieces, none twice."""
    views: dict[tuple[int, int], None] = {}
    end = -1
    start = 0
    for place in places:
        if place > end:
            start = text.rfind("\n", 0, place) + 1
            end = text.find("\n", place)
            end = len(text) if end < 0 else end
        if end - start > _BEFORE + _STEP + _AFTER:
            piece = start + (place - start) // _STEP * _STEP
            views[max(start, piece - _BEFORE), min(end, piece + _STEP + _AFTER)] = None
        else:
            views[start, end] = None
    return list(views)


def is_allowed(text: str, at: int) -> bool:
    """Whether the library's comment allows a secret in the line around ``at``."""
    start = text.rfind("\n", 0, at) + 1
    lines = [text[text.rfind("\n", 0, start - 1) + 1 : start - 1] if start else ""]
    end = text.find("\n", at)
    lines.append(text[start : end if end >= 0 else len(text)])
    short = [line if len(line) <= _LONGEST_COMMENT else "" for line in lines]
    return bool(allowlist.is_line_allowlisted("", short[1], CodeSnippet(short, 0, 1)))


_TOKEN = regex(r"[^\s=:\"'`@]{1}[^\s\"'`@]*+")
_MORE = regex(r"[A-Za-z0-9_\-+/=]*+(?>(?:\.[A-Za-z0-9_\-+/=]++)*)")


def _tokens(text: str) -> Iterator[Span]:
    for detector in TOKENS:
        if isinstance(detector, FormDetector):
            if detector.begins in text:
                yield from _of_form(text, detector)
            continue
        is_header = isinstance(detector, KeyBlockDetector)
        for form in detector.denylist:
            for match in form.finditer(text):
                # Of a token one word, from the first group on.
                first = match.start(1) if match.re.groups else -1
                word = _TOKEN.search(text, max(first, match.start()), match.end())
                start, end = match.span() if is_header or not word else word.span()
                if is_header or not is_fake(text[start:end]):
                    yield start, end, str(detector.secret_type)


def _of_form(text: str, detector: FormDetector) -> Iterator[Span]:
    for match in detector.denylist[0].finditer(text):
        start, end = match.span(match.re.groups and 1)
        if detector.is_inside:
            while start and end - start < _LONGEST_TOKEN and _LETTER.match(text, start - 1):
                start -= 1
        if not is_fake(text[start:end], of_form=True):
            yield start, end, detector.secret_type


def _random(text: str) -> Iterator[Span]:
    """Yield quoted texts of high entropy that are neither digests nor paths, also in backticks."""
    line = text.replace("`", '"')
    for match in ENTROPY.regex.finditer(line):
        start, end = match.span(2)
        value = match[2]
        if (
            ENTROPY.calculate_shannon_entropy(value) > ENTROPY.entropy_limit
            and _LUMP.search(value)
            and not _DIGEST.match(value)
            and not (text[start - 1] == "`" and _ID.fullmatch(value))
            and not _names_content(line, start)
            and not is_fake(value)
            and not heuristic.is_sequential_string(value)
        ):
            yield start, end, str(ENTROPY.secret_type)


def _names_content(text: str, at: int) -> bool:
    """Whether the value at ``at`` is the hash of a content, or the id of a document."""
    first = max(0, at - _LONGEST_LABEL, text.rfind("\n", 0, at) + 1)
    return _OF_CONTENT.search(text, first, at) is not None or (
        _OF_ID.search(text, first, at - 1) is not None
        and _OF_SECRET.search(text, first, at) is None
    )
