"""What GitHub Copilot loads by itself: its instructions, and AGENTS.md of the root."""

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
)  # fmt: skip
