"""What makes a folder a project without a context directory: made by scripts/generate.py."""

SIGNS = (
    ".specify/memory/constitution.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md",
    "CLAUDE.local.md", "GEMINI.md", ".claude/rules", ".cursor/rules", ".cursorrules",
    ".github/copilot-instructions.md", ".github/instructions", ".kiro/steering",
    ".windsurf/rules", ".windsurfrules", ".clinerules", "docs/adr", "docs/decisions", "doc/adr",
    "adr", "docs/adrs", "docs/architecture/decisions", "doc/architecture/decisions",
    "memory-bank", "openspec", ".claude/skills", ".agents/skills", ".github/skills",
    ".codex/skills", ".skills",
)  # fmt: skip
