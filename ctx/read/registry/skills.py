"""Skills of agents: their names and descriptions, to look them up by."""

from ctx.read.registry.origin import Origin

SKILLS = Origin(
    "skills",
    tuple(f"{folder}/**/SKILL.md" for folder in (
        ".claude/skills", ".agents/skills", ".github/skills", ".codex/skills", ".skills",
    )),
    "titles to look up, never the body", parser="skill", knows=True,
)  # fmt: skip
