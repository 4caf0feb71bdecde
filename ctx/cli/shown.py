"""What every command writes passes here: see ``ctx.text.visible``."""

from __future__ import annotations

from ctx.text.visible import visible as safe
from ctx.text.visible import visible_json as safe_json

__all__ = ["safe", "safe_json"]
