"""Secrets that are known by the text before them: a name, a header, an option, an address."""

import re
from binascii import Error, a2b_base64
from collections.abc import Callable, Iterator
from functools import cache, partial

from ctx.text.english import words_of
from ctx.text.regex import regex
from ctx.text.secrets.placeholders import (
    OTHER_SCRIPTS,
    is_fake,
    is_hash,
    is_mixed,
    is_named,
    is_no_password,
    is_path,
    is_prose,
    is_scrambled,
)
from ctx.text.secrets.prefilter import every, flat, is_random, is_word

Span = tuple[int, int, str]  # offsets of a secret, and its kind

_FOLDED = bytes(range(256)).lower()
_STEMS = (  # beginnings of the last word of a name to which a secret is assigned
    b"token", b"secret", b"pass", b"pw", b"key", b"credential", b"contrase", b"auth", b"bearer",
    b"basic", b"identified by", b"psk", b"kennwort", b"wachtwoord", b"senha", b"has?o",
)  # fmt: skip
_REST_OF_NAME = {
    b"pass": regex(r"(?i)(?:(?<=mot de pass)e|(?>(?:w(?:or)?[dt]|phrase|code)?))"),
    b"pw": regex(r"(?i)d?+"),
    b"contrase": regex(r"(?i)(?:n|ñ)a"),
    b"auth": regex(r"(?i)(?>(?:orization)?)"),
}
_OF_KEYS = tuple(  # words before "key" that make it a secret; caches and tables have other keys
    f"{name}{joint}".encode() for name in words_of("secret keys") for joint in ("", *"_- .")
)
_NO_KEY = regex(
    r"(?i)(?:public|publishable|cache|idempotency|primary|foreign|partition|sort|object|row|group"
    r"|index|hash|lookup|rout(?:e|ing)|dedup|map|query|search|shard(?:ing)?|translation|i18n|pub"
    r"|sheet|spreadsheet|document|doc|file|folder|drive|script|form|calendar|project)"
    r"_key\Z"
)
_OF_PASSES = (
    b"db", b"database", b"key", b"smtp", b"ftp", b"mail", b"sql", b"root", b"admin", b"user",
    b"require", b"redis",
)  # fmt: skip
_CHOSEN = (
    b"pass", b"pw", b"contrase", b"psk", b"kennwort", b"wachtwoord", b"senha", b"has?o",
    *map(str.encode, OTHER_SCRIPTS.values()),
)  # fmt: skip
_LENIENT = (*_CHOSEN, b"secret", b"identified by")  # names whose values people choose: words, too
_AFTER = regex(
    r"""(?xi)
    s?+ (?> (?: [_-]?
      (?:base(?:64)?|data|value|prod|production|dev|test|live|staging|old|new|[0-9]{1,2}) )? )
    (?!\w|-\w|\.\w)
    (?: (?P<close>\\{0,3}["'`\])}*]{0,4}) (?P<sign>
          BLANK{0,8} : (?: BLANK{1,4} [!&][\w!/.:-]{0,40} ){0,3}
            (?: BLANK{1,4} [|>][-+1-9]{0,2} )? (?: BLANK{1,4} \#[^\r\n]{0,200} | BLANK{0,8} )
            (?: \r?\n | \\n ) (?P<deeper> [ \t>]{1,40} )
            (?= ["'`]? [^\s\\"'`]{4,600} (?: ["'`] | ,?[ \t]{0,40} (?:[\r\n]|\Z|\\n) ) )
        | BLANK{0,8} : (?: BLANK{1,4} [!&][\w!/.:-]{0,40} ){1,3} BLANK{1,4}
        | BLANK{0,8} (?: :=|=>|->|[=!]==?|[?|]=|[:=：＝]|%3[ad] ) \*{0,2} BLANK{0,8}
        | BLANK{1,4} [-–—] BLANK{1,4}
        | [ \t]{0,40} \\?\| [ \t]{0,40}
        | > | \(
        | ["']? ,? \s{0,40} ["']? value \\{0,3} ["']? [ \t]{0,4} [:=] [ \t]{0,4}
        | ,[ ]? (?=\\{0,3}["'])
        | [ \t]{1,4} (?> (?: (?:is|was|are|to|as|of|becomes) [ \t]{1,4} )? ) )
      | (?P<typed> [ \t]{0,4} :? [ \t]{0,4} [a-z][\w.\[\]?]{0,24} [ \t]{0,4} = [ \t]{0,4} ) )
    (?P<quote> \\{0,3} ["'`] )?
    (?P<scheme> (?:bearer|basic|token|apikey|api-key|key)[ ]+ )?
    (?P<value> [^\s"'`<>|\\]{3,512}+ )?""".replace("BLANK", r"[^\S\r\n]")
)
"""What follows the last word of a name: the sign of the assignment, and the value, quoted or not.
In YAML the value may be on the next line, deeper than the name, and after a tag."""
_HEAD = regex(r"""(?i)s?+[ \t*_"'`]{0,40}(?:\||\r?\n|\\n)""")  # behind a name that heads a column
_RULE, _MARKS = " \t>|:+-\r", " \t\r*_`\"'\\"
_MOST_COLUMNS = 32
_LONGEST_VALUE = 512
_REST = regex(r"""[^\s"'`<>|\\]*+""")  # characters that are judged, then the rest of a longer value
_CUT = regex(r"[;&,](?=[\w.-]{1,64}=|\Z)|\)[;,.]|%26|%2[27]\Z")
_TAIL = ",;:)]}.|!?>*_。，；、）」"
_LONGEST_QUOTED = 4_000
_LONGEST_NAME = 64
_ADDRESS = regex(r"""([^\s/?\#@:"'`<>\\]{0,256}+)(?::([^\s/?\#"'`<>\\]{0,256}))?@[\w.\[$-]""")
_QUOTED = regex(r"""(["'`])([^"'`\n]{4,200})\1[ \t]{0,4}\Z""")
_TO_NAME = regex(
    r"""(?i)[!=]==?[ \t]{0,4}[\w.]{0,64}(?:token|secret|passw(?:or)?d|pwd|api_?key)s?\b"""
)
"""A value in quotes, and the name of a secret that it is compared with."""
_VALUE = r"""\\{0,3}["']?(?P<value>[^\s"'`\\]{3,200})"""
_OF_USER = r"""\\{0,3}["']?[^\s:"'\\]{1,64}:(?P<value>[^\s"'`\\]{3,200})"""
_FETCHES = r"\b(?:curl|wget|https?|xh)\b"
_COOKIES = regex(r"""(?i)s?\\{0,3}["']?[ \t]{0,4}[:= ][ \t]{0,4}\\{0,3}["']?""")
_COOKIE = regex(r"""(?P<name>[\w.%!$-]{1,64})=(?P<value>[^\s;,"'`\\]{0,4000}+)(?:;[ \t]{0,4})?""")
_COUNTED = regex(r"\b[0-9]+\b")
_SESSION = regex(r"(?i)sess|sid|auth|token|jwt|login|remember")  # the text before, and names
_FIELDS = regex(
    r""":[0-9]+:[\w.*-]{1,64}:[\w.*@-]{1,64}:(?P<value>[^\s:"'`\\]{3,200})(?=["'`\s\\]|\Z)"""
)
"""Port, database, user and password."""
_PIPED = r"""(?:echo|printf)(?:[ ]-\w{1,4}){0,3}[ ](?:["']%s(?:\\{1,2}n)?["'][ ])?\\{0,3}["']?"""
_PIPED += r"""(?P<value>[^\s"'`\\|]{3,200})[^\s|]{0,4}[ ]?\|[^\n|]{0,200}\Z"""
_HERE = r"[ ]{0,4}<<<[ ]{0,4}" + _VALUE  # a password before a command's option, and after it
_OPTIONS = {  # by first letter: how they are written, of which commands, and what follows
    b"u": (("u", _FETCHES, "[ =]?" + _OF_USER),),
    b"-": (
        ("-user", _FETCHES, "[ =]" + _OF_USER),
        ("-password-stdin", r"\blogin\b", _PIPED),
        ("-password-stdin", r"\blogin\b", _HERE),
    ),
    b"s": (("S", r"\bsudo\b", _PIPED), ("S", r"\bsudo\b", _HERE)),
    b"p": (
        ("p", r"\b(?:mysql|mariadb|sshpass)", _VALUE),
        ("p", r"\b(?:sshpass|mongo|(?:docker|podman|registry|oras|az) login\b)", "[ =]" + _VALUE),
        ("pass", r"\bopenssl\b", r"(?:in|out)?[ ]pass:" + _VALUE),
        ("P", r"\b(?:sqlcmd|bcp|zip|unzip)\b", " ?" + _VALUE),
    ),
    b"a": (("a", r"\b(?:redis|valkey)-cli\b", " ?" + _VALUE),),
    b"w": (("w", r"\bldap", " ?" + _VALUE),),
}
_LONGEST_COMMAND = 400
_HEADERS = (b"auth", b"bearer", b"basic")
_LEAST_CREDENTIAL = 16
_LEAST_LOGIN = 12
_BLOCK = "-----"  # the beginning of a private key, whose lines are found together
_SCHEME = regex(r"""[A-Za-z][\w-]{1,24}[ ]{1,4}(?P<value>[^\s"'`<>|\\]{16,512}+)""")
_NETRC = regex(
    r"(?:machine\s{1,40}\S{1,100}|default)(?:\s{1,40}(?:login|account)\s{1,40}\S{1,100}){0,2}"
    r"\s{1,40}passw(?:or)?d\Z"
)
_LONGEST_ADDRESS = 400
_PLACE = regex(r"""([^\s/?#"'`<>|\\]{1,256}+)([^\s"'`<>|\\]{0,1000}+)""")
_OF_MCP = regex(r"(?i)(?<![a-z0-9])(?:mcp|sse)(?![a-z0-9])")
_PARTS = regex(r"(?P<before>[^/?&=,;]{0,64})(?P<sign>[/?&=])(?P<value>[^/?&=,;\s#]{20,}+)")
_OF_VERSION = regex(r"blob|tree|raw|commits?|blame")
_OF_TOKEN = regex(r"(?i)key|token|secret|auth|sig|code|\Ak\Z")
_SCHEMES = (b"http", b"https", b"ws", b"wss", b"sse")
_HEX = regex(r"[0-9a-f]{32,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
"""Parts of the address of an MCP server, which may hold a token, and what is before other ids."""
_CODE = regex(r"[(\[\]]")
_BREAKS = (b"\\n", b"\\r", b"\\t")  # in JSON
_DASHES = ("-", "–", "—")
_LEAST_PASSWORD = 3


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def assigned(text: str, raw: bytes) -> Iterator[Span]:
    """Yield the secrets known by the text before them, in any order; ``raw`` is ``flat(text)``."""
    folded = raw.translate(_FOLDED)
    for stem in _STEMS:
        yield from _named(text, folded, stem, len(stem), partial(folded.find, stem))
    if not text.isascii():
        for letter, word in OTHER_SCRIPTS.items():
            if letter in text:
                find = partial(text.find, word)
                yield from _named(text, folded, word.encode(), len(word), find)
    for known in (_signed_in, _of_commands, _compared, _cookies, _in_fields):
        yield from known(text, folded)


def _named(
    text: str, folded: bytes, stem: bytes, length: int, find: Callable[[int], int]
) -> Iterator[Span]:
    """Yield secrets of names whose last word begins with ``stem``: assigned, or in a column."""
    at = find(0)
    has_columns = at >= 0 and b"|" in folded
    while at >= 0:
        end = at + length
        if _ends_name(folded, stem, at):
            if stem in _REST_OF_NAME:
                rest = _REST_OF_NAME[stem].match(text, end)
                end = rest.end() if rest else end
            if has_columns:
                yield from _below(text, stem, at, end)
            for span in _value(text, folded, stem, at, end):
                end = max(end, span[1])
                yield span
        at = find(end)


def _below(text: str, stem: bytes, at: int, end: int) -> Iterator[Span]:
    """Yield the secrets in the column of a table whose head ends in the name."""
    if not _HEAD.match(text, end):
        return
    below = text.find("\n", end, end + _LONGEST_COMMAND)
    line = "\n" if below >= 0 and "\\n" not in text[end:below] else "\\n"  # in JSON
    below = text.find(line, end, end + _LONGEST_COMMAND) + len(line)
    rule = text.find(line, below, below + _LONGEST_COMMAND)
    dashes = below > end and rule > below and "-" in text[below:rule]
    if not dashes or text[below:rule].strip(_RULE):
        return
    near = max(0, at - _LONGEST_COMMAND)
    first = max(text.rfind(line, near, at) + len(line), near)
    cell = max(text.rfind("|", first, at) + 1, first)
    column = text.count("|", first, at)
    if column > _MOST_COLUMNS or "|" not in text[first:below]:
        return
    name = f"{text[cell:end]}: "
    while rule >= 0:
        first = rule + len(line)
        rule = text.find(line, first)
        row = text[first : rule if rule >= 0 else len(text)]
        cells = row.split("|", column + 1)
        if len(cells) <= column or len(cells) == 1 or not row.strip(_RULE):
            return
        value = cells[column].strip(_MARKS)
        value = value if line == "\n" else value.partition('"')[0].strip(_MARKS)
        if value and len(value.split()) == 1 and not _is_words(value, stem):
            start = row.index(value, sum(map(len, cells[:column])) + column)
            cell_text = f"{name}{value}"
            folded, moved = flat(cell_text).translate(_FOLDED), first + start - len(name)
            for begins, ends, kind in _value(cell_text, folded, stem, at - cell, end - cell):
                yield moved + begins, moved + ends, kind


def _is_words(value: str, stem: bytes) -> bool:
    """Whether ``value`` looks like a name in code, as chosen passwords may, but tokens do not."""
    return stem not in _CHOSEN and is_word(value)


def _cookies(text: str, folded: bytes) -> Iterator[Span]:
    """Yield the values of cookies of a session, and others that are as random as a token."""
    at = folded.find(b"cookie")
    while at >= 0:
        end = at + len(b"cookie")
        match = _COOKIES.match(text, end)
        while match:
            end = match.end()
            match = _COOKIE.match(text, end) if end - at < _LONGEST_QUOTED else None
            if match and _is_session(match["name"], match["value"]):
                yield *match.span("value"), "Session Cookie"
        at = folded.find(b"cookie", end)


def _is_session(name: str, value: str) -> bool:
    if len(value) < _LEAST_CREDENTIAL or is_named(value) or is_fake(value):
        return False
    return is_random(_COUNTED.sub("", value)) or (
        is_mixed(value) and _SESSION.search(name) is not None
    )


def _in_fields(text: str, folded: bytes) -> Iterator[Span]:
    """Yield the passwords of ``.pgpass``, which are the last field of a line."""
    for at in every(folded, b":5432:"):
        if match := _FIELDS.match(text, at):
            yield from _checked(match["value"], match.start("value"), "Secret Keyword")


def _of_commands(text: str, folded: bytes) -> Iterator[Span]:
    """Yield the passwords that are options of a command."""
    for at in every(folded, b" -"):
        for option, command, rest in _OPTIONS.get(folded[at + 2 : at + 3], ()):
            if not text.startswith(option, at + 2):
                continue
            near = max(at - _LONGEST_COMMAND, 0)
            line = max(text.rfind("\n", near, at), near)
            if rest is _PIPED:
                echo = max(folded.rfind(b"echo ", line, at), folded.rfind(b"printf ", line, at))
                match = _compiled(rest).match(text, echo, at) if echo >= 0 else None
            else:
                match = _compiled(rest).match(text, at + 2 + len(option))
            if match and _compiled(command).search(text, line, at):
                yield from _checked(match["value"], match.start("value"), "Password Option")


def _compared(text: str, folded: bytes) -> Iterator[Span]:
    """Yield values in quotes that the name of a secret is compared with."""
    for equals in (b"==", b"!="):  # without the blank behind, as blanks are slow to search for
        for at in every(folded, equals):
            sign = at - 1 if text[max(0, at - 1) : at] in ("=", "!") else at
            if folded[at + 2 : at + 3] == b" " and _TO_NAME.match(text, sign):
                near = max(0, sign - _LONGEST_COMMAND)
                if quoted := _QUOTED.search(text, near, sign):
                    yield from _checked(quoted[2], quoted.start(2), "Secret Keyword")


def _checked(value: str, start: int, kind: str) -> Iterator[Span]:
    if not is_fake(value) and not is_no_password(value) and not is_prose(value):
        yield start, start + len(value), kind


def _ends_name(folded: bytes, stem: bytes, at: int) -> bool:
    """Whether ``stem`` and the letters around it name a secret: only some kinds of keys do."""
    before = b"" if folded[at - 2 : at] in _BREAKS else folded[at - 1 : at]
    if stem == b"key":
        return folded.endswith(_OF_KEYS, 0, at) or before == b"_"
    if stem == b"pass":
        whole = folded.startswith((b"w", b"phrase", b"code"), at + len(stem))
        return whole or not before.isalpha() or folded.endswith(_OF_PASSES, 0, at)
    if stem == b"auth":
        whole = folded.startswith(b"orization", at + len(stem))
        return whole or not (before.isalpha() or folded[at + 4 : at + 5].isalpha())
    if stem == b"pw":
        return folded.startswith(b"d", at + len(stem)) or not before.isalpha()
    return stem not in (b"bearer", b"basic", b"identified by") or not before.isalpha()


def _value(text: str, folded: bytes, stem: bytes, at: int, end: int) -> Iterator[Span]:
    """Yield the secret assigned to the name whose last word is from ``at`` to ``end``."""
    match = _AFTER.match(text, end)
    if match is None or (match["quote"] is None and match["value"] is None):
        return
    if match["deeper"]:  # than the name is indented; 0 after other words on its line
        first = max(0, at - _LONGEST_NAME)
        line = text[max(text.rfind("\n", first, at) + 1, first) : at]
        if len(match["deeper"]) <= len(line) - len(line.lstrip(" \t>")):
            return
    name = text[max(0, at - _LONGEST_NAME) : end]
    start, value = _assigned_value(text, match)
    kind = "Authorization Header" if stem in _HEADERS or match["scheme"] else "Secret Keyword"
    if kind == "Authorization Header":
        bare = stem == b"auth" and at + 4 == end and folded[at - 1 : at] != b"_"
        if bare:  # as Docker stores a name and a password
            found = len(value) >= _LEAST_LOGIN and _is_basic(value)
        else:
            found = _is_credential(value, stem, match)
            if not found and (scheme := _schemed(text, start, stem, match)):
                start, value, found = scheme.start("value"), scheme["value"].rstrip(_TAIL), True
    elif stem == b"key" and not folded.endswith(_OF_KEYS, 0, at):
        found = _is_odd_key(name, value, match)
    else:
        found = _is_value(name, value, stem, match)
    if found and not is_fake(value):
        end = start + len(value)
        if len(value) >= _LONGEST_VALUE:
            rest = _REST.match(text, end)
            end = rest.end() if rest else end
        yield start, end, kind


def _assigned_value(text: str, match: re.Match[str]) -> tuple[int, str]:
    """Return the offset of the value, and the value: up to its quote, or one word."""
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
    """Whether ``value`` is a credential of a header of HTTP."""
    scheme = (match["scheme"] or "").strip().lower()
    if stem == b"basic" or scheme == "basic":
        return _is_basic(value)
    is_long = len(value) >= _LEAST_CREDENTIAL and " " not in value
    is_assigned = stem == b"bearer" and not (match["sign"] or "x").isspace()
    return (is_assigned or is_long) and is_mixed(value) and not is_named(value)


def _schemed(text: str, start: int, stem: bytes, match: re.Match[str]) -> re.Match[str] | None:
    """Return the match of a header's credential behind the name of any scheme; None for none."""
    sign = (match["sign"] or "").strip()
    scheme = _SCHEME.match(text, start) if stem == b"auth" and sign in (":", "=", ",") else None
    value = scheme["value"].rstrip(_TAIL) if scheme else ""
    if "(" in value or not is_mixed(value) or is_named(value) or is_path(value):
        return None
    return scheme


def _is_basic(value: str) -> bool:
    """Whether ``value`` is a name and a password in base64."""
    try:
        name, colon, password = a2b_base64(value + "==").decode("latin-1").partition(":")
    except (Error, ValueError):
        return False
    printable = f"{name}{password}".isprintable()
    return bool(colon and printable and not is_fake(password) and not is_prose(password))


def _is_odd_key(name: str, value: str, match: re.Match[str]) -> bool:
    """Whether the variable of an environment that is called some key may be a secret."""
    last = re.search(r"\w*\Z", name)
    return bool(
        last
        and last[0].isupper()
        and not _NO_KEY.search(last[0])
        and (match["sign"] or "").strip() in ("=", ":")
        and is_random(value)
    )


def _is_value(  # noqa: PLR0911 - a way of assigning a line
    name: str, value: str, stem: bytes, match: re.Match[str]
) -> bool:
    """Whether ``value`` is random enough for the way in which it is assigned to ``name``."""
    sign = match["sign"] or match["typed"] or ""
    lenient = stem in _LENIENT
    if is_no_password(value) or value.startswith(_BLOCK):
        return False
    if sign.isspace() and stem in _CHOSEN:
        near = max(0, match.start() - _LONGEST_ADDRESS)
        if _NETRC.search(match.string, near, match.start()):
            return True
    far = match["deeper"] is not None or sign.strip() in _DASHES
    if far or sign.isspace() or sign.strip().isalpha():  # in prose, or an option of a command
        loose = match["deeper"] is None and not match["quote"] and not sign.strip().isalpha()
        odd = far and (_is_words(value, stem) or _CODE.search(value))
        return (
            not odd and is_mixed(value) and not is_named(value) and not (loose and is_hash(value))
        )
    if match["quote"] and sign.strip() not in ("(", ","):
        if lenient:
            return (":" not in sign or not is_prose(value)) and not is_path(value)
        return is_mixed(value) and not is_prose(value) and not is_named(value)
    if sign == "=" and name[-1].isupper() and not is_path(value):
        return lenient or stem == b"key" or is_mixed(value) or len(value) >= _LEAST_CREDENTIAL
    odd = is_mixed(value) or is_random(value) or (stem in _CHOSEN and is_scrambled(value))
    return odd and not is_named(value) and "(" not in value


def _signed_in(text: str, folded: bytes) -> Iterator[Span]:
    """Yield the passwords of addresses, and names in them that are as random as a token."""
    for at in every(folded, b"://"):
        if (match := _ADDRESS.match(text, at + 3)) is not None:
            user, password = match[1], match[2] or ""
            port = password.isdigit() and ("." in user or user.lower() == "localhost")
            if len(password) >= _LEAST_PASSWORD and password != user and not port:
                yield from _checked(password, match.start(2), "Basic Auth Credentials")
            if len(user) >= _LEAST_CREDENTIAL and is_mixed(user) and not is_named(user):
                yield from _checked(user, match.start(1), "Basic Auth Credentials")
        elif any(folded.find(word, at, at + _LONGEST_ADDRESS) > 0 for word in (b"mcp", b"/sse")):
            yield from _of_server(text, folded, at)


def _of_server(text: str, folded: bytes, at: int) -> Iterator[Span]:
    """Yield tokens in the address of an MCP server at ``://``: who knows such a one is let in."""
    match = _PLACE.match(text, at + 3)
    if not match or not folded.endswith(_SCHEMES, 0, at) or not _OF_MCP.search(match[0]):
        return
    for part in _PARTS.finditer(match[2]):
        value = part["value"].rstrip(_TAIL)
        is_token = is_random(value) or (_HEX.fullmatch(value) and not value.isdigit())
        other = part["sign"] == "=" and not _OF_TOKEN.search(part["before"])
        if is_token and not other and not _OF_VERSION.fullmatch(part["before"]):
            yield from _checked(value, match.start(2) + part.start("value"), "Address with a Token")
