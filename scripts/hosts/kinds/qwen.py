"""Qwen Code, which has no hooks of ctx: what it loads, and its MCP."""

import uuid

from scripts.hosts.apis.chat import MODEL, Chat
from scripts.hosts.host import Action, Host, Prompt
from scripts.hosts.stand_in import Call, StandIn
from scripts.hosts.trial import Trial


class Qwen(Host):
    """``qwen -p``, by the API of chat completions."""

    name, title, program = "qwen", "Qwen Code", "qwen"
    package = "@qwen-code/qwen-code"
    versions = ("0.24.4",)
    api = Chat
    can = frozenset({"prompt", "resume", "fork", "kill"})
    scenes = frozenset({"start", "read", "write", "agents", "resume", "fork", "mcp"})
    agents = ("general-purpose", "Explore")

    def configure(self, trial: Trial, stand_in: StandIn, options: dict[str, object], /) -> None:
        """Write the settings of the host and set its environment."""
        trial.environ |= {
            "OPENAI_API_KEY": "dummy", "OPENAI_MODEL": MODEL,
            "OPENAI_BASE_URL": f"http://127.0.0.1:{stand_in.port}/v1",
        }  # fmt: skip
        settings: dict[str, object] = {"general": {"enableAutoUpdate": False}}
        if options.get("mcp"):
            slow = f"sleep {options['mcp']}; exec ctx mcp"
            settings["mcpServers"] = {"ctx": {"command": "sh", "args": ["-c", slow]}}
        trial.put(trial.home / ".qwen/settings.json", settings)

    def command(self, trial: Trial, prompt: Prompt, /) -> list[str]:
        """Return the call that gives one prompt."""
        known = trial.session_ids
        is_known = prompt.session in known
        named = known.setdefault(prompt.session, str(uuid.uuid4()))
        how = ["--resume", named] if is_known else ["--session-id", named]
        if prompt.how == "fork":
            how = ["--resume", known[prompt.origin], "--fork-session"]
        flags = ["--yolo", "--auth-type", "openai"]
        return [str(trial.program), "-p", prompt.text, *flags, *how]

    def call(self, trial: Trial, action: Action, task: str, /) -> Call:
        """Return the call of a tool for an action."""
        path = str(trial.project / action.words)
        if action.verb == "agent":
            kind = action.words.partition(" ")[0]
            given = {"description": "Look at it", "prompt": f"Look at it ({task})"}
            return Call("agent", {**given, "subagent_type": kind})
        if action.verb == "read":
            return Call("read_file", {"file_path": path})
        if action.verb == "write":
            return Call("write_file", {"file_path": path, "content": "x = 1\n"})
        if action.verb == "edit":
            change = {"old_string": "return cents", "new_string": "return 1"}
            return Call("edit", {"file_path": path, **change})
        if action.verb == "mcp":
            return Call("mcp__ctx__search", {"query": action.words})
        command = f"cat {action.words}" if action.verb == "cat" else action.words
        given = {"command": command, "is_background": False}
        return Call("run_shell_command", given)

    def imported(self, trial: Trial, /) -> None:
        """Have ctx read the sessions, as a person does."""
        found = sorted((trial.home / ".qwen/projects").rglob("*.jsonl"))
        trial.ctx("session", "import", *map(str, found))


HOST = Qwen()
