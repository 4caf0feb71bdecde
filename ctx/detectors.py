"""What ``detect-secrets`` says of the places where secrets could be.

Importing this costs eight starts of an interpreter (``requests``, which the library would verify
tokens with): only ``ctx.secrets`` does, and only where ``ctx.screen`` finds something. Nothing is
verified here: no detector is asked in a way that reaches the network.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from detect_secrets.filters import allowlist, heuristic
from detect_secrets.plugins.artifactory import ArtifactoryDetector
from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.basic_auth import BasicAuthDetector
from detect_secrets.plugins.cloudant import CloudantDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.high_entropy_strings import Base64HighEntropyString
from detect_secrets.plugins.ibm_cloud_iam import IbmCloudIamDetector
from detect_secrets.plugins.ibm_cos_hmac import IbmCosHmacDetector
from detect_secrets.plugins.jwt import JwtTokenDetector
from detect_secrets.plugins.keyword import (
    CONFIG_DENYLIST_REGEX_TO_GROUP,
    QUOTES_REQUIRED_DENYLIST_REGEX_TO_GROUP,
    KeywordDetector,
)
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.npm import NpmDetector
from detect_secrets.plugins.openai import OpenAIDetector
from detect_secrets.plugins.private_key import PrivateKeyDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.softlayer import SoftlayerDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector
from detect_secrets.util.code_snippet import CodeSnippet

from ctx.key_blocks import block
from ctx.screen import LUMP, is_loose, unescaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ctx.screen import Place

Span = tuple[int, int, str]
"""Offsets of a secret, and its kind."""


class PublishedPrefixDetector(RegexBasedDetector):
    """Keys whose makers publish how they begin, and that the library does not know yet."""

    secret_type = "API Key"  # noqa: S105 - the name of a kind
    denylist = (
        re.compile(r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{32,}"),  # OpenAI, Anthropic, OpenRouter
        re.compile(r"(?<![A-Za-z0-9])AIza[0-9A-Za-z_-]{35}"),  # Google
        re.compile(r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{34}"),  # Hugging Face
        re.compile(r"(?<![A-Za-z0-9])xai-[A-Za-z0-9_-]{40,}"),  # xAI
        re.compile(r"(?<![A-Za-z0-9])gsk_[A-Za-z0-9]{40,}"),  # Groq
        re.compile(r"(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{36,}"),
        re.compile(r"(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20,}"),  # GitLab, of any length
        re.compile(r"(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}"),
    )


class KeyBlockDetector(PrivateKeyDetector):
    """Private keys, those in the two forms, too, that the library does not know yet."""

    denylist = [  # noqa: RUF012 - as the library has it
        *PrivateKeyDetector.denylist,
        re.compile(r"BEGIN ENCRYPTED PRIVATE KEY"),
        re.compile(r"PuTTY-User-Key-File-3"),
    ]


TOKENS = {
    made.__class__.__name__: made
    for made in (
        AWSKeyDetector(), AzureStorageKeyDetector(), DiscordBotTokenDetector(),
        GitHubTokenDetector(), GitLabTokenDetector(), IbmCosHmacDetector(), MailchimpDetector(),
        NpmDetector(), OpenAIDetector(), PypiTokenDetector(), SendGridDetector(), SlackDetector(),
        SoftlayerDetector(), SquareOAuthDetector(), StripeDetector(), TelegramBotTokenDetector(),
        TwilioKeyDetector(), CloudantDetector(), ArtifactoryDetector(), JwtTokenDetector(),
        PublishedPrefixDetector(), KeyBlockDetector(), BasicAuthDetector(),
        IbmCloudIamDetector(),
    )
}  # fmt: skip
"""By name, what knows a secret by its own form, the most particular first."""
KEYWORD = KeywordDetector()
ENTROPY = Base64HighEntropyString()
OFF = {
    "HexHighEntropyString": "commit ids and digests are as random as keys",
    "IPPublicDetector": "an address is no secret",
}
"""The detectors of the library that are not asked, and why."""

_KEYWORD = "KeywordDetector"
_RANKS = {name: rank for rank, name in enumerate((*TOKENS, _KEYWORD))}
_BEFORE, _STEP, _AFTER = 200, 1_000, 1_300
"""Longer lines than all together are looked at in pieces of so many characters, and so many before
and behind: what a detector may want to see."""
_LONGEST_COMMENT = 4_000
"""Characters of a line that may end in a comment."""


class _View(NamedTuple):
    """The part of a text that is looked at for one place."""

    text: str
    start: int
    """Offset of its first character in the whole."""


class _Text:
    """A text, and where its lines are."""

    def __init__(self, text: str) -> None:
        self.plain = unescaped(text)
        self.text = text
        self._ends = [end.start() for end in re.finditer("\n", text)]
        self._comments = "pragma" in text
        self._allowed: dict[int, bool] = {}

    def line(self, at: int) -> tuple[int, int]:
        """Return where the line around ``at`` begins and ends."""
        number = bisect_left(self._ends, at)
        start = self._ends[number - 1] + 1 if number else 0
        return start, self._ends[number] if number < len(self._ends) else len(self.text)

    def near(self, at: int) -> tuple[int, int]:
        """Return what is looked at around ``at``: the line, of a long one a piece.

        Pieces overlap, and there are as many as fit, however many places are in a line.
        """
        start, end = self.line(at)
        if end - start > _BEFORE + _STEP + _AFTER:
            piece = start + (at - start) // _STEP * _STEP
            start, end = max(start, piece - _BEFORE), min(end, piece + _STEP + _AFTER)
        return start, end

    def is_allowed(self, at: int) -> bool:
        """Whether the library's comment says that the line around ``at`` holds no secret."""
        if not self._comments:
            return False
        start, end = self.line(at)
        if start not in self._allowed:
            lines = [self._short(*self.line(start - 1)) if start else "", self._short(start, end)]
            snippet = CodeSnippet(lines, 0, 1)
            self._allowed[start] = allowlist.is_line_allowlisted("", lines[1], snippet)
        return self._allowed[start]

    def _short(self, start: int, end: int) -> str:
        return self.text[start:end] if end - start <= _LONGEST_COMMENT else ""


