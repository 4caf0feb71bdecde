"""GitHub Copilot: instructions for the repository, and for files by ``applyTo``."""

from ctx.model import Frontmatter, Scope
from ctx.read.registry.origin import Loads, Origin, described, matching, strings


def _scope(front: Frontmatter, path: str) -> Scope | None:
    """Without ``applyTo`` a file of instructions is attached by hand."""
    if path.endswith("copilot-instructions.md"):
        return None
    if patterns := strings(front.extra.get("applyTo")):
        return matching("copilot", front, patterns)
    return Scope("copilot", "manual", description=described(front))


COPILOT = Origin(
    "copilot",
    (".github/copilot-instructions.md", ".github/instructions/**/*.instructions.md"),
    "rules, and rules for the files of `applyTo`", scope=_scope,
    loads=(
        Loads(
            "copilot", condition="in VS Code a setting switches it off",
            page="docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot, 2026",
            places=(".github/copilot-instructions.md",),
            unless=(".vscode/settings.json: useInstructionFiles",),
        ),
    ),
)  # fmt: skip
