"""Formats of packets: one a file, all with the functions of ``formats.Form``."""

from ctx.render.formats import FORMATS, Costs, form

__all__ = ["FORMATS", "Costs", "form"]