def judged(text: str, places: Sequence[Place]) -> list[Span]:
    """Return the secrets at ``places`` in ``text``, in order; those that overlap are one."""
    found: list[tuple[int, Span]] = []
    whole = _Text(text)
    done: set[tuple[str, int, bool]] = set()
    for place in places:
        if whole.is_allowed(place.start):
            continue
        start, end = whole.near(place.start)
        for is_plain in (False, True):
            key = (place.detector, place.start if place.detector == _KEYWORD else start, is_plain)
            if key in done or (is_plain and whole.plain == text):
                continue
            done.add(key)
            view = _View((whole.plain if is_plain else text)[start:end], start)
            rank = _RANKS.get(place.detector, len(_RANKS))
            found += [
                (rank, (start + first, _whole(text, start + last, view), kind))
                for first, last, kind in _spans(view, place)
            ]
    return _merged(_blocks(text, found))


def _spans(view: _View, place: Place) -> Iterator[Span]:
    if place.detector == _KEYWORD:
        return _assigned(view, place)
    if place.detector == "Base64HighEntropyString":
        return _random(view)
    return _tokens(view, TOKENS[place.detector])


# --- tokens -------------------------------------------------------------------------------

_TOKEN = re.compile(r"[^\s=:\"'`@][^\s\"'`@]*")
_MORE = re.compile(r"[A-Za-z0-9_\-+/=]*(?:\.[A-Za-z0-9_\-+/=]+)*")
_NO_TOKEN = re.compile(r"x{6}|example|your[-_]|\.{3}|\*{3}|0{12}", re.IGNORECASE)
_LONG = 40
"""Characters from which a token without a digit is the name of something."""


