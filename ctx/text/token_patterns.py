"""What a token mentions by its form: files, identifiers, issues, commits, labels, people.

A token is what stands between white space; what it stands in is not looked at. Shared by
``ctx.text.entities`` (what a text is about) and ``ctx.text.references`` (what a text points to).
"""

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeVar

Form = Literal[
    "url", "path", "entry", "name", "flag", "label", "issue", "commit", "person"
]  # fmt: skip

MAX_CHARS = 200
"""Longer runs of characters are data, not something that a person mentions."""

_KINDS = (
    "adoc astro avro bash bat bib bin bmp c cc cfg cjs clj cmd conf cpp cs css csv cts cxx dart "
    "db deb diff dll docx eex env erl ex exe exs fish fs gif gleam go gql gradle graphql gz h hbs "
    "hcl heex hpp hs htm html ico ics iml ini ipynb jar java jinja jpeg jpg js json json5 jsonc "
    "jsonl jsx kt kts less lock log lua md mdc mdx mjs mk ml mli mm mod mp3 mp4 mts nim nix npz "
    "odt parquet patch pb pdf php pl plist png prisma proto ps1 psd py pyc pyi pyx r rb rmd rs "
    "rst sass scala scss sh sln sol sql sqlite sqlite3 sum svelte svg swift tar tex tf tgz tmpl "
    "toml tpl ts tsbuildinfo tsv tsx ttf txt typ vim vtt vue wasm wav webm webp woff woff2 xls "
    "xlsx xml yaml yml zig zip zsh"
)
ENDINGS = frozenset(_KINDS.split())
"""Kinds of file, by the letters behind the last dot."""
_HOSTS = frozenset({"ai", "app", "co", "com", "dev", "edu", "gov", "io", "net", "org"})
_FOLDERS = (
    "app apps assets bench benchmarks bin cmd components config configs docs etc examples "
    "fixtures home hooks internal lib libs node_modules opt packages pkg scripts services skills "
    "specs src templates tests tools usr var vendor"
)
_ROOTS = frozenset(_FOLDERS.split())
"""Folders that a path commonly starts with; without one, ``a/b`` in prose is a choice of words."""

_URL = re.compile(r"(?i:https?)://[^\s<>\"`|\\^{}\[\]]+")
_PIECE = re.compile(r"[\w./\\#@:~*'’+-]+")
_STAMP = re.compile(r"\d{4}-\d\d-\d\d-\d{4,6}")
_FLAG = re.compile(r"--[^\W\d_][\w-]+")
_LABEL = re.compile(r"#[^\W\d_][\w-]*(?::[\w./:+-]+)?")
_DATED = re.compile(r"#[\w-]+:\d{4}-\d\d-\d\d.*")
_COLOUR = re.compile(
    r"#(?:([0-9a-f])\1\1|(?=.*\d)(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8}))", re.IGNORECASE
)
_PERSON = re.compile(r"@[^\W_][\w-]*(?:/[\w.-]+)?")
_LINE = re.compile(r"(?::\d+(?:-\d+)?)+$")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_PLACE = re.compile(r"[\w@~.+*-]+(?:/[\w@~.+*-]+)*/?")
_FILE = re.compile(r"[^\W\d][\w.+*-]*|[.*][\w.+*-]+")
_HIDDEN = re.compile(r"\.[a-z][\w-]{2,}")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_ISSUE_KEY = re.compile(r"[A-Z][A-Z0-9]{1,9}-\d{1,6}")
_COMMIT = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{7,40}")
_SNAKE = re.compile(r"_*[^\W_]+(?:_+[^\W_]+)+_*|__[^\W_]+__")
_HUMPS = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,60}>")


_T = TypeVar("_T")


class Memo(dict[str, _T]):
    """What is worked out of a token, once for each distinct one."""

    KEPT = 1 << 17
    """Tokens that are remembered; all are forgotten when there are more."""
    MAX_CHARS = 100
    """Longer tokens do not come again."""

    def __init__(self, work: Callable[[str], _T]) -> None:
        """Remember what ``work`` says of a token."""
        super().__init__()
        self._work = work

    def __missing__(self, token: str) -> _T:
        """Work it out."""
        value = self._work(token)
        if len(token) <= self.MAX_CHARS:
            if len(self) >= self.KEPT:
                self.clear()
            self[token] = value
        return value


class Mention(NamedTuple):
    """One thing that a token names."""

    form: Form
    text: str
    """As written, in its own case; a path with forward slashes and no ``./`` before it, a folder
    with a slash behind it where it was written with one."""


