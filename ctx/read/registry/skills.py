"""Skills of agents: their names and descriptions, to look them up by."""

from ctx.read.registry.origin import Loads, Origin

SKILLS = Origin(
    "skills",
    tuple(f"{folder}/**/SKILL.md" for folder in (
        ".claude/skills", ".agents/skills", ".github/skills", ".codex/skills", ".skills",
    )),
    "titles to look up, never the body", parser="skill", knows=True,
    loads=(
        Loads(
            "claude", condition="their descriptions", places=(".claude/skills/",),
            page="code.claude.com/docs/en/skills, 2026",
        ),
        Loads(
            "codex", condition="their descriptions", places=(".agents/skills/",),
            page="developers.openai.com/codex/skills, 2026",
        ),
    ),
)  # fmt: skip
