"""A memory bank, as agents are told to keep one."""

from ctx.model import Origin

ORIGINS = (
    Origin(
        "memory-bank",
        ("memory-bank/activeContext.md", "memory-bank/progress.md", "memory-bank/**/*.md"),
        "background, the work in hand first", parser="sections", knows=True, imported=True,
    ),
)  # fmt: skip
