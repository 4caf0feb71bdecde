"""Cline: a file of rules, or a folder of them."""

from ctx.model import Origin
from ctx.text.scopes import scope_by

ORIGINS = (
    Origin(
        "cline", (".clinerules", ".clinerules/*.md"), "rules", "Cline",
        scope=scope_by("cline", "paths"), imported=True,
    ),
)  # fmt: skip
