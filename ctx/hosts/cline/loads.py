"""Cline: a file of rules, or a folder of them."""

from ctx.model import Origin
from ctx.text.scopes import scope_by

_SCOPE, _PLACES = scope_by("cline", "paths"), (".clinerules", ".clinerules/*.md")
ORIGINS = [Origin("cline", _PLACES, "rules", "Cline", scope=_SCOPE, imported=True)]
