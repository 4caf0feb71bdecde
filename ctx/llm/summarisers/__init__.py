"""Writers of summaries: one scheme a file, one protocol, a registry; nothing heavy is imported."""

# No `from __future__ import annotations` here: see ``ctx.model.entries``.

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from ctx.llm.spec import SUMMARY, Registry, Scheme, address, words

if TYPE_CHECKING:
    from ctx.model import Writer

EXTRACTIVE = "extractive"  # no writer: summaries are made of sentences of the turns
REGISTRY = Registry(
    SUMMARY,
    __name__,
    EXTRACTIVE,
    {
        "command": Scheme("command:PROGRAM ARGUMENTS", "", words),
        "openai": Scheme("openai:MODEL@URL", "http", partial(address, client=SUMMARY)),
    },
)
check = REGISTRY.check


def writer(spec: str, environ: Mapping[str, str], seconds: float) -> "Writer | None":
    """Return the writer of ``spec``, None for ``extractive``; UsageError, SummaryError."""
    made: Writer | None = REGISTRY.load(spec, environ, seconds)
    return made
