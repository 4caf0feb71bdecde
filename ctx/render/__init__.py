"""How it is said: one format a file, one signature, a registry."""

from ctx.render.formats import FORMATS, Costs, form

__all__ = ["FORMATS", "Costs", "form"]