def _tokens(view: _View, detector: RegexBasedDetector) -> Iterator[Span]:
    reported = set(detector.analyze_string(view.text))
    if not reported:
        return
    for regex in detector.denylist:
        for match in regex.finditer(view.text):
            if reported.isdisjoint((match[0], *match.groups())):
                continue
            is_header = isinstance(detector, KeyBlockDetector)
            start, end = match.span() if is_header else _secret_of(match)
            if not _is_placeholder(view.text[start:end], detector):
                yield start, end, str(detector.secret_type)


def _secret_of(match: re.Match[str]) -> tuple[int, int]:
    """Return where the secret of a match lies: from its first group on, one word of it."""
    first = match.start(1) if match.re.groups else -1
    word = _TOKEN.search(match.string, max(first, match.start()), match.end())
    return word.span() if word else match.span()


def _is_placeholder(value: str, detector: RegexBasedDetector) -> bool:
    if isinstance(detector, KeyBlockDetector):
        return False
    if isinstance(detector, BasicAuthDetector):
        return _is_no_password(value)
    if _NO_TOKEN.search(value):
        return True
    short = isinstance(detector, (ArtifactoryDetector, PublishedPrefixDetector))
    return (short or len(value) >= _LONG) and not any(char.isdigit() for char in value)


def _whole(text: str, end: int, view: _View) -> int:
    """Return where a token ends of which no more was looked at."""
    if end < view.start + len(view.text):
        return end
    match = _MORE.match(text, end)
    return match.end() if match else end


# --- what is assigned to the name of a secret ---------------------------------------------

