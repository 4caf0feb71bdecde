"""Where a detector of secrets could find one: a cheap look, so that it need not be loaded.

What is needed for a detector to report something is looked for, and nothing more: for each of them
a property test holds that whatever it reports is a place here. Digits and letters are those of
ASCII, as all keys are made of.
"""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

_Runs = Sequence[tuple[int, int]]


class Place(NamedTuple):
    """Where a detector could find a secret."""

    detector: str
    """The name of its class."""
    start: int
    """Offset of what it is known by: within the line of the secret."""
    end: int


class _Screen(NamedTuple):
    """What every text holds that a detector reports."""

    detector: str
    needle: str
    """Is in one of the text's runs."""
    more: int
    """Characters of the run that follow it at least."""
    pattern: str
    """Matches in the line that is reported."""
    folded: bool = False
    """Whether the needle is for runs in lower case."""


RUN = 20
"""Characters of the shortest run that a token has. Shorter ones are issued by nobody."""
_OF_RUNS = bytes(
    97 if chr(code).isascii() and (chr(code).isalnum() or chr(code) in "+/=\\-_") else 32
    for code in range(256)
)
"""The characters of runs, which are those of base64 in all its forms, apart from all others."""
_FOLDED = bytes(range(256)).lower().translate(bytes.maketrans(b"!'`", b'=""'))
"""Lower case; one sign for both that comparisons are made of, one quote for all three."""
_TOKENS = (
    _Screen("AWSKeyDetector", "A3T", 17, r"A3T[A-Z0-9]{17}"),
    _Screen("AWSKeyDetector", "ABIA", 16, r"ABIA[0-9A-Z]{16}"),
    _Screen("AWSKeyDetector", "ACCA", 16, r"ACCA[0-9A-Z]{16}"),
    _Screen("AWSKeyDetector", "AKIA", 16, r"AKIA[0-9A-Z]{16}"),
    _Screen("AWSKeyDetector", "ASIA", 16, r"ASIA[0-9A-Z]{16}"),
    _Screen("ArtifactoryDetector", "AKC", 10, r'AKC(?<![^\s=:"]AKC)[a-zA-Z0-9]{10}'),
    _Screen("ArtifactoryDetector", "AP", 9, r'AP(?<![^\s=:"]AP)[0-9A-F][a-zA-Z0-9]{8}'),
    _Screen("AzureStorageKeyDetector", "AccountKey=", 88, r"AccountKey=[a-zA-Z0-9+/=]{88}"),
    *(
        _Screen("GitHubTokenDetector", f"gh{kind}_", 36, f"gh{kind}_[A-Za-z0-9_]{{36}}")
        for kind in "pousr"
    ),
    _Screen(
        "GitLabTokenDetector", "gl", 23,
        r"gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-[A-Za-z0-9_\-]{20}",
    ),
    _Screen("GitLabTokenDetector", "GR1348941", 20, r"GR1348941[A-Za-z0-9_\-]{20}"),
    _Screen("KeyBlockDetector", "PuTTY-User-Key-File-", 1, r"PuTTY-User-Key-File-[23]"),
    *(
        _Screen("MailchimpDetector", f"-us{digit}", 0, f"-us(?<=[0-9a-z]{{32}}-us){digit}")
        for digit in "0123456789"
    ),
    _Screen("OpenAIDetector", "T3BlbkFJ", 20, r"T3BlbkFJ[A-Za-z0-9]{20}"),
    _Screen("PypiTokenDetector", "pypi-AgE", 70, r"pypi-AgE[A-Za-z0-9-_]{70}"),
    _Screen("SlackDetector", "xox", 4, r"(?i)xox[abposr]-[0-9]+-", folded=True),
    _Screen("SlackDetector", "com/services/t", 5, r"(?i)com/services/T", folded=True),
    _Screen("SquareOAuthDetector", "sq0csp-", 43, r"sq0csp-[0-9A-Za-z\\\-_]{43}"),
    _Screen("StripeDetector", "k_live_", 24, r"k_live_[0-9a-zA-Z]{24}"),
    _Screen("TwilioKeyDetector", "AC", 32, r"AC[a-z0-9]{32}"),
    _Screen("TwilioKeyDetector", "SK", 32, r"SK[a-z0-9]{32}"),
    _Screen("PublishedPrefixDetector", "sk-", 32, r"sk-(?<![A-Za-z0-9]sk-)[A-Za-z0-9_-]{32}"),
    _Screen("PublishedPrefixDetector", "AIza", 35, r"AIza[A-Za-z0-9_-]{35}"),
    _Screen("PublishedPrefixDetector", "hf_", 34, r"hf_[A-Za-z0-9]{34}"),
    _Screen("PublishedPrefixDetector", "xai-", 40, r"xai-[A-Za-z0-9_-]{40}"),
    _Screen("PublishedPrefixDetector", "gsk_", 40, r"gsk_[A-Za-z0-9]{40}"),
    _Screen("PublishedPrefixDetector", "github_pat_", 36, r"github_pat_[A-Za-z0-9_]{36}"),
    _Screen("PublishedPrefixDetector", "glpat-", 20, r"glpat-[A-Za-z0-9_-]{20}"),
    _Screen("PublishedPrefixDetector", "npm_", 36, r"npm_[A-Za-z0-9]{36}"),
)  # fmt: skip
"""Tokens that are known by their own form: where there is a run with the needle in it."""
_IN_PARTS = (
    ("DiscordBotTokenDetector", ".", 8, r"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}"),
    ("SendGridDetector", ".", 26, r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    ("TelegramBotTokenDetector", ":", 9, r"[0-9]{8}:[0-9A-Za-z_-]{35}"),
)
"""Tokens in parts, the last of them a run: what stands before it, and what matches how many
characters before it."""
_IN_JSON = r"eyJ[A-Za-z0-9\-_=]++(\.[A-Za-z0-9\-_=])?"
"""JSON in base64; a web token where a stop follows. A match in any case: looking again at every
``eyJ`` of a long run would take its square."""
_SIGNED_IN = r"://[^\s:/?#\[\]@!$&'()*+,;=]++:[^\s:/?#\[\]@!$&'()*+,;=]++@"
_CLOUDANT = r"(?i)https?://[\w\-]++:[0-9a-z]{24}"
"""Addresses with a password in them."""
_SOAP = r"(?i)/soap/v3(?:.1)?/[a-z0-9]{64}"
_LEAST_OF_SOAP = 64
_ELSEWHERE = (
    (b"private key", "KeyBlockDetector", r"BEGIN [A-Z0-9 ]{0,20}PRIVATE KEY"),
    (b":_authtoken=", "NpmDetector", r"/:_authToken=\s*+(?:npm_.|[A-Fa-f0-9-]{36})"),
)
"""What is known by more than a run: what is in the text in lower case, and what matches there."""

# --- what is assigned to a name -----------------------------------------------------------

_STEMS = (b"key", b"pass", b"pwd", b"secret", b"contrase")
"""One of them is in every name that a detector takes for that of a secret."""
_KEYS = tuple(
    name + joint
    for name in (
        b"api", b"auth", b"service", b"account", b"db", b"database", b"priv", b"private", b"client"
    )
    for joint in (b"", b"_")
)  # fmt: skip
_PASSES = tuple(name + joint for name in (b"db", b"database", b"key") for joint in (b"", b"_"))
"""What a key or a pass must be of."""
_WORD = re.compile(r"\w*+")
_NEXT = re.compile(r"""[]'"\\]{0,4}[^\S\n]*+[=:!(\[.]""")
"""How what follows a name begins, where something is assigned to it."""
_AFTER = r"""(?x)[]'"\\]{0,4}[^\S\n]*+(?:\[[0-9]*\][^\S\n]*+)?
    (?:(?:=>|::?=?|=>?|[!=]=?=?)[^\S\n]*+(?:@?\\?["'`]\w|(?P<value>\w[^\s"'`]{5,200}+))
    |(?:\.assign)?\(\\?"\w)"""
"""An assignment or comparison, and the beginning of a value. Code in JSON escapes its quotes."""
_NAMES = (
    r"(?i)(?:api|auth|service|account|db|database|priv|private|client)_?key"
    r"|(?:db|database|key)_?pass|password|passwd|pwd|secret|contrase[ñn]a"
)
_CALLED = (b"key", b"pw", b"pwd", b"pass", b"password", b"token")
_CALLS = (
    r"""(?:key|pwd?|password|pass|token)\\?["']?\]?[ ]*+(?:=>|::|:=|[=:]|(?<=[ ]))[ ]*+\\?["']?"""
)
_VENDORS = (
    rf"(?i){_CALLS}(?:[a-z0-9_\-]{{44}}(?![a-z0-9_\-])|[a-f0-9]{{48}}(?![a-f0-9]))"
    rf"|(?:cloudant|clou|cl|softlayer|sl)[_-]?(?:api)?[_-]?{_CALLS}(?:[a-z0-9]{{64}}|[a-z]{{24}})"
)
"""Keys that are known by their length alone, and by how some vendors call them."""
_OF_VENDORS = ("CloudantDetector", "IbmCloudIamDetector", "IbmCosHmacDetector", "SoftlayerDetector")
_LEAST_OF_VENDORS = 24
_LONGEST_ASSIGNMENT = 400
"""Characters of a name and what stands between it and a value."""
_QUOTE = r"""["'`][^\S\n]*+\Z"""
_LONGEST_SIGN = 3
_COMPARED = r"[!=]{2,3}[^\S\n]*+(\w++)"
_TERMINATED = r"""\S{0,51}?[^\S\n]*\\?(["'`])\w[^\n"']{0,1000}\1;"""
_LONGEST_VALUE = 1_200
_LONGEST_NAME = 64
"""Characters of a name before its stem that are looked at."""
_LEAST_VALUE = 8
_QUOTES = ("'", '"', "`")
_LEAST_DISTINCT = 23
"""Different characters in a text of more than 4.5 bits each: 2 ** 4.5 is 22.6."""
LUMP = r"(?=[A-Za-z0-9]*[a-z])(?=[A-Za-z0-9]*[A-Z])(?=[A-Za-z0-9]*[0-9])[A-Za-z0-9]{16}"
"""What texts as random as keys hold, and paths and names do not."""
_AWS = 40
"""Characters of a secret access key."""
_AWS_BEFORE = 64
"""Characters before it in which the detector wants to read whose it is."""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern; compiled when it is needed, which is seldom."""
    return re.compile(pattern)


def places(text: str) -> Iterator[Place]:
    """Yield where a detector could find a secret: wherever one does, and rarely elsewhere."""
    raw = text.encode("latin-1", "replace")  # a byte a character: offsets are the same
    runs, folded = list(_runs(raw)), raw.translate(_FOLDED)
    yield from _tokens(text, folded, runs)
    yield from _values(text, folded, runs)


def unescaped(text: str) -> str:
    """Return ``text`` with quotes that are escaped as they are meant, at the same offsets."""
    return text.replace('\\"', ' "').replace("\\'", " '")


def _runs(raw: bytes) -> Iterator[tuple[int, int]]:
    """Yield where runs of ``RUN`` characters and more begin and end."""
    flat, least = raw.translate(_OF_RUNS), b"a" * RUN
    at = flat.find(least)
    while at >= 0:
        end = flat.find(b" ", at)
        end = len(flat) if end < 0 else end
        yield at, end
        at = flat.find(least, end)


# --- tokens -------------------------------------------------------------------------------


def _tokens(text: str, folded: bytes, runs: _Runs) -> Iterator[Place]:
    """Yield where a token could be, which is known by its own form."""
    if runs:
        yield from _in_runs(text, runs)
        yield from _in_parts(text, runs)
    for needle, detector, pattern in _ELSEWHERE:
        if needle in folded:
            yield from _matching(text, detector, pattern)
    if any(end - start >= _LEAST_OF_SOAP for start, end in runs) and b"/soap/v3" in folded:
        yield from _matching(text, "SoftlayerDetector", _SOAP)
    if _signs_in(folded):
        yield from _matching(text, "BasicAuthDetector", _SIGNED_IN)
        if b"cloudant" in folded:
            yield from _matching(text, "CloudantDetector", _CLOUDANT)


def _in_runs(text: str, runs: _Runs) -> Iterator[Place]:
    """Yield runs that are a token."""
    every = "".join([f"{text[start:end]} " for start, end in runs])
    lower = every.lower()
    for screen in _TOKENS:
        if _is_followed(lower if screen.folded else every, screen):
            for start, end in runs:
                yield from _matching(text, screen.detector, screen.pattern, start, end)
    if "eyJ" in every:
        yield from _matching(text, "JwtTokenDetector", _IN_JSON)


def _is_followed(every: str, screen: _Screen) -> bool:
    """Whether in one of the runs enough stands behind the needle."""
    at = every.find(screen.needle)
    while at >= 0:
        end = every.find(" ", at)
        if end - at >= len(screen.needle) + screen.more:
            return True
        at = every.find(screen.needle, end)
    return False


def _signs_in(folded: bytes) -> bool:
    """Whether an at sign stands in an address."""
    at = folded.find(b"://")
    while at >= 0:
        if b"@" in folded[at : at + _LONGEST_ADDRESS].split(None, 1)[0]:
            return True
        at = folded.find(b"://", at + 1)
    return False


_LONGEST_ADDRESS = 1_500
"""Characters of an address up to its at sign."""


def _matching(
    text: str, detector: str, pattern: str, start: int = 0, end: int = sys.maxsize
) -> Iterator[Place]:
    for match in _compiled(pattern).finditer(text, start, end):
        if not match.re.groups or match[1]:
            yield Place(detector, match.start(), match.end())


def _in_parts(text: str, runs: _Runs) -> Iterator[Place]:
    """Yield runs that are the last part of a token."""
    for start, end in runs:
        before = text[start - 1 : start]
        if before in (".", ":"):
            for detector, stop, back, pattern in _IN_PARTS:
                at = start - back
                if before == stop and at >= 0 and _compiled(pattern).match(text, at):
                    yield Place(detector, start, end)
            if "eyJ" in text[max(0, start - _LONGEST_NAME) : start]:
                yield Place("JwtTokenDetector", start, end)


# --- values -------------------------------------------------------------------------------


def _values(text: str, folded: bytes, runs: _Runs) -> Iterator[Place]:
    """Yield where a value could be that is a secret by its name, or by how random it is."""
    yield from _quoted(text, runs)
    yield from _of_vendors(text, folded, runs)
    for stem in _STEMS:
        at = folded.find(stem)
        while at >= 0:
            end = at + len(stem)
            if _is_named(folded, stem, at, end):
                match = _WORD.match(text, end)
                end = match.end() if match else end
                if _NEXT.match(text, end) or _is_terminated(text, folded, end):
                    yield from _assigned(text, folded, at, end)
            at = folded.find(stem, end)
    yield from _compared(text, folded)


def _is_named(folded: bytes, stem: bytes, at: int, end: int) -> bool:
    """Whether a stem is that of a name which is a secret's: a key of some kinds alone."""
    if stem == b"key":
        return folded.endswith(_KEYS, 0, at)
    if stem == b"pass":
        return folded.startswith((b"word", b"wd"), end) or folded.endswith(_PASSES, 0, at)
    return True


def _quoted(text: str, runs: _Runs) -> Iterator[Place]:
    """Yield runs in quotes that may be as random as a key."""
    for start, end in runs:
        if text[start - 1 : start] in _QUOTES and text[end : end + 1] in _QUOTES:
            run = text[start:end]
            if len(run) == _AWS and "aws" in text[max(0, start - _AWS_BEFORE) : start].lower():
                yield Place("AWSKeyDetector", start, end)
            if len(set(run)) >= _LEAST_DISTINCT and _compiled(LUMP).search(run):
                yield Place("Base64HighEntropyString", start, end)


def _of_vendors(text: str, folded: bytes, runs: _Runs) -> Iterator[Place]:
    """Yield runs that are as long as the keys of some vendors, and assigned to a name as theirs."""
    for start, end in runs:
        if end - start < _LEAST_OF_VENDORS:
            continue
        near = max(0, start - _LONGEST_ASSIGNMENT)
        head = folded[near:start].rstrip(b' "\\').rstrip(b"=:>").rstrip(b' ]"\\')
        if head.endswith(_CALLED) or b"=" in folded[start:end]:
            for match in _compiled(_VENDORS).finditer(text, near, end):
                yield from (Place(one, match.start(), match.end()) for one in _OF_VENDORS)


def _assigned(text: str, folded: bytes, at: int, end: int) -> Iterator[Place]:
    """Yield the name of a secret that has its stem ``at`` and ends at ``end``."""
    if _is_assigned(text, at, end) or _is_terminated(text, folded, end):
        for name in _compiled(_NAMES).finditer(text, max(0, at - _LONGEST_NAME), end):
            if name.end() > at:
                yield Place("KeywordDetector", name.start(), end)
                return


def _is_terminated(text: str, folded: bytes, end: int) -> bool:
    """Whether a value in quotes follows, and a semicolon."""
    if folded.find(b'";', end, end + _LONGEST_VALUE) < 0:
        return False
    return _compiled(_TERMINATED).match(text, end) is not None


def _is_assigned(text: str, start: int, end: int) -> bool:
    """Whether a value follows that is quoted, or looks like a secret without quotes."""
    match = _compiled(_AFTER).match(text, end)
    if match is None:
        return False
    value = match["value"]
    if value is None:
        return True
    return is_loose(value, by_name=text[start:end].isupper() and text[end : end + 1] == "=")


def is_loose(value: str, *, by_name: bool) -> bool:
    """Whether a ``value`` without quotes may be a secret.

    ``by_name`` says that it is assigned as an environment has it: ``API_KEY=value``. Else it
    must hold letters and digits: ``the password: eight characters`` is prose.
    """
    digits = any(char.isdigit() for char in value)
    letters = any(char.isalpha() for char in value)
    return by_name or (len(value) >= _LEAST_VALUE and digits and letters)


def _compared(text: str, folded: bytes) -> Iterator[Place]:
    """Yield names that something in quotes is compared with."""
    at = folded.find(b"==")
    while at >= 0:
        end = at + 2
        while folded[end : end + 1] == b"=":
            end += 1
        near = folded[end : end + 2 * _LONGEST_NAME]
        if end - at <= _LONGEST_SIGN and any(stem in near for stem in _STEMS):
            match = _compiled(_COMPARED).match(text, at)
            name = match and _compiled(_NAMES).search(match[1])
            if match and name and _compiled(_QUOTE).search(text, max(0, at - _LONGEST_NAME), at):
                yield Place("KeywordDetector", match.start(1) + name.start(), match.end())
        at = folded.find(b"==", end)


def detectors() -> list[str]:
    """Return the names of the detectors that are asked."""
    told = {screen.detector for screen in _TOKENS}
    others = {parts[0] for parts in _IN_PARTS} | {parts[1] for parts in _ELSEWHERE}
    return sorted(
        {*told, *others, *_OF_VENDORS, "JwtTokenDetector", "BasicAuthDetector",
         "Base64HighEntropyString", "KeywordDetector"}
    )  # fmt: skip
