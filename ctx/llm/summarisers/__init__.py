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
    """Return the writer of the setting ``spec``, None for ``extractive``.

    Of ``environ`` only a key and the home directory are used; a command gets all of it.
    ``seconds``, over 0, is the most that one call of ``ask`` may take. Raises UsageError for a
    setting that is malformed or names nothing, SummaryError where a library is missing or a key
    cannot be one.
    """
    made: Writer | None = REGISTRY.load(spec, environ, seconds)
    return made
