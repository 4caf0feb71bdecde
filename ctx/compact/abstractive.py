"""A summary in a model's own words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.compact.prompt import prompt

if TYPE_CHECKING:
    from ctx.model import Cluster, Draft, Writer


class Abstractive:
    """A summariser that asks a model. What comes back is a draft: ``melt`` judges it."""

    method = "abstractive"

    def __init__(self, writer: Writer) -> None:
        """Ask ``writer``."""
        self._writer = writer

    @property
    def model(self) -> str:
        """The name of the writer."""
        return self._writer.name

    def summarise(self, cluster: Cluster, limit: int) -> Draft:
        """Return what the model makes of ``cluster`` in about ``limit`` tokens.

        Raises SummaryError.
        """
        return self._writer.ask(prompt(cluster, limit))
