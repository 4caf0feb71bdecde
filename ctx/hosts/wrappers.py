"""Texts that no person and no model wrote: what programs put around and between messages."""

import re

_TAGS = {  # why a text of each element alone is no turn
    "system-reminder": "system reminder",
    "command-name": "command of the program", "command-message": "command of the program",
    "command-args": "command of the program", "local-command-caveat": "command of the program",
    "local-command-stdout": "output of a command of the program",
    "local-command-stderr": "output of a command of the program",
    "task-notification": "report of a task (put in by the program)",
    "environment_context": "context (put in by the program)",
    "user_instructions": "context (put in by the program)",
    "session_context": "context (put in by the program)",
    "hook_context": "context (put in by the program)",
    "turn_aborted": "interruption",
}  # fmt: skip
_OPEN = re.compile(rf"\s*<({'|'.join(_TAGS)})>")
_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]\n]{0,40}\]")
_AGENTS = "# AGENTS.md instructions"
_FOOTER = re.compile(r"Day \d{4}-\d\d-\d\d[ \d:]*, budget \d+\.")  # the last line of a packet


def why_wrapper(text: str) -> str:
    """Return what a text is that consists of wrappers alone; empty where it has other content."""
    why, at = "", 0
    while opened := _OPEN.match(text, at):
        end = text.find(f"</{opened[1]}>", opened.end())
        if end < 0:
            return ""
        why = why or _TAGS[opened[1]]
        at = end + len(opened[1]) + 3
    rest = text[at:].strip()
    if not rest:
        return why
    if _INTERRUPTED.fullmatch(rest):
        return "interruption"
    if rest.startswith(_AGENTS):
        return "context (put in by the program)"
    last = rest[rest.rfind("\n") + 1 :]
    return "packet of ctx" if rest.startswith("# ") and _FOOTER.fullmatch(last) else ""
