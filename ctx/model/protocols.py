"""What the packages need from outside, which ``store`` and ``llm`` implement, and its records."""

from collections.abc import Sequence

from ctx.model.entries import Entry, SectionName
from ctx.model.selection import Included, Selection
from ctx.typed import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Counter(Protocol):
    """Counts tokens."""

    name: str  # as ``--tokenizer`` names it

    def count(self, text: str) -> int:
        """Return the number of tokens in ``text``; 0 for the empty string."""


class Measure(Protocol):
    """Tokens of the parts of a packet, in its own format and by its own counter."""

    def whole(self, selection: Selection) -> int:
        """Return the tokens of the whole packet as rendered."""

    def unit(self, included: Included) -> int:
        """Return the tokens of one entry at its level, without the headings above it."""

    def least(self, included: Included) -> int:
        """Return a lower bound of ``unit``, without counting anything."""

    def has(self, included: Included) -> bool:
        """Return whether the entry has a text of its own at that level."""

    def heading(self, section: SectionName) -> int:
        """Return the tokens of a section's heading."""

    def titles(self, section: SectionName) -> int:
        """Return the overhead of a section's list of titles, in tokens."""

    def titles_heading(self) -> int:
        """Return the tokens of the heading over all lists of titles."""

    def group(self, entry: Entry) -> int:
        """Return the tokens of the heading over an entry's group."""

    def run(self, entry: Entry) -> int:
        """Return the overhead of entries that share an introduction, in tokens."""

    def omitted(self, section: SectionName, count: int, places: str) -> int:
        """Return the tokens of the line that counts omitted entries."""


class CachedFile(NamedTuple):
    """The cached form of one file."""

    digest: bytes  # of the file's bytes
    chunks: str  # JSON: the pieces of the file, so that unchanged ones are not parsed again
    cards: str  # JSON: what entries are ranked by, and warnings (in the form of ``read.record``)
    rendered: bytes  # compressed JSON: what is only rendered (likewise)
    terms: bytes  # the entries of each hashed term (in the form of ``read.postings``)


class CacheLossError(Exception):
    """The cache lost an item that it had listed: ask again without the cache."""


class ParseCache(Protocol):
    """A parse cache: keeps parsed files between runs, and may lose anything at any time."""

    def signature(self, path: str) -> tuple[int, ...] | None:
        """Return the stat signature of ``path`` when it was last read, if it can be trusted."""

    def get(self, path: str) -> CachedFile | None:
        """Return the cached form of ``path``; None where there is none."""

    def text(self, path: str) -> bytes:
        """Return the bodies of ``path`` in a row, as UTF-8; CacheLossError if they are damaged."""

    def touch(self, path: str, signature: tuple[int, ...]) -> None:
        """Record the new signature of ``path``, whose bytes are those of the cached form."""

    def put(self, path: str, signature: tuple[int, ...], file: CachedFile, text: bytes) -> None:
        """Store a parsed file."""


class EmbeddingError(Exception):
    """An embedding backend cannot be used, or failed: one line, which holds no key and no text."""


class RerankError(Exception):
    """A reranker cannot be used, or failed: one line, with what to try. Never holds a text."""


class Reranker(Protocol):
    """Reads a query together with a text, instead of comparing their vectors."""

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return for each text how well it answers ``query``, in [0, 1]. Raises RerankError."""


class Embedder(Protocol):
    """Turns texts into vectors whose inner products measure how near they are in meaning."""

    @property
    def name(self) -> str:
        """Model and place, without secrets: vectors are stored by this name."""

    @property
    def dim(self) -> int:
        """Components of a vector; 0 until a server or plugin has returned one."""

    @property
    def nested(self) -> bool:
        """Whether the first components of a vector are a coarser vector (``retrieval-math`` 4)."""

    def embed(self, texts: Sequence[str]) -> "npt.NDArray[np.float32]":
        """Return a row for each text, of unit length, or zero. Raises EmbeddingError."""
