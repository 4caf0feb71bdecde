"""Claude Code: ``settings.json`` of a project or a person.

Documented at ``code.claude.com/docs/en/hooks``; what was looked up, and when, is in
``docs/hooks.md``. Timeouts are in seconds. Hook text above 10,000 characters is put into a
file, and the model gets a preview of 2 KB: an answer has to stay below.

The answer is JSON and not plain text, though both reach the model: Copilot, VS Code and Cursor
run the hooks of these files too, and read JSON alone.
"""

from __future__ import annotations

from ctx.hosts.host import Event, Hooks, Place, inactive

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import ClassVar

    from ctx.hosts.here import Contents, Here
    from ctx.model import JsonObject

_SEEN = (
    b"compact_boundary", b"hook_additional_context", b"nested_memory", b'"instructions"',
    b'"assistant"',
)  # fmt: skip

_GO_ON = ("UserPromptSubmit", "PostToolUse")  # events at which a person may have gone back


class Claude(Hooks):
    """Its answers are ``hookSpecificOutput.additionalContext``."""

    name = "claude"
    title = "Claude Code"
    aliases = ("claude-code",)
    session_variable = "CLAUDE_CODE_SESSION_ID"
    folder_variable = "CLAUDE_PROJECT_DIR"
    events = ("SessionStart", "UserPromptSubmit")
    others: ClassVar[dict[str, str]] = {
        "PostToolUse": "Read|Edit|MultiEdit|Write|NotebookRead|NotebookEdit", "SubagentStart": "",
        "InstructionsLoaded": "",
    }  # fmt: skip
    captures = ("Stop", "SessionEnd")  # a PreCompact would be named to the person and the model
    places = (
        Place("project", ".claude/settings.json", reach="here"),
        Place("local", ".claude/settings.local.json", reach="everywhere"),
        Place("global", ".claude/settings.json", "CLAUDE_CONFIG_DIR"),
    )
    next_step = "start a new session of Claude Code; /hooks lists what it runs"
    trees = ".claude/worktrees/"
    proves = True
    also_run_by = ("cursor", "copilot")

    def knows(self, event: str) -> bool:
        """Whether it has an event of this name; settings of older releases have one more."""
        return event == "PreToolUse" or super().knows(event)

    def read(self, event: str, data: JsonObject, /) -> Event | None:
        """Return what happened, of which window one is a copy, and what it does not hold more."""
        found, tokens = super().read(event, data), data.get("context_tokens")
        if not (found and found.transcript):
            return found
        from ctx.hosts.claude import windows  # only where there is a transcript

        if found.source == "fork" and isinstance(tokens, int):
            found.parent = windows.origin(found.transcript, tokens)
        elif event in _GO_ON and "agent_id" not in data:
            found.until, found.since = windows.taken_back(found.transcript) or (None, found.since)
        return found

    def runner(self, data: JsonObject, environ: Mapping[str, str], /) -> str:
        """Return Copilot where it runs these hooks: its events alone have a time."""
        return "copilot" if "COPILOT_CLI" in environ and "timestamp" in data else self.name

    def seen(self, lines: Sequence[bytes], /) -> Iterator[tuple[str, str, str]]:
        """Yield hooks' texts, files that were loaded, and messages, by attachments and types."""
        from ctx.hosts.fields import inner, marked, objects, string, strings

        for data in marked(lines, _SEEN):
            held, when = inner(data, "attachment"), string(data, "timestamp")
            kind, given = string(held, "type"), strings(held, "content")
            if data.get("type") == "assistant":
                yield "answer", string(inner(data, "message"), "id"), when
            elif data.get("subtype") == "compact_boundary":
                kept = inner(inner(data, "compactMetadata"), "preservedSegment")
                yield "emptied", string(kept, "headUuid"), when
            elif string(held, "hookName") == "tool.call":  # its own, which loads AGENTS.md
                heads = (each.partition(":\n")[0] for each in given)
                yield from (("file", head.removeprefix("Contents of "), when) for head in heads)
            elif kind == "hook_additional_context":
                yield from (("text", each, when) for each in given)
            elif kind == "nested_memory":
                yield "file", string(held, "path"), when
            elif kind == "instructions":
                yield from (("file", string(each, "path"), when) for each in objects(held, "files"))

    def version(self, environ: Mapping[str, str], /) -> str:
        """Return what ``AI_AGENT`` gives, such as ``claude-code_2-1-197_harness``."""
        name, _, rest = environ.get("AI_AGENT", "").partition("_")
        return rest.partition("_")[0].replace("-", ".") if name == "claude-code" else ""

    def switched_off(self, nearest: Sequence[Contents], _here: Here, /) -> list[str]:
        """Return what ``disableAllHooks`` does: the nearest settings that have it count."""
        return inactive(nearest, "disableAllHooks", value=True)


HOOKS = Claude()
