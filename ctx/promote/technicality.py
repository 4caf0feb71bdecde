"""T: how technical a turn is, in [0, 1]."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctx.mentions import mentions
from ctx.promote.prose import unit
from ctx.promote.weights import TECHNICAL, TECHNICAL_WHOLE

if TYPE_CHECKING:
    from ctx.promote.prose import Said

_PATTERNS = {
    "fence": re.compile(r"^[ \t]{0,8}(?:`{3}|~{3})", re.MULTILINE),
    "trace": re.compile(
        r"^[ \t]*(?:Traceback \(most recent call last\)|File \"[^\"\n]{1,300}\", line \d"
        r"|at [\w$.<>]{1,200} ?\([^()\n]{1,200}:\d+\)|goroutine \d+ \[|panic: |Exception in thread"
        r"|thread '[^'\n]{1,100}' panicked|[\w.]{1,100}(?:Error|Exception): \S)",
        re.MULTILINE,
    ),
    "definition": re.compile(
        r"^[ \t]*(?:(?:export |pub |public |private |static |async ){0,4}"
        r"(?:def|fn|func|function|class|interface|struct|enum|impl) [A-Za-z_$][\w$]*[ \t]*"
        r"(?:[(<:{]|extends|implements)|#include [<\"]|CREATE TABLE )",
        re.MULTILINE,
    ),
    "shell": re.compile(
        r"(?:^|`)[ \t]*(?:\$ \S|(?:sudo |npx )?(?:git|npm|yarn|pnpm|pip3?|uv|cargo|go|docker"
        r"|kubectl|make|brew|apt(?:-get)?|curl|ssh|python3?|pytest|ctx) [a-z-][\w./-]*)",
        re.MULTILINE,
    ),
}
_FORMS = {"path": "path", "commit": "hash", "url": "url"}
"""Forms of ``ctx.mentions``, as the table calls them."""


def technicality(said: Said) -> float:
    """Return T = min(1, weights of the technical patterns / 1.5).

    The patterns of the source (``compaction.md``, Promotion): code fence, path, function
    definition, shell command, address, stack trace, hash. Each counts once.
    """
    found = {name for name, pattern in _PATTERNS.items() if pattern.search(said.text)}
    for token in set(said.text.split()):
        found.update(_FORMS[one.form] for one in mentions(token) if one.form in _FORMS)
    return unit(sum(TECHNICAL[name] for name in sorted(found)) / TECHNICAL_WHOLE)
