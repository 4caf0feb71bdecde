"""Links between entries, and how an entry's score reaches what it links to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from posixpath import normpath
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from ctx.rank.score import unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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


# No `from __future__ import annotations` here: see ``ctx.model.entries``.


ETA_HOP = 0.5
"""η_hop: the share of its best parent's score that an entry inherits."""
THETA_HOP = 0.15
"""θ_hop: the least inherited score that is kept."""

Graph = Mapping[str, Iterable[str]] | Callable[[str], Iterable[str]]
"""H(d): the keys that an entry points to. What a mapping does not hold points to nothing."""


class Found(NamedTuple):
    """One entry of a projection."""

    key: str
    score: float
    """In [0, 1]: S_final, or S_hop where there is a ``parent``."""
    parent: str = ""
    """The entry that it was reached from; empty where it was found by itself."""


def hop(
    scores: Mapping[str, float],
    graph: Graph,
    *,
    eta: float = ETA_HOP,
    theta: float = THETA_HOP,
    outside: bool = True,
) -> list[Found]:
    """Return C*_hop(q): what is one edge away, by S_hop = η·max S_final, in [0, 1) (section 7.7).

    ``scores`` are the S_final of C₂(q), clamped to [0, 1]. Best first, ties by key; of two equal
    parents the one whose key comes first. With ``outside``, as in the source, entries of C₂
    are left out; without, they are reached as well, for ``merge`` to keep the better score.
    An edge from an entry to itself leads nowhere.

    Raises ValueError unless ``eta`` is in (0, 1) and ``theta`` in [0, 1].
    """
    if not 0 < eta < 1:
        raise ValueError(f"η_hop is between 0 and 1, not {eta}")
    if not 0 <= theta <= 1:
        raise ValueError(f"θ_hop is in [0, 1], not {theta}")
    reached: dict[str, Found] = {}
    for parent, score in sorted(scores.items(), key=lambda one: (-unit(one[1]), one[0])):
        inherited = eta * unit(score)
        if inherited < theta:
            break  # the others inherit still less
        for key in _neighbours(graph, parent):
            if key != parent and not (outside and key in scores):
                reached.setdefault(key, Found(key, inherited, parent))
    return _in_order(reached.values())


def merge(scores: Mapping[str, float], hopped: Iterable[Found]) -> list[Found]:
    """Return C₂ ∪ C*_hop by σ(d), best first, ties by key (section 7.8).

    What was found both ways keeps the better of its two scores, and its own where they are
    equal. ``scores`` are clamped to [0, 1].
    """
    merged = {key: Found(key, unit(score)) for key, score in scores.items()}
    for one in hopped:
        known = merged.get(one.key)
        if known is None or _rank(one) < _rank(known):
            merged[one.key] = one
    return _in_order(merged.values())


def _neighbours(graph: Graph, key: str) -> Iterable[str]:
    return graph(key) if callable(graph) else graph.get(key, ())


def _rank(one: Found) -> tuple[float, str]:
    """Of one key: the better score first, then found by itself, then the first parent."""
    return -one.score, one.parent


def _in_order(found: Iterable[Found]) -> list[Found]:
    return sorted(found, key=lambda one: (-one.score, one.key))
