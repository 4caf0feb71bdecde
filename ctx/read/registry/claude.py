"""Claude Code: CLAUDE.md with its imports, and ``.claude/rules`` with ``paths``."""

from ctx.read.registry.origin import Loads, Origin, scope_by

_PAGE = "code.claude.com/docs/en/memory, 2026-09"
_SETTINGS = (".claude/settings.json", ".claude/settings.local.json", "~/.claude/settings.json")


def signs(name: str) -> tuple[str, ...]:
    """Return that settings hold ``name``, as ``Loads.unless`` has it."""
    return tuple(f"{path}: {name}" for path in _SETTINGS)


EXCLUDES = signs("claudeMdExcludes")

CLAUDE = Origin(
    "claude", ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
    "rules and background, with imports", leveled=True, imports=True,
    loads=(
        Loads(
            "claude", condition="below the working directory when it reads a file there",
            page=f"{_PAGE}; code.claude.com/docs/en/sub-agents, 2026-07", scoped="read",
            subagents=True, imports=True, unless=EXCLUDES,
        ),
    ),
)  # fmt: skip
CLAUDE_RULES = Origin(
    "claude-rules", (".claude/rules/**/*.md",), "rules for the files of `paths`",
    scope=scope_by("claude", "paths"),
    loads=(
        Loads(
            "claude", condition="with `paths` when it reads such a file, not when it writes one",
            page=_PAGE, scoped="read", unless=EXCLUDES,
        ),
    ),
)  # fmt: skip
