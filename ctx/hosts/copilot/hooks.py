"""GitHub Copilot, in its CLI and in VS Code: a file of ctx's own in a folder of hooks.

Both read ``.github/hooks/*.json`` and ``~/.copilot/hooks/*.json``, so one file serves both, and
two would be answered twice. Documented at ``docs.github.com/en/copilot/reference/hooks-reference``
and ``code.visualstudio.com/docs/agents/reference/hooks-reference``. Events are named as VS Code
names them, which the CLI takes too. Timeouts are 30 seconds in both, under two names
(``timeout``, ``timeoutSec``): none is written.

They differ in what they send and in what they take. VS Code sends the path of a transcript and
reads ``hookSpecificOutput``; the CLI sends one with ``Stop`` and ``PreCompact`` alone and reads
``additionalContext`` at the top. So an event's name keeps which of the two it came from.
Both write the same events to a transcript. The CLI writes the last answer some 100 ms after
``Stop`` began, and while ``SessionEnd`` runs, which names no file: that is found by the session's
id, and waited for.

What reaches the model: ``SessionStart`` in both; of VS Code nothing else is documented. In the CLI
1.0.102 all answers were seen to. It does not keep that of ``SessionStart``: a session that goes
on has what is answered then in its place. So a start is sent the rules, at each of them, and
``UserPromptSubmit``, which runs at the same time, the rest. It also runs for a subagent, under the
subagent's own id, after ``SubagentStart``, whose answer is in its prompt: nothing is left to send.
"""

from __future__ import annotations

import os

from ctx.hosts.host import Event, Hooks, Place, dumped, event_of, specific, text

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import ClassVar

    from ctx.hosts.here import Contents, Here
    from ctx.model import JsonObject

_UNTRUSTED = (
    "Copilot CLI does not trust this folder, so it runs none of its hooks, and says nothing: start"
    " it here and trust it (trustedFolders in ~/.copilot/config.json)"
)
_OLD = "resume"  # the source of a session that holds what it held


class Copilot(Hooks):
    """Its events have the name by which their host is answered."""

    name = "copilot"
    title = "GitHub Copilot (CLI and VS Code)"
    note = "CLI and VS Code"
    aliases = ("copilot-cli", "github-copilot", "vscode", "vs-code")
    session_variable = "COPILOT_AGENT_SESSION_ID"
    events = ("SessionStart", "UserPromptSubmit")
    others: ClassVar[dict[str, str]] = {"PostToolUse": "", "SubagentStart": "", "PreCompact": ""}
    captures = ("Stop", "SessionEnd")
    late = "sessionEnd"
    unkept: ClassVar[dict[str, str]] = {"userPromptSubmitted": "sessionStart"}
    places = (
        Place("project", ".github/hooks/ctx.json", owned=True),
        Place("global", ".copilot/hooks/ctx.json", "COPILOT_HOME", owned=True),
    )
    needed: ClassVar[JsonObject] = {"version": 1}
    next_step = (
        "start a new session; in VS Code the output channel of Copilot Chat's hooks shows it"
    )

    def entry(self, command: str, windows: str, /) -> JsonObject:
        """Return one hook; on Windows VS Code takes ``windows``, the CLI ``powershell``."""
        return {"type": "command", "command": command, "windows": windows, "powershell": windows}

    def read(self, event: str, data: JsonObject, /) -> Event | None:
        """Return what happened, by the name that its host is answered with."""
        own = {theirs: event for event, theirs in _IN_CLI.items()}.get(event, event)
        if own not in _IN_CLI:
            return None
        in_editor = own == event and ("transcript_path" in data or "hookEventName" in data)
        agent = text(data, "agent_id")
        if agent and own == "UserPromptSubmit":
            return None
        fresh = in_editor and own == "SessionStart" and data.get("source") != _OLD
        found = event_of(own if in_editor else _IN_CLI[own], data, fresh=fresh)
        found.prompt = found.prompt or text(data, "initial_prompt", "initialPrompt")
        found.session = agent or found.session  # by which all its events know a subagent
        return found

    def switched_off(self, nearest: Sequence[Contents], here: Here, /) -> list[str]:
        """Return that the CLI does not trust the folder; without its file nobody uses it."""
        from ctx.hosts.fields import strings  # not for events

        home = here.environ.get("COPILOT_HOME") or os.path.join(here.home, ".copilot")
        config = here.read(os.path.join(home, "config.json"))
        allows = here.environ.get("COPILOT_ALLOW_ALL") == "true"
        runs = allows or here.trusts(strings(config, "trustedFolders"))
        shared = any(each.data and each.scope == "project" for each in nearest)
        return [_UNTRUSTED] if config and shared and not runs else []

    def transcript(self, session: str, environ: Mapping[str, str], /) -> str:
        """Return where the CLI writes the events of a session."""
        home = environ.get("COPILOT_HOME") or os.path.expanduser(os.path.join("~", ".copilot"))
        found = os.path.join(home, "session-state", session, "events.jsonl")
        is_name = session.strip(".") and os.path.basename(session) == session
        return found if is_name and os.path.isfile(found) else ""

    def version(self, environ: Mapping[str, str], /) -> str:
        """Return the version of the CLI."""
        return environ.get("COPILOT_CLI_BINARY_VERSION", "")

    def answer(self, event: str, packet: str, /) -> bytes:
        """Return ``additionalContext``: at the top for the CLI, inside for VS Code."""
        if event in _IN_CLI.values():
            return dumped({"additionalContext": packet})
        return specific(event, packet) if event in _IN_CLI else b""


_IN_CLI = {  # what the CLI calls the events itself: the names of those that came from it
    **{
        event: f"{event[0].lower()}{event[1:]}"
        for event in (*Copilot.events, *Copilot.others, *Copilot.captures)
    },
    "UserPromptSubmit": "userPromptSubmitted",
    "Stop": "agentStop",
}


HOOKS = Copilot()
