"""What Codex CLI loads by itself: AGENTS.md down to where it works, and skills."""

from ctx.model import Loads

LOADS = (
    Loads(
        "agents", condition="from the project's root to the working directory",
        most_bytes=32 * 1024, page="developers.openai.com/codex/guides/agents-md.md, 2026",
        unless=("AGENTS.override.md", "~/.codex/config.toml: project_doc"),
    ),
    Loads(
        "skills", condition="their descriptions", places=(".agents/skills/",),
        page="developers.openai.com/codex/skills, 2026",
    ),
)  # fmt: skip
