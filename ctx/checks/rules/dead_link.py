"""Links, wikilinks and relations that lead nowhere, as far as files can decide that."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from posixpath import normpath
from urllib.parse import unquote

from ctx.checks.types import Document, Fault, Subject, quoted
from ctx.checks.zones import FRONT, TEXT, Line
from ctx.text.needs import Needs

_CODE = re.compile(r"(?<!`)(`+)(?!`)(?:.(?!\1))*?.?(?<!`)\1(?!`)")
_WIKI = re.compile(r"\[\[([^\[\]|\n]{1,300})(?:\|[^\[\]\n]{0,300})?\]\](?!\()")
_LINK = re.compile(r"\]\((?:<([^<>\n]{1,500})>|([^()<>\s]{1,500}))(?:[ \t]++[^()\n]{0,200})?\)")
_DEFINITION = re.compile(r" {0,3}\[[^\[\]^]{1,200}\]:[ \t]+<?([^\s<>]{1,500})>?(?:[ \t]|$)")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"[<>{}$*|\\]|\.{3}|…|\b(?:x{3,}|foo|bar|your|example|path/to)\b"
    r"|^(?:url|link|file|target|path|page|title)s?(?:\.\w+)?$",
    re.IGNORECASE,
)
_CLAIM = re.compile(r"^[ \t>-]*[*_]{0,3}supersedes[*_]{0,3}:[*_]{0,3}[ \t]*(\S.*)", re.IGNORECASE)
_NAME_OF = re.compile(r"""[\"“`]|\[?\d{4}-\d{2}-\d{2}""")  # how a claim that names something begins
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*)")
_OWN_ANCHOR = re.compile(r"""\{#([\w-]+)\}|\b(?:id|name)=["']([^"']+)["']""")
_NOT_IN_SLUG = re.compile(r"[^\w]+")

_Anchors = Callable[[str], frozenset[str] | None]  # headings of a document; None for no document


def check(subject: Subject) -> Iterator[Fault]:
    """Yield each target that does not exist, where it is named."""
    documents = {document.path: document for document in subject.documents}
    anchors = cache(
        lambda path: frozenset(_anchors(documents[path])) if path in documents else None
    )
    for document in subject.documents:
        for line in document.text.of(TEXT):
            if line.number not in document.history and ("[" in line.text or "uper" in line.text):
                yield from _of_line(document, line, subject, anchors)
    yield from _relations(subject)
    needs = Needs(subject.names.tasks)
    for task in (entry for entry in subject.entries if entry.kind == "task"):
        for name in needs.of(task)[1] if task.is_current else ():
            message = f"needs {quoted(name)}, which is no task"
            remedy = "name it by its title or number: `ctx task ready`"
            yield Fault(task.source, task.line, message, remedy)


def _of_line(
    document: Document, line: Line, subject: Subject, anchors: _Anchors
) -> Iterator[Fault]:
    claim = _CLAIM.match(line.text) if document.kind in ("decision", "learning") else None
    if claim and _NAME_OF.match(claim[1]) and not subject.names.resolve(claim[1]):
        message = f"supersedes {quoted(claim[1])}, which is not there"
        remedy = "name it by its title or timestamp: `ctx list decision`"
        yield Fault(document.path, line.number, message, remedy)
    text = _CODE.sub(" ", line.text)
    for target in _WIKI.findall(text):
        if not (_is_open(target) or target.isdigit() or _resolves(target, document.path, subject)):
            yield _fault(document, line, f"[[{target}]]")
    definition = _DEFINITION.match(text)
    defined = [("", definition[1])] if definition else []
    for found in (*_LINK.findall(text), *defined):
        target = found[0] or found[1]
        if not (_is_open(target) or _leads(target, document, subject, anchors)):
            yield _fault(document, line, target)


def _fault(document: Document, line: Line, target: str) -> Fault:
    message = f"{quoted(target)} leads nowhere"
    return Fault(document.path, line.number, message, "mend the link, or take it out")


def _is_open(target: str) -> bool:
    return bool(_SCHEME.match(target) or _PLACEHOLDER.search(target)) or target[0] == "/"


def _resolves(name: str, source: str, subject: Subject) -> bool:
    page = name.partition("#")[0].strip()
    if not page or subject.names.resolve(name) or subject.names.resolve(page):
        return True
    return any(_is_there(f"{page}{ending}", source, subject) for ending in ("", ".md"))


def _is_there(path: str, source: str, subject: Subject) -> bool:
    beside = normpath(f"{source.rpartition('/')[0] or '.'}/{path}")
    near = (subject.exists(place) is not False for place in dict.fromkeys((beside, normpath(path))))
    return any(near) or subject.exists(normpath(f"../{path}")) is True


def _leads(target: str, document: Document, subject: Subject, anchors: _Anchors) -> bool:
    path, _, anchor = unquote(target).partition("#")
    path = path.partition("?")[0]
    if path and not _is_there(path, document.path, subject):
        return False
    beside = normpath(f"{document.path.rpartition('/')[0] or '.'}/{path}") if path else ""
    known = anchors(beside or document.path) if anchor else None
    if known is None:
        return True
    folded = anchor.casefold()
    is_line = folded.lstrip("l").replace("-l", "").isdigit()
    return is_line or _slug(folded) in known or subject.names.resolve(anchor)


def _anchors(document: Document) -> Iterator[str]:
    """Yield the names of headings in links; a repeated one has a number behind it."""
    count: dict[str, int] = {}
    for line in document.text.lines:
        if heading := _HEADING.match(line):
            slug = _slug(_LINK.sub("]", heading[1]).casefold())
            yield slug
            if slug in count:
                yield f"{slug}{count[slug]}"
            count[slug] = count.get(slug, 0) + 1
        for braced, quoted_ in _OWN_ANCHOR.findall(line):
            yield _slug((braced or quoted_).casefold())


def _slug(text: str) -> str:
    return _NOT_IN_SLUG.sub("", text).replace("_", "")


def _relations(subject: Subject) -> Iterator[Fault]:
    """Yield what the frontmatter of a file names as related and does not exist, each once."""
    documents = {document.path: document for document in subject.documents}
    fronts = {entry.source: entry.front for entry in subject.entries}
    for source, front in fronts.items():
        for name in filter(str.strip, front.related):
            document = documents.get(source)
            if document is None or _SCHEME.match(name):
                continue
            bare = name.strip().removeprefix("[[").removesuffix("]]")
            if not _resolves(bare.partition("|")[0], source, subject):
                lines = document.text.of(FRONT)
                at = next((line.number for line in lines if name in line.text), 1)
                message = f"related to {quoted(name)}, which is not there"
                yield Fault(source, at, message, "mend the name, or take it out")
