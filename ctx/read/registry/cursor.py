"""Cursor: ``.cursor/rules`` with ``globs``, and ``.cursorrules``."""

from ctx.model import Frontmatter, Scope
from ctx.read.registry.origin import Loads, Origin, described, matching, strings


def _scope(front: Frontmatter, path: str) -> Scope | None:
    """``alwaysApply`` goes before ``globs``, these go before ``description``."""
    if path.endswith(".cursorrules"):
        return None
    if str(front.extra.get("alwaysApply")).strip().lower() == "true":
        return matching("cursor", front, ())
    if patterns := strings(front.extra.get("globs")):
        return matching("cursor", front, patterns)
    about = described(front)
    return Scope("cursor", "described" if about else "manual", description=about)


CURSOR = Origin(
    "cursor", (".cursor/rules/**/*.mdc", ".cursorrules"),
    "rules for the files of `globs`; titles of what has only a description", scope=_scope,
    loads=(
        Loads(
            "cursor", condition="with `globs` when such a file is in its context",
            page="cursor.com/docs/context/rules, 2026", scoped="read", places=(".cursor/rules/",),
        ),
    ),
)  # fmt: skip
