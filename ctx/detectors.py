"""What ``detect-secrets`` says of the lines in which tokens could stand.

Importing this costs eight starts of an interpreter (``requests``, which the library would verify
tokens with): only ``ctx.secrets`` does, and only where ``ctx.screen`` finds something. Nothing is
verified here: no detector is asked in a way that reaches the network.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

from detect_secrets.filters import allowlist, heuristic
from detect_secrets.plugins.artifactory import ArtifactoryDetector
from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.cloudant import CloudantDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.high_entropy_strings import Base64HighEntropyString
from detect_secrets.plugins.ibm_cloud_iam import IbmCloudIamDetector
from detect_secrets.plugins.ibm_cos_hmac import IbmCosHmacDetector
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
from ctx.placeholders import is_fake
from ctx.screen import is_of_run
from ctx.token_forms import FORMS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Span = tuple[int, int, str]
"""Offsets of a secret, and its kind."""


class FormDetector(RegexBasedDetector):
    """Tokens of one row of ``FORMS``."""

    secret_type = "Token"  # noqa: S105 - the name of a kind

    def __init__(self, kind: str, begins: str, rest: str) -> None:
        """Make the detector of tokens of ``kind`` that begin so."""
        self.secret_type = kind
        self.begins = begins
        self._rest = rest

    @cached_property
    def denylist(self) -> tuple[re.Pattern[str], ...]:
        """The pattern, compiled where a text holds how it begins."""
        begins = re.escape(self.begins)
        stands_alone = f"(?<![A-Za-z0-9]{begins})" if self.begins[0].isalpha() else ""
        return (re.compile(begins + stands_alone + self._rest),)


class KeyBlockDetector(PrivateKeyDetector):
    """Private keys, those in the two forms, too, that the library does not know yet."""

    denylist = [  # noqa: RUF012 - as the library has it
        *PrivateKeyDetector.denylist,
        re.compile(r"BEGIN ENCRYPTED PRIVATE KEY"),
        re.compile(r"PuTTY-User-Key-File-3"),
    ]


TOKENS: tuple[RegexBasedDetector, ...] = (
    *(
        FormDetector(kind, begins, rest)
        for kind, every, rest in FORMS
        for begins in every.split()
    ),
    AWSKeyDetector(), AzureStorageKeyDetector(), DiscordBotTokenDetector(),
    GitHubTokenDetector(), GitLabTokenDetector(), IbmCosHmacDetector(), MailchimpDetector(),
    NpmDetector(), OpenAIDetector(), PypiTokenDetector(), SendGridDetector(), SlackDetector(),
    SoftlayerDetector(), SquareOAuthDetector(), StripeDetector(), TelegramBotTokenDetector(),
    TwilioKeyDetector(), CloudantDetector(), ArtifactoryDetector(), KeyBlockDetector(),
    IbmCloudIamDetector(),
)  # fmt: skip
"""What knows a secret by its own form, the most particular first."""
ENTROPY = Base64HighEntropyString()
OFF = {
    "HexHighEntropyString": "commit ids and digests are as random as keys",
    "IPPublicDetector": "an address is no secret",
    "KeywordDetector": "ctx.assigned knows more names, and values without quotes",
    "BasicAuthDetector": "ctx.assigned knows addresses without a user or a password, too",
    "JwtTokenDetector": "it ends before the signature; ctx.token_forms has the whole token",
}
"""The detectors of the library that are not asked, and why."""

_BEFORE, _STEP, _AFTER = 200, 1_000, 1_300
"""Longer lines than all together are looked at in pieces of so many characters, and so many before
and behind: what a detector may want to see."""
_LONGEST_COMMENT = 4_000
"""Characters of a line that may end in a comment."""


def judged(text: str, places: Sequence[int]) -> list[Span]:
    """Return what stands near the ``places`` in ``text``, most particular kinds first."""
    views = _views(text, places)
    # Looked at together: a detector costs little for a text more, and much for being asked.
    whole = _STOP.join(text[start:end] for start, end in views)
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
            span = block(text, first, last)  # without a key behind it, it is only spoken of
            found += [(*span, kind)] if span else []
        elif is_of_run(text, first, last):
            found.append((first, _whole(text, last, views), kind))
    return found


_STOP = "\0\n"
"""What stands between two views: no pattern reads over it."""


def _views(text: str, places: Sequence[int]) -> list[tuple[int, int]]:
    """Return which parts of ``text`` are looked at: lines, of long ones pieces, none twice."""
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
    """Whether the library's comment says that the line around ``at`` holds no secret."""
    start = text.rfind("\n", 0, at) + 1
    lines = [text[text.rfind("\n", 0, start - 1) + 1 : start - 1] if start else ""]
    end = text.find("\n", at)
    lines.append(text[start : end if end >= 0 else len(text)])
    short = [line if len(line) <= _LONGEST_COMMENT else "" for line in lines]
    return bool(allowlist.is_line_allowlisted("", short[1], CodeSnippet(short, 0, 1)))


