"""Secrets that are known by what stands before them: a name, a header, an option, an address."""

# No `from __future__ import annotations` here: see ``ctx.model.nouns``.

import re
from binascii import Error, a2b_base64
from collections.abc import Iterator
from functools import cache

from ctx.placeholders import is_fake, is_hash, is_mixed, is_named, is_password, is_path, is_prose
from ctx.screen import is_random

Span = tuple[int, int, str]
"""Offsets of a secret, and its kind."""

_FOLDED = bytes(range(256)).lower()
_STEMS = (
    b"token", b"secret", b"pass", b"pw", b"key", b"credential", b"contrase", b"auth", b"bearer",
    b"basic", b"identified by",
)  # fmt: skip
"""How the last word of a name begins to which a secret is assigned."""
_REST_OF_NAME = {
    b"pass": r"(?i)(?:w(?:or)?d|phrase|code)?+",
    b"pw": r"(?i)d?+",
    b"contrase": r"(?i)(?:n|ñ)a",
    b"auth": r"(?i)(?:orization)?+",
}
_OF_KEYS = tuple(
    name + joint
    for name in (
        b"api", b"access", b"auth", b"authentication", b"private", b"priv", b"signing", b"sign",
        b"signature", b"secret", b"encryption", b"encrypt", b"decryption", b"crypto", b"cipher",
        b"master", b"root", b"admin", b"deploy", b"service", b"account", b"client", b"consumer",
        b"app", b"application", b"db", b"database", b"storage", b"server", b"session", b"webhook",
        b"license", b"subscription", b"function", b"shared", b"preshared", b"hmac", b"jwt", b"aes",
        b"rsa", b"ssh", b"pgp", b"gpg", b"tls", b"ssl", b"bearer", b"token", b"security", b"unseal",
        b"recovery", b"integration", b"ingest", b"ingestion", b"write", b"management", b"bot",
        b"fernet", b"wrapping", b"kms", b"sas",
    )
    for joint in (b"", b"_", b"-", b" ", b".")
)  # fmt: skip
"""What a key must be of to be a secret. Keys of caches, tables and the public are none."""
_NO_KEY = re.compile(
    r"(?i)(?:public|publishable|cache|idempotency|primary|foreign|partition|sort|object|row|group"
    r"|index|hash|lookup|rout(?:e|ing)|dedup|map|query|search|shard(?:ing)?|translation|i18n|pub)"
    r"_key\Z"
)
_OF_PASSES = (
    b"db", b"database", b"key", b"smtp", b"ftp", b"mail", b"sql", b"root", b"admin", b"user",
    b"require", b"redis",
)  # fmt: skip
_LENIENT = (b"pass", b"pw", b"secret", b"contrase", b"identified by")
"""Names whose values may be words: people choose them."""
_AFTER = r"""(?xi)
    s?+ (?:[_-]?(?:base|value|prod|production|dev|test|live|staging|old|new|[0-9]{1,2}))?+
    (?!\w|-\w|\.\w)
    (?: (?P<close>\\{0,3}["'`\])}*]{0,4}) (?P<sign>
          [ \t]{0,8} (?: :=|=>|->|[=!]==?|[?|]=|[:=] ) \*{0,2} [ \t]{0,8}
        | [ \t]{0,40} \\?\| [ \t]{0,40}
        | > | \(
        | ["']? ,? \s{0,40} ["']? value \\{0,3} ["']? [ \t]{0,4} [:=] [ \t]{0,4}
        | ,[ ]? (?=\\{0,3}["'])
        | [ \t]{1,4} (?: (?:is|was|are|to|as|of|becomes) [ \t]{1,4} )?+ )
      | (?P<typed> [ \t]{0,4} :? [ \t]{0,4} [a-z][\w.\[\]?]{0,24} [ \t]{0,4} = [ \t]{0,4} ) )
    (?P<quote> \\{0,3} ["'`] )?
    (?P<scheme> (?:bearer|basic|token|apikey|api-key|key)[ ]+ )?
    (?P<value> [^\s"'`<>|\\]{3,512}+ )?"""
