"""Values that are no secrets: placeholders, names, paths, prose and hashes."""

import re
from itertools import pairwise

from ctx.text.english import words_of
from ctx.text.regex import regex
from ctx.text.secrets.prefilter import is_word

# Patterns that few texts need are compiled by their first use.
_TEMPLATE = r"\.{3}|…|\*{3}|•|\{\{|\$\{|\$\(|[<>]|%(?:[A-Z_]{2,64}|[a-z_]{3,64})%|EXAMPLE|[xX]{8}"
_FAKE = (
    r"(?i)x{4,}+|0{12,}+|example|placeholder|change[-_ ]?(?:me|it|this)|your|dummy|redacted"
    r"|held back|sample|replace|insert|some[-_]|my[-_]|fake|1234567|abc123"
    r"|550e8400-e29b[-0-9a-f]{0,24}|abcdef(?![0-9])|(.)\1{5,}"
)
"""What a value is made of that is no secret: marks of templates, and words of examples."""
_LEAST_RANDOM, _LEAST_CHANGES = 8, 4  # characters of no word beside such words, changes of case
_OF_FOLDERS = regex(r"\A(?:arn:|/)|(?:\A|/)[a-z][a-z0-9-]{2,40}/")
_CHANGE = regex(r"[a-z](?=[A-Z0-9])|[0-9](?=[A-Za-z])|[A-Z](?=[0-9])")
_NAME = regex(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_VERSION = regex(r"[\^~<>=v]{0,2}[0-9]{1,6}\.[0-9x]{1,6}(?:[.+-]|\Z)")
OTHER_SCRIPTS = {"р": "ароль", "码": "密码", "ワ": "パスワード", "번": "비밀번호"}
"""Words for passwords in other scripts, without a first letter, by a letter found fast."""
_DESCRIBED = (  # names of passwords in tests and examples: ``mysecretpassword``
    r"(?i)[a-z_-]{0,40}(?:pass(?:word|wd|wort|ord)?|pwd|secret|key|token|credential|kennwort"
    r"|wachtwoord|senha|hasło|contrase[nñ]a|passe)s?[0-9]{0,3}"
)
_WORDS = words_of("no passwords")  # words that are no passwords
_ALGORITHM = (
    r"(?i)(?:sha|md|aes|hs|es|rs|ps|rsa|argon|pbkdf|base|ed|ecdsa|x|utf|oauth|bcrypt|cl|o|p)[-_]?"
    r"[0-9]{1,4}[a-z]{0,8}(?:[-_](?:[a-z]{2,8}|[0-9]{1,4})){0,3}"
)
_NUMBER = regex(r"0x[0-9a-fA-F]{1,16}")
_PIECES = regex(r"[-_./:~@#]+")
_PIECES_OF_TOKEN = regex(r"[A-Za-z0-9]+")
_PIECE = regex(r"[A-Za-z]{0,24}[0-9]{0,8}")
_PROSE = r"[^\W\d_]+(?:[ ,;:'’–-]+[^\W\d_]+)+[.!?]?"
_SHORT = regex(r"[A-Z]{1,2}(?![a-z])|[A-Z][a-z](?![a-z])|(?<![A-Za-z])[a-z]{1,2}(?![a-z])")
_RARE = regex(  # pairs of letters that words hardly have
    r"(?i)(?=a[ehjoqz]|b[dfghkmnqtvwxz]|c[bfgjnqvwxz]|d[hjkqvwxyz]|e[jz]|f[bcdghjkmnpqvwxyz]"
    r"|g[bcdfjkmpqvwxyz]|h[bcdfghjklmnpqvwxz]|i[hijquwy]|j[a-z]|k[bcdfghjkmnopqrtuvwxyz]"
    r"|l[ghjkqwxz]|m[cfghjkqrtvwxyz]|n[hjqwxz]|o[ehjqyz]|p[bfgjkmnqvwxz]|q[a-tv-z]|r[hjqwxz]"
    r"|s[bgjvxz]|t[jkqxz]|u[hjkquvwxyz]|v[b-df-hj-np-rt-z]|w[bcdfgjklmpqtuvwxyz]"
    r"|x[abdfghjklmnoqrsuvwyz]|y[abdfghjkoqruvwxyz]|z[b-df-np-z])"
)
_GREEK = "\u0370"
_HASH = regex(r"[0-9a-fA-F-]+")
_LEAST, _LEAST_PASSWORD = 8, 4


def is_fake(value: str, *, of_form: bool = False) -> bool:
    """Whether a value, or a token ``of_form``, is a placeholder, or names where the secret is."""
    return bool(
        not value
        or re.search(_TEMPLATE, value)
        or (re.search(_FAKE, value) and not _is_random_beside(value, of_form=of_form))
        or _NAME.fullmatch(value)
        or value.lower() in _WORDS
        or value[0] in "$%{[("
    )


def _is_random_beside(value: str, *, of_form: bool) -> bool:
    """Whether a value with words of examples in it has as much beside them as a token has."""
    if " " in value or (not of_form and _OF_FOLDERS.search(value)):
        return False  # prose and paths, whose parts are named
    rest = re.sub(_FAKE, lambda found: "" if found[0].isalpha() else " ", value)
    pieces = _PIECES_OF_TOKEN.findall(rest)
    odd = sum(len(piece) for piece in pieces if not is_word(piece) or is_scrambled(piece))
    whole = "".join(pieces)
    steps = sum(ord(two) - ord(one) in (0, 1) for one, two in pairwise(whole.lower()))
    if steps * 2 >= len(whole):
        return False  # ``def456ghi789``
    odd, changes = odd - steps + of_form, len(_CHANGE.findall(whole)) + of_form
    return odd >= _LEAST_RANDOM or changes >= _LEAST_CHANGES


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


def is_scrambled(value: str) -> bool:
    """Whether ``value`` is letters of both cases that make no words: 8 of them at least."""
    if not (value.isascii() and value.isalpha()) or len(value) < _LEAST or value[1:].islower():
        return False
    odd = len(_SHORT.findall(value)) + len(_RARE.findall(value))
    return not value.isupper() and odd * 3 >= len(value) - 1


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
