"""What Gemini CLI loads by itself: GEMINI.md."""

from ctx.model import Loads, Origin

ORIGINS = (
    Origin(
        "gemini", ("GEMINI.md",), "rules of a folder and what is below it", "Gemini CLI",
        leveled=True, imports=True, export="GEMINI.md",
    ),
)  # fmt: skip
_PAGE = "geminicli.com/docs/cli/gemini-md, 2026; seen in 0.61.0, 2026-11"
_NAMES = (".gemini/settings.json: ileName", "~/.gemini/settings.json: ileName")

LOADS = (
    Loads(
        "gemini", ("start", "subagent"), page=_PAGE, resolves=("imports",), unless=_NAMES,
        condition="of the workspace",
    ),
    Loads(
        "gemini", ("read", "edit"), page=_PAGE, resolves=("imports",), unless=_NAMES,
        condition="below the workspace when a tool touches a file there, but not a subagent's",
    ),
)  # fmt: skip
