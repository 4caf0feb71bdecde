"""What Cursor loads by itself: its rules, and AGENTS.md."""

from ctx.model import Frontmatter, Loads, Origin, Scope
from ctx.text.scopes import described, matching, strings


def _scope(front: Frontmatter, path: str) -> Scope | None:
    """``alwaysApply`` goes before ``globs``, these go before ``description``."""
    if path.endswith(".cursorrules"):
        return None
    always = str(front.extra.get("alwaysApply")).strip().lower() == "true"
    patterns = () if always else strings(front.extra.get("globs"))
    about = described(front)
    if always or patterns:
        return matching("cursor", front, patterns)
    return Scope("cursor", "described" if about else "manual", description=about)


ORIGINS = (
    Origin(
        "cursor", (".cursor/rules/**/*.mdc", ".cursorrules"),
        "rules for the files of `globs`; titles of what has only a description", "Cursor",
        scope=_scope, imported=True, export=".cursor/rules/ctx.mdc",
        export_head=(
            "---", "description: Required rules of this project", "alwaysApply: true", "---", "",
        ),
    ),
)  # fmt: skip
LOADS = (
    Loads(
        "cursor", ("start", "read"), places=(".cursor/rules/",),
        condition="with `globs` when such a file is in its context",
        page="cursor.com/docs/context/rules, 2026",
    ),
    Loads("agents", ("start", "read"), page="forum.cursor.com/t/160773 (staff), 2026"),
)  # fmt: skip
