"""Claude Code: ``settings.json`` of a project or a person.

Documented at ``code.claude.com/docs/en/hooks``; what was looked up, and when, is in
``docs/hooks.md``. Timeouts are in seconds. Hook text above 10,000 characters is put into a
file, and the model gets a preview of 2 KB: an answer has to stay below.

The answer is JSON and not plain text, though both reach the model: Copilot, VS Code and Cursor
run the hooks of these files too, and read JSON alone.
"""

from __future__ import annotations

from ctx.hosts.host import Hooks, Place

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import ClassVar

    from ctx.hosts.host import Contents
    from ctx.model import JsonObject

_TIMEOUT = 10  # seconds: over the deadline that ctx keeps itself, under what a person waits for


class Claude(Hooks):
    """Its answers are ``hookSpecificOutput.additionalContext``."""

    name = "claude"
    title = "Claude Code"
    aliases = ("claude-code",)
    session_variable = "CLAUDE_CODE_SESSION_ID"
    folder_variable = "CLAUDE_PROJECT_DIR"
    events = ("SessionStart", "UserPromptSubmit")
    others: ClassVar[dict[str, str]] = {
        "PreToolUse": "Read|Edit|MultiEdit|Write|NotebookRead|NotebookEdit", "SubagentStart": "",
    }  # fmt: skip
    captures = ("PreCompact", "Stop", "SessionEnd")
    places = (
        Place("project", ".claude/settings.json"),
        Place("local", ".claude/settings.local.json"),
        Place("global", ".claude/settings.json", "CLAUDE_CONFIG_DIR"),
    )
    next_step = "start a new session of Claude Code; /hooks lists what it runs"
    also_run_by = ("cursor", "copilot")

    def entry(self, command: str, _windows: str, /) -> JsonObject:
        """Return a group of one hook; without a matcher it is run for every source."""
        return {"hooks": [{"type": "command", "command": command, "timeout": _TIMEOUT}]}

    def version(self, environ: Mapping[str, str], /) -> str:
        """Return what ``AI_AGENT`` gives, such as ``claude-code_2-1-197_harness``."""
        name, _, rest = environ.get("AI_AGENT", "").partition("_")
        return rest.partition("_")[0].replace("-", ".") if name == "claude-code" else ""

    def switched_off(self, nearest: Sequence[Contents], /) -> list[str]:
        """Return what ``disableAllHooks`` does: the nearest settings that have it count."""
        for settings in nearest:
            value = settings.data.get("disableAllHooks")
            if isinstance(value, bool):
                off = (
                    f"{settings.shown}: disableAllHooks is true: no hooks are run; "
                    "set it to false, or take it out"
                )
                return [off] if value else []
        return []


HOOKS = Claude()
