"""What Gemini CLI loads by itself: GEMINI.md."""

from ctx.model import Loads, Origin

ORIGINS = (
    Origin(
        "gemini", ("GEMINI.md",), "rules of a folder and what is below it", "Gemini CLI",
        leveled=True, imports=True, export="GEMINI.md",
    ),
)  # fmt: skip
_PAGE = "geminicli.com/docs/cli/gemini-md, 2026; seen in 0.61.0, 2026-11"

LOADS = (
    Loads(
        "gemini", ("start", "read", "edit", "subagent"), page=_PAGE, resolves=("imports",),
        condition="below the workspace when the first tool touches a file there",
        unless=(".gemini/settings.json: ileName", "~/.gemini/settings.json: ileName"),
    ),
)  # fmt: skip
