"""AGENTS.md, at every level: rules for all agents."""

from ctx.read.registry.origin import Loads, Origin

AGENTS = Origin(
    "agents", ("AGENTS.md",), "rules of a folder and what is below it", leveled=True, imports=True,
    loads=(
        Loads(
            "claude", since="2.1.277", condition="where no CLAUDE.md is in the folder or above",
            page="code.claude.com/docs/en/memory, 2026-11",
            unless=("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
        ),
        Loads(
            "codex", condition="from the project's root to the working directory",
            most_bytes=32 * 1024, page="developers.openai.com/codex/guides/agents-md, 2026",
            unless=("AGENTS.override.md", "~/.codex/config.toml: project_doc"),
        ),
        Loads(
            "copilot", condition="in the root; in VS Code a setting switches it off",
            page="docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot, 2026",
            unless=(".vscode/settings.json: useAgentsMdFile",),
        ),
        Loads("cursor", scoped="read", page="cursor.com/docs/context/rules, 2026"),
    ),
)  # fmt: skip
