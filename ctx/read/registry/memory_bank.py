"""A memory bank: what agents note about a project, the work in hand first."""

from ctx.read.registry.origin import Origin

MEMORY_BANK = Origin(
    "memory-bank",
    ("memory-bank/activeContext.md", "memory-bank/progress.md", "memory-bank/**/*.md"),
    "background, the work in hand first", parser="sections", knows=True,
)  # fmt: skip
