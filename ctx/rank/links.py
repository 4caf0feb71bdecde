"""Links between entries, and how an entry's score reaches the entries that it links to."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from posixpath import normpath

from ctx.model import Entry
from ctx.rank.corpus import Corpus
from ctx.rank.score import unit
from ctx.text.regex import regex
from ctx.typed import NamedTuple

_WIKI = regex(r"\[\[([^\[\]|\n]{1,300})(?:\|[^\[\]\n]{0,300})?\]\]")
_LINK = regex(r"\]\(<?([^()<>\s]{1,500})>?(?:[ \t]++[^()\n]{0,200})?\)")
_STAMP = regex(r"(?s)\[?(\d{4}-\d{2}-\d{2}(?:-(?:\d{4,6}|[a-z\d]{1,2}(?![\w-])))?)\]?[ \t]*(.*)")
_SCHEME = regex(r"(?i)[a-z][a-z0-9+.-]*:")
ETA_HOP = 0.5  # η_hop: the share of its best parent's score that an entry inherits
THETA_HOP = 0.15  # θ_hop: the least inherited score that counts


class Links:
    """The links of a corpus, by position; entries are read when the first link is followed."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def of(self, position: int) -> list[int]:
        """Return the entries that the one at ``position`` points to, each once, in its order."""
        entry = self._corpus.entry(position)
        targets = (*_targets(entry), *_files(entry))
        return list(dict.fromkeys(at for target in targets for at in self._at(target)))

    def unresolved(self, position: int) -> int:
        """Return how many links of the entry at ``position`` lead to no entry."""
        return sum(not self._at(target) for target in _targets(self._corpus.entry(position)))

    def _at(self, target: Sequence[str]) -> list[int]:
        """Return the entries that any reading of a link's target names."""
        return [self._names[name] for name in target if name in self._names]

    @cached_property
    def _names(self) -> dict[str, int]:
        """Entries by names that one alone has: id, anchor, title, its file; turns by id."""
        positions: dict[str, list[int]] = {}
        position = 0
        for part in self._corpus.parts:
            for place in range(len(part)):
                if part.kind == "turn" and not part.source.startswith("sessions/"):
                    continue
                entry = part.entry(place)
                names = {entry.id.casefold()}
                if part.kind != "turn":
                    names |= {entry.id.partition("#")[2].casefold(), entry.title.casefold()}
                if part.kind == "decision" and len(part) == 1 and "/" in part.source:
                    names.add(part.source.casefold())
                for name in names:
                    positions.setdefault(name, []).append(position + place)
            position += len(part)
        return {name: places[0] for name, places in positions.items() if len(places) == 1}


def _targets(entry: Entry) -> Iterator[tuple[str, ...]]:
    """Yield for each link the names that its target may have, as ``Links`` has them."""
    body = entry.body
    for target in _WIKI.findall(body):
        yield tuple(_readings(target))
    for target in _LINK.findall(body):
        if not _SCHEME.match(target) and "#" in target:  # else a whole file, which is no entry
            yield tuple(_addressed(entry.source, target))
    for target in (*entry.front.related, *entry.supersedes.split("\n")):
        if target.strip():
            yield tuple(_readings(target))


def _files(entry: Entry) -> Iterator[tuple[str, ...]]:
    """Yield for each link to a whole file the names that its target may have."""
    for target in _LINK.findall(entry.body):
        if target.endswith(".md") and not _SCHEME.match(target):
            names = _addressed(entry.source, target)
            yield tuple(name.removesuffix("#") for name in names)


def _addressed(source: str, target: str) -> Iterator[str]:
    """Yield the names of a link's target, relative to the file or to the context directory."""
    if "%" in target:
        from urllib.parse import unquote  # slow, and few links need it

        target = unquote(target)
    path, _, anchor = target.partition("#")
    beside = normpath(f"{source.rpartition('/')[0] or '.'}/{path}") if path else source
    for place in dict.fromkeys((beside, normpath(path) if path else source)):
        yield f"{place}#{anchor}".casefold()


def _readings(name: str) -> Iterator[str]:
    """Yield what ``name`` may mean: an id, a title, a timestamp or both."""
    text = name.strip(" \t.,;:\"'`*_").casefold()
    if not text:
        return
    yield text
    if stamped := _STAMP.fullmatch(text):
        yield from filter(None, (stamped[1], stamped[2].strip()))


class Found(NamedTuple):
    """One entry of the result."""

    position: int
    score: float  # in [0, 1]: S_final, or S_hop where there is a ``parent``
    parent: int = -1  # the position of the entry that links to it; -1 where it was found by itself


def hop(scores: Mapping[int, float], links: Callable[[int], Iterable[int]]) -> list[Found]:
    """Return C*_hop(q): what is one link away, by S_hop = η·max S_final, in [0, 1) (section 7.7).

    Best first, ties by position. Unlike in the source entries of C₂ are included, for ``merge``
    to keep the better score. A link to itself is ignored.
    """
    reached: dict[int, Found] = {}
    for parent, score in sorted(scores.items(), key=lambda item: (-unit(item[1]), item[0])):
        inherited = ETA_HOP * unit(score)
        if inherited < THETA_HOP:
            break  # the others inherit still less
        for position in links(parent):
            if position != parent:
                reached.setdefault(position, Found(position, inherited, parent))
    return _in_order(reached.values())


def merge(scores: Mapping[int, float], hopped: Iterable[Found]) -> list[Found]:
    """Return C₂ ∪ C*_hop by σ(d), the better of two scores, best first, ties by position (7.8)."""
    merged = {position: Found(position, unit(score)) for position, score in scores.items()}
    for found in hopped:
        known = merged.get(found.position)
        # The better score, then found by itself, then the first parent.
        if known is None or (-found.score, found.parent) < (-known.score, known.parent):
            merged[found.position] = found
    return _in_order(merged.values())


def _in_order(found: Iterable[Found]) -> list[Found]:
    return sorted(found, key=lambda entry: (-entry.score, entry.position))
