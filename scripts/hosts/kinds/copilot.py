"""Copilot CLI, with a provider of one's own."""

import re
import uuid
from typing import Any, ClassVar

from scripts.hosts.apis.chat import MODEL, Chat
from scripts.hosts.host import CHANGED, NEW, OLD, TASK, Host, Prompt, Tools
from scripts.hosts.stand_in import StandIn
from scripts.hosts.trial import Trial


class Copilot(Host):
    """``copilot -p``, without a login."""

    name, title, program = "copilot", "Copilot CLI", "copilot"
    package = "@github/copilot"
    versions = ("1.0.102",)
    api = Chat
    can = frozenset({"prompt", "resume", "compact", "kill"})
    agents = (
        "explore", "task", "general-purpose", "code-review", "research", "security-review",
    )  # fmt: skip
    installs = "copilot"
    forgets = "what it shows with a file is gone once a session goes on, until the next one"
    own = re.compile(
        r"^(?:Changes|Duration|Tokens|Total|API time|Usage|Breakdown|Resume|Package extraction)\b"
        # Calls and results, which those of subagents at work at once interrupt anywhere.
        r"|^● search \(MCP: ctx\)|^└ \{|It was looked at|\(model: stand-in\)"
    )

    tools: ClassVar[Tools] = {
        "read": ("view", {"path": "{path}"}),
        "write": ("create", {"path": "{path}", "file_text": NEW}),
        "edit": ("edit", {"path": "{path}", "old_str": OLD, "new_str": CHANGED}),
        "mcp": ("ctx-search", {"query": "{words}"}),
        "run": ("bash", {"command": "{words}", "description": "Run it"}),
        "agent": (
            "task",
            {
                "agent_type": "{kind}", "prompt": TASK, "name": "{task}",
                "description": "Look at it", "mode": "sync",
            },
        ),
    }  # fmt: skip
    background: ClassVar[dict[str, Any]] = {"mode": "background"}

    def configure(self, trial: Trial, stand_in: StandIn, options: dict[str, object], /) -> None:
        """Write the settings of the host and set its environment."""
        trial.environ |= {
            "COPILOT_PROVIDER_BASE_URL": f"http://127.0.0.1:{stand_in.port}/v1",
            "COPILOT_MODEL": MODEL,
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
        }
        config: dict[str, object] = {}
        if options.get("trusted") is not False:
            config["trustedFolders"] = [str(trial.project), str(trial.project.parent / "side")]
        trial.put(trial.home / ".copilot/config.json", config)
        if options.get("mcp"):
            server = {"type": "local", "command": "sh", "tools": ["*"]}
            server |= {"args": ["-c", f"sleep {options['mcp']}; exec ctx mcp"]}
            trial.put(trial.home / ".copilot/mcp-config.json", {"mcpServers": {"ctx": server}})

    def command(self, trial: Trial, prompt: Prompt, /) -> list[str]:
        """Return the call that gives one prompt."""
        known = trial.session_ids
        is_known = prompt.session in known
        named = known.setdefault(prompt.session, str(uuid.uuid4()))
        how = ["--resume", named] if is_known else ["--session-id", named]
        return [str(trial.program), "-p", prompt.text, "--allow-all-tools", *how]


HOST = Copilot()
