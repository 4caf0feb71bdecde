"""Check a context directory: which rules, over which files, and what they found as JSON."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from typing import TYPE_CHECKING

from ctx.app.check_walk import Asked, Checked
from ctx.app.check_walk import checked as walked
from ctx.app.find import here
from ctx.checks.rules import NAMES, RULES
from ctx.errors import UsageError
from ctx.read.files import below
from ctx.text.tokens import counter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctx.app.workspace import Workspace
    from ctx.checks.rules import Rule
    from ctx.checks.types import Finding

MANY = 10_000
"""The same of files and folders."""
LEAST = {"error": ("error",), "warning": ("error", "warning")}
"""By what ``--severity`` says, what is looked for."""


_LARGE = 4 * 1024 * 1024
"""Bytes of a directory whose check takes a second or more."""


def is_large(root: str) -> bool:
    """Return whether a check of ``root`` takes long enough to be seen."""
    size = 0
    for count, (path, _) in enumerate(below(root)):
        with suppress(OSError):
            size += os.lstat(os.path.join(root, path)).st_size
        if size > _LARGE or count > MANY:
            return True
    return False


def checked(workspace: Workspace, rules: Sequence[str] = ()) -> dict[str, object]:
    """Return what the named ``rules``, all without any, find in the directory.

    The object that ``ctx check --json`` writes. Raises UsageError for a rule that there is not,
    FileError where the directory cannot be listed, TokenizerError for a tokenizer that cannot be
    used.
    """
    asked = named(rules)
    return as_object(workspace, check(workspace, asked), asked)


def check(
    workspace: Workspace,
    rules: Sequence[Rule] = RULES,
    *,
    tick: Callable[[int], None] | None = None,
) -> Checked:
    """Return what ``rules`` find in the directory; raises as ``checked``."""
    from ctx.text.secrets import find as secrets  # patterns: for who checks only

    settings = workspace.settings._replace(session="", embedder="none", planner="tiered")
    workspace = workspace.having(settings)
    root, cwd = workspace.root, workspace.world.cwd
    request = workspace.request()._replace(ranker="brackets")
    count = counter(settings.tokenizer)
    asked = Asked(
        request, rules, count, secrets, tick, lambda file: shlex.quote(here(root, file, cwd))
    )
    return workspace.walk(lambda shelf, library: walked(asked, shelf, library), request)


def named(names: Sequence[str]) -> tuple[Rule, ...]:
    """Return the rules of these names, all without any; UsageError for one that there is not."""
    for name in names:
        if name not in NAMES:
            raise UsageError(f"--rule: there is no rule {name!r}", f"one of {', '.join(NAMES)}")
    return tuple(rule for rule in RULES if not names or rule.name in names)


def severe(rules: Sequence[Rule], severity: str) -> tuple[Rule, ...]:
    """Return those of ``rules`` whose findings are of ``severity`` or worse.

    Raises UsageError for a severity that there is not, and where no rule is left.
    """
    if severity not in LEAST:
        raise UsageError(f"--severity: unknown severity {severity!r}", f"one of {', '.join(LEAST)}")
    kept = tuple(rule for rule in rules if rule.severity in LEAST[severity])
    if not kept:
        raise UsageError(
            f"--severity {severity}: no rule is left to ask", "leave out --rule or --severity"
        )
    return kept


def as_object(workspace: Workspace, found: Checked, rules: Sequence[Rule]) -> dict[str, object]:
    """Return the findings as JSON has them."""
    root, cwd = workspace.root, workspace.world.cwd
    return {
        "directory": root,
        "findings": [
            {**one._asdict(), "path": here(root, one.file, cwd)} for one in found.findings
        ],
        "errors": count_of(found.findings, "error"),
        "warnings": count_of(found.findings, "warning"),
        "rules": [
            {"name": rule.name, "severity": rule.severity, "help": rule.help} for rule in rules
        ],
        "not_looked_at": list(found.unseen),
        "why_not": found.why,
        "left_unread": [{"path": path, "why": why} for path, why in found.left],
    }


def count_of(findings: Sequence[Finding], severity: str) -> int:
    """Return how many findings have this severity."""
    return sum(one.severity == severity for one in findings)