_NO_PASSWORD = re.compile(
    r"x{4}|\.{3}|…|\*{3}|example|placeholder|change[-_ ]?(?:me|it|this)|your|dummy|redacted"
    r"|held back|\{\{|\$\{|\$\(|[<>]|%\w+%",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|\w*(?:_|\b)(?:key|pass(?:word|wd)?|pwd|secret"
    r"|token|credential)s?(?:[-_ ][a-z]+)*"
)
_WORDS = frozenset({
    "a", "an", "any", "blank", "empty", "env", "environ", "false", "hash", "hidden", "integer",
    "key", "masked", "missing", "nil", "no", "none", "null", "number", "object", "optional",
    "pass", "password", "passwd", "pwd", "required", "secret", "string", "str", "strong",
    "test", "text", "the", "this", "token", "true", "unset", "user", "username", "value",
    "weak", "yes",
})  # fmt: skip
"""What a value says that is none."""
_SAYS_NAME = re.compile(r"[a-z_-]*(?:password|passwd|pwd|secret|key|token)s?", re.IGNORECASE)
"""What tests and examples call one: ``mysecretpassword``."""
_LEAST_QUOTED = 4
_PIECES = re.compile(r"[-_./:~@]+")
_PIECE = re.compile(r"[A-Za-z]*[0-9]*")
_PROSE = re.compile(r"[^\W\d_]+(?:[ ,;:'’–-]+[^\W\d_]+)+[.!?]?")
_TAIL = ",;)]}.|!?>*_"


def _assigned(view: _View, place: Place) -> Iterator[Span]:
    """Yield what is assigned to the name at ``place``, quoted or not."""
    at = place.start - view.start
    for regexes, is_quoted in (
        (QUOTES_REQUIRED_DENYLIST_REGEX_TO_GROUP, True),
        (CONFIG_DENYLIST_REGEX_TO_GROUP, False),
    ):
        for regex, group in regexes.items():
            match = regex.match(view.text, at) or _before(regex, view.text, at)
            if match is None:
                continue
            start = match.start(group)
            end = start + len(match[group].rstrip())  # a space stands for what escaped a quote
            if not is_quoted:
                if match.string[start - 1 : start] in ("'", '"', "`"):
                    continue  # as the others say
                end = start + len(match[group].split()[0].rstrip(_TAIL)) if match[group] else start
            if _is_secret(match, start, end, is_quoted=is_quoted):
                yield start, end, str(KEYWORD.secret_type)


def _before(regex: re.Pattern[str], text: str, at: int) -> re.Match[str] | None:
    """Return a match that ends with the name at ``at``: a value that is compared with it."""
    if not regex.pattern.startswith("([\\'\"`])"):
        return None
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return regex.search(text, max(0, at - _BEFORE), end)


def _is_secret(match: re.Match[str], start: int, end: int, *, is_quoted: bool) -> bool:
    value = match.string[start:end]
    told = match.string[match.start() : match.end()]
    if not value or any(sees(value) for sees in _HEURISTICS) or _is_no_password(value):
        return False
    if heuristic.is_indirect_reference(told) or heuristic.is_likely_id_string(value, told):
        return False
    if is_quoted:
        is_said = "=" not in told[: start - match.start()] and _PROSE.fullmatch(value)
        return not is_said and len(value) >= _LEAST_QUOTED and not _SAYS_NAME.fullmatch(value)
    pieces = [piece for piece in _PIECES.split(value) if piece]
    named = len(pieces) > 1 and all(_PIECE.fullmatch(piece) for piece in pieces)
    name = match.string[match.start() : start].rstrip()
    by_name = name[:-1].isupper() and name.endswith("=") and match.string[start - 1] == "="
    return is_loose(value, by_name=by_name) and (by_name or not named) and "(" not in value


_HEURISTICS: tuple[Callable[[str], bool], ...] = (
    heuristic.is_sequential_string,
    heuristic.is_potential_uuid,
    heuristic.is_templated_secret,
    heuristic.is_prefixed_with_dollar_sign,
    heuristic.is_not_alphanumeric_string,
)


def _is_no_password(value: str) -> bool:
    """Whether a value stands for one that a person is to put there, or names where it is."""
    return bool(
        _NO_PASSWORD.search(value)
        or _NAME.fullmatch(value)
        or value.lower() in _WORDS
        or heuristic.is_templated_secret(value)
        or heuristic.is_prefixed_with_dollar_sign(value)
    )


# --- texts as random as keys --------------------------------------------------------------

_DIGEST = re.compile(r"sha\d+[-:]", re.IGNORECASE)


def _random(view: _View) -> Iterator[Span]:
    """Yield quoted texts of high entropy that are neither digests nor paths; ````` quotes, too."""
    line = view.text.replace("`", '"')
    for value in set(ENTROPY.analyze_string(line)):
        if (
            ENTROPY.calculate_shannon_entropy(value) > ENTROPY.entropy_limit
            and re.search(LUMP, value)
            and not _DIGEST.match(value)
            and not any(sees(value) for sees in _HEURISTICS)
        ):
            start = line.index(value)
            while start >= 0:
                yield start, start + len(value), str(ENTROPY.secret_type)
                start = line.find(value, start + len(value))


def _blocks(text: str, found: Sequence[tuple[int, Span]]) -> Iterator[tuple[int, Span]]:
    """Yield all spans, those of headers of private keys with the keys; without one, not at all."""
    for rank, (start, end, kind) in found:
        if kind != KeyBlockDetector.secret_type:
            yield rank, (start, end, kind)
        elif span := block(text, start, end):
            yield rank, (*span, kind)


def _merged(found: Iterator[tuple[int, Span]]) -> list[Span]:
    """Return spans in order; of those that overlap one, named as the most particular says."""
    merged: list[tuple[int, Span]] = []
    for rank, (start, end, kind) in sorted(found, key=lambda one: one[1][:2]):
        if merged and start < merged[-1][1][1]:
            known, (first, last, name) = merged[-1]
            name = kind if rank < known else name
            merged[-1] = (min(rank, known), (first, max(last, end), name))
        else:
            merged.append((rank, (start, end, kind)))
    return [span for _, span in merged]
