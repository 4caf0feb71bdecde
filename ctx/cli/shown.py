"""What every command writes passes here: see ``ctx.visible``."""

from __future__ import annotations

from ctx.visible import visible as safe
from ctx.visible import visible_json as safe_json

__all__ = ["safe", "safe_json"]
