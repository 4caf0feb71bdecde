"""Gemini CLI: ``settings.json`` of a project or a person.

Documented at ``geminicli.com/docs/hooks/reference``, and seen in 0.61.0. Timeouts are in
milliseconds. Standard output must be one JSON object: other text is shown to the person, not to
the model, and so are errors where there is no output. No limit of an answer is documented.

``SessionStart`` is not installed: with ``-p`` its answer becomes a part of the prompt, and a
session that goes on loses both. Nor is ``PreCompress``, which runs before each request, whether the
window is compressed or not. A subagent's events have the session of its parent. A file of rules is
loaded once in a process, for the agent that is first at a file there: its result shows it.
"""

from __future__ import annotations

import os

from ctx.hosts.host import Event, Hooks, Place, inactive

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import ClassVar

    from ctx.hosts.here import Contents, Here
    from ctx.model import Json, JsonObject

_COMMANDS = (
    "about agents auth bug bug-memory chat clear commands compress copy corgi directory docs editor"
    " extensions footer gemma help hooks ide init mcp memory model permissions plan policies"
    " privacy quit restore resume rewind settings setup-github shortcuts skills stats tasks"
    " terminal-setup theme tools upgrade vim voice"
)
_SEEN = (b"<hook_context>", b"--- Context from: ", b'"gemini"')
_MARKS = (  # what is around the path of a file, and around a hook's text, as JSON
    ("file", "--- Context from: ", r" ---\n"), ("text", "<hook_context>", "</hook_context>"),
)  # fmt: skip
_ANSWER = b"Got it. Thanks for the additional context!"  # which Gemini CLI puts behind a summary
_UNTRUSTED = (
    "Gemini CLI does not trust this folder, so it runs no hooks here, also with --skip-trust: "
    "start it here and trust the folder, or set GEMINI_CLI_TRUST_WORKSPACE=true"
)
_TIMEOUT = 10_000  # milliseconds


class Gemini(Hooks):
    """Its answers are ``hookSpecificOutput.additionalContext``."""

    name = "gemini"
    title = "Gemini CLI"
    aliases = ("gemini-cli",)
    session_variable = "GEMINI_SESSION_ID"
    events = ("BeforeAgent",)
    others: ClassVar[dict[str, str]] = {"AfterTool": "read_file|read_many_files|write_file|replace"}
    captures = ("AfterAgent", "SessionEnd")
    places = (
        Place("project", ".gemini/settings.json", reach="here"),
        Place("global", ".gemini/settings.json"),
    )
    proves = True
    next_step = "start Gemini CLI; /hooks panel lists what it runs"

    def read(self, event: str, data: JsonObject, /) -> Event | None:
        """Return what happened; none where a command of the program asks."""
        found = super().read(event, data)
        if found and event in self.others:
            from ctx.hosts.fields import inner  # not for prompts

            told = inner(data, "tool_response").get("llmContent")
            found.loaded = tuple(text for kind, text in _marked(told) if kind == "file")
            if chat := _subagent(found):
                found.session, found.transcript = f"{found.session}/{os.path.basename(chat)}", chat
                found.agent = "subagent"
        # With what is added to it, a command is left out where the session goes on.
        return None if found and event in self.events and is_command(found.prompt) else found

    def seen(self, lines: Sequence[bytes], /) -> Iterator[tuple[str, str, str]]:
        """Yield hooks' texts and files that were loaded, by their marks, and the model's words."""
        from ctx.hosts.fields import marked, string

        for data in marked(lines, _SEEN):
            when = string(data, "timestamp")
            if data.get("type") == "gemini":
                yield "answer", string(data, "id"), when
            yield from ((kind, text, when) for kind, text in _marked(data.get("content")))

    def compressed(self, lines: Sequence[bytes], /) -> str:
        """Return the summary of the last compression, which has a known answer behind it.

        A resumption writes all messages again, under new times.
        """
        from ctx.hosts.fields import inner, newest, objects, texts

        sets = [line for line in lines if line.startswith(b'{"$set":') and _ANSWER in line]
        for data in newest(sets):
            said = [texts(one.get("content")) for one in objects(inner(data, "$set"), "messages")]
            if _ANSWER.decode() in said[1:]:
                return said[said.index(_ANSWER.decode(), 1) - 1]
        return ""

    def entry(self, command: str, _windows: str, /) -> JsonObject:
        """Return a group of one hook with the name that ``/hooks`` shows.

        Where there is no ctx, what the shell writes would be shown at each event: it goes to the
        second parameter, which PowerShell, where that is nothing, takes for ``$null``.
        """
        silent = f"set ctx /dev/null; {command.removesuffix('; exit 0')} 2>$2; exit 0"
        hook: JsonObject = {
            "name": "ctx", "type": "command", "command": silent, "timeout": _TIMEOUT,
        }  # fmt: skip
        return {"hooks": [hook]}

    def switched_off(self, nearest: Sequence[Contents], here: Here, /) -> list[str]:
        """Return that the folder is not trusted, and what ``hooksConfig`` switches off."""
        from ctx.hosts.fields import inner, inside, strings  # not for events

        levels = here.read(os.path.join(here.home, ".gemini", "trustedFolders.json"))
        trusted = [path for path, rule in levels.items() if rule == "TRUST_FOLDER"]
        trusted += [os.path.dirname(path) for path in levels if levels[path] == "TRUST_PARENT"]
        lets = here.environ.get("GEMINI_CLI_TRUST_WORKSPACE") == "true" or here.trusts(trusted)
        lets = lets and levels.get(here.project) != "DO_NOT_TRUST"
        off = inside(nearest[-1].data, "security", "folderTrust", "enabled") is False
        found = [] if lets or off or not here.project else [_UNTRUSTED]
        found += inactive(nearest, "hooksConfig", "enabled")
        for settings in nearest:
            names = strings(inner(settings.data, "hooksConfig"), "disabled")
            # Hooks of ctx are called by their own name there, or by their command.
            if "ctx" in names or any(" hook run gemini " in name for name in names):
                found.append(
                    f"{settings.shown}: hooksConfig.disabled names the hooks of ctx: they are not "
                    "run; take them out of that list, or `/hooks enable ctx`"
                )
        return found


def is_command(text: str) -> bool:
    """Whether a text is a command of the program, which ``-p`` records as a person's."""
    return text[:1] == "/" and text.split(None, 1)[0][1:] in _COMMANDS.split()


def _marked(content: Json) -> Iterator[tuple[str, str]]:
    """Yield files that were loaded, and hooks' texts, by their marks in what the model is sent."""
    from json import dumps, loads

    shown = dumps(content)
    for kind, begin, end in _MARKS:
        for each in shown.split(begin)[1:]:
            if end in each:
                found: str = loads(f'"{each.partition(end)[0]}"')
                is_text = kind == "text"  # in which Gemini CLI escapes these
                yield kind, found.replace("&lt;", "<").replace("&gt;", ">") if is_text else found


def _subagent(event: Event) -> str:
    """Return the chat of the subagent that is at work in a session; empty where none is.

    It is in a folder of the session's name, and newer than the session's own.
    """
    try:
        with os.scandir(os.path.join(os.path.dirname(event.transcript), event.session)) as found:
            latest = max((each.stat().st_mtime_ns, each.path) for each in found)
        return latest[1] if latest[0] > os.stat(event.transcript).st_mtime_ns else ""
    except (OSError, ValueError):
        return ""


HOOKS = Gemini()
