"""The hooks of a host, and what the modules of hosts share: events, fields, answers."""

from __future__ import annotations

from ctx.text import is_path

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import ClassVar

    from ctx.hosts.here import Contents, Here
    from ctx.model import JsonObject

TIMEOUT = 10  # seconds: over the deadline that ctx keeps itself, under what a person waits for


class Event:
    """Something that happened in a tool, as it reports it to its hook."""

    __slots__ = (
        "agent", "cwd", "files", "fresh", "loaded", "moment", "name", "parent", "prompt", "reads",
        "session", "since", "source", "transcript", "turn", "until", "version",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913 - as a record with names, which would import typing
        self,
        name: str,
        session: str = "",
        prompt: str = "",
        transcript: str = "",
        cwd: str = "",
        *,
        fresh: bool = False,
        source: str = "",
    ) -> None:
        self.name = name  # what ``answer`` is asked with: how the host wants to be answered
        self.session = session
        self.prompt = prompt  # what the person asked; empty where nothing was asked yet
        self.transcript = transcript  # the path of the session's transcript
        self.cwd = cwd  # where the tool works
        self.fresh = fresh  # whether the window holds nothing: it began, was cleared, compacted
        self.source = source  # from what the window is new, as the host calls it: ``clear``…
        self.moment = ""
        """``files`` where a tool reads or edits ``files``, ``loaded`` where the host has loaded
        them by itself, ``agent`` where a subagent starts, ``emptied`` where the window is compacted
        and no other event follows, ``ended`` where the agent or the session ends; else empty."""
        self.files: tuple[str, ...] = ()  # paths as the tool has them
        self.loaded: tuple[str, ...] | None = None
        """Paths of rules that the host loaded with this call; None where its event tells none."""
        self.reads = False  # whether the tool reads them, and changes nothing
        self.agent = ""  # the type of a subagent that starts
        self.turn = ""  # what all hooks are told that the host runs at this moment; else empty
        self.parent = ""  # the session from which the window was copied; empty for none
        self.until: float | None = None
        """The time up to which the window holds what it held, in seconds since the epoch; None
        where nothing was taken back."""
        self.since = float("inf")  # the time from which on it holds again what came
        self.version = ""  # of the host; empty where it is not known


class Place:
    """A file in which a tool looks for its hooks."""

    __slots__ = ("owned", "path", "reach", "scope", "variable")

    def __init__(
        self, scope: str, path: str, variable: str = "", *, owned: bool = False, reach: str = ""
    ) -> None:
        self.scope = scope
        """``project`` (committed, for everybody), ``local`` (this project, this person) or
        ``global`` (this person, every project)."""
        self.path = path  # below the project or the home folder, with forward slashes
        self.variable = variable  # the variable that may name another folder for its first part
        self.reach = reach
        """``here`` where it is read only in the folder in which the tool is started, ``everywhere``
        where that of the main checkout counts in linked work trees, too."""
        self.owned = owned  # whether the file is ctx's own, among others of its folder


class Hooks:
    """The hooks of a host, in the form of Claude Code, which most have taken on."""

    name: str  # what ``ctx hook`` takes
    title: str  # what people call it
    note = ""  # what help adds to the name
    aliases: tuple[str, ...] = ()  # what else people call it
    session_variable = ""  # in which commands that its agent runs find the session; empty for none
    events: tuple[str, ...]  # the events that are installed, in the order of a session
    others: ClassVar[dict[str, str]]
    """Events that are installed beside, with what matches their tools: when a tool touches files, a
    subagent starts, or the window is compacted."""
    commands: tuple[str, ...] = ("command", "bash", "powershell", "windows", "commandWindows")
    """The members of a hook in settings that may hold what it runs."""
    captures: tuple[str, ...]  # installed beside: the transcript that they name is stored
    places: tuple[Place, ...]  # where hooks can be installed, a project's default first
    next_step: str  # what a person has to do after installing
    folder_variable = ""  # that names the folder of the project to hooks, wherever commands ran
    fresh: tuple[str, ...] = ("startup", "clear", "compact")  # sources of an empty window
    owns_environment = True  # whether its hooks have the environment of the shell that it works in
    most_characters = 10_000  # what of an answer reaches the model whole, as ``size`` counts
    needed: ClassVar[JsonObject] = {}  # members that settings must have beside the hooks
    trees = ""  # the folder of a project that holds work trees of the host, which are not its files
    proves = False  # whether transcripts hold what reached the model: see ``seen``
    keeps_prompts = False  # whether a compacted window still holds the prompts
    also_run_by: tuple[str, ...] = ()  # other tools that run the hooks of these places, too
    late = ""  # the event while whose hook the host still writes the end of a transcript
    unkept: ClassVar[dict[str, str]] = {}
    """Events of prompts, with the name of the start whose answer the host does not keep: at each
    start of a session it shows what is answered then in its place, beside the first prompt."""

    def size(self, packet: str, /) -> int:
        """Return the length as the tool's limit counts it: in units of UTF-16, as JavaScript."""
        return len(packet.encode("utf-16-le", "surrogatepass")) // 2

    def entry(self, command: str, _windows: str, /) -> JsonObject:
        """Return the item of an event's list that runs ``command``; ``_windows`` is for ``cmd``."""
        return {"hooks": [{"type": "command", "command": command, "timeout": TIMEOUT}]}

    def knows(self, event: str) -> bool:
        """Whether the tool has an event of this name."""
        return event in self.events or event in self.others or event in self.captures

    def read(self, event: str, data: JsonObject, /) -> Event | None:
        """Return what ``data`` tells of ``event``, None for an unknown one; raises nothing."""
        if not self.knows(event):
            return None
        fresh = event == self.events[0] and data.get("source") in self.fresh
        return event_of(event, data, fresh=fresh)

    def answer(self, event: str, packet: str, /) -> bytes:
        """Return what puts ``packet`` in front of the model; nothing where no answer reaches it."""
        return specific(event, packet) if self.knows(event) else b""

    def runner(self, _data: JsonObject, _environ: Mapping[str, str], /) -> str:
        """Return the name of the tool that runs a hook of these places: by it it is answered."""
        return self.name

    def seen(self, _lines: Sequence[bytes], /) -> Iterator[tuple[str, str, str]]:
        """Yield kind, text and time (UTC, ISO 8601) of what lines of a transcript hold, in order.

        ``text``: of a hook, as the model has it; ``file``: the path of one that the host loaded;
        ``emptied``: the window was compacted, with the id of the first message that it still
        holds; ``answer``: the id of a model's message.
        """
        return iter(())

    def compressed(self, _lines: Sequence[bytes], /) -> str:
        """Return what tells the last compaction in a transcript's lines, where no event does."""
        return ""

    def transcript(self, _session: str, _environ: Mapping[str, str], /) -> str:
        """Return the path of a session's transcript where an event does not name it; or nothing."""
        return ""

    def version(self, _environ: Mapping[str, str], /) -> str:
        """Return the version of the host that runs a hook with this environment, if it is there."""
        return ""

    def switched_off(self, _nearest: Sequence[Contents], _here: Here, /) -> list[str]:
        """Return why hooks are not run, and what to do; ``nearest`` are files by precedence."""
        return []


