"""A parse cache and a library that store nothing: for directories that can have no cache."""

from collections.abc import Sequence

from ctx.model import CacheLossError, Fields, Indexes, Part, Text
from ctx.typed import Self


class NoCache:
    """A parse cache that stores nothing; a context manager, as the other one."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        """Do nothing, as all that would write."""

    def signature(self, path: str) -> None:  # noqa: ARG002
        """Return None: nothing is stored."""
        return

    get = signature

    def text(self, path: str) -> bytes:
        """Raise CacheLossError: nothing is stored."""
        raise CacheLossError(path)

    def touch(self, *_: object, **_named: object) -> None:
        """Do nothing: nothing is stored."""

    put = flush = forget_others = touch


class WordsInMemory:
    """A library of words alone, made in memory for every question."""

    def indexes(
        self,
        parts: Sequence[Part],
        fields: Fields,
        text: Text,  # noqa: ARG002 - nothing is embedded
        query: str,  # noqa: ARG002 - likewise
    ) -> Indexes:
        """Return the words of ``parts``."""
        from ctx.store.words import Lexicon  # loads SQLite

        lexicon = Lexicon("", "")
        lexicon.refresh(parts, fields)
        return Indexes(lexicon)
