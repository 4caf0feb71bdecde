"""A parsed file from the parse cache: its entries, their bodies and their terms, on demand."""

import json
import sys
import zlib
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, partial
from itertools import accumulate, chain
from zlib import crc32

from ctx.model import (
    CachedFile,
    CacheLossError,
    Entry,
    Frontmatter,
    Kind,
    ParseCache,
    Part,
    Source,
    Tier,
)
from ctx.text.names import shown
from ctx.text.regex import regex
from ctx.typed import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from ctx.read.compactions import Coverage

_COUNT_BYTES = 8
_SHORT_LIMIT = 1 << 16  # from this number of entries on, their places do not fit 16 bits
_NO_USERS = ("assistant", "tool")  # speakers that are not users
_GONE = ("superseded", "deprecated")
_NEED = regex(rb"(?i)needs:|blocked.by|depends.on")
_BY_CTX = regex(r"archive/(?:decisions|learnings)-\d{4}-\d{2}-\d{2}\.md")
"""Archives that ``ctx archive`` writes: all entries in them are superseded."""


def pack(entries: Sequence[Iterable[int]]) -> bytes:
    """Return the postings of entries, given the terms of each in order of place."""
    places = defaultdict[int, list[int]](list)
    for place, terms in enumerate(entries):
        for term in terms:
            places[term].append(place)
    terms = array("Q", sorted(places))
    lists = [places[term] for term in terms]
    ends = array("I", accumulate(map(len, lists)))
    listed = array("H" if len(entries) < _SHORT_LIMIT else "I", chain.from_iterable(lists))
    counts = (len(counted).to_bytes(_COUNT_BYTES, sys.byteorder) for counted in (terms, entries))
    return b"".join((*counts, *(numbers.tobytes() for numbers in (terms, ends, listed))))


