"""A shelf and a library that remember nothing: for directories that cannot keep an index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.model import ForgottenError, Means

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctx.model import Fields, Kept, Part, Text


class Forgetful:
    """Takes everything, keeps nothing."""

    def signature(self, path: str) -> None:  # noqa: ARG002
        """Return None: nothing was read before."""
        return

    def get(self, path: str) -> None:  # noqa: ARG002
        """Return None: nothing is remembered."""
        return

    def text(self, path: str) -> bytes:
        """Raise ForgottenError: there was no promise to keep anything."""
        raise ForgottenError(path)

    def touch(self, path: str, signature: tuple[int, ...]) -> None:
        """Forget at once."""

    def put(self, path: str, signature: tuple[int, ...], kept: Kept, text: bytes) -> None:
        """Forget at once."""


class Fleeting:
    """A library of words alone, made anew in memory for every question."""

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
