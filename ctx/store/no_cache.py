"""A parse cache and a library that store nothing: for directories that can have no cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.model import ForgottenError, Means

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.model import Fields, Kept, Part, Text


class Forgetful:
    """A parse cache that stores nothing."""

    def signature(self, path: str) -> None:  # noqa: ARG002
        """Return None: nothing is stored."""
        return

    def get(self, path: str) -> None:  # noqa: ARG002
        """Return None: nothing is stored."""
        return

    def text(self, path: str) -> bytes:
        """Raise ForgottenError: nothing is stored."""
        raise ForgottenError(path)

    def touch(self, path: str, signature: tuple[int, ...]) -> None:
        """Do nothing."""

    def put(self, path: str, signature: tuple[int, ...], kept: Kept, text: bytes) -> None:
        """Do nothing."""


class Fleeting:
    """A library of words alone, made in memory for every question."""

    def means(
        self,
        parts: Sequence[Part],
        fields: Fields,
        text: Text,  # noqa: ARG002 - nothing is embedded
        query: str,  # noqa: ARG002 - likewise
    ) -> Means:
        """Return the words of ``parts``."""
        from ctx.store.words import Lexicon  # loads SQLite

        lexicon = Lexicon("", "")
        lexicon.refresh(parts, fields)
        return Means(lexicon)
