"""Authored documents such as AGENTS.md: their parts, the tier of each, and their rules."""
