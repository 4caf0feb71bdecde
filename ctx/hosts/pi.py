"""Sessions of pi: ``~/.pi/agent/sessions/*/*.jsonl``.

From ``docs/session.md`` of ``@mariozechner/pi-coding-agent`` and sessions of 0.73.1 (2026-11).
"""

from ctx.hosts.lines import Lines
from ctx.model.transcripts import Home


class Pi(Lines):
    """Reads a line of a session."""

    name, head = "pi", "session"
    places = (Home("PI_CODING_AGENT_DIR", ".pi/agent", "sessions/*/*.jsonl"),)


FORMAT = Pi()
