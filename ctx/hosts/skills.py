"""Skills, in the folders from which hosts offer them."""

from ctx.model import Origin

ORIGINS = (
    Origin(
        "skills",
        tuple(f"{folder}/**/SKILL.md" for folder in (
            ".claude/skills", ".agents/skills", ".github/skills", ".codex/skills", ".skills",
        )),
        "titles to look up, never the body", parser="skill", knows=True,
    ),
)  # fmt: skip
