"""Settings, their defaults and where each came from.

Everything derives from one table, ``SETTINGS``: the keys of settings files, the ``CTX_<NAME>``
variables, the ``--<name>`` flags and their documentation. Nothing here reads a file, the
environment or the working directory: ``resolve`` is given all three.

Unknown keys in a settings file are refused, since the file is ours and a misspelt key would change
nothing without a message. Unknown ``CTX_*`` variables are ignored, since other programs use the
same prefix; ``strays`` lists them. An empty variable counts as not set, so that
``CTX_BUDGET= ctx agent`` switches it off.
"""

from ctx.config.kinds import Kind, alternatives, day, parse_duration, quoted, share, whole_number
from ctx.config.layers import Resolved, bounded, resolve
from ctx.config.table import BY_NAME, NOT_SETTINGS, PREFIX, SETTINGS, Setting, Settings, strays

__all__ = [
    "BY_NAME", "NOT_SETTINGS", "PREFIX", "SETTINGS", "Kind", "Resolved", "Setting", "Settings",
    "alternatives", "bounded", "day", "parse_duration", "quoted", "resolve", "share", "strays",
    "whole_number",
]  # fmt: skip
