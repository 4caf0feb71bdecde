"""Hooks that let agents call ctx: hosts, their settings, and git."""
