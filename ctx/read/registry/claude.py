"""Claude Code: CLAUDE.md with its imports, and ``.claude/rules`` with ``paths``."""

from ctx.model import Frontmatter, Scope
from ctx.read.registry.origin import Origin, matching, strings


def _scope(front: Frontmatter, _path: str) -> Scope | None:
    """Without ``paths`` a rule always applies."""
    return matching("claude", front, strings(front.extra.get("paths")))


CLAUDE = Origin(
    "claude", ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
    "rules and background, with imports", leveled=True, imports=True,
)  # fmt: skip
CLAUDE_RULES = Origin(
    "claude-rules", (".claude/rules/**/*.md",), "rules for the files of `paths`", scope=_scope
)
