"""Entries to test with: read from files written for the purpose, or made by hand."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import NamedTuple

from ctx import read
from ctx.model import (
    NO_FRONTMATTER,
    CachedFile,
    CacheLossError,
    Context,
    Entry,
    Frontmatter,
    Kind,
    ParseCache,
    Tier,
)
from ctx.read.card import slug
from ctx.text.tokens import estimate
from ctx.text.words import term_ids

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = sorted((ROOT / "fixtures").glob("*/.context"))
CORPORA = sorted((ROOT.parent / "shared" / "corpora").glob("*/.context"))
NO_CORPORA = "the shared corpora are not on this machine; fixtures/ covers the same"
LIMITS = read.Limits(64 * 1024 * 1024, allow_links=False)

_TIERS: dict[Kind, Tier] = {"rule": "hard", "convention": "soft"}


class Text(NamedTuple):
    """The content of one entry made by hand."""

    text: str
    ids: tuple[int, ...]

    def body(self, place: int) -> str:  # noqa: ARG002 - there is one entry
        return self.text

    def terms(self, place: int) -> Sequence[int]:  # noqa: ARG002 - there is one entry
        return self.ids


def entry(
    title: str = "A title",
    body: str = "A body.",
    *,
    kind: Kind = "decision",
    tier: Tier | None = None,
    timestamp: str = "",
    status: str = "",
    priority: int = 0,
    group: str = "",
    lead: str = "",
    source: str = "",
    size: int | None = None,
) -> Entry:
    """Return an entry as a reader would make it, unless told otherwise."""
    source = source or ("CONSTITUTION.md" if kind == "rule" else f"{kind.upper()}S.md")
    return Entry(
        id=f"{source}#{timestamp}-{slug(title)}",
        kind=kind,
        tier=tier or _TIERS.get(kind, "variant"),
        title=title,
        source=source,
        line=1,
        end_line=1,
        timestamp=timestamp,
        status=status,
        priority=priority,
        group=group,
        lead=lead,
        supersedes="",
        size=estimate(body) if size is None else size,
        title_size=estimate(f"- {title}") - 1,
        front=NO_FRONTMATTER,
        content=Text(body, tuple(term_ids(f"{title}\n{body}"))),
        place=0,
    )


class Hand:
    """A file's entries as a ranker sees them, made by hand."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries

    def __len__(self) -> int:
        return len(self._entries)

    def entry(self, place: int) -> Entry:
        return self._entries[place]

    @property
    def kind(self) -> Kind:
        return self._entries[0].kind if self._entries else "decision"

    @property
    def name(self) -> str:
        return self.source

    @property
    def source(self) -> str:
        return self._entries[0].source if self._entries else "none.md"

    @property
    def digest(self) -> bytes:
        return repr([(one.id, one.body) for one in self._entries]).encode()

    @property
    def speakers(self) -> Sequence[str]:
        said = [one.speaker for one in self._entries]
        return said if any(said) else []

    @property
    def names(self) -> AbstractSet[str]:
        return frozenset(self.speakers)

    @property
    def front(self) -> Frontmatter:
        return self._entries[0].front if self._entries else NO_FRONTMATTER

    @property
    def timestamps(self) -> Sequence[str]:
        return [one.timestamp for one in self._entries]

    @property
    def sizes(self) -> Sequence[int]:
        return [one.size for one in self._entries]

    @property
    def steps(self) -> AbstractSet[int]:
        return frozenset()

    @property
    def confidences(self) -> Sequence[float]:
        return [one.confidence for one in self._entries if one.confidence is not None]

    @property
    def superseded(self) -> set[int]:
        return {at for at, one in enumerate(self._entries) if one.status == "superseded"}

    def holding(self, terms: Iterable[int]) -> Iterator[tuple[int, Sequence[int]]]:
        for term in terms:
            places = [at for at, one in enumerate(self._entries) if term in one.terms]
            if places:
                yield term, places


class Nothing:
    def signature(self, path: str) -> tuple[int, ...] | None:  # noqa: ARG002
        return None

    def get(self, path: str) -> CachedFile | None:  # noqa: ARG002
        return None

    def text(self, path: str) -> bytes:
        raise CacheLossError(path)

    def touch(self, path: str, signature: tuple[int, ...]) -> None:
        """Forget."""

    def put(self, path: str, signature: tuple[int, ...], kept: CachedFile, text: bytes) -> None:
        """Forget."""


class Memory:
    """A shelf that keeps everything, but trusts no signature unless told to."""

    def __init__(self, *, trusting: bool = False) -> None:
        self.trusting = trusting
        self.kept: dict[str, tuple[tuple[int, ...], CachedFile, bytes]] = {}
        self.touched: list[str] = []

    def signature(self, path: str) -> tuple[int, ...] | None:
        return self.kept[path][0] if self.trusting and path in self.kept else None

    def get(self, path: str) -> CachedFile | None:
        return self.kept[path][1] if path in self.kept else None

    def text(self, path: str) -> bytes:
        return self.kept[path][2]

    def touch(self, path: str, signature: tuple[int, ...]) -> None:
        self.touched.append(path)
        self.kept[path] = (signature, *self.kept[path][1:])

    def put(self, path: str, signature: tuple[int, ...], kept: CachedFile, text: bytes) -> None:
        self.kept[path] = (signature, kept, text)


def write(folder: Path, files: Mapping[str, str | bytes]) -> str:
    """Write ``files``, bytes as they are and text as UTF-8, and return the folder's path."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(folder)


def read_all(root: str | Path, shelf: ParseCache | None = None) -> Context:
    return read.read(str(root), shelf or Nothing(), LIMITS)


def said(one: Entry) -> tuple[object, ...]:
    """Return everything an entry says of itself, comparable between readings."""
    return (*one._replace(content=Text("", ()), place=0), one.body, tuple(one.terms))
