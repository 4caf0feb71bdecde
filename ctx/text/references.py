"""The references of a text: links, files, commits, issues (``acs-planner``, Benefit/Cost Model)."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from ctx.text.entities import segments
from ctx.text.regex import regex
from ctx.text.token_patterns import Memo, Mention, is_file, mentions

CitationKind = Literal["link", "path", "commit", "issue", "entry"]
_KINDS: dict[str, CitationKind] = {  # the kinds of citations by the form of the mention
    "url": "link", "path": "path", "commit": "commit", "issue": "issue", "entry": "entry",
}  # fmt: skip
_STANDARDS = ("AES-", "CVE-", "GPT-", "ISO-", "RFC-", "SHA-", "UTF-")  # which look like issues

_WIKI = regex(r"\[\[([^\[\]|\n]{1,300})(?:\|[^\[\]\n]{0,300})?\]\]")
_LINK = regex(r"\]\(<?((?:[^()<>\s]|\([^()<>\s]{0,100}\)){1,500})")
_SCHEME = regex(r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}:")
_OWN_STAMP = regex(r"(?m)^[ \t]*#{1,6}[ \t]+\[[\d/-]+[a-z]?\]")
_GAP = "\x02"  # replaces a space in a name that has to stay one token


class Citation(NamedTuple):
    """One reference."""

    kind: CitationKind
    target: str  # an address, path, hash, ``owner/repo#12``, id, timestamp, or name in ``[[name]]``


def citations(text: str) -> tuple[Citation, ...]:
    """Return the references of a text, each target once, in order; no entry's own timestamp."""
    found: dict[str, Citation] = {}
    for run, is_code in segments(text):
        cited = _IN_CODE if is_code else _IN_PROSE
        for token in (run if is_code else _without_gaps(run)).split():
            for citation in cited[token]:
                found.setdefault(citation.target, citation)
    return tuple(found.values())


def _without_gaps(prose: str) -> str:
    """Return prose with each ``[[wiki name]]`` in one token, without own timestamps."""
    if "[[" in prose:
        prose = _WIKI.sub(lambda name: f" [[{_GAP.join(name[1].split())}]] ", prose)
    return _OWN_STAMP.sub(" ", prose) if "#" in prose else prose


def _in_prose(token: str) -> Iterator[Citation]:
    if token.startswith("[[") and token.endswith("]]"):
        yield Citation("link", token[2:-2].rstrip("\\").replace(_GAP, " "))
        return
    start = 0
    for link in _LINK.finditer(token):
        yield from _mentioned(token[start : link.start()], code=False)
        yield from _destination(link[1])
        start = link.end()
    rest = token[start:]
    yield from _mentioned(rest.replace("`", " "), code="`" in rest)


def _mentioned(text: str, *, code: bool) -> Iterator[Citation]:
    entry = ""
    for mention in mentions(text, code=code):
        if _points(mention) and not entry.startswith(f"{mention.text}#"):
            yield Citation(_KINDS[mention.form], mention.text)
        entry = mention.text if mention.form == "entry" else ""


def _points(mention: Mention) -> bool:
    """Whether a mention is a reference; a method or a standard is not."""
    if mention.form == "path":
        return "/" in mention.text or is_file(mention.text)
    return mention.form in _KINDS and not mention.text.startswith(_STANDARDS)


def _destination(target: str) -> Iterator[Citation]:
    path, _, anchor = target.replace("\\", "/").removeprefix("./").partition("#")
    if _SCHEME.match(target) or target[0] in "#/" or not ("/" in path or is_file(path)):
        yield Citation("link", target)
    else:
        yield Citation("entry", f"{path}#{anchor}") if anchor else Citation("path", path)


_IN_PROSE = Memo(lambda token: tuple(_in_prose(token)))
_IN_CODE = Memo(lambda token: tuple(_mentioned(token, code=True)))
