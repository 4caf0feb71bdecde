"""Secrets of every kind that is detected, made up here: none of them opens anything."""

import base64
import json
from hashlib import blake2b
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple

ALNUM = ascii_letters + digits
HEX = "0123456789abcdef"


class Planted(NamedTuple):
    """A secret as people write it down."""

    detector: str
    line: str
    """What is written; may go over many lines."""
    secret: str
    """The part of it that nobody else may see: one word of it, of a key its first line."""


def noise(length: int, alphabet: str, seed: str) -> str:
    """Return ``length`` characters as random as those of a key, the same for the same ``seed``."""
    drawn = b"".join(
        blake2b(f"{seed}/{block}".encode()).digest() for block in range(length // 64 + 1)
    )
    made = "".join(alphabet[byte % len(alphabet)] for byte in drawn[:length])
    if set(digits) <= set(alphabet) and not any(char.isdigit() for char in made):
        return f"7{made[1:]}"
    return made


def _part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def jwt(seed: str) -> str:
    head = _part({"alg": "HS256", "typ": "JWT"})
    return f"{head}.{_part({'sub': seed, 'iat': 1516239022})}.{noise(43, ALNUM, seed)}"


def key_block(kind: str, seed: str) -> str:
    body = "\n".join(noise(64, ALNUM + "+/", f"{seed}{row}") for row in range(4))
    return f"-----BEGIN {kind} KEY-----\n{body}\n-----END {kind} KEY-----"


class Drawn:
    """Draws parts of secrets, each another one."""

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self._drawn = 0

    def __call__(self, length: int, alphabet: str = ALNUM) -> str:
        self._drawn += 1
        return noise(length, alphabet, f"{self.seed} {self._drawn}")


def _tokens(draw: Drawn) -> dict[str, list[str]]:
    """Return tokens by detector that are known by their own form."""
    tag, team = f"{ALNUM}_", draw(8, ascii_uppercase)
    return {
        "AWSKeyDetector": [
            f"{head}{draw(16, ascii_uppercase + digits)}"
            for head in ("AKIA", "ASIA", "ABIA", "ACCA", "A3TX")
        ],
        "ArtifactoryDetector": [f"AKC{draw(20)}", f"APB{draw(18)}"],
        "DiscordBotTokenDetector": [f"M{draw(23)}.{draw(6)}.{draw(27)}"],
        "GitHubTokenDetector": [f"gh{kind}_{draw(36)}" for kind in ("p", "o", "u", "s", "r")],
        "GitLabTokenDetector": [
            *(f"{head}-{draw(20, tag)}" for head in ("gldt", "glft", "glsoat")),
            f"glrt-{draw(20, tag)}", f"GR1348941{draw(20)}", f"glcbt-{draw(2, HEX)}_{draw(20)}",
            f"glimt-{draw(25)}", f"glptt-{draw(40, HEX)}", f"glagent-{draw(50)}",
            f"gloas-{draw(64, HEX)}",
        ],
        "JwtTokenDetector": [jwt(draw.seed)],
        "MailchimpDetector": [f"{draw(32, HEX)}-us12"],
        "OpenAIDetector": [f"sk-{draw(20)}T3BlbkFJ{draw(20)}"],
        "PypiTokenDetector": [
            f"pypi-AgEIcHlwaS5vcmc{draw(80)}",
            f"pypi-AgENdGVzdC5weXBpLm9yZw{draw(80)}",
        ],
        "SendGridDetector": [f"SG.{draw(22)}.{draw(43)}"],
        "SlackDetector": [
            f"xoxb-{draw(12, digits)}-{draw(24)}",
            f"https://hooks.slack.com/services/T{team}/B{team}/{draw(24)}",
        ],
        "SquareOAuthDetector": [f"sq0csp-{draw(43)}"],
        "StripeDetector": [f"{head}k_live_{draw(24)}" for head in ("s", "r")],
        "TelegramBotTokenDetector": [f"{draw(10, digits)}:{draw(35)}"],
        "TwilioKeyDetector": [f"AC{draw(32, HEX)}", f"SK{draw(32, HEX)}"],
        "PublishedPrefixDetector": [
            f"sk-ant-api03-{draw(93)}AA",
            f"sk-proj-{draw(120)}",
            f"sk-or-v1-{draw(64, HEX)}",
            f"AIza{draw(35, tag)}",
            f"hf_{draw(34)}",
            f"xai-{draw(80)}",
            f"gsk_{draw(52)}",
            f"github_pat_{draw(22)}_{draw(59)}",
            f"glpat-{draw(20, tag)}",
            f"glpat-{draw(64)}.01.{draw(9)}",
            f"npm_{draw(36)}",
        ],
    }  # fmt: skip


def _lines(draw: Drawn) -> dict[str, list[tuple[str, str]]]:
    """Return lines by detector, with the secret in each, that are known by what stands around."""
    aws = draw(40, f"{ALNUM}/+")
    azure = f"{draw(86)}=="
    word = draw(12)
    basic = draw(10)
    ibm, cos = draw(44, f"{ALNUM}_-"), draw(48, HEX)
    layer, lower = draw(64, HEX), draw(24, ascii_lowercase)
    npm = f"npm_{draw(36)}"
    drawn = draw(44)
    return {
        "AWSKeyDetector": [(f'aws_secret_access_key = "{aws}"', aws)],
        "AzureStorageKeyDetector": [(f"AccountName=x;AccountKey={azure};Suffix=y", azure)],
        "BasicAuthDetector": [(f"postgres://ann:{basic}@db.internal:5432/shop", basic)],
        "CloudantDetector": [
            (f"cloudant_password = {layer}", layer),
            (f"https://ann:{lower}@ann.cloudant.com", lower),
        ],
        "IbmCloudIamDetector": [(f"ibm_cloud_iam_api_key: {ibm}", ibm)],
        "IbmCosHmacDetector": [(f'cos_hmac_secret_access_key = "{cos}"', cos)],
        "SoftlayerDetector": [
            (f"softlayer_api_key = {layer}", layer),
            (f"https://api.softlayer.com/soap/v3/{layer}", layer),
        ],
        "NpmDetector": [(f"//registry.npmjs.org/:_authToken={npm}", npm)],
        "KeywordDetector": [
            (f'password = "{word}"', word), (f"passwd: '{word}'", word),
            (f"api_key: {word}1a", f"{word}1a"), (f"DB_PASSWORD={word}", word),
            (f"  client_secret => `{word}`", word), (f'"auth_key": "{word}"', word),
            (f'if "{word}" == my_password:', word), (f'private_key "{word}";', word),
            (f'connect(user="ann", password="{word}")', word),
        ],
        "Base64HighEntropyString": [(f"It was `{drawn}` then.", drawn), (f'x("{drawn}")', drawn)],
        "KeyBlockDetector": [
            (block, block.split("\n")[2])
            for kind in ("RSA PRIVATE", "PRIVATE", "ENCRYPTED PRIVATE", "OPENSSH PRIVATE")
            for block in [key_block(kind, draw.seed)]
        ],
    }  # fmt: skip


def planted(seed: str) -> list[Planted]:
    """Return secrets of every kind, other ones for each ``seed``."""
    draw = Drawn(seed)
    tokens = [
        Planted(detector, f"The token is {token} now.", token)
        for detector, tokens in _tokens(draw).items()
        for token in tokens
    ]
    lines = [
        Planted(detector, line, secret)
        for detector, lines in _lines(draw).items()
        for line, secret in lines
    ]
    return tokens + lines


def one_of_each(seed: str) -> list[Planted]:
    """Return one secret a detector, each in one line."""
    found = {one.detector: one for one in planted(seed) if "\n" not in one.line}
    return list(found.values())