class _Piece(NamedTuple):
    """A run of characters that may be part of a name."""

    text: str
    before: str
    """The character before it in its token; empty at its start."""
    after: str
    """Up to two characters behind it."""
    code: bool
    """Whether it stands in a code span or a fence."""

    @property
    def is_template(self) -> bool:
        """Whether a placeholder touches it: ``skills/<name>``, ``$HOME/x``, ``{a,b}/c``."""
        return self.before in {">", "}", "$", "%"} or self.after[:1] in {"<", "{", "$"}

    @property
    def is_called(self) -> bool:
        """Whether it is written as a call; ``file(s)`` in prose is none."""
        return self.after == "()" or (self.code and self.after[:1] == "(")


_Mentions = tuple[Mention, ...]
_Rule = Callable[[_Piece], _Mentions | None]
"""Reads a piece; None where the piece is for the rules after it."""


def mentions(token: str, *, code: bool = False) -> _Mentions:
    """Return what ``token`` mentions, in its order, repeats included.

    In ``code`` a slash makes a path, and brackets a call, with less evidence than in prose.
    Linear in the length of the token, which has no white space.
    """
    bare = token.strip("*_,;!?\"'()[]").rstrip(".:")
    if bare.isalpha() and bare[1:].islower() and "(" not in token:
        return ()  # a word of prose, as most tokens are
    return tuple(_mentions(token, code=code))


def _mentions(token: str, *, code: bool) -> Iterator[Mention]:
    start = 0
    if "://" in token:
        for match in _URL.finditer(token):
            yield from _pieces(token[start : match.start()], code=code)
            url = _without_tail(match[0])
            yield Mention("url", url)
            start = match.start() + len(url)
    yield from _pieces(token[start:], code=code)


def _without_tail(url: str) -> str:
    """Return a bare address without the brackets and stops of the sentence around it."""
    if "(" not in url:
        url = url.partition(")")[0]
    return url.rstrip(".,;:!?*_'’")


def _pieces(text: str, *, code: bool) -> Iterator[Mention]:
    if "<" in text and not code:
        text = _TAG.sub("<>", text)
    for match in _PIECE.finditer(text):
        start, end = match.span()
        if end - start <= MAX_CHARS:
            before = text[start - 1] if start else ""
            yield from _read(match[0], before, text[end : end + 2], code=code)


def _read(text: str, before: str = "", after: str = "", *, code: bool) -> _Mentions:
    """Return what the first rule that knows a piece finds in it."""
    text = text.lstrip("*'’:+").rstrip(".:'’*+~@#\\-")
    if not code and "/" not in text and "." not in text:
        text = text.strip("_")  # of emphasis
    if text.startswith("-") and not text.startswith("--"):
        text = text.lstrip("-")
    if len(text) <= 1 or "..." in text:
        return ()
    piece = _Piece(text, before, after, code)
    for rule in _WORD_RULES if text.isalnum() else _RULES:
        found = rule(piece)
        if found is not None:
            return found
    return ()


def _each(piece: _Piece, parts: list[str]) -> _Mentions:
    """Return what the parts of a piece mention, which is no name as a whole."""
    return tuple(one for part in parts for one in _read(part, code=piece.code))


# The rules, in the order in which they are asked


def _stamp(piece: _Piece) -> _Mentions | None:
    """``[2026-05-30-101010]`` refers to the entry of that time."""
    if not _STAMP.fullmatch(piece.text):
        return None
    bracketed = piece.before == "[" and piece.after[:1] == "]"
    return (Mention("entry", piece.text),) if bracketed else ()


def _flag(piece: _Piece) -> _Mentions | None:
    """``--dry-run``; a dash that is written as two hyphens is nothing."""
    if not piece.text.startswith("--"):
        return None
    return (Mention("flag", piece.text),) if _FLAG.fullmatch(piece.text) else ()


def _sharp(piece: _Piece) -> _Mentions | None:
    """``#12``, ``#priority:high``, ``owner/repo#12``, ``DECISIONS.md#slug``.

    A date behind a label says when, not what; three, six or eight hexadecimal digits are a colour.
    """
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


MAX_DIGITS = 8
"""An issue has fewer digits; more are a time or an amount."""
COLOUR_DIGITS = 6
"""Likewise in code, where they are a colour."""


def _anchored(piece: _Piece, head: str, tail: str) -> _Mentions:
    if tail.isdecimal() and len(tail) < MAX_DIGITS and re.fullmatch(r"[\w.-]+/[\w.-]+", head):
        return (Mention("issue", f"{head}#{tail}"),)
    found = _read(head, code=piece.code)
    if tail and head.lower().endswith(".md") and found and found[0].form == "path":
        return (Mention("entry", f"{found[0].text}#{tail}"), *found)
    return found


