"""What is unsafe in the functions and views of a database that holds a team's memory."""

import re
from collections.abc import Callable
from typing import Any

Ask = Callable[..., list[tuple[Any, ...]]]

FUNCTIONS = """
SELECT p.oid::regprocedure::text, prosrc, proowner::regrole::text,
    coalesce((SELECT substr(s, 13) FROM unnest(proconfig) s WHERE s LIKE 'search_path=%%'), ''),
    EXISTS (SELECT FROM aclexplode(coalesce(proacl, acldefault('f', proowner))) a
            WHERE a.grantee = 0)
FROM pg_proc p WHERE pronamespace = 'ctx'::regnamespace ORDER BY 1
"""
VIEWS = """
SELECT c.oid::regclass::text, coalesce(pg_get_viewdef(c.oid), ''), relowner::regrole::text,
    coalesce('security_barrier=true' = ANY (reloptions), false)
FROM pg_class c WHERE relnamespace = 'ctx'::regnamespace AND relkind IN ('v', 'm') ORDER BY 1
"""
CATALOGUE = (
    "SELECT relname FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace "
    "AND relkind IN ('r', 'v')"
)
TABLES = (
    "SELECT relname FROM pg_class WHERE relnamespace = 'ctx'::regnamespace "
    "AND relkind IN ('r', 'p')"
)
BOUND = r"\b(\w+) AS (?:MATERIALIZED )?\("
"""What a statement itself calls so (WITH), beside the transition tables of triggers."""


def faults(ask: Ask) -> list[str]:
    """Return what is unsafe in the functions and views of a database."""
    catalogue = {name for (name,) in ask(CATALOGUE)}
    tables = {name for (name,) in ask(TABLES)}
    found = []
    for name, source, owner, path, everybody in ask(FUNCTIONS):
        if not re.fullmatch(r"pg_catalog, (?!pg_temp, )(\w+, )?pg_temp", path):
            found.append(f"{name}: search_path = {path}")
        if owner != "ctx_owner":
            found.append(f"{name}: belongs to {owner}")
        if everybody:
            found.append(f"{name}: everybody may call it")
        found += [
            f"{name}: {which} without its schema" for which in named(source, catalogue, tables)
        ]
    for name, source, owner, barrier in ask(VIEWS):
        if owner != "ctx_owner" or not barrier:
            found.append(f"{name}: a view of {owner}, security_barrier {barrier}")
        found += [
            f"{name}: {which} without its schema" for which in named(source, catalogue, tables)
        ]
    return found


def named(source: str, catalogue: set[str], tables: set[str]) -> list[str]:
    """Return the relations that a source names without their schema."""
    source = re.sub(r"--.*", "", source)
    words = {*re.findall(r"(?<![\w.$])(pg_\w+)(?!\w|\()", source)} & catalogue
    bound = {*re.findall(BOUND, source), "before", "after"}
    asked = {*re.findall(r"\b(?:FROM|JOIN|INTO|UPDATE)\s+(\w+)(?![\w.(])", source)}
    return sorted(words | (asked & (catalogue | tables)) - bound)
