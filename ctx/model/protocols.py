"""What the rooms need from outside: protocols, and the records that cross them.

``store`` and later ``embed`` implement these; the rooms get them as arguments.
"""

# No `from __future__ import annotations` here: see ``nouns``.

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ctx.model.entries import Entry, SectionName
from ctx.model.selection import Said, Selection

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Counter(Protocol):
    """Counts tokens."""

    name: str
    """As ``--tokenizer`` names it."""

    def count(self, text: str) -> int:
        """Return the number of tokens in ``text``; 0 for the empty string."""
        ...


class Measure(Protocol):
    """What saying something costs in the packet's own format and by its own counter."""

    def whole(self, selection: Selection) -> int:
        """Return the tokens of the whole packet as rendered."""
        ...

    def unit(self, said: Said) -> int:
        """Return the tokens of one entry at its level, without what stands above it."""
        ...

    def least(self, said: Said) -> int:
        """Return tokens that ``unit`` would not fall below, without counting anything."""
        ...

    def date(self) -> int:
        """Return the tokens that a bullet and a date add to a title, at least."""
        ...

    def longest_title(self, tokens: int) -> int:
        """Return the greatest ``Entry.title_size``, date included, that could cost ``tokens``."""
        ...

    def slack(self) -> int:
        """Return the tokens by which the sum of the pieces may pass what they add to the whole."""
        ...

    def says(self, said: Said) -> bool:
        """Return whether the entry has anything of its own to say at that level."""
        ...

    def heading(self, section: SectionName) -> int:
        """Return the tokens of a section's heading."""
        ...

    def noted(self, section: SectionName) -> int:
        """Return the tokens of what frames a section's list of titles."""
        ...

    def noted_heading(self) -> int:
        """Return the tokens of the heading over all lists of titles."""
        ...

    def group(self, entry: Entry) -> int:
        """Return the tokens of the heading over an entry's group."""
        ...

    def run(self, entry: Entry) -> int:
        """Return the tokens of what frames the entries that share an introduction."""
        ...

    def unsaid(self, count: int, places: str) -> int:
        """Return the tokens of the line that counts what is left out."""
        ...


class Kept(NamedTuple):
    """What the store remembers of one file."""

    digest: bytes
    """Of the file's bytes."""
    chunks: str
    """JSON: what the pieces of the file were, so that unchanged ones are not parsed again."""
    cards: str
    """JSON: what entries are ranked by, and the warnings (``read.record`` owns the form)."""
    told: bytes
    """Compressed JSON: what is only said of entries (likewise)."""
    terms: bytes
    """Which entries hold which hashed terms (``read.postings`` owns the form)."""


class ForgottenError(Exception):
    """A shelf lost what it had promised to keep: ask again without it."""


class Shelf(Protocol):
    """Remembers parsed files between runs. May forget anything at any time."""

    def signature(self, path: str) -> tuple[int, ...] | None:
        """Return the stat signature under which ``path`` was last read, if it is settled."""
        ...

    def get(self, path: str) -> Kept | None:
        """Return what is remembered of ``path``."""
        ...

    def text(self, path: str) -> bytes:
        """Return the remembered bodies of ``path`` as UTF-8, one after the other.

        Raises ForgottenError where they are lost or damaged.
        """
        ...

    def touch(self, path: str, signature: tuple[int, ...]) -> None:
        """Note that ``path`` still has the bytes that are remembered, under a new signature."""
        ...

    def put(self, path: str, signature: tuple[int, ...], kept: Kept, text: bytes) -> None:
        """Remember a parsed file."""
        ...


class EmbeddingError(Exception):
    """An embedding backend cannot be used, or failed: one line, with what to try.

    Never holds a key, or any of the texts that were to be embedded.
    """


class Embedder(Protocol):
    """Turns texts into vectors whose inner products say how near they are in meaning."""

    @property
    def name(self) -> str:
        """What the vectors depend on, model and place, without secrets: they are kept by it."""
        ...

    @property
    def dim(self) -> int:
        """Components of a vector; 0 until a backend elsewhere has said."""
        ...

    @property
    def nested(self) -> bool:
        """Whether the first components of a vector are a coarser vector (``retrieval-math`` 4)."""
        ...

    def embed(self, texts: Sequence[str]) -> "npt.NDArray[np.float32]":
        """Return a row for each text: of unit length, or zero where a text says nothing to it.

        Raises EmbeddingError.
        """
        ...
