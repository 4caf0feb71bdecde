"""AGENTS.md, which many hosts read."""

from ctx.model import Origin

_GIVES, _NAME = "rules of a folder and what is below it", "AGENTS.md"
ORIGINS = [Origin("agents", (_NAME,), _GIVES, leveled=True, imports=True, export=_NAME)]
