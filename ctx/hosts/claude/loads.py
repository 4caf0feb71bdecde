"""What Claude Code loads by itself: CLAUDE.md, rules, skills, and AGENTS.md in its absence."""

from ctx.model import Loads, Origin
from ctx.text.scopes import scope_by

ORIGINS = (
    Origin(
        "claude", ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
        "rules and background, with imports", "Claude Code", leveled=True, imports=True,
        export="CLAUDE.md",
    ),
    Origin(
        "claude-rules", (".claude/rules/**/*.md",), "rules for the files of `paths`",
        "Claude Code", scope=scope_by("claude", "paths"), imported=True,
    ),
)  # fmt: skip


def _signs(name: str) -> tuple[str, ...]:
    """Return that settings hold ``name``, as ``Loads.unless`` has it."""
    settings = (
        ".claude/settings.json", ".claude/settings.local.json", "~/.claude/settings.json",
    )  # fmt: skip
    return tuple(f"{path}: {name}" for path in settings)


_EXCLUDES = _signs("claudeMdExcludes")
_MEMORY = "code.claude.com/docs/en/memory, 2026-09"

LOADS = (
    Loads(
        "claude", ("start", "read", "subagent"),
        condition="below the working directory when it reads a file there",
        page=f"{_MEMORY}; code.claude.com/docs/en/sub-agents, 2026-07",
        resolves=("imports",), bare=("Explore", "Plan"), unless=_EXCLUDES,
    ),
    Loads(
        "claude-rules", ("start", "read"), page=_MEMORY, unless=_EXCLUDES,
        condition="with `paths` when it reads such a file, not when it writes one",
    ),
    Loads(
        "agents", since="2.1.281", condition="where no CLAUDE.md is in the folder or above",
        page="seen from 2.1.281 on, 2026-11; code.claude.com/docs/en/changelog#2-1-277, 2026-09",
        unless=(
            "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", *_EXCLUDES,
            *_signs("instructionFiles"), *_signs("CLAUDE_CODE_USE_"), *_signs("agents-md@"),
        ),
    ),
    Loads(
        "skills", condition="their descriptions", places=(".claude/skills/",),
        page="code.claude.com/docs/en/skills, 2026",
    ),
)  # fmt: skip
