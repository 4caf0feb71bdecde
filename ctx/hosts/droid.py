"""Sessions of Factory's Droid: ``~/.factory/sessions/*/*.jsonl``.

Its makers do not document the form; programs on GitHub that read it do (looked up in 2026-11).
"""

from ctx.hosts.lines import Lines
from ctx.model.transcripts import Home


class Droid(Lines):
    """Reads a line of a session."""

    name, head = "droid", "session_start"
    places = (Home("", ".factory", "sessions/*/*.jsonl"),)


FORMAT = Droid()