"""What follows the last word of a name: how it is assigned, and the value, quoted or not."""
_LONGEST_VALUE = 512
_REST = r"""[^\s"'`<>|\\]*+"""
"""Characters of a value that are judged, and what follows of a longer one."""
_CUT = re.compile(r"[;&,](?=[\w.-]{1,64}=|\Z)|\)[;,.]")
_TAIL = ",;:)]}.|!?>*_"
_LONGEST_QUOTED = 4_000
_LONGEST_NAME = 64
_ADDRESS = r"""([^\s/?\#@:"'`<>\\]{0,256}+)(?::([^\s/?\#"'`<>\\]{0,256}))?@[\w.\[$-]"""
_QUOTED = r"""(["'`])([^"'`\n]{4,200})\1[ \t]{0,4}\Z"""
_TO_NAME = r"""(?i)[!=]==?[ \t]{0,4}[\w.]{0,64}(?:token|secret|passw(?:or)?d|pwd|api_?key)s?\b"""
"""A value in quotes, and the name of a secret that it is compared with."""
_VALUE = r"""\\{0,3}["']?(?P<value>[^\s"'`\\]{3,200})"""
_OF_USER = r"""\\{0,3}["']?[^\s:"'\\]{1,64}:(?P<value>[^\s"'`\\]{3,200})"""
_FETCHES = r"\b(?:curl|wget|https?|xh)\b"
_OPTIONS = {
    b" -u": ((" -u", _FETCHES, "[ =]?" + _OF_USER),),
    b" --user": ((" --user", _FETCHES, "[ =]" + _OF_USER),),
    b" -p": (
        (" -p", r"\b(?:mysql|mariadb|sshpass)", _VALUE),
        (" -p", r"\b(?:sshpass|mongo|(?:docker|podman|registry|oras|az) login\b)", "[ =]" + _VALUE),
        (" -P", r"\b(?:sqlcmd|bcp|zip|unzip)\b", " ?" + _VALUE),
    ),
    b" -a": ((" -a", r"\b(?:redis|valkey)-cli\b", " ?" + _VALUE),),
    b" -w": ((" -w", r"\bldap", " ?" + _VALUE),),
    b" pass:": ((" pass:", r"\bopenssl\b", _VALUE),),
}
"""Options in lower case: how they are written, a command that takes a password with each, and how
it follows."""
_LONGEST_COMMAND = 400


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern; compiled when it is needed, which is seldom."""
    return re.compile(pattern)


def assigned(text: str) -> Iterator[Span]:
    """Yield the secrets in ``text`` that are known by what stands before them, in any order."""
    folded = text.encode("latin-1", "replace").translate(_FOLDED)  # a byte a character
    for stem in _STEMS:
        at = folded.find(stem)
        while at >= 0:
            end = at + len(stem)
            if _ends_name(folded, stem, at):
                for span in _value(text, folded, stem, at):
                    end = max(end, span[1])
                    yield span
            at = folded.find(stem, end)
    yield from _signed_in(text, folded)
    yield from _of_commands(text, folded)
    yield from _compared(text, folded)


def _of_commands(text: str, folded: bytes) -> Iterator[Span]:
    """Yield the passwords that are options of a command."""
    for sign, options in _OPTIONS.items():
        at = folded.find(sign)
        while at >= 0:
            end = at + len(sign)
            line = max(text.rfind("\n", 0, at), at - _LONGEST_COMMAND, 0)
            for option, command, rest in options:
                match = _compiled(rest).match(text, end) if text.startswith(option, at) else None
                if match and _compiled(command).search(text, line, at):
                    yield from _checked(match["value"], match.start("value"), "Password Option")
            at = folded.find(sign, end)


def _compared(text: str, folded: bytes) -> Iterator[Span]:
    """Yield values in quotes that the name of a secret is compared with."""
    at = folded.find(b"= ")
    while at >= 0:
        sign = at - 2 if text[at - 2 : at - 1] in ("=", "!") else at - 1
        if _compiled(_TO_NAME).match(text, sign):
            near = max(0, sign - _LONGEST_COMMAND)
            quoted = _compiled(_QUOTED).search(text, near, sign)
            if quoted:
                yield from _checked(quoted[2], quoted.start(2), "Secret Keyword")
        at = folded.find(b"= ", at + 2)


def _checked(value: str, start: int, kind: str) -> Iterator[Span]:
    if not is_fake(value) and not is_password(value) and not is_prose(value):
        yield start, start + len(value), kind


def _ends_name(folded: bytes, stem: bytes, at: int) -> bool:
    """Whether what stands before ``stem`` makes it a secret's: a key of some kinds alone."""
    before = folded[at - 1 : at]
    if stem == b"key":
        return folded.endswith(_OF_KEYS, 0, at) or before == b"_"
    if stem == b"pass":
        whole = folded.startswith((b"w", b"phrase", b"code"), at + len(stem))
        return whole or not before.isalpha() or folded.endswith(_OF_PASSES, 0, at)
    if stem == b"auth":
        return before == b"_" or folded.startswith(b"orization", at + len(stem))
    if stem == b"pw":
        return folded.startswith(b"d", at + len(stem)) or not before.isalpha()
    return stem not in (b"bearer", b"basic", b"identified by") or not before.isalpha()


