"""Writers of summaries: one scheme a file, one protocol, a registry; nothing heavy is imported."""

from functools import partial

from ctx.llm.spec import SUMMARY, Registry, Scheme, address, words
from ctx.model import Writer

EXTRACTIVE = "extractive"  # no writer: summaries are made of sentences of the turns
REGISTRY = Registry[Writer](
    SUMMARY,
    __name__,
    EXTRACTIVE,
    {
        "command": Scheme("command:PROGRAM ARGUMENTS", "", words),
        "openai": Scheme("openai:MODEL@URL", "http", partial(address, client=SUMMARY)),
    },
)
check = REGISTRY.check
writer = REGISTRY.load
"""Returns the writer of a setting, None for ``extractive``. Raises UsageError for a wrong setting,
SummaryError where a library is missing or a key cannot be one."""
