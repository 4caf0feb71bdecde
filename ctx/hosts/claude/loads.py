"""What Claude Code loads by itself: CLAUDE.md, rules, skills, and AGENTS.md in its absence."""

from ctx.model import Loads, Origin
from ctx.text.scopes import ignoring_by

ORIGINS = (
    Origin(
        "claude", ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
        "rules and background, with imports", "Claude Code", leveled=True, imports=True,
        export="CLAUDE.md",
    ),
    Origin(
        "claude-rules", (".claude/rules/**/*.md",), "rules for the files of `paths`",
        "Claude Code", scope=ignoring_by("claude", "paths"), leveled=True, imported=True,
    ),
)  # fmt: skip


def _signs(name: str) -> tuple[str, ...]:
    """Return that settings hold ``name``, as ``Loads.unless`` has it."""
    settings = (".claude/settings.json", ".claude/settings.local.json", "~/.claude/settings.json")
    return tuple(f"{path}: {name}" for path in settings)


_EXCLUDES = _signs("claudeMdExcludes")
_BARE = ("Explore", "Plan")  # subagents that load nothing at their start
_SEEN = "seen with 2.1.{}, 2026-11"
_MEMORY = "code.claude.com/docs/en/memory, 2026-09"

LOADS = (
    Loads(
        "claude", ("start", "read", "subagent"),
        condition="below the working directory when it reads a file there; imports of files below"
        " the working directory", page=f"{_MEMORY}; {_SEEN.format('197')}",
        resolves=("imports", "links"), bare=_BARE, unless=_EXCLUDES,
    ),
    Loads(
        "claude", ("edit",), since="2.1.288", resolves=("imports", "links"), unless=_EXCLUDES,
        condition="below the working directory", page=_SEEN.format("288"),
    ),
    Loads(
        "claude-rules", ("start", "read", "subagent"), until="2.1.232", bare=_BARE,
        condition="with `paths` when it reads such a file; through links out of the project, too",
        page=f"{_MEMORY}; {_SEEN.format('197')}", resolves=("links",), unless=_EXCLUDES,
    ),
    Loads(
        "claude-rules", ("start", "read", "subagent"), bare=_BARE, unless=_EXCLUDES,
        condition="with `paths` when it reads such a file", page=_SEEN.format("332"),
    ),
    Loads(
        "claude-rules", ("edit",), since="2.1.288", page=_SEEN.format("288"), unless=_EXCLUDES,
        condition="with `paths`, also a new file",
    ),
    Loads(
        "agents", ("start", "read", "subagent"), since="2.1.281", bare=_BARE,
        condition="where no CLAUDE.md that is not empty is in its folder, nor in the working"
        " directory or above; below that when it reads a file there",
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
