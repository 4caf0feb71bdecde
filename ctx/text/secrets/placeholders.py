"""Values that are no secrets: placeholders, names, paths, prose and hashes."""

import re

from ctx.text.regex import regex

# Patterns that few texts need are compiled by their first use.
_FAKE = (
    r"(?i)x{4}|\.{3}|…|\*{3}|0{12}|•|example|placeholder|change[-_ ]?(?:me|it|this)|your|dummy"
    r"|redacted|held back|sample|replace|insert|some[-_]|my[-_]|fake|\{\{|\$\{|\$\(|[<>]"
    r"|%(?![0-9a-f]{2})\w{1,64}%|1234567|abc123|550e8400-e29b"
    r"|abcdef[^0-9]|(.)\1{5}"
)
_NAME = regex(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_VERSION = regex(r"[\^~<>=v]{0,2}[0-9]{1,6}\.[0-9x]{1,6}(?:[.+-]|\Z)")
OTHER_SCRIPTS = {"р": "ароль", "码": "密码", "ワ": "パスワード", "번": "비밀번호"}
"""Words for passwords in other scripts, without a first letter, by a letter found fast."""
_DESCRIBED = (  # names of passwords in tests and examples: ``mysecretpassword``
    r"(?i)[a-z_-]{0,40}(?:pass(?:word|wd|wort|ord)?|pwd|secret|key|token|credential|kennwort"
    r"|wachtwoord|senha|hasło|contrase[nñ]a|passe)s?[0-9]{0,3}"
)
_WORDS = frozenset({  # words that are no passwords
    "a", "admin", "an", "any", "blank", "empty", "env", "environ", "false", "hash", "hidden",
    "integer", "key", "masked", "missing", "nil", "no", "none", "null", "number", "object",
    "optional", "pass", "password", "passwd", "pwd", "required", "root", "secret", "string", "str",
    "strong", "test", "text", "the", "this", "token", "true", "undefined", "unset", "user",
    "username", "value", "weak", "yes",
})  # fmt: skip
_ALGORITHM = (
    r"(?i)(?:sha|md|aes|hs|es|rs|ps|rsa|argon|pbkdf|base|ed|ecdsa|x|utf|oauth|bcrypt|cl|o|p)[-_]?"
    r"[0-9]{1,4}[a-z]{0,8}(?:[-_](?:[a-z]{2,8}|[0-9]{1,4})){0,3}"
)
_NUMBER = regex(r"0x[0-9a-fA-F]{1,16}")
_PIECES = regex(r"[-_./:~@#]+")
_PIECE = regex(r"[A-Za-z]{0,24}[0-9]{0,8}")
_PROSE = r"[^\W\d_]+(?:[ ,;:'’–-]+[^\W\d_]+)+[.!?]?"
_GREEK = "\u0370"
_HASH = regex(r"[0-9a-fA-F-]+")
_LEAST, _LEAST_PASSWORD = 8, 4


def is_fake(value: str) -> bool:
    """Whether a value is a placeholder, or names where the secret is."""
    return bool(
        not value
        or re.search(_FAKE, value)
        or _NAME.fullmatch(value)
        or value.lower() in _WORDS
        or value[0] in "$%{[("
    )


def is_no_password(value: str) -> bool:
    """Whether ``value`` is a word for a password, or too short or plain for one."""
    return (
        len(value) < _LEAST_PASSWORD
        or _VERSION.match(value) is not None
        or re.fullmatch(_DESCRIBED, value) is not None
        or not any(char.isalnum() for char in value)
    )


def is_mixed(value: str) -> bool:
    """Whether ``value`` has the entropy of letters and digits together: 8 of them at least."""
    return (
        len(value) >= _LEAST
        and any(char.isdigit() for char in value)
        and any(char.isalpha() for char in value)
        and re.fullmatch(_ALGORITHM, value) is None
        and _NUMBER.fullmatch(value) is None
    )


def is_named(value: str) -> bool:
    """Whether ``value`` is a name of words and numbers, in parts: ``settings.password2``."""
    pieces = _PIECES.split(value)
    return len(pieces) > 1 and all(_PIECE.fullmatch(piece) for piece in pieces)


def is_path(value: str) -> bool:
    """Whether ``value`` is a path or an address of words and numbers: ``internal/config2``."""
    return "/" in value and is_named(value)


def is_prose(value: str) -> bool:
    """Whether ``value`` is only words, or in a script in which people write no passwords."""
    return re.fullmatch(_PROSE, value) is not None or (
        any(char >= _GREEK and char.isalpha() for char in value)
        and not any(char.isdigit() for char in value)
    )


def is_hash(value: str) -> bool:
    """Whether ``value`` is a digest or UUID, which is only a secret beside a name."""
    return _HASH.fullmatch(value) is not None
