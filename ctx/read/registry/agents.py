"""AGENTS.md, at every level: rules for all agents."""

from ctx.read.registry.origin import Origin

AGENTS = Origin(
    "agents", ("AGENTS.md",), "rules of a folder and what is below it", leveled=True, imports=True
)
