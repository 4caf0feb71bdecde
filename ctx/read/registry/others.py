"""Documents of other tools, which hold rules for all files unless their frontmatter limits them."""

from ctx.model import Frontmatter, Mode, Scope
from ctx.read.registry.origin import Loads, Origin, described, matching, scope_by, strings

_TRIGGERS: dict[str, Mode] = {"model_decision": "described", "manual": "manual"}


def _windsurf(front: Frontmatter, _path: str) -> Scope | None:
    trigger = str(front.extra.get("trigger") or "").strip().lower()
    if trigger == "glob" and (patterns := strings(front.extra.get("globs"))):
        return matching("windsurf", front, patterns)
    return Scope("windsurf", _TRIGGERS.get(trigger, "always"), description=described(front))


GEMINI = Origin(
    "gemini", ("GEMINI.md",), "rules of a folder and what is below it", leveled=True, imports=True,
    loads=(
        Loads(
            "gemini", condition="below the workspace when a tool touches a file there",
            page="geminicli.com/docs/cli/gemini-md, 2026", scoped="touch", imports=True,
            unless=(".gemini/settings.json: ileName", "~/.gemini/settings.json: ileName"),
        ),
    ),
)  # fmt: skip
WINDSURF = Origin(
    "windsurf", (".windsurf/rules/**/*.md", ".windsurfrules"), "rules", scope=_windsurf
)
CLINE = Origin(
    "cline", (".clinerules", ".clinerules/*.md"), "rules", scope=scope_by("cline", "paths")
)
