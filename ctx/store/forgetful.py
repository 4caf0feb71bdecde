"""A shelf that remembers nothing: for directories that cannot keep an index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.model import ForgottenError

if TYPE_CHECKING:
    from ctx.model import Kept


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
