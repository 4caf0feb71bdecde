"""AGENTS.md, at every level: rules for all agents."""

from ctx.read.registry.claude import EXCLUDES, signs
from ctx.read.registry.origin import Loads, Origin

AGENTS = Origin(
    "agents", ("AGENTS.md",), "rules of a folder and what is below it", leveled=True, imports=True,
    loads=(
        Loads(
            "claude", since="2.1.277", condition="where no CLAUDE.md is in the folder or above",
            page="code.claude.com/docs/en/changelog#2-1-277, 2026-09",
            unless=(
                "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", *EXCLUDES,
                *signs("instructionFiles"), *signs("CLAUDE_CODE_USE_"),
            ),
        ),
        Loads(
            "codex", condition="from the project's root to the working directory",
            most_bytes=32 * 1024, page="developers.openai.com/codex/guides/agents-md.md, 2026",
            unless=("AGENTS.override.md", "~/.codex/config.toml: project_doc"),
        ),
        Loads(
            "copilot", condition="in the root; in VS Code a setting switches it off",
            page="docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot, 2026",
            unless=(".vscode/settings.json: useAgentsMdFile",),
        ),
        Loads("cursor", scoped="read", page="forum.cursor.com/t/160773 (staff), 2026"),
    ),
)  # fmt: skip
