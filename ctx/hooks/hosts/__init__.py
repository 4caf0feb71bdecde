"""The tools whose hooks ask ctx: one tool a file, in a registry that loads what is asked for.

A new tool is a module of this folder with a ``Tool``, and its name in ``TOOLS``. This package is on
the path of every hook: it imports nothing but what it needs to name a tool.
"""

from importlib import import_module

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from ctx.hooks.host import Tool

TOOLS = ("claude", "cursor", "codex", "gemini", "copilot")  # by their names, in the order of lists
NOTES = {"copilot": "CLI and VS Code"}  # what help adds to a name

SESSIONS = (
    "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "GEMINI_SESSION_ID", "COPILOT_AGENT_SESSION_ID",
)  # fmt: skip
"""The variables in which commands that agents run find the session; of Cursor none is known."""

GIT = "git"  # the tool that is no agent: its hook reminds a person, and puts nothing before a model
GIT_EVENT = "post-commit"  # its hook; git takes no notice of how it ends

OTHER_NAMES = {  # what else people call them
    "claude-code": "claude", "codex-cli": "codex", "gemini-cli": "gemini",
    **dict.fromkeys(("copilot-cli", "github-copilot", "vscode", "vs-code"), "copilot"),
}  # fmt: skip


def tool(name: str) -> "Tool | None":
    """Return the tool called ``name``, or None where no agent is called so."""
    name = OTHER_NAMES.get(name, name)
    if name not in TOOLS:
        return None
    found: Tool = import_module(f"ctx.hooks.hosts.{name}").TOOL
    return found
