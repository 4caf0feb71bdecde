"""Windsurf: rules with a trigger."""

from ctx.model import Frontmatter, Mode, Origin, Scope
from ctx.text.scopes import by_mode


def _scope(front: Frontmatter, _path: str) -> Scope | None:
    mode = str(front.extra.get("trigger") or "").strip().lower()
    modes: dict[str, Mode] = {"glob": "match", "manual": "manual", "model_decision": "described"}
    return by_mode("windsurf", front, mode, "globs", modes)


ORIGINS = (
    Origin(
        "windsurf", (".windsurf/rules/**/*.md", ".windsurfrules"), "rules", "Windsurf",
        scope=_scope, imported=True,
    ),
)  # fmt: skip
