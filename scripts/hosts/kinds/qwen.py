"""Qwen Code, which has no hooks of ctx: what it loads, and its MCP."""

import uuid
from typing import ClassVar

from scripts.hosts.apis.chat import MODEL, Chat
from scripts.hosts.host import CHANGED, NEW, OLD, TASK, Host, Prompt, Tools
from scripts.hosts.stand_in import StandIn
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

    tools: ClassVar[Tools] = {
        "read": ("read_file", {"file_path": "{path}"}),
        "write": ("write_file", {"file_path": "{path}", "content": NEW}),
        "edit": ("edit", {"file_path": "{path}", "old_string": OLD, "new_string": CHANGED}),
        "mcp": ("mcp__ctx__search", {"query": "{words}"}),
        "run": ("run_shell_command", {"command": "{words}", "is_background": False}),
        "agent": (
            "agent", {"description": "Look at it", "prompt": TASK, "subagent_type": "{kind}"}
        ),
    }  # fmt: skip

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

    def imported(self, trial: Trial, /) -> None:
        """Have ctx read the sessions, as a person does."""
        found = sorted((trial.home / ".qwen/projects").rglob("*.jsonl"))
        trial.ctx("session", "import", *map(str, found))


HOST = Qwen()
