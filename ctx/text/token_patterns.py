"""Token patterns: files, identifiers, issues, commits, labels and people, known by their form."""

import re
from collections.abc import Callable, Iterator

from ctx.text.english import words_of
from ctx.text.regex import regex
from ctx.typed import Literal, NamedTuple, TypeVar

Form = Literal["url", "path", "entry", "name", "flag", "label", "issue", "commit", "person"]

MAX_CHARS = 200  # longer runs of characters are data, not mentions

ENDINGS = words_of("file endings")  # kinds of file, by the letters behind the last dot
_HOSTS = frozenset({"ai", "app", "co", "com", "dev", "edu", "gov", "io", "net", "org"})
_ROOTS = words_of("roots")  # folders of paths; otherwise ``a/b`` is a choice of words

_URL = regex(r"(?i:https?)://[^\s<>\"`|\\^{}\[\]]+")
_PIECE = regex(r"[\w./\\#@:~*'’+-]+")
_STAMP = regex(r"\d{4}-\d\d-\d\d-\d{4,6}")
_FLAG = regex(r"--[^\W\d_][\w-]+")
_LABEL = regex(r"#[^\W\d_][\w-]*(?::[\w./:+-]+)?")
_DATED = regex(r"#[\w-]+:\d{4}-\d\d-\d\d.*")
_COLOUR = regex(r"(?i)#(?:([0-9a-f])\1\1|(?=.*\d)(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8}))")
_PERSON = regex(r"@[^\W_][\w-]*(?:/[\w.-]+)?")
_LINE = regex(r"(?::\d+(?:-\d+)?)+$")
_DRIVE = regex(r"[A-Za-z]:[\\/]")
_PLACE = regex(r"[\w@~.+*-]+(?:/[\w@~.+*-]+)*/?")
_FILE = regex(r"[^\W\d][\w.+*-]*|[.*][\w.+*-]+")
_HIDDEN = regex(r"\.[a-z][\w-]{2,}")
_DOTTED = regex(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_ISSUE_KEY = regex(r"[A-Z][A-Z0-9]{1,9}-\d{1,6}")
_COMMIT = regex(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{7,40}")
_SNAKE = regex(r"_*[^\W_]+(?:_+[^\W_]+)+_*|__[^\W_]+__")
_HUMPS = regex(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_TAG = regex(r"</?[a-zA-Z][^<>]{0,60}>")

_T = TypeVar("_T")
MAX_DIGITS = 8  # an issue has fewer digits; more are a time or an amount
COLOUR_DIGITS = 6  # likewise in code, where they are a colour
_OPENERS = words_of("joined sentences")


class Memo(dict[str, _T]):
    """A cache of a function of a token."""

    KEPT = 1 << 17  # tokens in the cache; it is emptied when there are more
    MAX_CHARS = 100  # longer tokens hardly occur twice

    def __init__(self, work: Callable[[str], _T]) -> None:
        super().__init__()
        self._work = work

    def __missing__(self, token: str) -> _T:
        value = self._work(token)
        if len(token) <= self.MAX_CHARS:
            if len(self) >= self.KEPT:
                self.clear()
            self[token] = value
        return value


class Mention(NamedTuple):
    """One thing that a token names."""

    form: Form
    text: str  # in its own case; a path with forward slashes, without ``./``, folders with ``/``


class _Piece(NamedTuple):
    text: str
    before: str  # the character before it in its token; empty at its start
    after: str  # up to two characters after it
    code: bool  # whether it is in a code span or a fence

    @property
    def is_template(self) -> bool:
        """Whether a placeholder touches it: ``skills/<name>``, ``$HOME/x``, ``{a,b}/c``."""
        return self.before in {">", "}", "$", "%"} or self.after[:1] in {"<", "{", "$"}

    @property
    def is_called(self) -> bool:
        """Whether it is written as a call; ``file(s)`` in prose is not."""
        return self.after == "()" or (self.code and self.after[:1] == "(")


_Mentions = tuple[Mention, ...]
_Rule = Callable[[_Piece], _Mentions | None]  # None where the rules after it decide


def mentions(token: str, *, code: bool = False) -> _Mentions:
    """Return the mentions in ``token``, repeats too; in ``code`` paths and calls need less."""
    bare = token.strip("*_,;!?\"'()[]").rstrip(".:")
    if bare.isalpha() and bare[1:].islower() and "(" not in token:
        return ()  # a word of prose, as most tokens are
    return tuple(_mentions(token, code=code))


def _mentions(token: str, *, code: bool) -> Iterator[Mention]:
    start = 0
    if "://" in token:
        for match in _URL.finditer(token):
            yield from _pieces(token[start : match.start()], code=code)
            # Without the brackets and stops of the sentence around it.
            url = match[0] if "(" in match[0] else match[0].partition(")")[0]
            url = url.rstrip(".,;:!?*_'’")
            yield Mention("url", url)
            start = match.start() + len(url)
    yield from _pieces(token[start:], code=code)


def _pieces(text: str, *, code: bool) -> Iterator[Mention]:
    if "<" in text and not code:
        text = _TAG.sub("<>", text)
    for match in _PIECE.finditer(text):
        start, end = match.span()
        if end - start <= MAX_CHARS:
            before = text[start - 1] if start else ""
            yield from _read(match[0], before, text[end : end + 2], code=code)


def _read(text: str, before: str = "", after: str = "", *, code: bool) -> _Mentions:
    text = text.lstrip("*'’:+").rstrip(".:'’*+~@#\\-")
    if not code and "/" not in text and "." not in text:
        text = text.strip("_")  # of emphasis
    if text.startswith("-") and not text.startswith("--"):
        text = text.lstrip("-")
    if len(text) <= 1 or "..." in text:
        return ()
    piece = _Piece(text, before, after, code)
    for rule in _WORD_RULES if text.isalnum() else _RULES:
        if (found := rule(piece)) is not None:
            return found
    return ()


def _each(piece: _Piece, parts: list[str]) -> _Mentions:
    return tuple(found for part in parts for found in _read(part, code=piece.code))


def _stamp(piece: _Piece) -> _Mentions | None:
    """``[2026-05-30-101010]`` refers to the entry of that time."""
    if not _STAMP.fullmatch(piece.text):
        return None
    bracketed = piece.before == "[" and piece.after[:1] == "]"
    return (Mention("entry", piece.text),) if bracketed else ()


def _flag(piece: _Piece) -> _Mentions | None:
    """``--dry-run``; a dash written as two hyphens is not a flag."""
    if not piece.text.startswith("--"):
        return None
    return (Mention("flag", piece.text),) if _FLAG.fullmatch(piece.text) else ()


def _sharp(piece: _Piece) -> _Mentions | None:
    """``#12``, ``#priority:high``, ``owner/repo#12``, ``DECISIONS.md#slug``; no date or colour."""
    text = piece.text
    head, sharp, tail = text.partition("#")
    if not sharp:
        return None
    if head:
        return _anchored(piece, head, tail)
    if tail.isdecimal():
        many = len(tail) >= (COLOUR_DIGITS if piece.code else MAX_DIGITS)
        return () if many else (Mention("issue", text),)
    if piece.code or _COLOUR.fullmatch(text) or _DATED.fullmatch(text):
        return ()
    label = _LABEL.match(text)
    return (Mention("label", label[0].rstrip(".:")),) if label else ()


def _anchored(piece: _Piece, head: str, tail: str) -> _Mentions:
    if tail.isdecimal() and len(tail) < MAX_DIGITS and re.fullmatch(r"[\w.-]+/[\w.-]+", head):
        return (Mention("issue", f"{head}#{tail}"),)
    found = _read(head, code=piece.code)
    if tail and head.lower().endswith(".md") and found and found[0].form == "path":
        return (Mention("entry", f"{found[0].text}#{tail}"), *found)
    return found


def _at(piece: _Piece) -> _Mentions | None:
    """``@mira``, ``@types/node``; not an address or a version."""
    if "@" not in piece.text:
        return None
    person = not piece.code and _PERSON.fullmatch(piece.text)
    return (Mention("person", piece.text),) if person else ()


def _path(piece: _Piece) -> _Mentions | None:
    """A path, or words with a slash between them."""
    text = _LINE.sub("", piece.text)
    if "/" not in text and "\\" not in text:
        return None
    if piece.before == "<":
        return ()  # the end of an element
    drive = _DRIVE.match(text)
    if "\\" in text and not drive and text.rpartition(".")[2].lower() not in ENDINGS:
        return ()  # an escape
    path = re.sub(r"/{2,}", "/", text.replace("\\", "/"))
    rest = path[2:] if drive else path
    if ":" in rest:
        return None
    could_be = not piece.is_template and _PLACE.fullmatch(rest.lstrip("/"))
    if could_be and (drive or _is_path(rest, code=piece.code)):
        return (Mention("path", path.removeprefix("./")),)
    return _each(piece, [part for part in re.split(r"[/\\]", text) if part])


def is_file(name: str) -> bool:
    """Whether a name has the ending of a file: ``retry.py``, but not ``.py``."""
    stem, _, ending = name.rpartition(".")
    return bool(stem) and ending.lower() in ENDINGS


def _is_path(path: str, *, code: bool) -> bool:
    """Whether words joined by slashes are a path: ``src/net``, but not ``and/or``."""
    parts = path.strip("/").split("/")
    if is_file(parts[-1]):
        return True
    if not (parts[0][1:] or parts[2:]):
        return False  # n/a, w/o
    if not any(char.isalpha() for char in parts[0]) and parts[0] not in {".", "..", "~", "**"}:
        return False
    if code:
        return True
    return (
        path[0] in "/.~"
        or path[-1] == "/"
        or parts[0].lower() in _ROOTS
        or any("_" in part or "." in part for part in parts)
    )


def _colons(piece: _Piece) -> _Mentions | None:
    """``retry.py:12`` is the file; otherwise each side of a colon is a piece of its own."""
    text = _LINE.sub("", piece.text)
    if text == piece.text and ":" not in text:
        return None
    return _each(piece, [part for part in text.split(":") if part])


def _dots(piece: _Piece) -> _Mentions | None:
    """``retry.py``, ``os.path.join``; not a host, ``e.g.`` or ``end.Start``."""
    text = piece.text
    if "." not in text:
        return None
    parts = text.split(".")
    if is_file(text) and not piece.is_called:
        return (Mention("path", text),) if _FILE.fullmatch(text) else ()
    if _HIDDEN.fullmatch(text) and parts[-1] not in ENDINGS - {"env"} and not piece.code:
        return (Mention("path", text),)
    text = text.strip(".")
    if _DOTTED.fullmatch(text):
        return _dotted(piece, text)
    return _each(piece, [part for part in re.split(r"[.-]", text) if part])


def _dotted(piece: _Piece, text: str) -> _Mentions:
    """Return a dotted name, and its first and last parts where they are identifiers."""
    parts = text.split(".")
    if not any(part[1:] for part in parts) or parts[-1].lower() in _HOSTS:
        return ()
    opens = not _OPENERS.isdisjoint({parts[0].lower(), parts[-1].lower()})
    if not (piece.code or piece.is_called) and (opens or not parts[-1][1:]):
        return ()  # a space is missing between two sentences: ``done.The``
    ends = dict.fromkeys((parts[0], parts[-1]))
    return (Mention("name", text), *(Mention("name", part) for part in ends if _is_name(part)))


def _key(piece: _Piece) -> _Mentions | None:
    """``PROJ-123``, ``GH-12``; commits."""
    if _ISSUE_KEY.fullmatch(piece.text):
        return (Mention("issue", piece.text),)
    return (Mention("commit", piece.text),) if _COMMIT.fullmatch(piece.text) else None


def _identifier(piece: _Piece) -> _Mentions | None:
    """``snake_case``, ``mixedCase``, ``CamelCase``, ``foo()``."""
    text = piece.text
    is_call = piece.is_called and text.isidentifier()
    return (Mention("name", text),) if is_call or _is_name(text) else None


def _is_name(text: str) -> bool:
    if "_" in text:
        return _SNAKE.fullmatch(text) is not None and not text.replace("_", "").isdecimal()
    return text.isalnum() and not text[0].isdigit() and _HUMPS.search(text) is not None


def _words(piece: _Piece) -> _Mentions | None:
    """Parts of a compound, such as ``MongoDB-backed``."""
    return _each(piece, piece.text.split("-")) if "-" in piece.text.strip("-") else None


_WORD_RULES: tuple[_Rule, ...] = (_key, _identifier)  # for letters and digits alone, as most are
_RULES: tuple[_Rule, ...] = (
    _stamp, _flag, _sharp, _at, _path, _colons, _dots, *_WORD_RULES, _words,
)  # fmt: skip
