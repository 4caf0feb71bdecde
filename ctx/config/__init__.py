"""Settings, their defaults and where each came from.

Keys of settings files, ``CTX_<NAME>`` variables, ``--<name>`` flags and their documentation derive
from one table, ``SETTINGS``. Unknown keys in a file, which is ours, are refused. Unknown variables
are ignored, since other programs use the prefix; ``strays`` lists them. An empty one is not set.
"""

from ctx.config.kinds import Kind, alternatives, day, quoted, share, whole_number
from ctx.config.layers import Resolved, bounded, resolve
from ctx.config.table import BY_NAME, NOT_SETTINGS, PREFIX, SETTINGS, Setting, strays
from ctx.model import Settings

__all__ = [
    "BY_NAME", "NOT_SETTINGS", "PREFIX", "SETTINGS", "Kind", "Resolved", "Setting", "Settings",
    "alternatives", "bounded", "day", "quoted", "resolve", "share", "strays",
    "whole_number",
]  # fmt: skip