class Postings:
    """The packed postings of one file, opened."""

    def __init__(self, packed: bytes) -> None:
        """Open what ``pack`` returned."""
        begin = 2 * _COUNT_BYTES
        count = int.from_bytes(packed[:_COUNT_BYTES], sys.byteorder)
        self.entries = int.from_bytes(packed[_COUNT_BYTES:begin], sys.byteorder)
        ends, places = begin + count * 8, begin + count * 12
        data = memoryview(packed)
        code: Literal["H", "I"] = "H" if self.entries < _SHORT_LIMIT else "I"
        self._terms: Sequence[int] = data[begin:ends].cast("Q")
        self._ends: Sequence[int] = data[ends:places].cast("I")
        self._places: Sequence[int] = data[places:].cast(code)

    def holding(self, wanted: Iterable[int]) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield each of the ``wanted`` terms that occurs, and the places of its entries."""
        terms, ends, places, count = self._terms, self._ends, self._places, len(self._terms)
        for term in wanted:
            index = bisect_left(terms, term)
            if index < count and terms[index] == term:
                yield term, places[ends[index - 1] if index else 0 : ends[index]]

    def by_place(self) -> list[list[int]]:
        """Return the terms of each entry."""
        by_place: list[list[int]] = [[] for _ in range(self.entries)]
        start = 0
        for term, end in zip(self._terms, self._ends, strict=True):
            for place in self._places[start:end]:
                by_place[place].append(term)
            start = end
        return by_place


class Columns:
    """The entries of one file, and where their bodies and terms are."""

    def __init__(self, path: str, name: str, cached: CachedFile, text: Callable[[], bytes]) -> None:
        """Open ``cached``, whose key in the cache is ``name``; ``text`` fetches all bodies.

        The cache has checked it: it is what this version wrote.
        """
        self.source = path
        self.name = name
        self.digest = cached.digest
        self.chunks = cached.chunks
        self._packed_heads = cached.rendered
        cards: dict[str, Any] = json.loads(cached.cards)
        self.warnings: tuple[str, ...] = tuple(cards["warnings"])
        front = Frontmatter._make(cards["front"])
        self.front = front._replace(
            tags=tuple(front.tags), aliases=tuple(front.aliases), related=tuple(front.related)
        )
        self.kind: Kind = cards["kind"]
        self.timestamps: list[str] = cards["timestamps"]
        self._rows = len(self.timestamps)
        self.sizes: list[int] = cards["sizes"]
        names: list[str] = cards["names"]
        self.speakers: list[str] = [names[number] for number in cards["speakers"]]
        self.names: AbstractSet[str] = frozenset(names if self.speakers else ())
        self.confidences: list[float] = cards["confidences"]
        self._supersedes: dict[str, str] = cards["supersedes"]
        self.steps: AbstractSet[int] = frozenset(cards["steps"])  # places of ``Card.is_step``
        self.waiting: set[int] = set()  # places of open tasks that need another open one
        self.standing: dict[str, list[list[Any]]] = cards["standing"]  # ``Card.standing`` by place
        self.outdated: set[int] = set()  # places of turns that hold what was replaced since
        self.imports: list[tuple[int, str, bool]] = [*map(tuple, cards["imports"])]
        """Line and path of each file that an authored document includes, and whether surely."""
        self.digests: list[str] = cards["digests"]  # by place, the same for rules of the same words
        self.instructing: list[int] = cards["instructing"]  # of required rules and guidelines
        self.superseded: set[int] = set(cards["gone"])
        if self.front.status in _GONE:
            self.superseded.update(range(self._rows))
        self._postings = Postings(cached.terms)
        self._load = text
        self._renamed: dict[int, str] = {}
        self.coverage: Coverage | None = None  # the summaries that cover these entries

    @cached_property
    def _head(self) -> "_Heads":
        return _Heads(json.loads(zlib.decompress(self._packed_heads)))

    @cached_property
    def bodies(self) -> bytes:
        """All bodies, one behind the other; CacheLossError where the cache lost them."""
        bodies = self._load()
        if len(bodies) != self._head.bodies[-1]:
            # Another process stored a newer file since the columns were read.
            raise CacheLossError(f"{self.source}: remembered text does not fit its offsets")
        return bodies

    @cached_property
    def _terms(self) -> list[list[int]]:
        return self._postings.by_place()

    @property
    def titles(self) -> Sequence[str]:
        """``Entry.title`` by place."""
        return self._head.titles

    def __len__(self) -> int:
        return self._rows

    def holding(self, terms: Iterable[int]) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield each of ``terms`` that occurs, and the places of its entries, rising."""
        return self._postings.holding(terms)

    def body(self, place: int) -> str:
        """Return the body of the entry at ``place``; CacheLossError where the cache lost it."""
        offsets = self._head.bodies
        return self.bodies[offsets[place] : offsets[place + 1]].decode()

    def terms(self, place: int) -> Sequence[int]:
        """Return the hashed terms of the entry at ``place``."""
        return self._terms[place]

    def bundles(self) -> dict[int, str]:
        """Return the bundles that turns belong to, by place, where they belong to one."""
        return {int(place): bundle for place, bundle in self._head.sparse["bundle"].items()}

    def _covered(self, place: int) -> tuple[tuple[str, ...], bool]:
        """Return the ids of the summaries of an entry, and whether a user gave a rule in it."""
        if self.coverage is None:
            return (), False
        line, name = self._head.lines[place] + 1, self._head.anchors[place]
        if self.kind == "summary":
            return self.coverage.of_summary(name), False
        # Lines may have moved since, and no tool may give a rule as a user.
        speaker = self.speakers[place] if self.speakers else ""
        if self.coverage.elevated.get(line) == name and speaker not in _NO_USERS:
            return (), True
        return self.coverage.of_line(line), False

    def rename(self, names: Mapping[int, str]) -> None:
        """Give entries other ``names`` within their file, by place."""
        self._renamed.update(names)

    def distinguish(self, taken: set[str]) -> dict[int, str]:
        """Give entries names that are not ``taken``, and return the new ones by place.

        A duplicate gets its line's number, which stays when the file grows.
        """
        anchors = self._head.anchors
        own = set(anchors)
        if len(own) == len(anchors) and taken.isdisjoint(own):
            taken |= own
            return {}
        renamed = {}
        for place, name in enumerate(anchors):
            free = name if name not in taken else f"{name}~l{self._head.lines[place] + 1}"
            while free in taken:
                free += "~"
            taken.add(free)
            if free != name:
                renamed[place] = free
        self.rename(renamed)
        return renamed

    def supersedes(self) -> dict[int, str]:
        """Return ``Entry.supersedes`` by place, where it is not empty."""
        return {int(place): text for place, text in self._supersedes.items()}

    def anchor_at(self, line: int) -> str:
        """Return the name of the entry that begins at ``line``, counted from 1, or empty text."""
        lines = self._head.lines
        place = bisect_left(lines, line - 1)
        fits = place < len(lines) and lines[place] == line - 1
        return self._head.anchors[place] if fits else ""

    def id_of(self, place: int) -> str:
        """Return the id of the entry at ``place``."""
        return f"{self.source}#{self._renamed.get(place) or self._head.anchors[place]}"

    def take_back(self, anchors: AbstractSet[str]) -> None:
        """Put turns with these anchors out of force: their user took them back."""
        for place, anchor in enumerate(self._head.anchors):
            if anchor in anchors:
                self.superseded.add(place)
                self.standing.pop(str(place), None)

    def own_status(self, place: int) -> str:
        """Return the status that the entry at ``place`` gives itself."""
        return str(self._head.sparse["status"].get(str(place), ""))

    def entry(self, place: int) -> Entry:
        """Return the entry at ``place``; CacheLossError where the cache lost it."""
        head, key = self._head, str(place)
        sparse = head.sparse
        status = "superseded" if place in self.superseded else self.own_status(place)
        if not status and place in self.outdated:
            status = "partly superseded"
        if not status and place in self.waiting:
            status = "blocked"
        ancestors, elevated = self._covered(place)
        tier: Tier = "soft" if elevated else sparse["tier"].get(key, "variant")
        return Entry(
            id=self.id_of(place),
            kind="lore" if self.kind == "rule" and tier == "variant" else self.kind,
            tier=tier,
            title=head.titles[place],
            source=self.source,
            line=head.lines[place] + 1,
            end_line=head.end_lines[place] + 1,
            timestamp=self.timestamps[place],
            status=status,
            priority=sparse["priority"].get(key, 0),
            group=sparse["group"].get(key, ""),
            lead=sparse["lead"].get(key, ""),
            supersedes=self._supersedes.get(key, ""),
            size=self.sizes[place],
            title_size=head.title_sizes[place],
            front=self.front,
            content=self,
            place=place,
            modality=sparse["modality"].get(key, ""),
            speaker=self.speakers[place] if self.speakers else "",
            bundle=sparse["bundle"].get(key, ""),
            confidence=self.confidences[place] if self.confidences else None,
            covers=sparse["covers"].get(key, 1),
            ancestors=ancestors,
        )


