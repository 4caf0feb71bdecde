"""Paths in the text that no longer exist, where they begin with a folder of the work tree."""

import re
from collections.abc import Iterator

from ctx.checks.types import Document, Fault, Subject, Tree, quoted
from ctx.checks.zones import TEXT, Line
from ctx.text.token_patterns import is_file

_REMEDY = "write where it is now, or that it is gone"
_SYMBOL = re.compile(r"\.[A-Z_a-z]\w*$")


def check(subject: Subject) -> Iterator[Fault]:
    """Yield paths in code spans that the work tree does not hold."""
    if subject.tree is None:
        return
    for document in subject.documents:
        seen: set[str] = set()
        for span in spans(document):
            path = path_in(span.text)
            if path and path not in seen and _is_missing(path, subject, subject.tree):
                seen.add(path)
                moved = subject.tree.elsewhere(path)
                remedy = f"write {quoted(moved)}, if it was moved there" if moved else _REMEDY
                yield Fault(document.path, span.number, f"there is no {quoted(path)}", remedy)


def _is_missing(path: str, subject: Subject, tree: Tree) -> bool:
    bare = path.rstrip("/")
    # Programs keep their state in hidden folders, except documents.
    is_hidden = bare.removeprefix("./").startswith(".") and not bare.startswith(".github/")
    if (is_hidden and not bare.endswith(".md")) or not tree.has_root(path) or tree.ignores(path):
        return False
    if tree.holds(bare) or subject.exists(bare):
        return False
    if is_file(bare) or path.endswith("/"):
        return True
    symbol = _SYMBOL.search(bare)  # in a file or package: ``net/retry.Policy``
    return symbol is None or not tree.holds(bare[: symbol.start()])


# Code spans in prose that are claimed to exist now

_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)(.{1,300}?)(?<!`)\1(?!`)")
_OPENS = re.compile(r"[ \t>]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|\||#)")
_DONE = (
    "remov delet drop renam replac retir deprecat supersed extract split merg migrat mov creat add "
    "generat writ scaffold emit introduc produc propos plan"
)
_BEFORE_NOW = re.compile(
    rf"\b(?:{'|'.join(_DONE.split())})(?:e[ds]?|es|s|ed|d|t|ing|ting|ping|ted|ped|ten|es?|al|ion)?\b"
    r"|\b(?:wrote|written|was|were|had|used to|formerly|former|old|legacy|previous(?:ly)?|earlier"
    r"|no longer|any ?more|gone|stale|dead|missing|nonexistent|non-existent|does ?n[o']t exist"
    r"|did not|didn't|would|could|should live|will|new|todo|future|if (?:it|there|present|any)"
    r"|tasked|pending|queued|deferred|proposed|hypothetical"
    r"|e\.g|for example|for instance|such as|example|like|imagine|say,"
    r"|optional(?:ly)?"
    r"|instead of|rather than|don'?t|do not|never|avoid|wrong|bad|not|without|neither|nor|no"
    r"|output|build|built|artifacts?|cache|temp(?:orary)?|ignored?|placeholder|template)\b",
    re.IGNORECASE,
)
"""Words by which a text is about what was, will be, must not be, or only might be."""
_MENDS = re.compile(  # words of a task that works on something existing
    r"\b(?:fix|mend|repair|correct|debug|refactor|rework|update|change|clean|speed|simplify|test"
    r"|review|check|tighten|harden|improve)\b",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?>(?:\./)?)([\w@.+-]+(?:/[\w@.+-]+)+)(/?)")
_PLACE_IN_IT = re.compile(r"(?::\d+(?:[-:]\d+)*|#L?\d+(?:-L?\d+)?|::[\w:\[\].-]+|:[A-Za-z_]\w*)$")
_HOLE = re.compile(
    r"(?:^|/)(?:x{2,}|foo|bar|baz|example|your|my|some|path|name)\b|-name\b", re.IGNORECASE
)


def spans(document: Document) -> Iterator[Line]:
    """Yield code spans, each as if it were a line, that a document claims to exist now.

    No plans, past or superseded text.
    """
    before = ""
    for line in document.text.of(TEXT):
        goes_on = before if not _OPENS.match(line.text) else ""
        before = line.text
        if "`" not in line.text or line.number in document.history:
            continue
        bare = _SPAN.sub(" ", f"{goes_on} {line.text}")
        if _BEFORE_NOW.search(bare):
            continue
        if line.number in document.tasks and not _MENDS.search(bare):
            continue
        for found in _SPAN.finditer(line.text):
            yield Line(line.number, found[2].strip())


def path_in(code: str) -> str:
    """Return the path that ``code`` is, and nothing else; empty for others and placeholders."""
    found = _PATH.fullmatch(_PLACE_IN_IT.sub("", code))
    if found is None or ".." in code or _HOLE.search(found[1]):
        return ""
    return f"{found[1]}{found[2]}"
