"""Leave that opens a clause or needs no modal: "feel free to …", "it's fine to …".

Other leave is a modal's ("you may", see ``modal``) or a predicate's ("is allowed", ``being``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctx.read.deontic.clause import Found

if TYPE_CHECKING:
    from ctx.read.deontic.clause import Clause


def rule(clause: Clause, i: int) -> Found | None:
    """Return the leave that the clause at word ``i`` gives."""
    words = clause.words
    verb = clause.skip(i)
    if words[verb : verb + 2] != ["feel", "free"]:
        return None
    return Found("permitted", "permission", verb, verb + 2)