def remembered(path: str, name: str, cache: ParseCache) -> Columns | None:
    """Return what the cache holds of the file ``path`` under ``name``; None for nothing."""
    cached = cache.get(name)
    return cached and Columns(shown(path), name, cached, partial(cache.text, name))


class _Heads:
    """The columns that ranking does not need."""

    def __init__(self, stored: dict[str, Any]) -> None:
        columns = stored["columns"]
        self.anchors: list[str] = columns["anchor"]
        self.titles: list[str] = columns["title"]
        self.lines: list[int] = columns["line"]
        self.end_lines: list[int] = columns["end_line"]
        self.title_sizes: list[int] = columns["title_size"]
        self.bodies: list[int] = stored["bodies"]
        self.sparse: dict[str, dict[str, Any]] = stored["sparse"]


class Excerpt:
    """Some entries of a part as if they were a file: the background of an authored document."""

    def __init__(self, part: Part, places: Sequence[int], kind: Kind, *, cut: bool = False) -> None:
        """Show entries of ``part`` at rising ``places``, ``cut`` if these depend on other files."""
        self.kind: Kind = kind
        self.name = f"{part.name}:{crc32(repr(places).encode()) if cut else kind}"
        self.source = part.source
        self.digest = part.digest
        self.front = part.front
        self.confidences: Sequence[float] = ()  # empty: no summary is part of another file
        self.steps: AbstractSet[int] = frozenset()  # empty, likewise
        self._part = part
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    def entry(self, place: int) -> Entry:
        """Return the entry at ``place``, counted from 0 within the excerpt."""
        return self._part.entry(self._places[place])

    def bundles(self) -> dict[int, str]:
        """Return the bundles that turns belong to, by place."""
        whole = self._part.bundles() if isinstance(self._part, Columns) else {}
        return {at: whole[place] for at, place in enumerate(self._places) if place in whole}

    @property
    def timestamps(self) -> Sequence[str]:
        """``Entry.timestamp`` by place."""
        whole = self._part.timestamps
        return [whole[place] for place in self._places]

    @property
    def sizes(self) -> Sequence[int]:
        """``Entry.size`` by place."""
        whole = self._part.sizes
        return [whole[place] for place in self._places]

    @property
    def digests(self) -> Sequence[str]:
        """``Columns.digests`` by place."""
        whole = self._part.digests if isinstance(self._part, Columns | Excerpt) else ()
        return [whole[place] for place in self._places] if whole else ()

    @property
    def speakers(self) -> Sequence[str]:
        """``Entry.speaker`` by place; empty where nobody speaks."""
        whole = self._part.speakers
        return [whole[place] for place in self._places] if whole else []

    @property
    def names(self) -> AbstractSet[str]:
        """All ``speakers``."""
        return frozenset(self.speakers)

    @property
    def superseded(self) -> set[int]:
        """Places of superseded entries."""
        whole = self._part.superseded
        return {own for own, place in enumerate(self._places) if place in whole}

    def holding(self, terms: Iterable[int]) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield each of ``terms`` that occurs here, and the places of its entries."""
        own = self._places
        for term, places in self._part.holding(terms):
            near = ((bisect_left(own, place), place) for place in places)
            if found := [n for n, place in near if n < len(own) and own[n] == place]:
                yield term, found


def parts_of(file: Columns) -> tuple[Part, ...]:
    """Return the entries of a file by kind: an authored document has rules and background."""
    if file.kind != "rule":
        return (file,)
    rules = file.instructing
    if len(rules) == len(file):
        return (file,)
    lore = sorted({*range(len(file))}.difference(rules))
    return (Excerpt(file, rules, "rule"), Excerpt(file, lore, "lore"))


def without_repeats(sources: Iterable[Source], *, together: bool) -> list[Source]:
    """Return ``sources`` without the rules and background that an earlier one holds in words.

    Where they do not all apply ``together``, what one for certain files holds counts for none.
    """
    known: dict[str, str] = {}
    kept = []
    for source in sources:
        every = [part.digests for part in source.parts if isinstance(part, Columns | Excerpt)]
        left = source
        if digests := [*filter(None, chain.from_iterable(every))]:
            parts = tuple(_without(part, known.keys()) for part in source.parts)
            repeats: dict[str, int] = {}
            holds = together or source.scope is None or source.scope.mode == "always"
            for digest in dict.fromkeys(digests):
                first = known.setdefault(digest, source.path) if holds else known.get(digest, "")
                if first not in ("", source.path):
                    repeats[first] = repeats.get(first, 0) + 1
            left = source._replace(parts=parts, repeats=tuple(repeats.items()))
        kept.append(left)
    return kept


def _without(part: Part, known: AbstractSet[str]) -> Part:
    digests = part.digests if isinstance(part, Columns | Excerpt) else ()
    places = [place for place, digest in enumerate(digests) if digest not in known]
    return part if len(places) == len(digests) else Excerpt(part, places, part.kind, cut=True)


class Archived(Excerpt):
    """The entries of an archive: superseded, and still found by searches."""

    def __init__(self, part: Part) -> None:
        super().__init__(part, range(len(part)), part.kind)

    @property
    def superseded(self) -> set[int]:
        """Empty: searches of an archive want superseded entries."""
        return set()

    def entry(self, place: int) -> Entry:
        """Return the entry at ``place``, with its status where it is superseded."""
        entry = super().entry(place)
        superseded = place in self._part.superseded or _BY_CTX.fullmatch(self.source)
        return entry._replace(status="superseded") if superseded else entry


def mark_waiting(files: Sequence[Columns]) -> None:
    """Mark the tasks of ``files`` that need an open one of them."""
    if not any(_NEED.search(file.bodies) for file in files):
        return
    from ctx.text.needs import Needs  # few directories need it

    needs = Needs(file.entry(place) for file in files for place in range(len(file)))
    for file in files:
        file.waiting = {at for at in range(len(file)) if needs.open(file.entry(at))}


def mark_superseded(files: Sequence[Columns]) -> None:
    """Mark the entries of ``files`` that another supersedes by a name that is theirs alone."""
    lines = [
        ((number, place), line)
        for number, file in enumerate(files)
        for place, text in file.supersedes().items()
        for line in text.split("\n")
    ]
    if not lines:
        return
    from ctx.text.supersedes import is_shared, names, readings  # few directories need it

    references = [(source, name) for source, line in lines for name in readings(line)]
    named: dict[str, set[tuple[int, int]]] = {name: set() for _, name in references}
    if not named:
        return
    for number, file in enumerate(files):
        for place, (title, stamp) in enumerate(zip(file.titles, file.timestamps, strict=True)):
            for name in names(title, stamp, file.id_of(place)) & named.keys():
                named[name].add((number, place))
    for source, name in references:
        if len(named[name]) == 1 or not is_shared(name):
            for number, place in named[name] - {source}:
                files[number].superseded.add(place)
