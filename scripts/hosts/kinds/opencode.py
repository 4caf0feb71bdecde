"""OpenCode, which has no hooks of ctx: what it loads, and its MCP."""

import json
import re
from typing import ClassVar

from scripts.hosts.apis.chat import MODEL, Chat
from scripts.hosts.host import CHANGED, NEW, OLD, TASK, Host, Prompt, Tools
from scripts.hosts.stand_in import StandIn
from scripts.hosts.trial import Trial


class OpenCode(Host):
    """``opencode run``."""

    name, title, program = "opencode", "OpenCode", "opencode"
    package = "opencode-ai"
    versions = ("1.18.33",)
    api = Chat
    can = frozenset({"prompt", "resume", "fork", "kill"})
    scenes = frozenset({"start", "read", "write", "agents", "resume", "fork", "mcp"})
    own = re.compile("ctx_search")
    agents = ("general", "explore")

    tools: ClassVar[Tools] = {
        "read": ("read", {"filePath": "{path}"}),
        "write": ("write", {"filePath": "{path}", "content": NEW}),
        "edit": ("edit", {"filePath": "{path}", "oldString": OLD, "newString": CHANGED}),
        "mcp": ("ctx_search", {"query": "{words}"}),
        "run": ("bash", {"command": "{words}", "description": "Run it"}),
        "agent": (
            "task", {"description": "Look at it", "prompt": TASK, "subagent_type": "{kind}"}
        ),
    }  # fmt: skip

    def configure(self, trial: Trial, stand_in: StandIn, options: dict[str, object], /) -> None:
        """Write the settings of the host and set its environment."""
        trial.environ |= {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}
        url = f"http://127.0.0.1:{stand_in.port}/v1"
        model = {"name": MODEL, "limit": {"context": 200_000, "output": 8_000}}
        provider = {
            "npm": "@ai-sdk/openai-compatible", "name": "local",
            "options": {"baseURL": url, "apiKey": "dummy"}, "models": {MODEL: model},
        }  # fmt: skip
        settings: dict[str, object] = {"provider": {"local": provider}}
        settings["small_model"] = f"local/{MODEL}"
        if options.get("mcp"):
            command = ["sh", "-c", f"sleep {options['mcp']}; exec ctx mcp"]
            settings["mcp"] = {"ctx": {"type": "local", "command": command, "enabled": True}}
        trial.put(trial.home / ".config/opencode/opencode.json", settings)

    def command(self, trial: Trial, prompt: Prompt, /) -> list[str]:
        """Return the call that gives one prompt."""
        how = [] if prompt.how == "start" else ["--continue"]
        how += ["--fork"] if prompt.how == "fork" else []
        flags = ["--auto", "--model", f"local/{MODEL}"]
        return [str(trial.program), "run", *flags, *how, prompt.text]

    def kept(self, prompt: str, /) -> str:
        """Return a prompt in quotation marks: ``opencode run`` sends and keeps one so."""
        return f'"{prompt}"'

    def imported(self, trial: Trial, /) -> None:
        """Have ctx read the sessions, as a person does."""
        listed = trial.run(str(trial.program), "session", "list", "--format", "json").out
        names = [each["id"] for each in json.loads(listed or "[]")]
        for name in names:
            text = trial.run(str(trial.program), "export", name).out
            trial.put(trial.root / "export.json", text)
            trial.ctx("session", "import", str(trial.root / "export.json"))


HOST = OpenCode()
