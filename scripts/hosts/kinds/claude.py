"""Claude Code."""

import json
import re
import uuid
from typing import Any, ClassVar

from scripts.hosts.apis.anthropic import Anthropic
from scripts.hosts.host import CHANGED, NEW, OLD, TASK, Host, Prompt, Tools
from scripts.hosts.project import ROOT
from scripts.hosts.stand_in import StandIn
from scripts.hosts.trial import Trial

ANSWERED = "(said-"
TOOLS = "Read,Edit,Write,Bash,Agent,Task,ToolSearch,mcp__ctx"


class Claude(Host):
    """Headless, with ids of sessions that are chosen here."""

    name, title, program = "claude", "Claude Code", "claude"
    package = "@anthropic-ai/claude-code"
    versions = ("2.1.197", "2.1.332")
    api = Anthropic
    can = frozenset(
        {"prompt", "resume", "fork", "compact", "fill", "kill", "plugin", "rewind", "terminal"}
    )
    agents = ("general-purpose", "Explore", "Plan")
    installs = "claude"
    own = re.compile("[Rr]unning .*hook")

    tools: ClassVar[Tools] = {
        "read": ("Read", {"file_path": "{path}"}),
        "write": ("Write", {"file_path": "{path}", "content": NEW}),
        "edit": ("Edit", {"file_path": "{path}", "old_string": OLD, "new_string": CHANGED}),
        "mcp": ("mcp__ctx__search", {"query": "{words}"}),
        "run": ("Bash", {"command": "{words}"}),
        "agent": (
            "Agent",
            {
                "description": "Look at it", "prompt": TASK, "subagent_type": "{kind}",
                "run_in_background": False,
            },
        ),
    }  # fmt: skip
    background: ClassVar[dict[str, Any]] = {"run_in_background": True}

    def configure(self, trial: Trial, stand_in: StandIn, options: dict[str, object], /) -> None:
        """Write the settings of the host and set its environment."""
        trial.environ |= {
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{stand_in.port}",
            "ANTHROPIC_API_KEY": "dummy",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CONFIG_DIR": str(trial.home / ".claude"),
        }
        if options.get("mcp"):
            server = {"command": "sh", "args": ["-c", f"sleep {options['mcp']}; exec ctx mcp"]}
            trial.put(trial.project / ".mcp.json", {"mcpServers": {"ctx": server}})

    def command(self, trial: Trial, prompt: Prompt, /) -> list[str]:
        """Return the call that gives one prompt."""
        known, more = trial.session_ids, list[str]()
        named = known.setdefault(prompt.session, str(uuid.uuid4()))
        how = ["--session-id", named]
        if prompt.how == "rewind":
            prompt, more = prompt._replace(how="resume"), ["--resume-session-at", self.first(trial)]
        if prompt.how == "resume":
            how = ["--resume", named]
        elif prompt.how == "fork":
            how += ["--resume", known[prompt.origin], "--fork-session"]
        return [
            str(trial.program),
            "-p",
            prompt.text,
            "--allowedTools",
            TOOLS,
            *how,
            *more,
            *trial.more,
        ]

    def first(self, trial: Trial) -> str:
        """Return the id of the first answer to a person, to which a session can go back."""
        for path in sorted((trial.home / ".claude/projects").glob("*/*.jsonl")):
            for line in path.read_text("utf-8").splitlines():
                record = json.loads(line)
                if record.get("type") == "assistant" and ANSWERED in line:
                    return str(record["uuid"])
        return ""

    def live(self, trial: Trial, prompt: Prompt, /) -> list[str]:
        """Return the call of a process that is sent one prompt after another."""
        words = self.command(trial, prompt._replace(text=""))
        json_lines = ["--input-format", "stream-json", "--output-format", "stream-json"]
        return [each for each in words if each] + [*json_lines, "--verbose"]

    def terminal(self, trial: Trial, /) -> list[str]:
        """Return the call; the questions of a first start are answered in its configuration."""
        folder = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        known: dict[str, object] = {"hasCompletedOnboarding": True, "theme": "dark"}
        known["customApiKeyResponses"] = {"approved": ["dummy"], "rejected": []}
        known["projects"] = {str(trial.project): folder}
        trial.put(trial.home / ".claude/.claude.json", known)
        return [str(trial.program)]

    def plug(self, trial: Trial, /) -> None:
        """Name the folder of the plugin."""
        trial.more = ["--plugin-dir", str(ROOT / "plugins/claude")]


HOST = Claude()
