"""How it is said: one format a file, one signature, a registry."""

from ctx.render.forms import FORMATS, form
from ctx.render.measure import Costs

__all__ = ["FORMATS", "Costs", "form"]
