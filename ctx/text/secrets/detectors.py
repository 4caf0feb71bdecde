"""Detectors of keys and tokens, and the forms of tokens that they do not know."""

from __future__ import annotations

import re
from bisect import bisect_right
from string import ascii_letters, digits
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

from ctx.text.regex import regex
from ctx.text.secrets.placeholders import is_fake
from ctx.text.secrets.prefilter import is_of_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx.text.secrets.assigned import Span

_END = regex(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-MAC: ?\S+")
_MATERIAL = regex(r"[A-Za-z0-9+/=]{40}")
_BASE64 = regex(r"[ \t>]*+[A-Za-z0-9+/=]++\s*")
_ESCAPED = f"{ascii_letters}{digits}+/=\\-"
_NEAR = 2_000  # characters after a header within which a key begins
_LONGEST = 64 * 1024  # characters of the longest key
_BODY = regex(r"(?>(?:[ \t>]*+(?:[A-Za-z0-9+/=]{8,}|[A-Z][\w-]{2,30}: [^\n]*|[ \t]*)(?:\n|\Z))*)")
_REST = r"[A-Za-z0-9_-]{16,}+(?:\.[A-Za-z0-9_-]{16,}+){0,3}"
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

FORMS: tuple[tuple[str, str, str], ...] = (  # kind, beginnings, the rest; its group, if any, is it
    ("API Key",
     "sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or-v1- sk-lf- hf_ api_org_ xai- gsk_ pplx- r8_",
     _REST),
    ("API Key",
     "nvapi- lsv2_pt_ lsv2_sk_ tvly- jina_ pcsk_ e2b_ tgp_v1_ fw_ csk- wandb_v1_ bb_live_", _REST),
    ("API Key", "sk-", r"[A-Za-z0-9_-]{32,}+"),
    ("API Key", "sk_", r"[0-9a-f]{48}"),
    ("API Key", "pa-", r"[A-Za-z0-9_-]{43}"),
    ("Bedrock Key", "ABSK", r"[A-Za-z0-9+/]{100,}+=?"),
    ("Vault Token", "hvs. hvb. hvr.", r"[A-Za-z0-9_-]{20,}+"),
    ("Vault Token", "s.", r"[A-Za-z0-9]{24}(?![A-Za-z0-9])"),
    ("DigitalOcean Token", "dop_v1_ doo_v1_ dor_v1_", _REST),
    ("age Key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{40,}+"),
    ("Azure Client Secret", "8Q~ 7Q~ 6Q~ 5Q~ 4Q~ 3Q~ 2Q~ 1Q~ 0Q~ 9Q~", r"[A-Za-z0-9_~.-]{31,34}"),
    ("Azure Shared Access Signature", "sig=", r"[A-Za-z0-9%+/_-]{40,}+=?"),
    ("Shopify Token", "shpat_ shpss_ shpca_ shppa_ shptka_", _REST),
    ("Databricks Token", "dapi", r"[0-9a-f]{32}(?:-[0-9]{1,2})?"),
    ("Databricks Token", "dose dkea", r"[0-9a-f]{32}"),
    ("Supabase Token", "sbp_ sb_secret_", _REST),
    ("Slack Token",
     "xapp- xoxb- xoxp- xoxe- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe.xoxp- xoxe.xoxb- xwfp-",
     r"[A-Za-z0-9-]{16,}+"),
    ("Postman Key", "PMAK-", _REST),
    ("New Relic Key", "NRAK- NRII- NRAA- NRRA- NRIQ- NRSP-", _REST),
    ("Doppler Token", "dp.pt. dp.ct. dp.sa. dp.scim. dp.audit. dp.said.", r"[A-Za-z0-9]{40,}+"),
    ("Doppler Token", "dp.st.", r"(?:[a-z0-9_-]{1,40}\.)?[A-Za-z0-9]{40,}+"),
    ("RubyGems Key", "rubygems_", _REST),
    ("SonarQube Token", "sqp_ squ_ sqa_", _REST),
    ("Terraform Token", ".atlasv1.", r"[A-Za-z0-9_=-]{40,}+"),
    ("Airtable Token", "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("HubSpot Token", "pat-na1- pat-na2- pat-eu1- pat-ap1- pat-na3-", _UUID),
    ("Harness Token", "pat. sat.", r"[A-Za-z0-9_-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}"),
    ("Linear Key", "lin_api_ lin_oauth_ lin_wh_", _REST),
    ("Notion Token", "ntn_", _REST),
    ("Notion Token", "secret_", r"[A-Za-z0-9]{40,}+"),
    ("Figma Token", "figd_ figdr_ figo_ figor_ figu_ figur_", _REST),
    ("Grafana Token", "glsa_ glc_", r"[A-Za-z0-9_+/-]{32,}+={0,2}"),
    ("Docker Token", "dckr_pat_ dckr_oat_", _REST),
    ("Tailscale Key", "tskey-", _REST),
    ("Google Secret", "GOCSPX-", _REST),
    ("Google Token", "ya29.", r"[A-Za-z0-9_-]{20,}+(?:\.[A-Za-z0-9_-]{16,}+){0,3}"),
    ("Google Token", "1//0", r"[A-Za-z0-9_-]{40,}+"),
    ("Google Key", "AIza", r"[A-Za-z0-9_-]{35}"),
    ("Webhook Secret", "whsec_", r"[A-Za-z0-9+/=_-]{20,}+"),
    ("Stripe Key", "sk_live_ rk_live_ sk_test_ rk_test_", _REST),
    ("GitHub Token", "github_pat_ ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9_]{30,}+"),
    ("GitLab Token",
     "glpat- gldt- glrt- glrtr- glcbt- glptt- glagent- gloas- glsoat- glffct- glimt- glft- glwt-",
     _REST),
    ("GitLab Token", "GR1348941", _REST),
    ("npm Token", "npm_", r"[A-Za-z0-9]{36}"),
    ("PyPI Token", "pypi-", r"[A-Za-z0-9_-]{50,}+"),
    ("Mailgun Key", "key-", r"[0-9a-f]{32}(?![0-9a-f])"),
    ("Brevo Key", "xkeysib- xsmtpsib-", _REST),
    ("Resend Key", "re_", r"[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,}+"),
    ("Cloudflare Key", "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{100,}+"),
    ("Heroku Key", "HRKU-", r"[A-Za-z0-9_-]{36,}+"),
    ("Netlify Token", "nfp_ nfc_ nfo_ nfb_ nfu_", _REST),
    ("Render Key", "rnd_", _REST),
    ("Fly Token", "fo1_ fm1_ fm1a_ fm1r_ fm2_", r"[A-Za-z0-9+/=_-]{40,}+"),
    ("Vercel Token", "vcp_ vci_ vca_ vcr_ vck_", _REST),
    ("PlanetScale Token", "pscale_tkn_ pscale_pw_ pscale_oauth_", _REST),
    ("Neon Key", "napi_", r"[A-Za-z0-9]{40,}+"),
    ("Atlassian Token", "ATATT3 ATCTT3 ATBB ATTA ATOA", r"[A-Za-z0-9_-]{24,}+(?:=[0-9A-F]{8})?"),
    ("Contentful Token", "CFPAT-", _REST),
    ("Dynatrace Token", "dt0c01. dt0s01. dt0s16. dt0s02.", r"[A-Z0-9]{20,}+(?:\.[A-Z0-9]{40,}+)?"),
    ("Sentry Token", "sntryu_ sntrya_ sntryi_", _REST),
    ("Sentry Token", "sntrys_", r"[A-Za-z0-9+/=]{32,}+_?[A-Za-z0-9+/]{0,64}"),
    ("Square Token", "sq0csp- sq0atp- sq0idp-", _REST),
    ("Square Token", "EAAA", r"[A-Za-z0-9_-]{56,}+"),
    ("Facebook Token", "EAAB EAAC EAAG EAAH EAAJ EAAM", r"[A-Za-z0-9]{80,}+"),
    ("Plaid Token", "access-sandbox- access-production- access-development-", _UUID),
    ("Shippo Token", "shippo_live_ shippo_test_", _REST),
    ("EasyPost Key", "EZAK EZTK", r"[A-Za-z0-9]{50,}+"),
    ("Duffel Token", "duffel_live_ duffel_test_", _REST),
    ("Razorpay Key", "rzp_live_ rzp_test_", r"[A-Za-z0-9]{14,}+"),
    ("Flutterwave Key", "FLWSECK_TEST- FLWSECK-", _REST),
    ("Typeform Token", "tfp_", _REST),
    ("ReadMe Key", "rdme_", _REST),
    ("Frame.io Token", "fio-u-", _REST),
    ("Prefect Key", "pnu_ pnb_", _REST),
    ("Pulumi Token", "pul-", r"[0-9a-f]{40}"),
    ("Infracost Key", "ico-", r"[A-Za-z0-9]{32}"),
    ("Adobe Secret", "p8e-", r"[A-Za-z0-9]{32}"),
    ("Alibaba Key", "LTAI", r"[A-Za-z0-9]{16,24}(?![A-Za-z0-9])"),
    ("Tencent Key", "AKID", r"[A-Za-z0-9]{32,}+"),
    ("Yandex Key", "AQVN", r"[A-Za-z0-9_-]{35,38}"),
    ("Yandex Token", "t1.", r"[A-Za-z0-9_=-]{20,}+\.[A-Za-z0-9_=-]{60,}+"),
    ("Artifactory Key", "AKCp", r"[A-Za-z0-9]{60,}+"),
    ("Clojars Token", "CLOJARS_", _REST),
    ("crates.io Token", "cio", r"[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("NuGet Key", "oy2", r"[a-z0-9]{43}(?![A-Za-z0-9])"),
    ("OpenShift Token", "sha256~", r"[A-Za-z0-9_-]{43}"),
    ("Octopus Key", "API-", r"[A-Z0-9]{25,27}(?![A-Za-z0-9])"),
    ("1Password Token", "ops_eyJ", r"[A-Za-z0-9_-]{100,}+={0,2}"),
    ("Sourcegraph Token", "sgp_ slk_", r"(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}"),
    ("Buildkite Token", "bkua_ bkaj_ bkat_", _REST),
    ("CircleCI Token", "CCIPAT_ CCIPRJ_", _REST),
    ("LaunchDarkly Key", "sdk- api- mob-", _UUID),
    ("Mapbox Token", "sk.eyJ", r"[A-Za-z0-9_-]{20,}+\.[A-Za-z0-9_-]{16,}+"),
    ("Scaleway Key", "SCW", r"[A-Z0-9]{17}(?![A-Za-z0-9])"),
    ("SettleMint Token", "sm_pat_ sm_aat_ sm_sat_", r"[A-Za-z0-9]{16,}+"),
    ("Deno Token", "ddp_ ddo_", _REST),
    ("Expo Token", "expo_", _REST),
    ("Aiven Password", "AVNS_", r"[A-Za-z0-9_-]{16,}+"),
    ("Confluent Key", "cflt", r"[A-Za-z0-9+/]{50,}+"),
    ("Dropbox Token", "sl.", r"[A-Za-z0-9_-]{60,}+"),
    ("JSON Web Token", "eyJ",
     r"[A-Za-z0-9_=-]{8,}+\.[A-Za-z0-9_=-]{8,}+(?:\.[A-Za-z0-9_=-]{1,4096}+){0,3}"),
    ("Password Hash", "$2a$ $2b$ $2x$ $2y$", r"([0-9]{2}\$[A-Za-z0-9./]{53})"),
    ("Password Hash", "$1$ $apr1$ $5$ $6$ $y$ $7$ $scrypt$ $argon2i$ $argon2d$ $argon2id$ $pbkdf2-",
     r"((?:[A-Za-z0-9=,./+-]{1,64}\$){1,4}[A-Za-z0-9./+-]{20,128}+)"),
    ("Slack Webhook", "hooks.slack.com/",
     r"(?:services|workflows|triggers)/(T[A-Za-z0-9]{1,16}/[A-Za-z0-9_/-]{20,}+)"),
    ("Discord Webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
     r"[0-9]{17,20}/([A-Za-z0-9_-]{60,}+)"),
    ("Teams Webhook", "webhook.office.com/",
     r"webhookb2/([0-9a-f@-]{60,80}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36})"),
)  # fmt: skip
_STOP = "\0\n"  # the separator of two views: no pattern matches it
_LONGEST_TOKEN = 200
_LETTER = regex(r"[A-Za-z0-9]")

_DIGEST = regex(r"(?i)sha\d+[-:]")
_LUMP = regex(  # what random texts hold, and paths and names do not
    r"(?=[A-Za-z0-9]{0,15}[a-z])(?=[A-Za-z0-9]{0,15}[A-Z])(?=[A-Za-z0-9]{0,15}[0-9])[A-Za-z0-9]{16}"
)
_OF_CONTENT = regex(  # what precedes the hash of a content
    r"(?i)(?:etag|if-(?:none-)?match|checksum|digest|fingerprint|integrity|content[-_]?hash)"
    r"[\"']?[ \t]{0,3}[:=][ \t]{0,3}(?:W/)?[\"']?\Z"
)
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
    """Tokens of one row of ``FORMS``."""

    secret_type = "Token"  # noqa: S105 - the name of a kind
    denylist: tuple[re.Pattern[str], ...] = ()

    def __init__(self, kind: str, begins: str, rest: str) -> None:
        self.secret_type = kind
        self.begins = begins
        begun = re.escape(begins)
        stands_alone = f"(?<![A-Za-z0-9]{begun})" if begins[0].isalpha() else ""
        self.denylist = (regex(begun + stands_alone + rest),)


class KeyBlockDetector(PrivateKeyDetector):
    """Private keys, also in two forms that the library lacks."""

    denylist = [  # noqa: RUF012 - as in the library
        *PrivateKeyDetector.denylist,
        re.compile(r"BEGIN ENCRYPTED PRIVATE KEY"),
        re.compile(r"PuTTY-User-Key-File-3"),
        re.compile(r"END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{0,5}"),
    ]


TOKENS: tuple[RegexBasedDetector, ...] = (  # by form, the most specific first
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
ENTROPY = Base64HighEntropyString()
OFF = {  # the detectors of the library that are not used, and why
    "HexHighEntropyString": "commit ids and digests are as random as keys",
    "IPPublicDetector": "an address is no secret",
    "KeywordDetector": "assigned.py knows more names, and values without quotes",
    "BasicAuthDetector": "assigned.py knows addresses without a user or a password, too",
    "JwtTokenDetector": "it ends before the signature; the forms above have the whole token",
}

_BEFORE, _STEP, _AFTER = 200, 1_000, 1_300  # characters around and in each piece of a longer line
_LONGEST_COMMENT = 4_000  # characters of a line that may end in a comment


def judged(text: str, places: Sequence[int]) -> list[Span]:
    """Return the secrets near the ``places`` in ``text``, most specific kinds first."""
    views = _views(text, places)
    # All views at once: a call of a detector costs more than a longer text.
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
            span = block(text, first, last)
            found += [(*span, kind)] if span else []
        elif is_of_run(text, first, last):
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
        if not detector.begins[0].isalpha():
            while start and end - start < _LONGEST_TOKEN and _LETTER.match(text, start - 1):
                start -= 1
        if not is_fake(text[start:end]):
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
            and not _OF_CONTENT.search(line, max(0, start - _LONGEST_LABEL), start)
            and not is_fake(value)
            and not heuristic.is_sequential_string(value)
        ):
            yield start, end, str(ENTROPY.secret_type)
