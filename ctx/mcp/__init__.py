"""``ctx mcp``: the context directory for any agent that speaks the Model Context Protocol.

The SDK is imported by ``server``, ``pipe`` and ``web``, and by nothing that lists or answers a
tool; the rooms are imported when a call needs them.
"""

FILE, ENTRY = "ctx://file/", "ctx://entry/"  # what the addresses of files and of entries begin with