def _at(piece: _Piece) -> _Mentions | None:
    """``@mira``, ``@types/node``; an address or a version is nobody."""
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
    if "\\" in text and not drive and _ending(text) not in ENDINGS:
        return ()  # an escape
    place = re.sub(r"/{2,}", "/", text.replace("\\", "/"))
    rest = place[2:] if drive else place
    if ":" in rest:
        return None
    if not piece.is_template and _PLACE.fullmatch(rest.lstrip("/")):
        evident = drive or _is_path(rest, code=piece.code)
        if evident:
            return (Mention("path", place.removeprefix("./")),)
    return _each(piece, [part for part in re.split(r"[/\\]", text) if part])


def is_file(name: str) -> bool:
    """Whether the end of a name says that it is a file's: ``retry.py``, but not ``.py``."""
    stem, _, ending = name.rpartition(".")
    return bool(stem) and ending.lower() in ENDINGS


def _ending(path: str) -> str:
    return path.rpartition(".")[2].lower()


def _is_path(place: str, *, code: bool) -> bool:
    """Whether words joined by slashes name a place: ``src/net``, but not ``and/or``."""
    parts = place.strip("/").split("/")
    if is_file(parts[-1]):
        return True
    if not (parts[0][1:] or parts[2:]):
        return False  # n/a, w/o
    if not any(char.isalpha() for char in parts[0]) and parts[0] not in {".", "..", "~", "**"}:
        return False
    if code:
        return True
    return (
        place[0] in "/.~"
        or place[-1] == "/"
        or parts[0].lower() in _ROOTS
        or any("_" in part or "." in part for part in parts)
    )


def _colons(piece: _Piece) -> _Mentions | None:
    """``retry.py:12`` is the file; otherwise each side of a colon stands for itself."""
    text = _LINE.sub("", piece.text)
    if text == piece.text and ":" not in text:
        return None
    return _each(piece, [part for part in text.split(":") if part])


def _dots(piece: _Piece) -> _Mentions | None:
    """``retry.py``, ``os.path.join``; a host, ``e.g.`` and ``end.Start`` are nothing."""
    text = piece.text
    if "." not in text:
        return None
    parts = text.split(".")
    if is_file(text) and not piece.is_called:
        return (Mention("path", text),) if _FILE.fullmatch(text) else ()
    if _HIDDEN.fullmatch(text) and parts[-1] not in ENDINGS - {"env"} and not piece.code:
        return (Mention("path", text),)
    text = text.strip(".")
    return _dotted(piece, text) if _DOTTED.fullmatch(text) else _each(piece, _hyphens(text))


def _dotted(piece: _Piece, text: str) -> _Mentions:
    """Return a dotted name, and its first and last parts where they are identifiers."""
    parts = text.split(".")
    if not any(part[1:] for part in parts) or parts[-1].lower() in _HOSTS:
        return ()
    if not piece.code and not piece.is_called and _is_run_on(parts):
        return ()
    ends = dict.fromkeys((parts[0], parts[-1]))
    return (Mention("name", text), *(Mention("name", part) for part in ends if _is_name(part)))


def _is_run_on(parts: list[str]) -> bool:
    """Whether these are words of two sentences, with a space missing: ``done.The``."""
    return not parts[-1][1:] or not _OPENERS.isdisjoint({parts[0].lower(), parts[-1].lower()})


_LITTLE_WORDS = (
    "a also and but he i if in is it no not now of or she so the then they this to we what when "
    "with you your"
)
_OPENERS = frozenset(_LITTLE_WORDS.split())


def _hyphens(text: str) -> list[str]:
    return [part for part in re.split(r"[.-]", text) if part]


def _key(piece: _Piece) -> _Mentions | None:
    """``PROJ-123``, ``GH-12``."""
    return (Mention("issue", piece.text),) if _ISSUE_KEY.fullmatch(piece.text) else None


def _commit(piece: _Piece) -> _Mentions | None:
    return (Mention("commit", piece.text),) if _COMMIT.fullmatch(piece.text) else None


def _identifier(piece: _Piece) -> _Mentions | None:
    """``snake_case``, ``mixedCase``, ``CamelCase``, ``foo()``."""
    text = piece.text
    return (Mention("name", text),) if _is_name(text) or _is_call(piece) else None


def _is_call(piece: _Piece) -> bool:
    return piece.is_called and piece.text.isidentifier()


def _is_name(text: str) -> bool:
    if "_" in text:
        return _SNAKE.fullmatch(text) is not None and not text.replace("_", "").isdecimal()
    return text.isalnum() and not text[0].isdigit() and _HUMPS.search(text) is not None


def _words(piece: _Piece) -> _Mentions | None:
    """Parts of a compound, such as ``MongoDB-backed``."""
    return _each(piece, piece.text.split("-")) if "-" in piece.text.strip("-") else None


_WORD_RULES: tuple[_Rule, ...] = (_commit, _identifier)
"""For letters and digits alone, as most pieces are."""
_RULES: tuple[_Rule, ...] = (
    _stamp, _flag, _sharp, _at, _path, _colons, _dots, _key, *_WORD_RULES, _words,
)  # fmt: skip
