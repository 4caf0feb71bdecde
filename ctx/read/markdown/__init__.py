"""Markdown as blocks with line spans."""
