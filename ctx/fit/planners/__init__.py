"""Planners: one a file. A new one is a module and a line in ``ctx.fit.planner``."""