def _value(text: str, folded: bytes, stem: bytes, at: int) -> Iterator[Span]:
    """Yield what is assigned to the name whose last word begins ``at``."""
    end = at + len(stem)
    if stem in _REST_OF_NAME:
        rest = _compiled(_REST_OF_NAME[stem]).match(text, end)
        end = rest.end() if rest else end
    match = _compiled(_AFTER).match(text, end)
    if match is None or (match["quote"] is None and match["value"] is None):
        return
    name = text[max(0, at - _LONGEST_NAME) : end]
    start, value = _said(text, match)
    kind = "Authorization Header" if stem in _HEADERS or match["scheme"] else "Secret Keyword"
    if kind == "Authorization Header":
        found = _is_credential(value, stem, match)
    elif stem == b"key" and not folded.endswith(_OF_KEYS, 0, at):
        found = _is_odd_key(name, value, match)
    else:
        found = _is_value(name, value, stem, match)
    if found and not is_fake(value):
        end = start + len(value)
        if len(value) >= _LONGEST_VALUE:
            rest = _compiled(_REST).match(text, end)
            end = rest.end() if rest else end
        yield start, end, kind


_HEADERS = (b"auth", b"bearer", b"basic")


def _said(text: str, match: re.Match[str]) -> tuple[int, str]:
    """Return where the value begins, and the value: up to its quote, or one word."""
    quote = match["quote"]
    start = match.start("value") if match["value"] else match.end()
    if quote:
        line = text.find("\n", start, start + _LONGEST_QUOTED)
        end = text.find(quote[-1], start, line if line >= 0 else start + _LONGEST_QUOTED)
        if end >= 0:
            return start, text[start:end].rstrip("\\")
    value = match["value"] or ""
    cut = _CUT.search(value)
    value = value[: cut.start()] if cut else value
    return start, value.rstrip(_TAIL)


def _is_credential(value: str, stem: bytes, match: re.Match[str]) -> bool:
    """Whether ``value`` is what a header of HTTP signs in with."""
    scheme = (match["scheme"] or "").strip().lower()
    if stem == b"basic" or scheme == "basic":
        return _is_basic(value)
    if stem == b"bearer" and "sign" in match.groupdict() and not (match["sign"] or "x").isspace():
        return is_mixed(value) and not is_named(value)
    return (
        len(value) >= _LEAST_CREDENTIAL
        and " " not in value
        and is_mixed(value)
        and (not is_named(value))
    )


_LEAST_CREDENTIAL = 16


def _is_basic(value: str) -> bool:
    """Whether ``value`` is a name and a password in base64."""
    try:
        name, colon, password = a2b_base64(value + "==").decode("latin-1").partition(":")
    except (Error, ValueError):
        return False
    printable = f"{name}{password}".isprintable()
    return bool(colon and printable and not is_fake(password) and not is_prose(password))


def _is_odd_key(name: str, value: str, match: re.Match[str]) -> bool:
    """Whether a key of an environment that says not of what it is may be a secret."""
    last = re.search(r"\w*\Z", name)
    return bool(
        last
        and last[0].isupper()
        and not _NO_KEY.search(last[0])
        and (match["sign"] or "").strip() in ("=", ":")
        and is_random(value)
    )


_BLOCK = "-----"
"""What a private key begins with, whose lines are looked at together."""


def _is_value(name: str, value: str, stem: bytes, match: re.Match[str]) -> bool:
    """Whether ``value`` has enough entropy for how it is assigned to ``name``."""
    sign = match["sign"] or match["typed"] or ""
    lenient = stem in _LENIENT
    if is_password(value) or value.startswith(_BLOCK):
        return False
    if sign.isspace() or sign.strip().isalpha():  # in prose, or an option of a command
        loose = sign.isspace() and not match["quote"]
        return is_mixed(value) and not is_named(value) and not (loose and is_hash(value))
    if match["quote"] and sign.strip() not in ("(", ","):
        if lenient:
            return (":" not in sign or not is_prose(value)) and not is_path(value)
        return is_mixed(value) and not is_prose(value) and not is_named(value)
    if sign == "=" and name[-1].isupper() and not is_path(value):
        return lenient or stem == b"key" or is_mixed(value) or len(value) >= _LEAST_CREDENTIAL
    return (is_mixed(value) or is_random(value)) and not is_named(value) and "(" not in value


def _signed_in(text: str, folded: bytes) -> Iterator[Span]:
    """Yield the passwords of addresses, and names in them that are as random as a token."""
    at = folded.find(b"://")
    while at >= 0:
        match = _compiled(_ADDRESS).match(text, at + 3)
        if match is not None:
            user, password = match[1], match[2] or ""
            if len(password) >= _LEAST_PASSWORD and password != user:
                yield from _checked(password, match.start(2), "Basic Auth Credentials")
            if len(user) >= _LEAST_CREDENTIAL and is_mixed(user) and not is_named(user):
                yield from _checked(user, match.start(1), "Basic Auth Credentials")
        at = folded.find(b"://", at + 3)


_LEAST_PASSWORD = 3
