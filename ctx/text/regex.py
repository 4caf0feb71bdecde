"""Regular expressions that are compiled at their first use: a start needs half of those it imports.

Compiling took a tenth of a packet after a change. Flags stand in the text: ``(?im)``. A mistake
shows at the first use, too; a test uses them all.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    regex = re.compile
else:

    class regex:  # noqa: N801 - called as re.compile is
        """What ``re.compile`` returns for the same text."""

        def __init__(self, text: str | bytes) -> None:
            self.pattern = text

        def __getattr__(self, name: str) -> object:
            """Return what the pattern has under ``name``, and keep it for the next use."""
            value = getattr(re.compile(self.pattern), name)
            setattr(self, name, value)
            return value
