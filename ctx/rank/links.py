"""What entries point to: the edges of the graph that hops follow.

Links of Markdown to an entry (``DECISIONS.md#2026-05-30``), ``[[wikilinks]]``, what the
frontmatter names as ``related`` or ``hop_targets``, and what an entry says it supersedes.
"""

from __future__ import annotations

import re
from posixpath import normpath
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ctx.model import Entry
    from ctx.rank.corpus import Corpus

_WIKI = re.compile(r"\[\[([^\[\]|\n]{1,300})(?:\|[^\[\]\n]{0,300})?\]\]")
_LINK = re.compile(r"\]\(<?([^()<>\s]{1,500})>?(?:[ \t]++[^()\n]{0,200})?\)")
_STAMP = re.compile(r"\[?(\d{4}-\d{2}-\d{2}(?:-\d{4,6})?)\]?[ \t]*(.*)", re.DOTALL)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


class Links:
    """The graph of a corpus, by position; nothing is read before the first link is met."""

    def __init__(self, corpus: Corpus) -> None:
        """Follow links among the entries of ``corpus``."""
        self._corpus = corpus
        self._names: Mapping[str, tuple[int, ...]] | None = None

    def of(self, position: int) -> list[int]:
        """Return the entries that the one at ``position`` points to, each once, in its order."""
        found = (at for target in _targets(self._corpus.entry(position)) for at in self._at(target))
        return list(dict.fromkeys(found))

    def unresolved(self, position: int) -> int:
        """Return how many links of the entry at ``position`` lead to no entry."""
        return sum(not self._at(target) for target in _targets(self._corpus.entry(position)))

    def _at(self, target: Sequence[str]) -> list[int]:
        """Return the entries that any reading of a link's target names."""
        if self._names is None:
            self._names = _names(self._corpus)
        names = self._names
        return [at for name in target for at in names.get(name, ())]


def _targets(entry: Entry) -> Iterator[tuple[str, ...]]:
    """Yield the names of each link's target, as ``_names`` has them: all that it may mean."""
    body = entry.body
    for target in _WIKI.findall(body):
        yield tuple(_readings(target))
    for target in _LINK.findall(body):
        if not _SCHEME.match(target) and "#" in target:  # else a whole file, which is no entry
            yield tuple(_addressed(entry.source, unquote(target)))
    for target in (*entry.front.related, *entry.supersedes.split("\n")):
        if target.strip():
            yield tuple(_readings(target))


def _addressed(source: str, target: str) -> Iterator[str]:
    """Yield the names of a link's target: ``#slug`` is in the same file, others in theirs.

    A path is told from beside the file, as editors follow it, or from the context directory.
    """
    path, _, anchor = target.partition("#")
    beside = normpath(f"{source.rpartition('/')[0] or '.'}/{path}") if path else source
    for place in dict.fromkeys((beside, normpath(path) if path else source)):
        yield f"{place}#{anchor}".casefold()


def _readings(name: str) -> Iterator[str]:
    """Yield what a person may mean by ``name``: an id, a title, a timestamp or both."""
    text = name.strip(" \t.,;:\"'`*_").casefold()
    if not text:
        return
    yield text
    stamped = _STAMP.fullmatch(text)
    if stamped:
        yield from filter(None, (stamped[1], stamped[2].strip()))


def _names(corpus: Corpus) -> dict[str, tuple[int, ...]]:
    """Return entries by id, anchor and title; turns by id only, since others share their words.

    A name that several entries have leads to none of them.
    """
    found: dict[str, list[int]] = {}
    position = 0
    for part in corpus.parts:
        for place in range(len(part)):
            if part.kind == "turn" and not part.source.startswith("sessions/"):
                continue
            entry = part.entry(place)
            names = {entry.id.casefold()}
            if part.kind != "turn":
                names |= {entry.id.partition("#")[2].casefold(), entry.title.casefold()}
            for name in names:
                found.setdefault(name, []).append(position + place)
        position += len(part)
    return {name: tuple(places) for name, places in found.items() if len(places) == 1}