# --- tokens -------------------------------------------------------------------------------

_TOKEN = re.compile(r"[^\s=:\"'`@]{1}[^\s\"'`@]*+")
_MORE = re.compile(r"[A-Za-z0-9_\-+/=]*+(?:\.[A-Za-z0-9_\-+/=]++)*+")


def _tokens(text: str) -> Iterator[Span]:
    for detector in TOKENS:
        if isinstance(detector, FormDetector):
            if detector.begins in text:
                yield from _of_form(text, detector)
            continue
        is_header = isinstance(detector, KeyBlockDetector)
        for regex in detector.denylist:
            for match in regex.finditer(text):
                start, end = match.span() if is_header else _secret_of(match)
                if is_header or not is_fake(text[start:end]):
                    yield start, end, str(detector.secret_type)


def _of_form(text: str, detector: FormDetector) -> Iterator[Span]:
    for match in detector.denylist[0].finditer(text):
        start, end = match.span(match.re.groups and 1)
        if not detector.begins[0].isalpha():
            while start and end - start < _LONGEST_TOKEN and _is_letter(text[start - 1]):
                start -= 1
        if not is_fake(text[start:end]):
            yield start, end, detector.secret_type


_LONGEST_TOKEN = 200


def _is_letter(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _secret_of(match: re.Match[str]) -> tuple[int, int]:
    """Return where the secret of a match lies: from its first group on, one word of it."""
    first = match.start(1) if match.re.groups else -1
    word = _TOKEN.search(match.string, max(first, match.start()), match.end())
    return word.span() if word else match.span()


def _whole(text: str, end: int, views: Sequence[tuple[int, int]]) -> int:
    """Return where a token ends of which no more was looked at."""
    if all(end != last for _, last in views):
        return end
    match = _MORE.match(text, end)
    return match.end() if match else end


# --- texts as random as keys --------------------------------------------------------------

_DIGEST = re.compile(r"sha\d+[-:]", re.IGNORECASE)
_LUMP = re.compile(
    r"(?=[A-Za-z0-9]{0,15}[a-z])(?=[A-Za-z0-9]{0,15}[A-Z])(?=[A-Za-z0-9]{0,15}[0-9])[A-Za-z0-9]{16}"
)
"""What texts as random as keys hold, and paths and names do not."""
_OF_CONTENT = re.compile(
    r"(?i)(?:etag|if-(?:none-)?match|checksum|digest|fingerprint|integrity|content[-_]?hash)"
    r"[\"']?[ \t]{0,3}[:=][ \t]{0,3}(?:W/)?[\"']?\Z"
)
"""What stands before the hash of a content."""
_LONGEST_LABEL = 40


def _random(text: str) -> Iterator[Span]:
    """Yield quoted texts of high entropy that are neither digests nor paths; ````` quotes, too."""
    line = text.replace("`", '"')
    for match in ENTROPY.regex.finditer(line):
        start, end = match.span(2)
        value = match[2]
        if (
            ENTROPY.calculate_shannon_entropy(value) > ENTROPY.entropy_limit
            and _LUMP.search(value)
            and not _DIGEST.match(value)
            and not _OF_CONTENT.search(line, max(0, start - _LONGEST_LABEL), start)
            and not is_fake(value)
            and not heuristic.is_sequential_string(value)
        ):
            yield start, end, str(ENTROPY.secret_type)
