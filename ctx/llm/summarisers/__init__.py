"""Writers of summaries: one scheme a file, one protocol, a registry; nothing heavy is imported."""

from collections.abc import Mapping
from functools import partial

from ctx.llm.spec import SUMMARY, Registry, Scheme, address, words
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

    ``seconds``, over 0, limit one call of ``ask``. Raises UsageError for a wrong setting,
    SummaryError where a library is missing or a key cannot be one.
    """
    made: Writer | None = REGISTRY.load(spec, environ, seconds)
    return made
