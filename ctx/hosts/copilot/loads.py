"""What GitHub Copilot loads by itself: its instructions and AGENTS.md; in the CLI more."""

from ctx.model import Frontmatter, Loads, Origin, Scope
from ctx.text.scopes import described, matching, strings


def _scope(front: Frontmatter, path: str) -> Scope | None:
    """Without ``applyTo`` a file of instructions is attached by hand."""
    if path.endswith("copilot-instructions.md"):
        return None
    if patterns := strings(front.extra.get("applyTo")):
        return matching("copilot", front, patterns)
    return Scope("copilot", "manual", description=described(front))


_PAGE = "docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot, 2026"
_CLI = "1.0.102"  # of which all was seen; VS Code tells no version
_SEEN = "seen in the CLI 1.0.102, 2026-11"
_IN_CLI = Loads(
    "copilot", ("start", "read", "subagent"), since=_CLI, page=_SEEN, agents=("general-purpose",),
    condition="below the working directory when it views a file there, not when it makes one",
)  # fmt: skip
_FILE = ".github/copilot-instructions.md"

ORIGINS = (
    Origin(
        "copilot", (_FILE, ".github/instructions/**/*.instructions.md"),
        "rules, and rules for the files of `applyTo`", "Copilot", scope=_scope, imported=True,
        export=_FILE,
    ),
)  # fmt: skip
LOADS = (
    Loads(
        "copilot", condition="in VS Code a setting switches it off", page=_PAGE, places=(_FILE,),
        unless=(".vscode/settings.json: useInstructionFiles",),
    ),
    Loads(
        "agents", condition="in the root; in VS Code a setting switches it off", page=_PAGE,
        unless=(".vscode/settings.json: useAgentsMdFile",),
    ),
    _IN_CLI,
    _IN_CLI._replace(source="agents", resolves=("imports", "outer imports")),
    _IN_CLI._replace(
        source="claude", resolves=("imports", "outer imports"),
        unless=("CLAUDE.local.md", ".claude/CLAUDE.md"),
    ),
    _IN_CLI._replace(source="claude-rules"),
    _IN_CLI._replace(source="gemini"),
    Loads(
        "skills", since=_CLI, condition="their descriptions", page=_SEEN,
        places=(".claude/skills/", ".github/skills/", ".agents/skills/"),
    ),
)  # fmt: skip
