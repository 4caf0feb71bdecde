"""The rules, in the order in which they are asked. A new rule is a new module and a line here."""

from __future__ import annotations

from ctx.checks.rules import (
    characters,
    commands,
    contradictions,
    cycles,
    duplicates,
    hard_tier,
    headings,
    injection,
    links,
    paths,
    secrets,
    superseded,
    undated,
    unreadable,
)
from ctx.checks.types import Rule

RULES: tuple[Rule, ...] = (
    Rule("unreadable", "error", "What is not read as its author meant it.", unreadable.check),
    Rule("heading", "error", "Headings that begin no entry, or have no such day.", headings.check),
    Rule("undated", "warning", "Decisions and learnings without a date.", undated.check),
    Rule("duplicate", "warning", "Entries that repeat another one.", duplicates.check),
    Rule("contradiction", "error", "Rules that oblige to what is forbidden.", contradictions.check),
    Rule("dead-link", "warning", "Links and relations that lead nowhere.", links.check),
    Rule("missing-path", "warning", "Paths that are not in the work tree.", paths.check),
    Rule("missing-command", "warning", "Commands that the work tree has not.", commands.check),
    Rule("no-successor", "warning", "Superseded, and nothing says by what.", superseded.check),
    Rule("cycle", "error", "Entries that supersede each other.", cycles.check),
    Rule("hard-tier", "error", "Rules over their share of the budget.", hard_tier.check),
    Rule("secret", "error", "Passwords, keys and tokens.", secrets.check),
    Rule("character", "error", "Controls, and characters nobody sees.", characters.check),
    Rule("injection", "warning", "Quoted text that gives orders.", injection.check),
)
NAMES = tuple(rule.name for rule in RULES)
