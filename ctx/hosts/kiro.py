"""Kiro: steering files with a mode of inclusion."""

from ctx.model import Origin
from ctx.text.scopes import steering_scope

ORIGINS = (
    Origin(
        "kiro", (".kiro/steering/*.md",),
        "rules, rules for the files of `fileMatchPattern`, and titles", "Kiro",
        scope=steering_scope, imported=True,
    ),
)  # fmt: skip
