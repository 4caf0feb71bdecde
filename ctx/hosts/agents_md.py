"""AGENTS.md, which many hosts read."""

from ctx.model import Origin

ORIGINS = (
    Origin(
        "agents", ("AGENTS.md",), "rules of a folder and what is below it", leveled=True,
        imports=True, export="AGENTS.md",
    ),
)  # fmt: skip