def inactive(files: Iterable[Contents], *names: str, value: bool = False) -> list[str]:
    """Return that hooks are not run, where the nearest of the settings ``names`` is ``value``."""
    from ctx.hosts.fields import inside  # not for events

    for each in files:
        found = inside(each.data, *names)
        if isinstance(found, bool):
            is_, other = ("true", "false") if value else ("false", "true")
            why = f"{each.shown}: {'.'.join(names)} is {is_}: no hooks are run; set it to {other}"
            return [f"{why}, or take it out"] if found is value else []
    return []


def text(data: JsonObject, *names: str) -> str:
    """Return the first of the members ``names`` that is text and not empty, or nothing."""
    for name in names:
        value = data.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def path(data: JsonObject, *names: str) -> str:
    """Return the first of the members ``names`` that is text, where it can be a path."""
    value = text(data, *names)
    return value if is_path(value) else ""


def event_of(event: str, data: JsonObject, *, fresh: bool) -> Event:
    """Return the event in the form of Claude Code, which most tools have taken on."""
    prompt = text(data, "prompt")
    found = Event(
        event,
        text(data, "session_id", "sessionId"),
        "" if prompt.startswith(PROGRAMS) or not prompt.strip() else prompt,
        path(data, "transcript_path", "transcriptPath"),
        path(data, "cwd"),
        fresh=fresh,
        source=text(data, "source"),
    )
    found.turn = text(data, "turn_id", "timestamp")
    return found


PROGRAMS = "<task-notification>"  # with which a prompt begins that a host wrote, and no person
MOST_FILES = 500  # files of one call that are looked at
_MOMENTS = {  # what events are about that ask for no packet, by their names in lower case
    "pretooluse": "files", "posttooluse": "files", "aftertool": "files", "subagentstart": "agent",
    "instructionsloaded": "loaded", "precompact": "emptied", "precompress": "emptied",
    "stop": "ended", "agentstop": "ended", "afteragent": "ended", "sessionend": "ended",
}  # fmt: skip


def about(found: Event, data: JsonObject) -> None:
    """Add a tool's files, or the subagent, to an event of no packet; both may have own sessions."""
    moment = _MOMENTS.get(found.name.lower())
    if not moment:
        return
    agent = text(data, "agent_id", "agentId", "subagent_id")
    if agent:
        found.session, found.transcript = f"{found.session}/{agent}", ""
    found.moment, found.prompt = moment, ""
    if moment == "agent":
        found.fresh = True
        found.agent = text(data, "agent_type", "agentType", "agentName") or "subagent"
    if moment == "loaded":
        found.files = tuple(filter(None, [path(data, "file_path")]))
    if moment == "files":
        from ctx.hosts.calls import files, parsed, reads  # not for events of a packet

        found.reads = reads(text(data, "tool_name", "toolName"))
        given = parsed(data.get("tool_input", data.get("toolArgs")))
        found.files = tuple(files(given))[:MOST_FILES] or found.files
        made = data.get("tool_response")
        if isinstance(made, dict) and made.get("error"):
            found.files = ()  # of a call that failed the model has the error, and no more


def specific(event: str, packet: str) -> bytes:
    """Return ``hookSpecificOutput`` with ``packet`` as additional context."""
    return dumped({"hookSpecificOutput": {"hookEventName": event, "additionalContext": packet}})


def dumped(answer: JsonObject) -> bytes:
    """Return an answer as a line of JSON."""
    from json import dumps  # only where there is an answer

    return dumps(answer, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
