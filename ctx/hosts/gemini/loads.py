"""What Gemini CLI loads by itself: GEMINI.md."""

from ctx.model import Loads, Origin

ORIGINS = (
    Origin(
        "gemini", ("GEMINI.md",), "rules of a folder and what is below it", "Gemini CLI",
        leveled=True, imports=True, export="GEMINI.md",
    ),
)  # fmt: skip
LOADS = (
    Loads(
        "gemini", ("start", "read", "edit"),
        condition="below the workspace when a tool touches a file there",
        page="geminicli.com/docs/cli/gemini-md, 2026", resolves=("imports",),
        unless=(".gemini/settings.json: ileName", "~/.gemini/settings.json: ileName"),
    ),
)  # fmt: skip
